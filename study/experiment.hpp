// Points x replicas, each run at most once: whatever the store has is read, not run again.
//
// A study is a deterministic function of the replicas that it asks for. So it needs no state of its own to go on after it
// was killed: --resume runs it from the start, and the replicas that it asks for again are there already.
#pragma once

#include "study/executor.hpp"
#include "study/replica.hpp"
#include "study/store/store.hpp"
#include "study/summary/metrics.hpp"
#include "study/summary/summary.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

class Experiment {
 public:
  struct Options {
    const std::atomic<bool>* stop = nullptr;  // Ctrl-C
    /// Replicas that were just run, and how many of this call are left to run: for a progress bar.
    std::function<void(std::uint32_t done, std::uint64_t left)> progress = {};
  };

  /// Executor and store outlive it, and know no points yet (the store may know those of an earlier run).
  Experiment(Executor& executor, Store& store, Options options);

  /// The number of a point; the same for a point with the same scenario.
  PointNumber add(std::shared_ptr<const Point> point);
  const Point& point(PointNumber number) const;
  std::size_t points() const;

  struct Want {
    PointNumber point = 0;
    std::uint32_t replicas = 0;  // at least so many, from 0 on
  };
  /// Runs what is missing. False where it was stopped before all was there, or the store failed (store.problem() says
  /// why); what is done is in the store.
  bool ensure(std::span<const Want> wants);
  /// The same number for several points: common random numbers.
  bool ensure(std::span<const PointNumber> points, std::uint32_t replicas);

  /// Runs a replica again, in a simulation of the caller's, to look at what the store does not keep. False where it was
  /// stopped: then the study fell short.
  bool run_again(Simulation& simulation, ReplicaOptions options, Figures& figures);

  /// One replica by its number, of a study that has no other.
  bool ensure_only(PointNumber point, std::uint32_t replica);

  /// Whether replicas that were asked for are not there, or were not run again, because it was stopped or the store failed.
  bool fell_short() const { return fell_short_; }

  /// How many replicas of a point there are.
  std::uint32_t replicas(PointNumber point) const;
  /// How many there are of all points, those that the store had of points that were not asked for yet among them.
  std::uint64_t replicas() const { return store_->replicas(); }

  /// A metric of the first `count` replicas of a point, in their order, by its name in metrics_of (there is one of that
  /// name: metric_exists()). Read from the store.
  std::vector<Fraction> values(PointNumber point, std::string_view metric, std::uint32_t count) const;
  bool metric_exists(PointNumber point, std::string_view metric) const;

  /// Where the time of `count` replicas went, those from the first one on or from `from`: visits figures without
  /// incidents, in order.
  using See = std::function<void(std::uint32_t replica, const Figures&)>;
  void visit(PointNumber point, std::uint32_t count, const See& see) const;
  void visit(PointNumber point, std::uint32_t from, std::uint32_t count, const See& see) const;

  /// Statistics of every metric over the first `count` replicas. Memory does not grow with `count`.
  /// The last one of a point is remembered.
  Summary summary(PointNumber point, std::uint32_t count) const;
  /// Drops what the store holds that this study did not ask for, as an earlier one that was asked for other numbers of
  /// replicas may have: the store is then that of a study that began with nothing. Of one that did not fall short.
  void drop_unasked();
  /// Puts the statistics of all replicas of a point into the store.
  void put_summary(PointNumber point);

 private:
  /// What the store lacks of them, in the order in which it is to be run.
  std::vector<Task> missing(std::span<const Want> wants) const;
  bool run(std::span<const Task> tasks);

  Executor* executor_;
  Store* store_;
  Options options_;
  std::vector<std::shared_ptr<const Point>> points_;
  std::vector<PointNumber> stored_;   // by point: its number in the store
  std::vector<std::uint32_t> asked_;  // by point: how many replicas
  std::map<std::uint32_t, PointNumber> by_stored_;
  mutable std::map<PointNumber, Summary> summaries_;
  bool fell_short_ = false;
};

}  // namespace gauntlet
