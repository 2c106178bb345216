#include "policies/diagnose/investigation.hpp"

#include "tests/policies/in_words.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr WatchId kReport{7};

/// An investigation under way: what it orders, what the probes answer.
class Examination {
 public:
  Examination(DiagnosisConstants constants, std::vector<HostId> suspects)
      : constants_(std::move(constants)),
        suite_(JobId{0}, constants_, std::move(suspects), kReport, orders_) {}

  Words says() { return unanswered_.note(orders_); }
  void fails(std::uint32_t host, WatchId watch = kReport) {
    suite_.on(Seen{.watch = watch,
                   .who = component(HostId{host}),
                   .edge = Edge::sample,
                   .sensed = kStart,
                   .value = 1,
                   .more = 0});
  }
  Words done(const std::string& probe) {
    suite_.on(Outcome{.order = unanswered_.take(probe).id, .status = Status::done, .took = 1s, .result = {}},
              orders_);
    return says();
  }
  void stray_outcome() { suite_.on(Outcome{.order = OrderId{99}, .result = {}}, orders_); }
  bool finished() const { return suite_.finished(); }
  std::vector<HostId> found() const { return suite_.found(); }

 private:
  DiagnosisConstants constants_;
  Orders orders_;
  Unanswered unanswered_;
  Investigation suite_;
};

DiagnosisConstants two_probes() { return {.suite = {ProbeId{3}, ProbeId{1}}}; }

TEST(Investigation, ExaminesEverySuspectWithOneProbeAfterTheOther) {
  Examination suite(two_probes(), {HostId{2}, HostId{5}});
  EXPECT_THAT(suite.says(), ElementsAre("probe 3 on host 2", "probe 3 on host 5"));
  EXPECT_THAT(suite.done("probe 3 on host 5"), IsEmpty());  // the other one still runs
  EXPECT_THAT(suite.done("probe 3 on host 2"), ElementsAre("probe 1 on host 2", "probe 1 on host 5"));
  EXPECT_FALSE(suite.finished());
  EXPECT_THAT(suite.done("probe 1 on host 2"), IsEmpty());
  EXPECT_THAT(suite.done("probe 1 on host 5"), IsEmpty());
  EXPECT_TRUE(suite.finished());
  EXPECT_THAT(suite.found(), IsEmpty());
}

TEST(Investigation, ExaminesEveryHostOfTheJobWhereNobodyIsSuspected) {
  Examination suite(two_probes(), {});
  EXPECT_THAT(suite.says(), ElementsAre("probe 3 on every host of the job"));
  EXPECT_THAT(suite.done("probe 3"), ElementsAre("probe 1 on every host of the job"));
  EXPECT_THAT(suite.done("probe 1"), IsEmpty());
  EXPECT_TRUE(suite.finished());
  EXPECT_THAT(suite.found(), IsEmpty());
}

TEST(Investigation, EndsWithTheFirstProbeThatFindsSomething) {
  Examination suite(two_probes(), {});
  suite.says();
  suite.fails(4);
  suite.fails(6);
  suite.fails(4);  // a second component of the same host
  EXPECT_FALSE(suite.finished());
  EXPECT_THAT(suite.done("probe 3"), IsEmpty());
  EXPECT_TRUE(suite.finished());
  EXPECT_THAT(suite.found(), ElementsAre(HostId{4}, HostId{6}));
}

TEST(Investigation, WaitsForTheOtherSuspectsOfThatProbe) {
  Examination suite(two_probes(), {HostId{2}, HostId{5}});
  suite.says();
  suite.fails(2);
  suite.done("probe 3 on host 2");
  EXPECT_FALSE(suite.finished());
  suite.fails(5);
  suite.done("probe 3 on host 5");
  EXPECT_TRUE(suite.finished());
  EXPECT_THAT(suite.found(), ElementsAre(HostId{2}, HostId{5}));
}

TEST(Investigation, IgnoresOtherWatchesOtherOrdersAndWhatComesLate) {
  Examination suite({.suite = {ProbeId{0}}}, {HostId{2}});
  suite.says();
  suite.fails(3, WatchId{8});
  suite.stray_outcome();
  EXPECT_FALSE(suite.finished());
  suite.done("probe 0");
  suite.fails(2);
  EXPECT_TRUE(suite.finished());
  EXPECT_THAT(suite.found(), IsEmpty());
}

// Paired bisection: all of a group that fails are named, and in the second round each runs with others that are well.
TEST(Investigation, ExaminesAGroupThatFailedOneByOneWithOthers) {
  Examination suite({.suite = {{ProbeId{3}, 2}, {ProbeId{1}}}}, {});
  EXPECT_THAT(suite.says(), ElementsAre("probe 3 on every host of the job"));
  for (const std::uint32_t host : {4U, 5U}) suite.fails(host);
  EXPECT_THAT(suite.done("probe 3"), ElementsAre("probe 3 on host 4", "probe 3 on host 5"));
  suite.fails(5);
  suite.done("probe 3 on host 5");
  EXPECT_FALSE(suite.finished());
  EXPECT_THAT(suite.done("probe 3 on host 4"), IsEmpty());
  EXPECT_TRUE(suite.finished());
  EXPECT_THAT(suite.found(), ElementsAre(HostId{5}));
}

TEST(Investigation, GoesOnWhereNobodyOfAGroupFailsAgain) {
  Examination suite({.suite = {{ProbeId{3}, 2}, {ProbeId{1}}}}, {});
  suite.says();
  for (const std::uint32_t host : {4U, 5U}) suite.fails(host);
  suite.done("probe 3");
  suite.done("probe 3 on host 4");
  EXPECT_THAT(suite.done("probe 3 on host 5"), ElementsAre("probe 1 on every host of the job"));
}

TEST(Investigation, WithoutProbesTakesTheEvidenceAtItsWord) {
  Examination suspected({}, {HostId{2}, HostId{5}});
  EXPECT_THAT(suspected.says(), IsEmpty());
  EXPECT_TRUE(suspected.finished());
  EXPECT_THAT(suspected.found(), ElementsAre(HostId{2}, HostId{5}));

  Examination nobody({}, {});
  EXPECT_TRUE(nobody.finished());
  EXPECT_THAT(nobody.found(), IsEmpty());
}

}  // namespace
}  // namespace gauntlet
