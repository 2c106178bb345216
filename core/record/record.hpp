// A record: every observation of a run and the orders that followed it.
#pragma once

#include "core/cluster.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

struct RecordedOrder {
  Time at;                     // of the observation that it answers
  std::uint32_t observations;  // how many had been made by then
  Order order;
};

struct Record {
  std::vector<Observed> observations;
  std::vector<RecordedOrder> orders;

  void clear() {
    observations.clear();
    orders.clear();
  }
};

/// Stands between the loop and a cluster and writes down what passes: an observation before its orders start.
class Recorder final : public Cluster {
 public:
  Recorder(Cluster& cluster, Record& record) : cluster_(cluster), record_(record) {}

  std::optional<Observed> next(Time until) override {
    std::optional<Observed> seen = cluster_.next(until);
    if (seen) record_.observations.push_back(*seen);
    return seen;
  }
  void start(const Order& order) override {
    RecordedOrder& recorded = record_.orders.emplace_back();
    recorded.at = record_.observations.back().at;
    recorded.observations = static_cast<std::uint32_t>(record_.observations.size());
    recorded.order = order;
    cluster_.start(order);
  }

 private:
  Cluster& cluster_;
  Record& record_;
};

}  // namespace gauntlet
