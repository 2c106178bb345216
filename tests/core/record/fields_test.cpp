// Observations and orders as fields of a table.
#include "core/record/fields.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

// "name=value", one a line.
std::string text_of(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) {
    text += field.name + "=";
    if (const auto* yes = std::get_if<bool>(&field.value)) text += *yes ? "yes" : "no";
    if (const auto* whole = std::get_if<std::int64_t>(&field.value)) text += std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&field.value)) text += std::to_string(*real);
    if (const auto* word = std::get_if<std::string>(&field.value)) text += *word;
    text += "\n";
  }
  return text;
}

TEST(Fields, NameEachMemberWithItsUnit) {
  const Seen seen{.watch = WatchId{3},
                  .who = component(HostId{17}),
                  .edge = Edge::began,
                  .sensed = kStart + 2s,
                  .value = 0.5,
                  .more = 4};
  EXPECT_EQ(text_of(fields_of(Observation{seen})),
            "kind=Seen\nwatch=3\nwho=host:17\nedge=began\nsensed_ns=2000000000\nvalue=0.500000\nmore=4\n");
}

TEST(Fields, SayWhichTypeAMemberHas) {
  const Outcome granted{.order = OrderId{9}, .took = 5ns, .result = Granted{.host = HostId{2}}};
  EXPECT_EQ(text_of(fields_of(Observation{granted})),
            "kind=Outcome\norder=9\nstatus=done\ntook_ns=5\nresult=Granted\nresult.host=2\n");
  const Outcome bare{.order = OrderId{9}, .status = Status::failed, .took = {}, .result = {}};
  EXPECT_EQ(text_of(fields_of(Observation{bare})), "kind=Outcome\norder=9\nstatus=failed\ntook_ns=0\n");
}

TEST(Fields, TakeMembersOfMembersWithTheirNames) {
  const Watch watch{.id = WatchId{1},
                    .signal = Signal::traffic,
                    .who = Scope::hosts_of_stage(JobId{0}, 5),
                    .until = Outside{.low = 1, .high = 2}};
  EXPECT_EQ(text_of(fields_of(Action{watch})),
            "kind=Watch\nid=1\nsignal=traffic\nwho=every host of stage:5 of "
            "job:0\nuntil=Outside\nuntil.low=1.000000\n"
            "until.high=2.000000\nfirst=65535\n");
}

TEST(Fields, WriteYesAndNo) {
  EXPECT_EQ(text_of(fields_of(Observation{StopRequest{.job = JobId{0}, .hold = 1us, .preempted = true}})),
            "kind=StopRequest\njob=0\nhold_ns=1000\npreempted=yes\n");
}

}  // namespace
}  // namespace gauntlet
