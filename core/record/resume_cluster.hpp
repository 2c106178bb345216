// A run that goes on where a record of it ends: fresh policies first meet the recorded observations, then the live ones.
#pragma once

#include "core/record/replay_cluster.hpp"

#include <optional>

namespace gauntlet {

/// Feeds the record, comparing orders and starting none of them again; from there on passes everything through.
/// The orders of the last recorded observation that the record does not hold yet are started.
class ResumeCluster final : public Cluster {
 public:
  ResumeCluster(const Record& recorded, Cluster& live)
      : recorded_(recorded), replay_(recorded), live_(live) {}

  std::optional<Observed> next(Time until) override {
    if (replaying()) return replay_.next(until);
    replay_.finish();
    if (replay_.difference()) return std::nullopt;
    return live_.next(until);
  }

  void start(const Order& order) override {
    const bool recorded = replay_.orders_compared() < recorded_.orders.size();
    if (replaying() || recorded) return replay_.start(order);
    live_.start(order);
  }

  /// Where the policies now decide otherwise than in the record; the run ends there.
  const std::optional<ReplayCluster::Difference>& difference() const { return replay_.difference(); }

 private:
  bool replaying() const { return replay_.observations_replayed() < recorded_.observations.size(); }

  const Record& recorded_;
  ReplayCluster replay_;
  Cluster& live_;
};

}  // namespace gauntlet
