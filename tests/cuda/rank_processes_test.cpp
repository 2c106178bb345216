// Ranks in processes of their own: all answer, or the one that failed does and none is left.
#include "real/probes/cuda/rank_processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace gauntlet::cuda {
namespace {

RankCommand shell(const std::string& script, const std::string& variable = "RANK=0") {
  return {.program = "/bin/sh", .words = {"sh", "-c", script}, .variable = variable};
}

/// Each rank was waited for.
void expect_no_child() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RankProcesses, AnswerInTheirOrder) {
  ::setenv("RANK", "of the parent", 1);
  const auto answers =
      run_ranks({shell("echo -n first $RANK", "RANK=7"), shell("echo -n second $RANK", "RANK=8")});
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].said, "first 7");
  EXPECT_EQ(answers[1].said, "second 8");
  EXPECT_EQ(answers[0].status, 0);
  expect_no_child();
}

TEST(RankProcesses, TheOneThatFailsEndsThoseThatWaitForIt) {
  for (const bool first : {true, false}) {
    const RankCommand fails = shell("echo -n cuda 2; exit 1"), waits = shell("exec sleep 1000000");
    const auto answers = first ? run_ranks({fails, waits}) : run_ranks({waits, fails});
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].said, "cuda 2");
    EXPECT_TRUE(WIFEXITED(answers[0].status) && WEXITSTATUS(answers[0].status) == 1);
    expect_no_child();
  }
}

TEST(RankProcesses, ASignalIsAnAnswer) {
  const auto answers = run_ranks({shell("exec sleep 1000000"), shell("kill -SEGV $$")});
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].said, "");
  EXPECT_TRUE(WIFSIGNALED(answers[0].status) && WTERMSIG(answers[0].status) == SIGSEGV);
  expect_no_child();
}

TEST(RankProcesses, MayPrintMoreThanAPipeHolds) {
  const std::string much = "i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i + 1)); done";
  const auto answers = run_ranks({shell(much), shell(much)});
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].said.size(), 220'000u);
  EXPECT_EQ(answers[1].said, answers[0].said);
}

TEST(RankProcesses, AProgramThatIsNotThereLeavesNone) {
  EXPECT_THROW(static_cast<void>(run_ranks({shell("exec sleep 1000000"),
                                            {.program = "/none", .words = {"none"}, .variable = "A=1"}})),
               std::system_error);
  expect_no_child();
}

}  // namespace
}  // namespace gauntlet::cuda
