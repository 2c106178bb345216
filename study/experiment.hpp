// Points x replicas, each run at most once. A replica that the store has is read, not run again.
//
// A study is a deterministic function of the replicas that it requests. So it needs no state of its own to go on after it
// was killed: --resume runs it from the start, and the store has the replicas that it requests again.
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

  /// Executor and store must outlive it. The executor knows no points yet; the store may know those of an earlier run.
  Experiment(Executor& executor, Store& store, Options options);

  /// The number of a point; the same for a point with the same scenario.
  PointNumber add(std::shared_ptr<const Point> point);
  const Point& point(PointNumber number) const;
  std::size_t points() const;

  struct Want {
    PointNumber point = 0;
    std::uint32_t replicas = 0;  // at least this many, from number 0
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

  /// Whether requested replicas are missing, or were not run again, because the study was stopped or the store failed.
  bool fell_short() const { return fell_short_; }

  /// How many replicas of a point there are.
  std::uint32_t replicas(PointNumber point) const;
  /// How many replicas of all points there are, with those of points that the store had before this study requested them.
  std::uint64_t replicas() const { return store_->replicas(); }

  /// A metric of the first `count` replicas of a point, in their order, by its name in metrics_of (there is one of that
  /// name: metric_exists()). Read from the store.
  std::vector<Fraction> values(PointNumber point, std::string_view metric, std::uint32_t count) const;
  bool metric_exists(PointNumber point, std::string_view metric) const;

  /// Visits the figures of `count` replicas in order, from number 0 or from `from`. Their incidents are not loaded.
  using See = std::function<void(std::uint32_t replica, const Figures&)>;
  void visit(PointNumber point, std::uint32_t count, const See& see) const;
  void visit(PointNumber point, std::uint32_t from, std::uint32_t count, const See& see) const;

  /// Statistics of every metric over the first `count` replicas. Memory does not grow with `count`.
  /// The last summary of each point is kept.
  Summary summary(PointNumber point, std::uint32_t count) const;
  /// Drops replicas that the store holds and this study did not request, as an earlier study with other numbers of replicas
  /// may have left. The store is then that of a study that began empty. Precondition: !fell_short().
  void drop_unasked();
  /// Puts the statistics of all replicas of a point into the store.
  void put_summary(PointNumber point);

 private:
  /// The replicas that the store lacks, in the order in which they are to run.
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
