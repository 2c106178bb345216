// Orders in words, so that a test of a policy reads as a conversation with it.
#pragma once

#include "core/action.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gauntlet {

using Words = std::vector<std::string>;

inline std::string in_words(Duration d) { return std::to_string(d / std::chrono::seconds(1)) + "s"; }

inline std::string in_words(const Scope& who) {
  const bool job = who.kind == ComponentKind::job;
  if (who.subset == Scope::Subset::all) return job ? "the job" : "every host";
  if (who.subset == Scope::Subset::job) return "every host of the job";
  if (who.subset == Scope::Subset::one) return "host " + std::to_string(who.index);
  const std::string stage = "stage " + std::to_string(who.stage);
  return who.most == kEachMember ? "every host of " + stage : std::to_string(who.most) + " hosts of " + stage;
}

inline std::string in_words(Signal signal) {
  constexpr std::array<const char*, kSignals> kWords = {
      "heartbeats",     "exits",   "log lines",       "steps", "checkpoint costs", "forward times",
      "backward times", "traffic", "traffic periods", "loss",  "last collectives"};
  return kWords[static_cast<std::size_t>(signal)];
}

/// What a watch reports: "heartbeats of every host, silent for 30s".
inline std::string in_words(const Watch& watch) {
  std::string words = in_words(watch.signal) + " of " + in_words(watch.who);
  if (const auto* silence = std::get_if<Silence>(&watch.until))
    words += ", silent for " + in_words(silence->longest);
  if (const auto* match = std::get_if<Match>(&watch.until))
    words += ", pattern " + std::to_string(match->pattern.value);
  if (const auto* sample = std::get_if<Sample>(&watch.until))
    words += ", the next " + std::to_string(sample->count);
  if (std::holds_alternative<Outside>(watch.until)) words += ", outside a band";
  if (watch.first != kEachMember) words += ", first " + std::to_string(watch.first) + " alone";
  return words;
}

inline std::string_view name_of_tier(Tier tier) { return kTierNames[static_cast<std::size_t>(tier)]; }

inline std::string in_words(const Action& action) {
  struct {
    std::string operator()(const Watch& a) const { return "watch " + in_words(a); }
    std::string operator()(const Unwatch&) const { return "unwatch"; }
    std::string operator()(const Wake& a) const { return "wake me at " + in_words(a.at - kStart); }
    std::string operator()(const Cancel&) const { return "cancel"; }
    std::string operator()(const CheckpointEvery& a) const {
      const std::string to = a.tier == Tier::storage ? "" : " to " + std::string(name_of_tier(a.tier));
      return (a.interval == kForever ? "no more checkpoints" : "checkpoint every " + in_words(a.interval)) +
             to;
    }
    std::string operator()(const Checkpoint&) const { return "checkpoint now"; }
    std::string operator()(const Stop& a) const {
      if (a.reason == StopReason::grow) return "stop to grow";
      if (a.reason == StopReason::preempted) return "stop, preempted";
      return a.reason == StopReason::planned ? "stop as planned" : "stop for a fault";
    }
    std::string operator()(const Start& a) const {
      std::string words = "start, ranks wait " + in_words(a.collective_timeout);
      if (a.restore == Restore::every_rank) words += ", every rank reads";
      if (a.back > 0) words += ", " + std::to_string(a.back) + " checkpoints back";
      if (!a.schedule) words += ", in place";
      if (a.replicas > 0) words += ", " + std::to_string(a.replicas) + " replicas";
      return words;
    }
    std::string operator()(const Acquire&) const { return "acquire a host"; }
    std::string operator()(const Evict& a) const { return "evict host " + std::to_string(a.host.value); }
    std::string operator()(const Readmit& a) const { return "readmit host " + std::to_string(a.host.value); }
    std::string operator()(const Probe& a) const {
      return "probe " + std::to_string(a.probe.value) + " on " + in_words(a.who);
    }
    std::string operator()(const Ask&) const { return "ask a person"; }
    std::string operator()(const Alert&) const { return "alert a person"; }
    std::string operator()(const Retire& a) const { return "retire host " + std::to_string(a.host.value); }
    std::string operator()(const Release&) const { return "give the hosts back"; }
    std::string operator()(const StandBy& a) const {
      return "host " + std::to_string(a.host.value) + " stands by";
    }
  } visitor;
  return std::visit(visitor, action);
}

inline Words in_words(const Orders& orders) {
  Words words;
  for (const Order& order : orders) words.push_back(in_words(order.what));
  return words;
}

/// The orders that have no answer yet, to be found by what they say.
class Unanswered {
 public:
  /// Notes new orders, hands them back in words, and empties the list.
  Words note(Orders& orders) {
    Words words = in_words(orders);
    for (std::size_t i = 0; i < orders.size(); ++i) open_.push_back({orders[i], words[i]});
    orders.clear();
    return words;
  }
  bool empty() const { return open_.empty(); }
  /// The oldest order that begins with these words; it counts as answered then.
  Order take(const std::string& beginning) {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].words.rfind(beginning, 0) != 0) continue;
      const Order order = open_[i].order;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      return order;
    }
    ADD_FAILURE() << "nothing unanswered begins with: " << beginning;
    return {};
  }
  Order take_oldest() { return take(""); }
  /// The oldest order but a wake; a wake where there is nothing else.
  Order take_oldest_but_wakes() {
    for (const Open& open : open_) {
      if (!std::holds_alternative<Wake>(open.order.what)) return take(open.words);
    }
    return take_oldest();
  }

 private:
  struct Open {
    Order order;
    std::string words;
  };
  std::vector<Open> open_;
};

}  // namespace gauntlet
