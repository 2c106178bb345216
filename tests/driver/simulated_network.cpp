#include "tests/driver/simulated_network.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace gauntlet {

std::int64_t SimulatedNetwork::arrival(std::uint32_t host, std::int64_t& last) {
  const std::int64_t leaves = std::max(loop_.now(), out_of_reach_until_[host]);
  last = std::max(last, leaves + delay().count());
  return last;
}

std::shared_ptr<Connection> SimulatedNetwork::open(std::uint32_t host,
                                                   const std::shared_ptr<StreamEnd>& agent,
                                                   const DriverHello& hello, const LinkListener& listener) {
  auto stream = std::make_shared<Connection>();
  stream->id = ++last_;
  stream->host = host;
  stream->agent = agent;
  stream->listener = listener;
  stream->epoch = hello.epoch;
  streams_.push_back(stream);
  send(stream, DriverMessage(hello));
  return stream;
}

void SimulatedNetwork::send(const std::shared_ptr<Connection>& stream, const DriverMessage& message) {
  if (stream->driver == Connection::Driver::gone || stream->driver == Connection::Driver::closing) return;
  loop_.at(arrival(stream->host, stream->to_agent), [stream, message, sent = loop_.now()] {
    const auto agent = stream->agent.lock();
    // What is under way when the agent ends the stream may be read all the same.
    const bool read = stream->agent_open || sent <= stream->ended_by_agent;
    if (agent && read && !stream->loses) agent->hear({stream->id, message}, {stream->epoch, sent});
  });
}

bool SimulatedNetwork::send(const std::shared_ptr<Connection>& stream, const AgentMessage& message) {
  if (stream->driver == Connection::Driver::gone || !stream->agent_open || stream->loses) return false;
  loop_.at(arrival(stream->host, stream->to_driver), [stream, message] {
    if (stream->driver == Connection::Driver::gone || stream->loses) return;
    if (stream->driver == Connection::Driver::opening) {
      stream->driver = Connection::Driver::standing;  // Attending: the agent says nothing before it
    }
    stream->listener.receive(message);
  });
  return true;
}

void SimulatedNetwork::tell_agent(const std::shared_ptr<Connection>& stream) {
  loop_.at(arrival(stream->host, stream->to_agent), [this, stream, sent = loop_.now()] {
    if (!std::exchange(stream->agent_open, false)) return;
    if (const auto agent = stream->agent.lock())
      agent->hear({stream->id, StreamGone{}}, {stream->epoch, sent});
    tell_driver(stream, "");
  });
}

void SimulatedNetwork::tell_driver(const std::shared_ptr<Connection>& stream, const std::string& why) {
  loop_.at(arrival(stream->host, stream->to_driver), [stream, why] {
    const auto before = std::exchange(stream->driver, Connection::Driver::gone);
    if (before == Connection::Driver::opening) stream->refusal = why;
    if (before == Connection::Driver::standing) stream->listener.lost(why);
  });
}

void SimulatedNetwork::end_by_agent(const std::shared_ptr<Connection>& stream, const std::string& why) {
  stream->agent_open = false;
  stream->ended_by_agent = loop_.now();
  tell_driver(stream, why);
}

void SimulatedNetwork::end_by_driver(const std::shared_ptr<Connection>& stream) {
  if (stream->driver == Connection::Driver::gone) return;
  stream->driver = Connection::Driver::closing;
  tell_agent(stream);
}

void SimulatedNetwork::driver_died(const std::shared_ptr<Connection>& stream) {
  if (std::exchange(stream->driver, Connection::Driver::gone) == Connection::Driver::gone) return;
  stream->loses = stream->loses || dice_.chance(disturbances_.loses_the_rest);
  tell_agent(stream);
}

void SimulatedNetwork::cut(const std::shared_ptr<Connection>& stream, const std::string& why) {
  stream->loses = stream->loses || dice_.chance(disturbances_.loses_the_rest);
  tell_driver(stream, why);
  tell_agent(stream);
}

void SimulatedNetwork::break_one() {
  std::erase_if(streams_, [](const auto& each) {
    const auto stream = each.lock();
    return !stream || stream->driver == Connection::Driver::gone;
  });
  if (streams_.empty()) return;
  const auto stream = streams_[dice_.below(streams_.size())].lock();
  loop_.trace("network: the stream to host " + std::to_string(stream->host) + " breaks");
  cut(stream, "Broken pipe");
}

void SimulatedNetwork::partition(std::uint32_t host, Duration lasts) {
  loop_.trace("network: host " + std::to_string(host) + " is out of reach for " +
              std::to_string(lasts / std::chrono::milliseconds(1)) + " ms");
  out_of_reach_until_[host] = std::max(out_of_reach_until_[host], loop_.now() + lasts.count());
}

}  // namespace gauntlet
