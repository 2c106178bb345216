// Where a rank stands, by its own marks, by what the plugin in its NCCL recorded, and by PyTorch's dump.
#include "real/runner/rank_marks.hpp"

#include "real/rank/gauntlet_rank.h"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RanksMarks : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }
  void record(const std::string& name, const std::function<void(gauntlet_rank*)>& put) const {
    gauntlet_rank rank{};
    rank.socket = -1;
    gauntlet_rank_open_recorder(&rank, path(name).c_str());
    ASSERT_NE(rank.recorder, nullptr);
    put(&rank);
    gauntlet_rank_close(&rank);
  }
  void nccl(bool left) const {
    record("nccl", [&](gauntlet_rank* rank) {
      gauntlet_rank_put(rank, 1, GAUNTLET_RANK_ENTERED, 40, "AllReduce", "dp");
      if (left) gauntlet_rank_put(rank, 2, GAUNTLET_RANK_LEFT, 40, "AllReduce", "dp");
    });
  }
  /// A pickle of protocol 2: one collective of dp, number 41, that is started.
  void dump() const {
    const auto text = [](const std::string& value) {
      return std::string("X") + static_cast<char>(value.size()) + std::string(3, '\0') + value;
    };
    std::string bytes = "\x80\x02}(" + text("version") + text("2.10") + text("entries") + "](}(";
    bytes += text("state") + text("started") + text("profiling_name") + text("nccl:all_reduce");
    bytes += text("process_group") + text("0") + text("dp") + "\x86";
    bytes += text("collective_seq_id") + "K\x29" + text("p2p_seq_id") + std::string("K\0", 2) +
             text("is_p2p") + "\x89";
    bytes += text("time_created_ns") + "K\x01" + "ueu.";
    put_bytes(path("dump0"), bytes);
  }
  /// "+ 40 AllReduce" for one that was entered, "-" for one that was left; other marks are left out.
  std::vector<std::string> known() const {
    const RankMarks read =
        read_rank_marks({.own = path("own0"), .nccl = path("nccl0"), .flight_recorder = path("dump0")});
    EXPECT_EQ(read.why, "");
    std::vector<std::string> texts;
    for (const RankMark& mark : read.marks) {
      const bool entered = mark.what == RankMark::What::entered;
      if (entered || mark.what == RankMark::What::left)
        texts.push_back((entered ? "+ " : "- ") + std::to_string(mark.value) + " " + mark.name);
    }
    return texts;
  }
  Scratch scratch_;
};

TEST_F(RanksMarks, AreNoneWhereNothingWasRecorded) { EXPECT_THAT(known(), IsEmpty()); }

TEST_F(RanksMarks, AreItsOwnWhereTheyNameACollective) {
  record("own",
         [](gauntlet_rank* rank) { gauntlet_rank_put(rank, 1, GAUNTLET_RANK_LEFT, 39, "mine", "dp"); });
  nccl(false);
  dump();
  EXPECT_THAT(known(), ElementsAre("- 39 mine"));
}

TEST_F(RanksMarks, NameTheCollectiveThatRunsOnTheDevice) {
  record("own", [](gauntlet_rank* rank) { gauntlet_rank_put(rank, 1, GAUNTLET_RANK_STEP_BEGAN, 7, "", ""); });
  nccl(false);
  dump();
  EXPECT_THAT(known(), ElementsAre("+ 40 AllReduce"));
}

TEST_F(RanksMarks, NameTheOneInTheDumpWhereNoneRuns) {
  nccl(true);
  EXPECT_THAT(known(), ElementsAre("- 40 AllReduce"));
  dump();
  EXPECT_THAT(known(), ElementsAre("+ 41 all_reduce"));
}

TEST_F(RanksMarks, SayWhyTheDumpCannotBeRead) {
  nccl(true);
  put_bytes(path("dump0"), "no pickle");
  const RankMarks read =
      read_rank_marks({.own = path("own0"), .nccl = path("nccl0"), .flight_recorder = path("dump0")});
  EXPECT_NE(read.why, "");
  ASSERT_EQ(read.marks.size(), 1U);
  EXPECT_EQ(read.marks[0].what, RankMark::What::left);
}

}  // namespace
}  // namespace gauntlet
