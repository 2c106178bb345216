// As which user ranks run, by the agent's own functions and by a rank that says who it is.
#include "real/system/rank_user.hpp"

#include "real/runner/rank_channels.hpp"
#include "real/system/launch.hpp"
#include "tests/real/agent_harness.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

namespace gauntlet {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kSomebody = 4711;  // who runs the agent, where it is not root

std::string text_of(const std::optional<Problem>& problem) { return problem ? problem->text() : ""; }

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(RankUserRule, RootMustSayAsWhomRanksRun) {
  std::optional<RankUser> user;
  EXPECT_THAT(text_of(find_rank_user("", 0, user)),
              HasSubstr("write --run-as USER, such as --run-as nobody"));
  EXPECT_EQ(text_of(find_rank_user("root", 0, user)), "");
  EXPECT_FALSE(user) << "root's ranks run as the agent does";
  EXPECT_EQ(text_of(find_rank_user("nobody", 0, user)), "");
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "nobody");
  EXPECT_NE(user->uid, 0U);
  EXPECT_THAT(user->groups, ::testing::Contains(user->gid));
  EXPECT_THAT(user->groups, ::testing::Not(::testing::Contains(0U)));
}

TEST(RankUserRule, AUserMayBeGivenByNumber) {
  std::optional<RankUser> by_name, by_number;
  EXPECT_EQ(text_of(find_rank_user("nobody", 0, by_name)), "");
  EXPECT_EQ(text_of(find_rank_user(std::to_string(by_name->uid), 0, by_number)), "");
  EXPECT_EQ(by_number->name, "nobody");
}

TEST(RankUserRule, OnlyRootStartsRanksAsSomebodyElse) {
  std::optional<RankUser> user;
  EXPECT_EQ(text_of(find_rank_user("", kSomebody, user)), "");
  EXPECT_FALSE(user);
  EXPECT_THAT(text_of(find_rank_user("nobody", kSomebody, user)),
              HasSubstr("only root can start processes as"));
  EXPECT_THAT(text_of(find_rank_user("root", kSomebody, user)),
              HasSubstr("only root can start processes as"));
}

TEST(RankUserRule, UnknownUsersAreRefused) {
  std::optional<RankUser> user;
  for (const uid_t own : {uid_t{0}, kSomebody})
    for (const char* name : {"no-such-user-here", "4294967294", "-1", "12x"})
      EXPECT_THAT(text_of(find_rank_user(name, own, user)), HasSubstr("is not a user of this machine"));
}

/// As root, with a directory that nobody's processes pass through.
class RanksOfNobody : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root starts processes as another user";
    ASSERT_FALSE(find_rank_user("nobody", 0, nobody));
    let_pass(*nobody, directory.name());
  }

  /// What a shell of that user prints.
  std::string printed_by(const std::string& script) const {
    const std::string file = directory.file("printed");
    const Descriptor output(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    const Launch what = {.program = "/bin/sh",
                         .arguments = {"sh", "-c", script},
                         .environment = {"PATH=/usr/bin:/bin"},
                         .directory = "/",
                         .output = output.get(),
                         .errors = output.get(),
                         .user = nobody};
    const Launched launched = launch(what);
    EXPECT_EQ(problem_of_start(what, launched.report, kPatience), "");
    waitpid(launched.pid, nullptr, 0);
    return contents(file);
  }

  OwnDirectory directory;
  std::optional<RankUser> nobody;
};

TEST_F(RanksOfNobody, HaveTheUserItsGroupsAndNoWayBack) {
  const std::string said =
      printed_by("id -un; id -Gn; grep -E '^(Uid|NoNewPrivs|CapEff):' /proc/self/status");
  const std::string uid = std::to_string(nobody->uid);
  EXPECT_THAT(said, HasSubstr("nobody\nnogroup\n"));
  EXPECT_THAT(said, HasSubstr("Uid:\t" + uid + "\t" + uid + "\t" + uid + "\t" + uid));
  EXPECT_THAT(said, HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(said, HasSubstr("CapEff:\t0000000000000000"));
}

TEST_F(RanksOfNobody, DieWithTheThreadThatStartedThem) {
  // The kernel forgets the signal at the death of a parent where a process changes its user.
  const std::string pid = directory.file("pid");
  const pid_t parent = fork();
  if (parent == 0) {
    const Launch what = {.program = "/bin/sleep",
                         .arguments = {"sleep", "1000"},
                         .environment = {},
                         .directory = "",
                         .output = STDOUT_FILENO,
                         .errors = STDERR_FILENO,
                         .user = nobody};
    const Launched launched = launch(what);
    const bool runs = problem_of_start(what, launched.report, kPatience) == "";
    std::ofstream(pid) << launched.pid;
    _exit(runs ? 0 : 1);
  }
  int status = 1;
  waitpid(parent, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(Handle(std::stoi(contents(pid))).exits_within(kPatience));
}

TEST_F(RanksOfNobody, AreToldWhatTheyMayNotStart) {
  const Launch what = {.program = directory.file("closed"),
                       .arguments = {"closed"},
                       .environment = {},
                       .directory = "",
                       .output = STDOUT_FILENO,
                       .errors = STDERR_FILENO,
                       .user = nobody};
  std::ofstream(what.program) << "#!/bin/sh\n";
  chmod(what.program.c_str(), 0700);
  const Launched launched = launch(what);
  EXPECT_THAT(problem_of_start(what, launched.report, kPatience).value(),
              HasSubstr("cannot be started as user nobody: Permission denied"));
  waitpid(launched.pid, nullptr, 0);
}

/// Connects to the socket as a user, and says hello for rank 0. The exit code of a process: 0 where the agent took it.
int hello_as(const std::optional<RankUser>& user, const std::string& path) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (user && !become_user(*user)) _exit(2);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET, 0);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) _exit(3);
  static_cast<void>(send(socket, "hello 0", 7, MSG_NOSIGNAL));
  static_cast<void>(send(socket, "1 step 7 5", 10, MSG_NOSIGNAL));
  char byte = 0;
  _exit(recv(socket, &byte, 1, 0) > 0 ? 0 : 4);  // 4: the agent has ended the connection
}

TEST_F(RanksOfNobody, AreTheOnlyOnesThatTheirAgentHears) {
  RankChannels channels;
  ASSERT_EQ(channels.open(directory.name(), {0}, nobody), "");
  RankUser daemon;  // nobody's group, so that the directory is no obstacle
  daemon.uid = nobody->uid - 1;
  daemon.gid = nobody->gid;
  const pid_t ours = hello_as(nobody, channels.path());
  const pid_t roots = hello_as(std::nullopt, channels.path());
  const pid_t stranger = hello_as(daemon, channels.path());
  const auto ended = [](pid_t child, int& code) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) != child) return false;
    code = WEXITSTATUS(status);
    return true;
  };
  int of_root = -1, of_stranger = -1, of_ours = -1, steps = 0;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while ((of_root < 0 || of_stranger < 0 || of_ours < 0) && std::chrono::steady_clock::now() < deadline) {
    channels.collect([&](std::uint32_t, const std::string&) { ++steps; });
    if (of_root < 0) ended(roots, of_root);
    if (of_stranger < 0) ended(stranger, of_stranger);
    if (steps > 0 && of_root >= 0) channels.tell("stop");
    if (of_ours < 0) ended(ours, of_ours);
  }
  EXPECT_EQ(of_ours, 0);
  EXPECT_EQ(of_root, 4);
  EXPECT_EQ(of_stranger, 3) << "the socket's mode keeps it out";
  EXPECT_EQ(steps, 1);
}

TEST_F(RanksOfNobody, HaveTheirFoldersAndNotTheDrills) {
  const std::string run = directory.file("run-1");
  ASSERT_EQ(mkdir(run.c_str(), 0700), 0);
  give_to(*nobody, run);
  EXPECT_EQ(error_of_access(*nobody, run, R_OK | W_OK | X_OK), 0);
  EXPECT_EQ(error_of_access(*nobody, directory.name(), R_OK), EACCES);
  EXPECT_EQ(error_of_access(*nobody, directory.name(), W_OK), EACCES);
  EXPECT_EQ(closed_folder(*nobody, run), "");
  ASSERT_EQ(mkdir(directory.file("mine").c_str(), 0700), 0);
  EXPECT_EQ(closed_folder(*nobody, directory.file("mine/below")), directory.file("mine"));
}

}  // namespace
}  // namespace gauntlet
