// What an agent's server takes at most, and what it says beyond that.
#include "real/stream/grpc_link.hpp"
#include "real/stream/server.hpp"
#include "tests/real/agent_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// An agent that answers each Hello and does nothing else; it may keep what it hears.
class IdleAgent {
 public:
  explicit IdleAgent(bool keeps) : keeps_(keeps) {
    Listening listening;
    if (const auto problem = listen_at(socket(), listening)) throw std::runtime_error(problem->text());
    server.emplace(std::move(listening), nullptr, refusals,
                   [this](FromStream heard) { hear(std::move(heard)); });
  }

  /// What is kept is heard on threads of the server.
  ~IdleAgent() { server.reset(); }

  std::string socket() const { return directory_.file("agent.sock"); }
  std::vector<std::string> said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  StreamId last_stream() {
    const std::lock_guard lock(mutex_);
    return last_stream_;
  }
  std::size_t heard() {
    const std::lock_guard lock(mutex_);
    return kept_.size();
  }

  const std::shared_ptr<Refusals> refusals = std::make_shared<Refusals>([this](const std::string& line) {
    const std::lock_guard lock(mutex_);
    said_.push_back(line);
  });
  std::optional<AgentServer> server;

 private:
  void hear(FromStream heard) {
    const auto* message = std::get_if<DriverMessage>(&heard.what);
    const bool hello = message != nullptr && std::holds_alternative<DriverHello>(*message);
    const StreamId stream = heard.stream;
    {
      const std::lock_guard lock(mutex_);
      if (hello) last_stream_ = stream;
      if (keeps_) kept_.push_back(std::move(heard));
    }
    if (hello) server->send(stream, AgentAttending{.epoch = 1, .run = 0, .ranks = {}, .identity = {}});
  }

  OwnDirectory directory_;
  const bool keeps_;
  std::mutex mutex_;
  std::vector<FromStream> kept_;
  std::vector<std::string> said_;
  StreamId last_stream_ = 0;
};

TEST(ServerBounds, AMessageHasAtMostAMebibyte) {
  IdleAgent agent(false);
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.start_ranks(OrderId{1}, 1, {0}, {std::string(900'000, 'x')});
  driver.link.start_ranks(OrderId{2}, 1, {0}, {std::string(1'100'000, 'x')});
  EXPECT_THAT(driver.await_loss(), HasSubstr("flooded: a message has 1100"));
  EXPECT_THAT(agent.said(), ElementsAre(HasSubstr("refused a driver: flooded: a message has 1100")));
  DriverUnderTest next(agent.socket(), 2);
  next.attend();
}

TEST(ServerBounds, AMessageBeyondGrpcsOwnBoundEndsItsStreamAlone) {
  IdleAgent agent(false);
  DriverUnderTest other(agent.socket(), 1), driver(agent.socket(), 2);
  other.attend();
  driver.attend();
  driver.link.start_ranks(OrderId{2}, 1, {0}, {std::string(8'000'000, 'x')});
  EXPECT_THAT(driver.await_loss(), HasSubstr("larger than max"));
  other.link.start_ranks(OrderId{1}, 1, {0}, {});
  EXPECT_TRUE(agent.server->send(1, AgentHeartbeat{.number = 7, .at_ns = 0, .ranks_alive = 0}));
  EXPECT_EQ(other.await<AgentHeartbeat>().number, 7U);
}

TEST(ServerBounds, AStreamHasAtMostTenThousandMessagesThatWait) {
  IdleAgent agent(true);
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  for (int i = 0; i < 10'100; ++i) driver.link.lease(10min);
  EXPECT_THAT(driver.await_loss(), HasSubstr("flooded: 10000 of its messages wait to be obeyed"));
  EXPECT_EQ(agent.refusals->total(), 1U);
  // Hello and the leases that fit, and the end of the stream.
  EXPECT_LE(agent.heard(), 10'002U);
  EXPECT_GE(agent.heard(), 10'000U);
}

TEST(ServerBounds, MessagesThatAreObeyedInTimeAreNoFlood) {
  IdleAgent agent(false);
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  for (int i = 0; i < 20'000; ++i) driver.link.lease(10min);
  driver.link.close();  // delivers what was sent
  EXPECT_EQ(agent.refusals->total(), 0U);
}

TEST(ServerBounds, ThereAreAtMost64Streams) {
  IdleAgent agent(false);
  std::vector<std::unique_ptr<DriverUnderTest>> drivers;
  for (std::uint64_t i = 0; i < 64; ++i) {
    drivers.push_back(std::make_unique<DriverUnderTest>(agent.socket(), i + 1));
    drivers.back()->attend();
  }
  DriverUnderTest late(agent.socket(), 100);
  std::string why;
  EXPECT_FALSE(late.link.connect(kPatience, why));
  EXPECT_THAT(why, HasSubstr("flooded: 64 streams are open already"));
  EXPECT_THAT(agent.said(), ElementsAre(HasSubstr("flooded: 64 streams")));
  drivers.back()->link.close();
  DriverUnderTest next(agent.socket(), 101);
  next.attend();
}

TEST(ServerBounds, ADriverThatTakesNothingIsCutOff) {
  IdleAgent agent(false);
  // Its listener stands still at the first line of a rank.
  std::mutex mutex;
  std::condition_variable changed;
  bool goes_on = false;
  std::string lost;
  GrpcLink driver({.path = agent.socket()}, {.epoch = 1, .greeting = {}},
                  {.receive =
                       [&](const AgentMessage& message) {
                         std::unique_lock lock(mutex);
                         if (std::holds_alternative<AgentRankLine>(message))
                           changed.wait(lock, [&] { return goes_on; });
                       },
                   .lost =
                       [&](const std::string& why) {
                         const std::lock_guard lock(mutex);
                         lost = why;
                         changed.notify_all();
                       }});
  std::string why;
  ASSERT_TRUE(driver.connect(kPatience, why)) << why;
  const AgentRankLine line = {.run = 1, .rank = 0, .line = std::string(100'000, 'x')};
  int sent = 0;
  while (sent < 5'000 && agent.server->send(agent.last_stream(), line)) ++sent;
  // 64 MiB wait at most, and gRPC holds some more on its way.
  EXPECT_GE(sent, 600);
  EXPECT_LT(sent, 5'000);
  EXPECT_THAT(agent.said(), ElementsAre(HasSubstr("flooded: it does not take what it is told")));
  std::unique_lock lock(mutex);
  goes_on = true;
  changed.notify_all();
  EXPECT_TRUE(changed.wait_for(lock, kPatience, [&] { return !lost.empty(); }));
  EXPECT_THAT(lost, HasSubstr("flooded"));
}

}  // namespace
}  // namespace gauntlet
