// The user's own job under an agent: how its processes begin, what is read of them, and that none is left.
#include "real/rank/lines.hpp"
#include "real/runner/rank_environment.hpp"
#include "real/runner/rank_log.hpp"
#include "real/system/program.hpp"
#include "tests/real/agent_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <thread>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kBySigkill = 128 + SIGKILL;

struct Commands : testing::Test {
  /// A shell script, which the test hands over as one argument of a vector.
  DriverStartRanks script(const std::string& text, std::vector<std::uint32_t> ranks = {0}) const {
    DriverStartRanks start{.order = OrderId{5}, .run = 1, .ranks = std::move(ranks), .arguments = {}};
    start.command.arguments = {"/bin/sh", "-c", text};
    start.command.directory = directory.name();
    start.command.grace = 10min;
    start.command.lines.step = R"(^step (\d+))";
    return start;
  }
  std::string start(const DriverStartRanks& what) {
    driver.link.send(what);
    return driver.await_done(what.order.value).why;
  }
  /// The line of that kind.
  RankLine await_line(RankLine::Kind kind, std::uint32_t rank = 0) {
    const auto line = driver.await<AgentRankLine>([&](const AgentRankLine& each) {
      const auto parsed = parse_rank_line(each.line);
      return each.rank == rank && parsed && parsed->kind == kind;
    });
    return parse_rank_line(line.line).value();
  }
  std::string await_file(const std::string& name) const {
    for (auto until = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < until;
         std::this_thread::sleep_for(5ms)) {
      std::ostringstream text;
      text << std::ifstream(directory.file(name)).rdbuf();
      if (text.str().ends_with('\n')) return text.str();
    }
    throw std::runtime_error(name + " was not written");
  }
  pid_t await_pid_in(const std::string& name) const {
    return static_cast<pid_t>(std::stol(await_file(name)));
  }
  AgentDone stop() {
    driver.link.stop_ranks(OrderId{6});
    return driver.await_done(6);
  }

  OwnDirectory directory;
  PuppetTrainer trainer{directory, 1};
  AgentUnderTest agent{directory, trainer.program(), {"--allow-injection"}};
  DriverUnderTest driver{agent.socket(), 1};
  Commands() { driver.attend(); }
};

// --- beginning

TEST_F(Commands, EachRankIsAProcessInTheDirectoryWithItsVariables) {
  DriverStartRanks what = script("pwd >out-$RANK; env >env-$RANK; echo end >>env-$RANK", {4, 6});
  what.command.environment = {{"GREETING", "a = b"}, {"WORLD_SIZE", "8"}};
  ASSERT_EQ(start(what), "");
  EXPECT_EQ(await_file("out-4"), std::filesystem::canonical(directory.name()).string() + "\n");
  const std::string first = "\n" + await_file("env-4"), second = "\n" + await_file("env-6");
  for (const char* each :
       {"\nGREETING=a = b\n", "\nWORLD_SIZE=8\n", "\nRANK=4\n", "\nROLE_RANK=4\n", "\nLOCAL_RANK=0\n"})
    EXPECT_THAT(first, HasSubstr(each));
  for (const char* each : {"\nRANK=6\n", "\nLOCAL_RANK=1\n"}) EXPECT_THAT(second, HasSubstr(each));
}

TEST_F(Commands, WithAProcessPerHostOneCarriesAllRanks) {
  DriverStartRanks what = script("echo \"rank ${RANK-none}\" >out; echo step 3; exec sleep 1000", {2, 3});
  what.command.per = ProcessPer::host;
  what.environment = torch_variables({.host = 1,
                                      .hosts = 4,
                                      .ranks_per_host = 2,
                                      .ranks = 8,
                                      .address = "10.0.0.7",
                                      .port = 4711,
                                      .run = 1,
                                      .name = "j"});
  ASSERT_EQ(start(what), "");
  EXPECT_EQ(await_file("out"), "rank none\n");
  await_line(RankLine::Kind::step, 2);
  DriverUnderTest next(agent.socket(), 2);
  next.attend();
  EXPECT_THAT(next.await<AgentAttending>().ranks, ElementsAre(2, 3));
}

TEST_F(Commands, AFaultStrikesNoProcessThatIsNotTheRanks) {
  DriverStartRanks what = script("", {2, 3});
  what.command.lines = {};
  what.command.per = ProcessPer::host;
  const std::string job = R"(
import os, socket, time
def speak(rank):
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    agent.connect(os.environ['GAUNTLET_RANK_SOCKET'])
    agent.send(b'hello %d' % rank)
    return agent
ended = os.fork()
if ended == 0:
    agent = speak(2)
    if os.fork() == 0: time.sleep(1000)  # and holds the connection
    os._exit(0)
os.waitpid(ended, 0)
living = os.fork()
if living == 0:
    agent = speak(3)
    agent.send(b'1 up 0')
    time.sleep(1000)
with open('rank-3', 'w') as file: file.write('%d\n' % living)
with open('socket', 'w') as file: file.write(os.environ['GAUNTLET_RANK_SOCKET'] + '\n')
os.waitpid(living, 0)
with open('struck', 'w') as file: file.write('rank 3\n')
time.sleep(1000)
)";
  what.command.arguments = {"python3", "-c", job};
  ASSERT_EQ(start(what), "");
  await_line(RankLine::Kind::up, 3);
  const std::string path = await_file("socket");
  // A process that is not of the job says that it is rank 3.
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, path.size() - 1);
    ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    for (const std::string_view each : {"hello 3", "1 log stranger here"})
      ::send(socket.get(), each.data(), each.size(), 0);
    for (;;) ::pause();
  }
  await_line(RankLine::Kind::log, 3);
  const auto inject = [&](std::uint64_t number, std::uint32_t rank) {
    driver.link.send(DriverInject{.injection = number, .kind = InjectionKind::kill, .target = rank});
    return driver.await<AgentInjected>([&](const AgentInjected& each) { return each.injection == number; });
  };
  const AgentInjected ended = inject(1, 2);
  EXPECT_FALSE(ended.ok) << "its number may be another's";
  EXPECT_EQ(ended.why, "rank 2 does not run here");
  EXPECT_TRUE(inject(2, 3).ok);
  EXPECT_EQ(await_file("struck"), "rank 3\n");
  EXPECT_EQ(::waitpid(stranger, nullptr, WNOHANG), 0) << "the stranger lives";
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
}

// The kernel kills the process that the agent has started, and no other.
TEST_F(Commands, AnAgentThatIsKilledLeavesNothingThatARankHasStarted) {
  ASSERT_EQ(
      start(script("sleep 1000 & echo $! >same; setsid sleep 1000 & echo $! >other; echo step 1; wait")), "");
  await_line(RankLine::Kind::step);
  const Descriptor same = pidfd_of(await_pid_in("same")), other = pidfd_of(await_pid_in("other"));
  ASSERT_TRUE(same && other);
  EXPECT_FALSE(has_ended(same) || has_ended(other));
  agent.signal(SIGKILL);
  for (const Descriptor* each : {&same, &other}) {
    pollfd polled{.fd = each->get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&polled, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())), 1)
        << "it lives on";
  }
}

TEST_F(Commands, WhatCannotBeStartedSaysWhy) {
  DriverStartRanks what = script("");
  what.command.arguments = {"./missing"};
  EXPECT_THAT(start(what), HasSubstr("missing: No such file"));
  what.order = OrderId{7};
  what.command.arguments = {"no-such-program-of-this-name"};
  EXPECT_THAT(start(what), HasSubstr("is in no directory of PATH"));
  what.order = OrderId{8};
  std::ofstream(directory.file("text")) << "#!/bin/sh\n";
  what.command.arguments = {"./text"};
  EXPECT_THAT(start(what), HasSubstr("text: is not executable"));
  what.order = OrderId{9};
  ::chmod(directory.file("text").c_str(), 0700);
  std::ofstream(directory.file("text")) << "#!/no/such/interpreter\n";
  EXPECT_THAT(start(what), HasSubstr("text: cannot be started: No such file"));
  what.order = OrderId{10};
  what.command.arguments = {"/bin/sh"};
  what.command.directory = directory.file("nowhere");
  EXPECT_THAT(start(what), HasSubstr("nowhere: cannot be the working directory of a rank: No such file"));
}

// --- ending

TEST_F(Commands, TheStopSignalComesFirst) {
  ASSERT_EQ(start(script("trap 'echo saved >bye; exit 7' TERM; echo step 1; while :; do sleep 0.01; done")),
            "");
  await_line(RankLine::Kind::step);
  EXPECT_TRUE(stop().ok);
  EXPECT_EQ(await_file("bye"), "saved\n");
  EXPECT_EQ(driver.await<AgentRankExited>().code, 7);
}

TEST_F(Commands, AnotherSignalCanBeTheStopSignal) {
  DriverStartRanks what = script("trap 'exit 8' USR1; echo step 1; while :; do sleep 0.01; done");
  what.command.stop_signal = "USR1";
  ASSERT_EQ(start(what), "");
  await_line(RankLine::Kind::step);
  EXPECT_TRUE(stop().ok);
  EXPECT_EQ(driver.await<AgentRankExited>().code, 8);
}

TEST_F(Commands, WhatIgnoresTheStopSignalIsKilledAfterTheGracePeriod) {
  DriverStartRanks what = script("trap '' TERM; echo step 1; while :; do sleep 0.01; done");
  what.command.grace = 50ms;
  ASSERT_EQ(start(what), "");
  await_line(RankLine::Kind::step);
  EXPECT_TRUE(stop().ok);
  EXPECT_EQ(driver.await<AgentRankExited>().code, kBySigkill);
}

TEST_F(Commands, ALeaseThatLapsesGivesNoGrace) {
  ASSERT_EQ(start(script("trap '' TERM; echo step 1; while :; do sleep 0.01; done")), "");
  await_line(RankLine::Kind::step);
  driver.link.lease(1ms);
  EXPECT_EQ(driver.await<AgentRankExited>().code, kBySigkill);
}

// Children in its group, in a session of their own, and such as nobody waits for.
const char* const kLeaves =
    "trap '' TERM\n"
    "sleep 1000 & echo $! >child\n"
    "setsid sh -c 'trap \"\" TERM; echo $$ >session; sleep 1000 & echo $! >below; while :; do sleep 1; done' "
    "&\n"
    "(setsid sh -c '(trap \"\" TERM HUP; echo $$ >daemon; exec sleep 1000) &' &)\n";

struct Leavers : Commands {
  void expect_all_gone(const std::vector<Handle*>& handles) {
    for (const Handle* each : handles) EXPECT_FALSE(each->alive());
  }
};

TEST_F(Leavers, NothingThatARankStartedIsLeft) {
  DriverStartRanks what = script(std::string(kLeaves) + "echo step 1; while :; do sleep 1; done");
  what.command.grace = 20ms;
  ASSERT_EQ(start(what), "");
  await_line(RankLine::Kind::step);
  Handle child(await_pid_in("child")), session(await_pid_in("session")), below(await_pid_in("below"));
  await_file("daemon");
  EXPECT_TRUE(session.alive());
  EXPECT_TRUE(stop().ok);
  expect_all_gone({&child, &session, &below});
}

TEST_F(Leavers, NotEvenAfterARankThatEndsByItself) {
  ASSERT_EQ(
      start(script(std::string(kLeaves) +
                   "while [ ! -s below ] || [ ! -s session ]; do sleep 0.01; done; echo step 1; read x <go")),
      "");
  await_line(RankLine::Kind::step);
  Handle child(await_pid_in("child")), session(await_pid_in("session")), below(await_pid_in("below"));
  driver.await<AgentRankExited>();  // there is no file to read from
  DriverStartRanks next = script("echo step 9; exec sleep 1000");
  next.order = OrderId{11};
  next.run = 2;
  ASSERT_EQ(start(next), "") << "which waits until all of them are gone";
  expect_all_gone({&child, &session, &below});
}

TEST_F(Leavers, AnInjectedFaultReachesWhatTheRankStarted) {
  ASSERT_EQ(start(script(std::string(kLeaves) +
                         "while [ ! -s below ] || [ ! -s session ]; do sleep 0.01; done; echo step 1; wait")),
            "");
  await_line(RankLine::Kind::step);
  Handle child(await_pid_in("child")), session(await_pid_in("session")), below(await_pid_in("below"));
  driver.link.send(DriverInject{.injection = 1, .kind = InjectionKind::kill, .target = 0});
  EXPECT_TRUE(driver.await<AgentInjected>().ok);
  EXPECT_EQ(driver.await<AgentRankExited>().code, kBySigkill);
  for (const Handle* each : {&child, &session, &below}) EXPECT_TRUE(each->exits_within(kPatience));
}

// --- what it prints

TEST_F(Commands, LinesSayHowFarItIsAndTheExitCodeThatItIsDone) {
  DriverStartRanks what = script("echo step 1; echo 'step 2' >&2; echo done", {0});
  ASSERT_EQ(start(what), "");
  EXPECT_EQ(await_line(RankLine::Kind::up).step, 0);
  EXPECT_EQ(await_line(RankLine::Kind::step).step, 1);
  EXPECT_EQ(await_line(RankLine::Kind::step).step, 2) << "on standard error";
  const RankLine finished = await_line(RankLine::Kind::finished);
  EXPECT_EQ(finished.step, 2);
  const auto exited = driver.await<AgentRankExited>();
  EXPECT_EQ(exited.code, 0);
  EXPECT_EQ(exited.said, "it last printed: done");
}

TEST_F(Commands, ItsOwnLinesAreNoMessages) {
  ASSERT_EQ(start(script("echo '1 up 0'; echo '2 step 1 5'; echo step 7; exec sleep 1000")), "");
  EXPECT_EQ(await_line(RankLine::Kind::up).step, 6) << "of the line that the expression finds";
}

TEST_F(Commands, AFailureIsToldWithItsLastLine) {
  ASSERT_EQ(start(script("echo one; printf 'No module named \\033[1mtorch\\033[0m\\n\\n' >&2; exit 3")), "");
  const auto exited = driver.await<AgentRankExited>();
  EXPECT_EQ(exited.code, 3);
  EXPECT_EQ(exited.said, "it last printed: No module named ?[1mtorch?[0m");
}

/// PyTorch writes one before NCCL's watchdog ends the process.
TEST_F(Commands, AFailureIsToldWithTheCollectiveOfADump) {
  const std::string dump = std::filesystem::absolute("tests/fuzz/corpus/rank/flight-recorder-2").string();
  std::uint32_t run = 0;
  const auto place_after = [&](const std::string& text) {
    DriverStartRanks what = script(text);
    what.run = ++run;
    what.order = OrderId{10 + run};
    EXPECT_EQ(start(what), "");
    return driver.await<AgentRankExited>([&](const auto& each) { return each.run == run; }).place;
  };
  EXPECT_THAT(place_after("cp '" + dump + "' \"$TORCH_FR_DUMP_TEMP_FILE$RANK\"; exit 134"),
              testing::StartsWith("inside collective 301 (all_reduce of default_pg), which it entered "));
  EXPECT_EQ(place_after("exit 134"), "") << "not the dump of an earlier start";
  EXPECT_EQ(
      place_after("printf 'cos\\nsystem\\n.' >\"$TORCH_NCCL_DEBUG_INFO_TEMP_FILE$RANK\"; exit 134"),
      "its flight recorder cannot be read: byte 0 is the opcode 0x63, which is not one of plain data; it is "
      "not executed");
}

TEST_F(Commands, ADumpThatGoesElsewhereIsTheUsers) {
  DriverStartRanks what = script("echo $TORCH_FR_DUMP_TEMP_FILE,$TORCH_NCCL_DEBUG_INFO_TEMP_FILE >out");
  what.command.environment = {{"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "/data/dump-"}};
  start(what);
  EXPECT_EQ(await_file("out"), ",/data/dump-\n");
}

TEST_F(Commands, AGigabyteWithoutANewlineIsBounded) {
  ASSERT_EQ(start(script("head -c 1000000000 /dev/zero; echo; echo step 4; exec sleep 1000")), "");
  EXPECT_EQ(await_line(RankLine::Kind::step).step, 4);
  EXPECT_LT(std::filesystem::file_size(directory.file("rank-0.log")), 1'000'000U);
  EXPECT_LT(agent.most_memory_kib(), 512 * 1024);
}

TEST_F(Commands, ALogThatIsFullBeginsAnew) {
  ASSERT_EQ(
      start(script("yes 'a line of some thirty characters' | head -n 1200000; echo step 4; exec sleep 1000")),
      "");
  EXPECT_EQ(await_line(RankLine::Kind::step).step, 4);
  EXPECT_LE(std::filesystem::file_size(directory.file("rank-0.log")), kLogBytes);
  EXPECT_LE(std::filesystem::file_size(directory.file("rank-0.log.1")), kLogBytes);
}

TEST_F(Commands, AFullDiskCostsLinesOfTheLogAndNotTheRank) {
  ASSERT_EQ(
      start(script(
          "mkfifo go; echo step 1; read x <go; yes 'a line' | head -n 50000; echo step 4; exec sleep 1000")),
      "");
  await_line(RankLine::Kind::step);
  agent.limit_files(64 * 1024);
  std::ofstream(directory.file("go")) << "on\n";
  EXPECT_THAT(await_line(RankLine::Kind::log).text,
              testing::AllOf(HasSubstr("what rank 0 prints is not kept: "),
                             HasSubstr("rank-0.log: cannot be written: File too large")));
  EXPECT_EQ(await_line(RankLine::Kind::step).step, 4);
  EXPECT_TRUE(stop().ok);
  EXPECT_EQ(driver.left<AgentRankLine>(), 1U) << "`up`; the loss is said once";
}

TEST_F(Commands, BinaryDataIsJustNotUnderstood) {
  ASSERT_EQ(start(script("head -c 3000000 /dev/urandom; echo; echo step 4; exec sleep 1000")), "");
  EXPECT_EQ(await_line(RankLine::Kind::step).step, 4);
}

TEST_F(Commands, ARankThatPrintsNothingIsStarted) {
  ASSERT_EQ(start(script("exec sleep 1000")), "");
  EXPECT_TRUE(stop().ok);
  const auto exited = driver.await<AgentRankExited>();
  EXPECT_EQ(exited.code, 128 + SIGTERM);
  EXPECT_EQ(exited.said, "it printed nothing");
  EXPECT_EQ(driver.left<AgentRankLine>(), 0U);
}

// --- parts

TEST(Programs, AreFoundAsAShellFindsThem) {
  const OwnDirectory directory;
  std::filesystem::create_directory(directory.file("bin"));
  std::ofstream(directory.file("bin/tool")) << "#!/bin/sh\n";
  EXPECT_THAT(find_program("tool", "", directory.file("bin")).why,
              HasSubstr("is in PATH and is not executable"));
  ::chmod(directory.file("bin/tool").c_str(), 0700);
  EXPECT_EQ(find_program("tool", "", "/nowhere:" + directory.file("bin")).path, directory.file("bin/tool"));
  EXPECT_EQ(find_program("bin/tool", directory.name(), "").path, directory.file("bin/tool"));
  EXPECT_EQ(find_program(directory.file("bin/tool"), "/nowhere", "").path, directory.file("bin/tool"));
  EXPECT_THAT(find_program("./bin", directory.name(), "").why, HasSubstr("Is a directory"));
  EXPECT_THAT(find_program("tool", "", "").why, HasSubstr("is in no directory of PATH"));
}

TEST(RankEnvironment, HoldsEachNameOnce) {
  const Variable inherited("MASTER_PORT", "1"), kept("GAUNTLET_TEST_KEPT", "yes");
  DriverStartRanks start{.order = OrderId{1}, .run = 3, .ranks = {4, 5}, .arguments = {}};
  EXPECT_EQ(value_of("MASTER_PORT", rank_environment(start, {4})), "1")
      << "the trainer gets what the agent has";
  start.command.arguments = {"true"};
  start.environment = torch_variables({.host = 2,
                                       .hosts = 3,
                                       .ranks_per_host = 2,
                                       .ranks = 6,
                                       .address = "10.0.0.7",
                                       .port = 4711,
                                       .run = 3,
                                       .name = "j"});
  const std::vector<std::string> environment = rank_environment(start, {5});
  std::map<std::string, int> times;
  for (const std::string& each : environment) ++times[each.substr(0, each.find('='))];
  for (const auto& [name, count] : times) EXPECT_EQ(count, 1) << name;
  const std::map<std::string, std::string> wanted = {{"RANK", "5"},
                                                     {"LOCAL_RANK", "1"},
                                                     {"WORLD_SIZE", "6"},
                                                     {"LOCAL_WORLD_SIZE", "2"},
                                                     {"GROUP_RANK", "2"},
                                                     {"ROLE_RANK", "5"},
                                                     {"GROUP_WORLD_SIZE", "3"},
                                                     {"ROLE_WORLD_SIZE", "6"},
                                                     {"MASTER_PORT", "4711"},
                                                     {"MASTER_ADDR", "10.0.0.7"},
                                                     {"GAUNTLET_TEST_KEPT", "yes"},
                                                     {"TORCHELASTIC_RESTART_COUNT", "2"},
                                                     {"PET_NNODES", "3"},
                                                     {"PET_NODE_RANK", "2"},
                                                     {"PET_NPROC_PER_NODE", "2"}};
  for (const auto& [name, value] : wanted) EXPECT_EQ(value_of(name, environment), value) << name;
}

/// What a drill sets, a scenario may not.
TEST(RankEnvironment, SetsOnlyNamesThatAScenarioMayNot) {
  DriverStartRanks start{.order = OrderId{1}, .run = 3, .ranks = {4}, .arguments = {}};
  start.command.arguments = {"true"};
  const std::vector<std::string> before = rank_environment(start, {});
  start.environment = torch_variables({});
  for (const std::string& each : rank_environment(start, {4})) {
    const std::string name = each.substr(0, each.find('='));
    if (std::find(before.begin(), before.end(), each) != before.end()) continue;
    const bool reserved =
        std::find(kTorchVariables.begin(), kTorchVariables.end(), name) != kTorchVariables.end() ||
        std::any_of(kOwnPrefixes.begin(), kOwnPrefixes.end(),
                    [&](auto prefix) { return name.starts_with(prefix); });
    EXPECT_TRUE(reserved) << name;
  }
}

}  // namespace
}  // namespace gauntlet
