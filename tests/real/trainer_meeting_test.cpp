// How the ranks of a start find each other over TCP, and whom they keep out.
#include "real/system/descriptor.hpp"
#include "tests/real/scratch.hpp"
#include "tests/real/trainer_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Ranks = std::vector<std::unique_ptr<TrainerProcess>>;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Descriptor listen_on_loopback(std::uint16_t port) {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in address = loopback(port);
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  return listener;
}

/// As soon as somebody listens there.
Descriptor connect_on_loopback(std::uint16_t port) {
  const sockaddr_in address = loopback(port);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < deadline) {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return socket;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

/// Whether the other end closes it; what comes before is passed over.
bool closes(const Descriptor& socket) {
  std::array<char, 4096> bytes;
  ssize_t count = 0;
  while ((count = ::recv(socket.get(), bytes.data(), bytes.size(), 0)) > 0) {
  }
  return count == 0 || errno == ECONNRESET;
}

struct TcpSocket {
  std::string address;  // the own one, as the kernel prints it: hexadecimal, the last number first
  unsigned port = 0;
  bool listens = false;
  std::string inode;
};

std::vector<TcpSocket> tcp_sockets() {
  std::vector<TcpSocket> all;
  std::ifstream table("/proc/net/tcp");
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number, own, other, state, skipped, inode;
    words >> number >> own >> other >> state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    words >> inode;
    all.push_back({own.substr(0, 8), static_cast<unsigned>(std::stoul(own.substr(9), nullptr, 16)),
                   state == "0A", inode});
  }
  return all;
}

std::set<std::string> listening_addresses(std::uint16_t port) {
  std::set<std::string> addresses;
  for (const TcpSocket& each : tcp_sockets())
    if (each.listens && each.port == port) addresses.insert(each.address);
  return addresses;
}

/// Whether somebody has connected to the port.
bool has_guest(std::uint16_t port) {
  const auto sockets = tcp_sockets();
  return std::any_of(sockets.begin(), sockets.end(),
                     [port](const TcpSocket& each) { return !each.listens && each.port == port; });
}

/// The own addresses of a process's TCP connections.
std::vector<std::string> connections_of(pid_t process) {
  std::set<std::string> held;
  for (const auto& each : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd"))
    held.insert(fs::read_symlink(each).string());
  std::vector<std::string> addresses;
  for (const TcpSocket& each : tcp_sockets())
    if (!each.listens && held.contains("socket:[" + each.inode + "]")) addresses.push_back(each.address);
  return addresses;
}

class Meetings : public ::testing::Test {
 protected:
  TrainerJob job(const std::string& name = "job") const { return {.directory = scratch_.folder(name)}; }

  Scratch scratch_;
};

TEST_F(Meetings, ARankThatNeverComesIsWaitedForAsLong) {
  TrainerJob job = this->job();
  job.collective_timeout = "3s";
  Ranks ranks;
  for (const std::uint32_t rank : {0U, 1U, 2U}) ranks.push_back(job.start(rank));
  for (const auto& rank : ranks) {
    EXPECT_EQ(rank->wait_for_exit(), kExitCollectiveTimeout);
    ASSERT_EQ(rank->lines().size(), 2U);
    EXPECT_EQ(rank->lines()[0].pattern, "process_start");
    EXPECT_EQ(rank->lines()[1].pattern, "collective_timeout");
  }
  EXPECT_THAT(ranks[0]->lines()[1].text, HasSubstr("waited 3s for rank 3 to come"));
}

TEST_F(Meetings, ARankOfWhichOneIsAliveIsRefused) {
  TrainerJob job = this->job();
  job.pp = 1;
  job.dp = 3;
  job.collective_timeout = "2s";
  const auto first = job.start(0), second = job.start(1);
  while (!has_guest(job.port())) std::this_thread::yield();
  // It gives up while the other one is alive, which is taken in before this one is a process.
  TrainerJob again = job;
  again.collective_timeout = "300ms";
  const auto third = again.start(1);
  EXPECT_EQ(third->wait_for_exit(), kExitCollectiveTimeout);
  EXPECT_THAT(third->lines().back().text, HasSubstr("for rank 0 to take this rank in; it hung up"));
  for (TrainerProcess* rank : {first.get(), second.get()})
    EXPECT_EQ(rank->wait_for_exit(), kExitCollectiveTimeout);
  EXPECT_THAT(first->standard_error(), HasSubstr("was refused: rank 1 is here already"));

  const Descriptor listener = listen_on_loopback(job.port());
  const auto late = job.start(0);
  EXPECT_EQ(late->wait_for_exit(), kExitFailed);
  EXPECT_THAT(late->standard_error(), HasSubstr("cannot be listened on (Address already in use)"));
}

TEST_F(Meetings, OnlyThoseWhoKnowTheSecretAreTakenIn) {
  TrainerJob job = this->job();
  job.pp = 1;
  job.steps = 3;
  const auto first = job.start(0);
  // One that says nothing and one that guesses keep nobody out.
  const Descriptor silent = connect_on_loopback(job.port()), guessing = connect_on_loopback(job.port());
  ASSERT_TRUE(silent && guessing);
  const std::string guess(4096, 'x');
  ASSERT_GT(::send(guessing.get(), guess.data(), guess.size(), MSG_NOSIGNAL), 0);
  EXPECT_TRUE(closes(guessing));
  EXPECT_EQ(listening_addresses(job.port()), (std::set<std::string>{"0100007F"})) << "on loopback alone";
  TrainerJob other = job;
  other.secret = "the secret of another start, of as many characters";
  other.collective_timeout = "2s";  // enough to be refused once, on a busy machine, too
  const auto stranger = other.start(1);
  EXPECT_EQ(stranger->wait_for_exit(), kExitCollectiveTimeout);
  EXPECT_THAT(stranger->lines().back().text, HasSubstr("for rank 0 to take this rank in; it hung up"));
  const auto second = job.start(1);
  EXPECT_EQ(first->wait_for_exit(), kExitFinished) << first->standard_error();
  EXPECT_EQ(second->wait_for_exit(), kExitFinished) << second->standard_error();
  EXPECT_THAT(first->standard_error(), HasSubstr("was refused: it does not know the secret of this start"));
}

TEST_F(Meetings, WhoeverListensInPlaceOfRank0IsFoundOut) {
  constexpr std::size_t kPlace = 176, kGreeting = 56, kJoining = 72 + kPlace,
                        kTable = 2 * kPlace + 32;  // bytes, as real/trainer/rendezvous.cpp sends them
  TrainerJob job = this->job();
  job.pp = 1;
  const auto real = job.start(0);
  std::string greeting(kGreeting, '\0'), joining(kJoining, '\0');
  ASSERT_EQ(::recv(connect_on_loopback(job.port()).get(), greeting.data(), kGreeting, MSG_WAITALL),
            kGreeting);
  TrainerJob there = job;
  there.directory = scratch_.folder("there");
  const Descriptor listener = listen_on_loopback(there.port());
  const auto rank = there.start(1);
  const Descriptor connection(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_EQ(::send(connection.get(), greeting.data(), kGreeting, MSG_NOSIGNAL), kGreeting);
  ASSERT_EQ(::recv(connection.get(), joining.data(), kJoining, MSG_WAITALL), kJoining);
  EXPECT_EQ(joining.find(job.secret), std::string::npos);
  const std::string table(kTable, '\0');
  ASSERT_EQ(::send(connection.get(), table.data(), kTable, MSG_NOSIGNAL), kTable);
  EXPECT_EQ(rank->wait_for_exit(), kExitFailed);
  EXPECT_THAT(rank->standard_error(),
              HasSubstr("is listened at by a process that does not know the secret of this start"));
}

TEST_F(Meetings, ThePipelineUsesTheSecondAddress) {
  TrainerJob job = this->job();
  job.addresses = "127.0.0.1,127.0.0.2";
  job.steps = 100'000;
  job.step_time = "10ms";
  const Ranks training = job.start_all();
  for (const auto& rank : training) ASSERT_TRUE(rank->wait_for(RankLine::Kind::step, 1));
  // Of the four ranks each has two connections of its ring of two on the first address, and one of its two stages on the second.
  for (const auto& rank : training) {
    const auto held = connections_of(rank->pid());
    EXPECT_EQ(std::count(held.begin(), held.end(), "0100007F"), 2);
    EXPECT_EQ(std::count(held.begin(), held.end(), "0200007F"), 1);
  }
  training[0]->tell("stop");
  const std::vector<std::uint64_t> hashes = final_hashes(training);
  TrainerJob alone = this->job("alone");
  alone.pp = alone.dp = 1;
  alone.steps = training[0]->lines().back().step;
  EXPECT_EQ(hashes[0] + hashes[2], final_hashes(alone.start_all())[0]) << "the stages of the first replica";
}

TEST_F(Meetings, RanksOfDifferentJobsDoNotMix) {
  TrainerJob job = this->job();
  job.pp = 1;
  TrainerJob other = job;
  other.seed = 2;
  const auto first = job.start(0), second = other.start(1);
  for (TrainerProcess* rank : {first.get(), second.get()}) {
    EXPECT_EQ(rank->wait_for_exit(), kExitFailed);
    EXPECT_THAT(rank->standard_error(), HasSubstr("is of another job"));
  }
}

TEST_F(Meetings, AnEnvironmentInWhichRanksCannotMeetIsRefused) {
  const TrainerJob job = this->job();
  struct Case {
    const char* variable;
    int exit_code;
    const char* says;
  };
  for (const Case& wrong :
       {Case{"MASTER_ADDR=", kExitUsage, "MASTER_ADDR is not set"},
        Case{"MASTER_ADDR=0", kExitFailed, "would be every interface of this host"},
        Case{"MASTER_ADDR=no host", kExitFailed, "\"no host\" is not the address of a host"},
        Case{"MASTER_ADDR=192.0.2.1", kExitFailed, "cannot be listened on (Cannot assign requested address)"},
        Case{"MASTER_PORT=0", kExitUsage, "MASTER_PORT \"0\" is not a port"},
        Case{"MASTER_PORT=70000", kExitUsage, "MASTER_PORT \"70000\" is not a port"},
        Case{"GAUNTLET_SECRET=short", kExitUsage, "GAUNTLET_SECRET has fewer than 32 characters"},
        Case{"GAUNTLET_DATA_ADDRESSES=::", kExitFailed, "would be every interface of this host"},
        Case{"GAUNTLET_DATA_ADDRESSES=127.0.0.1,127.0.0.2,127.0.0.3", kExitUsage,
             "is not one or two addresses of this host"}}) {
    SCOPED_TRACE(wrong.variable);
    std::vector<std::string> environment = {wrong.variable};  // the first of a name counts
    for (const std::string& each : job.environment()) environment.push_back(each);
    TrainerProcess process(job.arguments(0), environment);
    EXPECT_EQ(process.wait_for_exit(), wrong.exit_code);
    EXPECT_THAT(process.standard_error(), HasSubstr(wrong.says));
  }
}

}  // namespace
}  // namespace gauntlet
