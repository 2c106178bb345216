#include "real/driver/failed_ranks.hpp"

#include "real/driver/line_expressions.hpp"
#include "real/driver/signal_sources.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(FailedRanks, AreThereForTheNextDriver) {
  Scratch scratch;
  const std::string file = scratch.folder("drill") / "failed-ranks";
  const FailedRank rank{.run = 2,
                        .rank = 5,
                        .host = 1,
                        .code = 137,
                        .at = kStart + 12345ms,
                        .place = "inside step 3",
                        .last_lines = {"loading", "", "step 3"}};
  FailedRank strange{.code = 1, .last_lines = {"a\ttab", "a\nnewline \xff"}};
  {
    FailedRanks ranks(file);
    ranks.add(rank);
    ranks.add(strange);
  }
  const FailedRanks again(file);
  strange.last_lines = {"a?tab", "a?newline ?"};
  EXPECT_THAT(again.all(), ElementsAre(rank, strange));
  const std::string text = text_of(again.all());
  EXPECT_THAT(
      text,
      HasSubstr("rank 5 on host 1, start 2, at 12.3 s: ended by signal 9, inside step 3; it last printed\n"
                "    loading\n"));
  EXPECT_THAT(text, HasSubstr("exit code 1"));
  EXPECT_EQ(text_of({}), "");
}

TEST(FailedRanks, AReportNamesTheLastOfMany) {
  const std::string text = text_of(std::vector<FailedRank>(50));
  EXPECT_THAT(text, HasSubstr("the last 20 of 50"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 22);
}

TEST(LineExpressions, AreTheScenariosOrTheUsualOnes) {
  World world;
  world.patterns = {"collective_timeout", "peer_lost", "xid_79", "out_of_memory", "whatever"};
  world.drill.lines = {{"out_of_memory", "CUDA out of memory"}, {"peer_lost", "lost"}};
  const auto expressions = line_expressions(world);
  EXPECT_THAT(expressions, ElementsAre("Watchdog caught collective operation timeout", "lost",
                                       "NVRM: Xid \\([^)]*\\): 79\\b", "CUDA out of memory", ""));
  world.drill.command.lines = {.step = "s(\\d)", .saved = {}, .resumed = {}, .timed_out = "Watchdog"};
  EXPECT_EQ(line_expressions(world)[0], "") << "the job's own lines say it";
}

TEST(SignalSources, AJobThatPrintsLinesReportsLess) {
  World world;
  for (std::size_t i = 0; i < kSignals; ++i)
    EXPECT_EQ(why_not_reported(world, static_cast<Signal>(i), {}), "") << "the trainer: " << kSignalNames[i];
  world.drill.command.arguments = {"train"};
  for (std::size_t i = 0; i < kSignals; ++i)
    EXPECT_EQ(why_not_reported(world, static_cast<Signal>(i), {}), "")
        << "gauntlet_rank: " << kSignalNames[i];
  world.drill.command.lines.step = "step (\\d+)";
  for (const Signal signal : {Signal::heartbeat, Signal::process_exit, Signal::log_line, Signal::step})
    EXPECT_EQ(why_not_reported(world, signal, {}), "");
  for (const Signal signal :
       {Signal::checkpoint_stall, Signal::forward_time, Signal::loss, Signal::last_collective})
    EXPECT_THAT(why_not_reported(world, signal, {.interfaces = true}), HasSubstr("only prints lines"));
  EXPECT_THAT(why_not_reported(world, Signal::traffic, {}), HasSubstr("share their network interfaces"));
  EXPECT_EQ(why_not_reported(world, Signal::traffic, {.interfaces = true}), "");
}

}  // namespace
}  // namespace gauntlet
