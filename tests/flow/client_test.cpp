// What the client says when the program does not do its part.
#include "flow/client.hpp"

#include "tests/flow/flow_tests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const FlowProblem kProblem = {.links = {{.bandwidth = 100, .latency = 0}},
                              .phases = {{.flows = {{.bytes = 200, .links = {0}}}, .actors = {}}}};

/// A shell script in a folder of its own, in the program's place.
class FlowClient : public testing::Test {
 protected:
  FlowClient() {
    std::string name = (std::filesystem::temp_directory_path() / "flow-client-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~FlowClient() override { std::filesystem::remove_all(folder_); }

  FlowProgram script(const std::string& text) const {
    const std::filesystem::path path = folder_ / "gauntlet-flow";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {.path = path.string()};
  }

  static std::string failure(const FlowProgram& program) {
    try {
      solve(program, kProblem);
    } catch (const FlowFailure& failure) {
      return failure.what();
    }
    return "no failure";
  }

  std::filesystem::path folder_;
};

TEST_F(FlowClient, ReadsWhatTheProgramAnswers) {
  const std::vector<FlowTimes> times =
      solve(script("cat > /dev/null; echo 'phase 2.5 2.25'; echo end"), kProblem);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].all, 2.5);
  EXPECT_EQ(times[0].flows, std::vector<double>{2.25});
}

TEST_F(FlowClient, HandsTheProblemOver) {
  const FlowProgram program = script("cat > \"$(dirname \"$0\")/seen\"; echo 'phase 1 1'; echo end");
  solve(program, kProblem);
  std::ifstream seen(folder_ / "seen");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(seen), {}), to_text(kProblem));
}

TEST_F(FlowClient, SaysThatTheProgramIsMissing) {
  const std::string path = (folder_ / "nothing").string();
  EXPECT_THAT(failure({.path = path}),
              AllOf(StartsWith(path), HasSubstr("libsimgrid-dev"), HasSubstr("max-min")));
}

TEST_F(FlowClient, SaysThatTheProgramWasKilled) {
  EXPECT_THAT(failure(script("kill -9 $$")), HasSubstr("was killed by signal 9 (Killed)"));
  EXPECT_THAT(failure(script("echo 'phase 1 1'; echo end; kill -9 $$")), HasSubstr("was killed by signal 9"));
}

TEST_F(FlowClient, SaysWhatTheProgramComplainedAbout) {
  EXPECT_THAT(failure(script("echo first >&2; echo 'line 3: no' >&2; exit 1")),
              HasSubstr("ended with 1: line 3: no"));
}

TEST_F(FlowClient, SaysThatTheAnswerIsGarbage) {
  EXPECT_THAT(failure(script("echo garbage")), HasSubstr("answered what cannot be read: line 1: "));
  EXPECT_THAT(failure(script("true")), HasSubstr("answered what cannot be read"));
  EXPECT_THAT(failure(script("echo 'phase 1'; echo end")), HasSubstr("line 1: a time is \"\""));
  EXPECT_THAT(failure(script("echo 'phase 1 1 1'; echo end")),
              HasSubstr("line 1: \"1\" is one word too many"));
  EXPECT_THAT(failure(script("echo 'phase 1 nan'; echo end")), HasSubstr("line 1: a time is \"nan\""));
  EXPECT_THAT(failure(script("echo 'phase 1 1'")), HasSubstr("the text stops before \"end\""));
}

// Whether it says nothing, or closes its output and goes on.
TEST_F(FlowClient, EndsAProgramThatDoesNotAnswer) {
  for (const char* text : {"exec sleep 1000", "exec sleep 1000 > /dev/null"}) {
    FlowProgram program = script(text);
    program.deadline = std::chrono::milliseconds(50);
    EXPECT_THAT(failure(program), HasSubstr("did not answer within 0.05 s"));
  }
}

TEST_F(FlowClient, LooksBesideTheRunningProgram) {
  EXPECT_EQ(flow_program().path,
            (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "gauntlet-flow").string());
}

// The program itself, with what it was told.
TEST(FlowProgramTest, TimesPhasesOfFlowsAndActors) {
  GAUNTLET_NEEDS_SIMGRID();
  using Kind = Instruction::Kind;
  const Transfer hundred = {.bytes = 100, .links = {1}};
  const FlowProblem problem = {
      .links = {{.bandwidth = 100, .latency = 0}, {.bandwidth = 50, .latency = 0.5}},
      .phases = {
          // The second begins 0.5 s later; the two share link 0 until the first is done at 1.5 s.
          {.flows = {{.bytes = 100, .links = {0}}, {.bytes = 100, .links = {0, 1}}}, .actors = {}},
          // The sender computes for 2 s and sends for 2.5 s; the receiver computes 1 s more; both meet.
          {.flows = {{.bytes = 25, .links = {1}}},
           .actors = {{{.kind = Kind::compute, .seconds = 2, .number = 0, .transfer = {}},
                       {.kind = Kind::send, .seconds = 0, .number = 7, .transfer = hundred},
                       {.kind = Kind::meet, .seconds = 0, .number = 1, .transfer = {}}},
                      {{.kind = Kind::receive, .seconds = 0, .number = 7, .transfer = {}},
                       {.kind = Kind::compute, .seconds = 1, .number = 0, .transfer = {}},
                       {.kind = Kind::meet, .seconds = 0, .number = 1, .transfer = {}}}}}}};
  const std::vector<FlowTimes> times = solve(built_program(), problem);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(times[0].flows[0], 1.5, 1e-4);
  EXPECT_NEAR(times[0].flows[1], 2.5, 1e-4);
  EXPECT_NEAR(times[0].all, 2.5, 1e-4);
  EXPECT_NEAR(times[1].flows[0], 1, 1e-4);
  EXPECT_NEAR(times[1].actors[0], 5.5, 1e-4);
  EXPECT_NEAR(times[1].actors[1], 5.5, 1e-4);
}

TEST(FlowProgramTest, SaysThatActorsWaitForEver) {
  GAUNTLET_NEEDS_SIMGRID();
  const auto waits_then_sends = [](std::uint32_t waits, std::uint32_t sends) {
    return Actor{{.kind = Instruction::Kind::receive, .seconds = 0, .number = waits, .transfer = {}},
                 {.kind = Instruction::Kind::send,
                  .seconds = 0,
                  .number = sends,
                  .transfer = {.bytes = 1, .links = {0}}}};
  };
  const FlowProblem problem = {
      .links = {{.bandwidth = 1, .latency = 0}},
      .phases = {{.flows = {}, .actors = {waits_then_sends(0, 1), waits_then_sends(1, 0)}}}};
  try {
    solve(built_program(), problem);
    FAIL() << "it ended";
  } catch (const FlowFailure& failure) {
    EXPECT_THAT(failure.what(),
                HasSubstr("ended with 1: gauntlet-flow: the actors wait for each other forever"));
  }
}

TEST(FlowProgramTest, NamesTheLineThatIsWrong) {
  GAUNTLET_NEEDS_SIMGRID();
  const FlowProblem problem = {.links = {{.bandwidth = 0, .latency = 0}}, .phases = {}};
  try {
    solve(built_program(), problem);
    FAIL() << "it ended";
  } catch (const FlowFailure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("ended with 1: gauntlet-flow: line 2: a link without bandwidth"));
  }
}

}  // namespace
}  // namespace gauntlet
