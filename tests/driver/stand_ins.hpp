// A platform whose agents obey and say nothing: a driver meets one known moment, and none of its processes is real.
#pragma once

#include "real/launch/machine_platform.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

class StandInAgent final : public AgentHandle {
 public:
  bool exits_within(Duration) override { return ended_; }
  bool wait_or_end(Duration, const std::atomic<bool>*) override { return true; }
  void terminate() override { ended_ = true; }
  void kill() override { ended_ = true; }
  void let_go() override {}

 private:
  bool ended_ = false;
};

class StandInLink final : public AgentLink {
 public:
  using Dialled = std::function<void()>;
  using Answers = std::function<bool(Duration timeout, std::string& why)>;
  using Hears = std::function<void(const DriverMessage& message)>;
  StandInLink(Dialled dialled, Answers answers, Hears hears)
      : dialled_(std::move(dialled)), answers_(std::move(answers)), hears_(std::move(hears)) {}
  void begin_connect() override { dialled_(); }
  Attends look(std::string& why) override {
    return answers_(Duration::zero(), why) ? Attends::yes : Attends::not_yet;
  }
  bool connect(Duration timeout, std::string& why, const std::atomic<bool>*) override {
    return answers_(timeout, why);
  }
  void send(const DriverMessage& message) override { hears_(message); }
  void close() override {}

 private:
  const Dialled dialled_;
  const Answers answers_;
  const Hears hears_;
};

class StandIns final : public Platform, private Transport, private Processes {
 public:
  DriverClock& clock() override { return clock_; }
  bool one_clock() const override { return true; }
  Transport& transport() override { return *this; }
  Processes& processes() override { return *this; }
  HostSupply& supply() override { return supply_; }
  /// The port says whose place it is.
  MeetingPlace meeting_place(const AgentName& agent) override {
    return {.address = "stand-in", .port = static_cast<std::uint16_t>(agent.host + 1), .secret = "secret"};
  }
  void say(const std::string&) override {}

  /// What the agent of a host answers to its driver, which waits so long.
  std::function<bool(std::uint32_t host, Duration timeout, std::string& why)> answers =
      [](std::uint32_t, Duration, std::string&) { return true; };
  std::function<void(std::uint32_t host)> dialled = [](std::uint32_t) {};
  std::function<void(const DriverMessage&)> told = [](const DriverMessage&) {};  // to any agent
  std::function<void(std::uint32_t host, const DriverMessage&)> told_to = [](std::uint32_t,
                                                                             const DriverMessage&) {};
  std::map<std::uint32_t, LinkListener> listeners;  // by host, of the newest link
  std::set<std::uint32_t> left;                     // hosts whose agents an earlier driver has left
  std::size_t ended = 0;                            // agents that drivers have waited for and ended
  std::string directory;                            // of the drill, once an agent was started
  std::vector<std::uint32_t> started;               // hosts, in this order
  std::map<std::uint32_t, std::uint32_t> host;      // of a rank, as the agents were told last

 private:
  std::unique_ptr<AgentLink> link(const AgentName& agent, const DriverHello&,
                                  const LinkListener& listener) override {
    const std::uint32_t number = agent.host;
    listeners[number] = listener;
    const auto answer = [asked = answers, number](Duration timeout, std::string& why) {
      return asked(number, timeout, why);
    };
    const auto hear = [this, number](const DriverMessage& message) {
      if (!std::holds_alternative<DriverLease>(message)) {  // which come from another thread
        told(message);
        told_to(number, message);
      }
      const auto* start = std::get_if<DriverStartRanks>(&message);
      if (start == nullptr) return;
      for (const std::uint32_t rank : start->ranks) host[rank] = number;
    };
    return std::make_unique<StandInLink>([this, number] { dialled(number); }, answer, hear);
  }
  bool listens(const AgentName&) const override { return true; }
  std::unique_ptr<AgentHandle> start(const AgentName& agent, bool, const std::atomic<bool>*) override {
    directory = agent.directory;
    started.push_back(agent.host);
    return std::make_unique<StandInAgent>();
  }
  std::unique_ptr<AgentHandle> find(const AgentName& agent) override {
    return left.contains(agent.host) ? std::make_unique<StandInAgent>() : nullptr;
  }
  void wait_or_end(std::span<AgentHandle* const> all, Duration, const std::atomic<bool>*) override {
    ended += all.size();
  }
  std::string last_words(const AgentName&) const override { return ""; }

  LocalClock clock_;
  HostSupply supply_;
};

}  // namespace gauntlet
