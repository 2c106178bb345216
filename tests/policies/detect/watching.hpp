// A detector on its own, for tests: what it orders, in words, and what it makes of what its watches report.
#pragma once

#include "policies/detect/suspicion.hpp"
#include "tests/policies/in_words.hpp"

namespace gauntlet {

inline std::string in_words(const Suspicion& suspicion) {
  constexpr std::array<const char*, 5> kSuspicionKinds = {"stopped", "restart", "degraded", "unusual",
                                                          "warning"};
  return std::string(kSuspicionKinds[static_cast<std::size_t>(suspicion.kind)]) + ": " +
         (suspicion.host ? "host " + std::to_string(suspicion.host->value) : "nobody");
}

template <class Detector>
class Watching {
 public:
  explicit Watching(DetectionConstants constants, Inventory inventory = {.job_hosts = 8, .layout = {}})
      : constants_(std::move(constants)) {
    ids_.take();  // an id that is not the detector's
    detector_.start({JobId{0}, inventory, &constants_}, ids_, orders_);
    note();
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  /// What was ordered since the last look.
  Words orders() { return std::exchange(said_, {}); }
  Words at_start() { return orders(); }
  Watching& at(Duration when) {
    now_ = kStart + when;
    return *this;
  }
  Words job_begins() {
    detector_.job_up = true;
    detector_.job_began(now_, orders_);
    note();
    return orders();
  }
  Words job_ends() {
    detector_.job_up = false;
    detector_.job_ended(orders_);
    note();
    return orders();
  }
  /// The job starts again with another number of data-parallel replicas.
  Words job_resizes(const Inventory& inventory) {
    detector_.job_resized(inventory, orders_);
    detector_.job_ended(orders_);
    note();
    return orders();
  }
  /// What it makes of a report of the latest watch that reads so.
  Words reports(const std::string& watch, ComponentId who, Edge edge, double value = 0) {
    for (auto each = watches_.rbegin(); each != watches_.rend(); ++each) {
      if (in_words(*each).rfind(watch, 0) == 0) return sees(each->id, who, edge, value);
    }
    ADD_FAILURE() << "nobody watches " << watch;
    return {};
  }
  Words host(const std::string& watch, std::uint32_t index, Edge edge = Edge::sample, double value = 0) {
    return reports(watch, component(HostId{index}), edge, value);
  }
  Words job(const std::string& watch, Edge edge = Edge::sample, double value = 0) {
    return reports(watch, component(JobId{0}), edge, value);
  }
  Words sees(WatchId watch, ComponentId who, Edge edge, double value) {
    Suspicions found;
    detector_.on(Seen{.watch = watch, .who = who, .edge = edge, .sensed = now_, .value = value, .more = 0},
                 now_, orders_, found);
    return makes_of(found);
  }
  /// The oldest wake that is still to come rings, at its time.
  Words wakes() {
    for (auto each = wakes_.begin(); each != wakes_.end(); ++each) {
      const OrderId order = each->first;
      now_ = each->second;
      wakes_.erase(each);
      Suspicions found;
      detector_.on(Outcome{.order = order, .result = {}}, now_, orders_, found);
      return makes_of(found);
    }
    ADD_FAILURE() << "no wake was ordered";
    return {};
  }
  bool waits() const { return !wakes_.empty(); }
  Duration now() const { return now_ - kStart; }
  /// The band of the latest watch that reads so.
  Outside band(const std::string& watch) const {
    for (auto each = watches_.rbegin(); each != watches_.rend(); ++each) {
      if (in_words(*each).rfind(watch, 0) == 0) return std::get<Outside>(each->until);
    }
    ADD_FAILURE() << "nobody watches " << watch;
    return {0, 0};
  }

 private:
  void note() {
    for (const Order& order : orders_) {
      if (const auto* watch = std::get_if<Watch>(&order.what)) watches_.push_back(*watch);
      if (const auto* wake = std::get_if<Wake>(&order.what)) wakes_.emplace_back(order.id, wake->at);
      if (const auto* cancel = std::get_if<Cancel>(&order.what))
        std::erase_if(wakes_, [&](const auto& each) { return each.first == cancel->order; });
    }
    for (std::string& words : in_words(orders_)) said_.push_back(std::move(words));
    orders_.clear();
  }
  Words makes_of(const Suspicions& found) {
    note();
    Words words;
    for (const Suspicion& suspicion : found) words.push_back(in_words(suspicion));
    return words;
  }

  DetectionConstants constants_;
  Detector detector_;
  WatchIds ids_;
  Orders orders_;
  Words said_;
  std::vector<Watch> watches_;
  std::vector<std::pair<OrderId, Time>> wakes_;
  Time now_ = kStart;
};

}  // namespace gauntlet
