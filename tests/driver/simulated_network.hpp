// Streams between drivers and agents. What one end sends arrives at the other in order, some time later; two streams know
// nothing of each other. A stream may break while both ends live, and a host may be out of reach for a while.
#pragma once

#include "real/stream/agent_link.hpp"
#include "real/stream/server.hpp"
#include "tests/driver/disturbances.hpp"
#include "tests/driver/event_loop.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gauntlet {

/// Who says something to an agent, and when: the driver of that epoch.
struct Sender {
  std::uint64_t epoch = 0;
  std::int64_t sent = 0;
};

/// The agent's end of all its streams.
class StreamEnd {
 public:
  virtual ~StreamEnd() = default;
  virtual void hear(FromStream message, Sender sender) = 0;
};

struct Connection {
  enum class Driver : std::uint8_t { opening, standing, closing, gone };
  StreamId id = 0;
  std::uint32_t host = 0;
  std::string driver_name;
  std::uint64_t epoch = 0;  // of the driver that opened it
  std::weak_ptr<StreamEnd> agent;
  LinkListener listener;
  Driver driver = Driver::opening;
  bool agent_open = true;  // the agent has not heard of its end
  std::int64_t ended_by_agent = 0;
  bool loses = false;         // what is under way
  std::int64_t to_agent = 0;  // when the last of what is under way arrives
  std::int64_t to_driver = 0;
  std::string refusal;  // once it is gone without having stood
};

class SimulatedNetwork {
 public:
  SimulatedNetwork(EventLoop& loop, std::uint64_t seed, const Disturbances& disturbances)
      : loop_(loop), dice_(seed, "network"), disturbances_(disturbances) {}

  std::shared_ptr<Connection> open(std::uint32_t host, const std::shared_ptr<StreamEnd>& agent,
                                   const DriverHello& hello, const LinkListener& listener);
  void send(const std::shared_ptr<Connection>& stream, const DriverMessage& message);
  /// False where the agent can know that nobody hears it.
  bool send(const std::shared_ptr<Connection>& stream, const AgentMessage& message);
  /// After what was sent before.
  void end_by_agent(const std::shared_ptr<Connection>& stream, const std::string& why);
  /// Likewise; the driver's end is `gone` once the agent has heard of it.
  void end_by_driver(const std::shared_ptr<Connection>& stream);
  /// What is under way may be lost.
  void driver_died(const std::shared_ptr<Connection>& stream);
  /// The stream broke, or its agent died; likewise.
  void cut(const std::shared_ptr<Connection>& stream, const std::string& why);

  /// One of the streams that stand breaks, if there is any.
  void break_one();
  /// Nothing arrives at the host or from it for so long; nothing is lost.
  void partition(std::uint32_t host, Duration lasts);
  Duration delay() { return dice_.skewed(kShortestDelay, disturbances_.longest_delay); }

 private:
  static constexpr Duration kShortestDelay = std::chrono::microseconds(50);

  std::int64_t arrival(std::uint32_t host, std::int64_t& last);
  void tell_agent(const std::shared_ptr<Connection>& stream);
  void tell_driver(const std::shared_ptr<Connection>& stream, const std::string& why);

  EventLoop& loop_;
  Dice dice_;
  const Disturbances& disturbances_;
  StreamId last_ = 0;
  std::vector<std::weak_ptr<Connection>> streams_;
  std::map<std::uint32_t, std::int64_t> out_of_reach_until_;
};

}  // namespace gauntlet
