#include "flow/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace gauntlet {
namespace {

const std::string kText =
    "gauntlet-flow 1\n"
    "link 100 0\n"
    "link 2.5e+10 1e-06\n"
    "phase\n"
    "flow 1e+09 0 1\n"
    "actor\n"
    "compute 0.5\n"
    "send 3 20 1\n"
    "meet 4\n"
    "actor\n"
    "receive 3\n"
    "meet 4\n"
    "phase\n"
    "end\n";

TEST(FlowProblem, IsReadAsItWasWritten) {
  const FlowProblem problem = parse_problem(kText);
  ASSERT_EQ(problem.phases.size(), 2U);
  EXPECT_EQ(problem.links[1].bandwidth, 2.5e10);
  EXPECT_EQ(problem.links[1].latency, 1e-6);
  EXPECT_EQ(problem.phases[0].flows[0].links, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(problem.phases[0].actors[0].size(), 3U);
  const std::string again = to_text(problem);
  EXPECT_EQ(to_text(parse_problem(again)), again);
  EXPECT_THAT(again, testing::HasSubstr("send 3 20 1\nmeet 4\n"));
}

TEST(FlowProblem, NamesTheLineThatIsWrong) {
  const std::string begin = "gauntlet-flow 1\nlink 1 0\nphase\n";
  const std::vector<std::tuple<std::string, std::size_t, std::string>> wrong = {
      {"", 0, "the first line is"},
      {"gauntlet-flow 2\nend\n", 1, "the first line is"},
      {"gauntlet-flow 1\n", 1, "stops before \"end\""},
      {begin, 3, "stops before \"end\""},
      {"gauntlet-flow 1\nlink 0 0\nend\n", 2, "without bandwidth"},
      {"gauntlet-flow 1\nlink 1\nend\n", 2, "a latency is \"\""},
      {"gauntlet-flow 1\nlink 1 -1\nend\n", 2, "a latency is \"-1\""},
      {"gauntlet-flow 1\nlink inf 0\nend\n", 2, "a bandwidth is \"inf\""},
      {"gauntlet-flow 1\nlink 1 0 3\nend\n", 2, "\"3\" is one word too many"},
      {"gauntlet-flow 1\nflow 1 0\nend\n", 2, "before the first phase"},
      {begin + "flow 1 1\nend\n", 4, "there is no link 1: 1 came before"},
      {begin + "flow 1 -1\nend\n", 4, "a link is \"-1\""},
      {begin + "flow 1\nend\n", 4, "names no link"},
      {begin + "flow 1e30 0\nend\n", 4, "above"},
      {begin + "compute 1\nend\n", 4, "before any actor"},
      {begin + "actor\nwait 3\nend\n", 5, "\"wait\" is not a word"},
      {begin + "actor\n\nend\n", 5, "\"\" is not a word"},
      {begin + "actor\nreceive 0\nend\n", 6, "message 0 is received and never sent"},
      {begin + "actor\nsend 0 1 0\nsend 0 1 0\nend\n", 6, "message 0 is sent twice"},
      {begin + "actor\nreceive 0\nreceive 0\nend\n", 6, "message 0 is received twice"},
      {begin + "end now\n", 4, "\"now\" is one word too many"},
  };
  for (const auto& [text, line, why] : wrong) {
    SCOPED_TRACE(text);
    try {
      parse_problem(text);
      ADD_FAILURE() << "was read";
    } catch (const FlowTextError& error) {
      EXPECT_EQ(error.line, line);
      EXPECT_THAT(error.why, testing::HasSubstr(why));
    }
  }
}

TEST(FlowAnswer, IsReadAsItWasWritten) {
  const FlowProblem problem = parse_problem(kText);
  const std::vector<FlowTimes> times = {{.all = 3, .flows = {1.5}, .actors = {2, 3}},
                                         {.all = 0, .flows = {}, .actors = {}}};
  const std::vector<FlowTimes> again = parse_answer(to_text(times), problem);
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].flows, times[0].flows);
  EXPECT_EQ(again[0].actors, times[0].actors);
  EXPECT_EQ(again[0].all, 3);
}

}  // namespace
}  // namespace gauntlet
