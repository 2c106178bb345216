// A platform whose agents obey and say nothing: a driver meets one known moment, and none of its processes is real.
#pragma once

#include "real/driver/machine_platform.hpp"

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

namespace gauntlet {

class StandInAgent final : public AgentHandle {
 public:
  bool exits_within(Duration) override { return false; }
  bool wait_or_end(Duration, const std::atomic<bool>*) override { return true; }
  void kill() override {}
  void let_go() override {}
};

class StandInLink final : public AgentLink {
 public:
  using Answers = std::function<bool(std::string& why)>;
  using Hears = std::function<void(const DriverMessage& message)>;
  StandInLink(Answers answers, Hears hears) : answers_(std::move(answers)), hears_(std::move(hears)) {}
  bool connect(Duration, std::string& why, const std::atomic<bool>*) override { return answers_(why); }
  void send(const DriverMessage& message) override { hears_(message); }
  void close() override {}

 private:
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
  MeetingPlace meeting_place(const AgentName&) override { return {"stand-in", 1}; }
  void say(const std::string&) override {}

  /// What an agent answers to its driver.
  StandInLink::Answers answers = [](std::string&) { return true; };
  std::function<void(const DriverMessage&)> told = [](const DriverMessage&) {};  // to any agent
  std::set<std::uint32_t> left;                 // hosts whose agents an earlier driver has left
  std::size_t ended = 0;                        // agents that drivers have waited for and ended
  std::string directory;                        // of the drill, once an agent was started
  std::map<std::uint32_t, std::uint32_t> host;  // of a rank, as the agents were told last

 private:
  std::unique_ptr<AgentLink> link(const AgentName& agent, const DriverHello&, const LinkListener&) override {
    return std::make_unique<StandInLink>(answers, [this, number = agent.host](const DriverMessage& message) {
      if (!std::holds_alternative<DriverLease>(message)) told(message);  // leases come from another thread
      const auto* start = std::get_if<DriverStartRanks>(&message);
      if (start == nullptr) return;
      for (const std::uint32_t rank : start->ranks) host[rank] = number;
    });
  }
  bool listens(const AgentName&) const override { return true; }
  std::unique_ptr<AgentHandle> start(const AgentName& agent, bool, const std::atomic<bool>*) override {
    directory = agent.directory;
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
