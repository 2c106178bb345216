// Who may connect to an agent on its own machine.
#include "real/stream/acceptor.hpp"

#include "real/stream/listening.hpp"
#include "tests/real/agent_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr uid_t kNobody = 65534;

/// What an acceptor decided about each connection.
class Decisions {
 public:
  ConnectionAcceptor::Hooks hooks() {
    return {.admit = [this](Descriptor) { note([this] { ++admitted; }); },
            .refuse = [this](const std::string& peer,
                             const std::string& why) { note([&] { refused.emplace_back(peer, why); }); }};
  }
  void await(std::size_t decisions) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, kPatience, [&] { return admitted + refused.size() >= decisions; }));
  }

  std::size_t admitted = 0;
  std::vector<std::pair<std::string, std::string>> refused;

 private:
  template <class Change>
  void note(const Change& change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Connects as that user, in a process of its own; whether it could.
bool connect_as(uid_t user, const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const bool is_user = user == ::geteuid() || ::setresuid(user, user, user) == 0;
    const bool connected =
        is_user && ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    char byte = 0;
    if (connected) static_cast<void>(::read(socket, &byte, 1));  // until the other end hangs up
    ::_exit(connected ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(UsersOfAnAgent, AreItsOwnUserAndRoot) {
  EXPECT_EQ(problem_of_user(1000, 1000), "");
  EXPECT_EQ(problem_of_user(0, 1000), "");
  EXPECT_EQ(problem_of_user(0, 0), "");
  EXPECT_EQ(problem_of_user(1001, 1000), "this agent obeys user 1000 and root alone");
  EXPECT_EQ(problem_of_user(1000, 0), "this agent obeys user 0 and root alone");
}

struct UnixConnections : testing::Test {
  UnixConnections() {
    Listening listening;
    const auto problem = listen_at(path, listening);
    EXPECT_FALSE(problem);
    acceptor.emplace(std::move(listening.socket), Arrival::unix_socket, decisions.hooks());
  }

  OwnDirectory directory;
  std::string path = directory.file("agent.sock");
  Decisions decisions;
  std::optional<ConnectionAcceptor> acceptor;
};

TEST_F(UnixConnections, OfOurUserAreAdmitted) {
  EXPECT_TRUE(connect_as(::geteuid(), path));
  decisions.await(1);
  EXPECT_EQ(decisions.admitted, 1U);
  EXPECT_THAT(decisions.refused, IsEmpty());
}

// Also where the modes of the files would let them in.
TEST_F(UnixConnections, OfAnotherUserAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  ASSERT_EQ(::chmod(directory.name().c_str(), 0711), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  EXPECT_TRUE(connect_as(kNobody, path));
  decisions.await(1);
  EXPECT_EQ(decisions.admitted, 0U);
  EXPECT_THAT(decisions.refused,
              ElementsAre(Pair("a process of user 65534", "this agent obeys user 0 and root alone")));
}

TEST_F(UnixConnections, AreAcceptedNoMoreOnceItIsGone) {
  acceptor.reset();
  EXPECT_FALSE(connect_as(::geteuid(), path));
}

TEST(Addresses, AreAHostAndAPort) {
  for (const char* right : {"localhost:0", "127.0.0.1:65535", "node-7.lab:7400"}) {
    const auto read = host_port_of(right);
    ASSERT_TRUE(read) << right;
    EXPECT_EQ(read->text(), right);
  }
  for (const char* wrong : {"", ":", "localhost", "localhost:", ":7400", "localhost:65536", "localhost:-1",
                            "localhost:7400x", "local host:1", "a:b:1", "localhost: 1", "LOCALHOST:1"})
    EXPECT_FALSE(host_port_of(wrong)) << wrong;
}

}  // namespace
}  // namespace gauntlet
