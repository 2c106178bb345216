// Points x replicas, each run at most once. A replica that the store has is read, not run again.
//
// A study is a deterministic function of the replicas that it requests. So it needs no state of its own to go on after it
// was killed: --resume runs it from the start, and the store has the replicas that it requests again.
#pragma once

#include "study/controls.hpp"
#include "study/executor.hpp"
#include "study/order_check.hpp"
#include "study/paired.hpp"
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
    /// For a progress bar. `done`: replicas that were just run. `left`: replicas that this call still has to run.
    std::function<void(std::uint32_t done, std::uint64_t left)> progress = {};
  };

  /// `executor` and `store` must outlive the experiment. The executor has no points yet; the store may have those of
  /// an earlier run.
  Experiment(Executor& executor, Store& store, Options options);

  /// Adds a point and returns its number. A point with the same scenario gets the same number. Throws
  /// std::invalid_argument if another point has custom policies of the same names.
  PointNumber add(std::shared_ptr<const Point> point);
  const Point& point(PointNumber number) const;
  std::size_t points() const;

  struct Want {
    PointNumber point = 0;
    std::uint32_t replicas = 0;  // at least this many, from number 0
  };
  /// Runs the replicas that are missing. Returns false if the study was stopped before all were run, or if the store
  /// failed (store.problem() says why). Replicas that were run are in the store in any case. Throws PolicyError if a
  /// custom policy breaks a rule.
  bool ensure(std::span<const Want> wants);
  /// The same number of replicas for several points. They have common random numbers.
  bool ensure(std::span<const PointNumber> points, std::uint32_t replicas);

  /// Runs a replica again in the caller's simulation, for details that the store does not keep. Returns false if the
  /// study was stopped. Then fell_short() is true.
  bool run_again(Simulation& simulation, ReplicaOptions options, Figures& figures);

  /// Runs all replicas of a point again, in their order and on an executor that knows no point, to look at what the store does
  /// not keep. `consume` gets them with the numbers that they have in the study. Returns false if it was stopped. The study
  /// then fell short.
  bool run_again(Executor& executor, PointNumber point, const Executor::Consume& consume);

  /// Runs one replica by its number, in a study that has no other replica.
  bool ensure_only(PointNumber point, std::uint32_t replica);

  /// Whether requested replicas are missing, or were not run again, because the study was stopped or the store failed.
  bool fell_short() const { return fell_short_; }

  /// The number of replicas of a point in the store.
  std::uint32_t replicas(PointNumber point) const;
  /// The number of replicas of all points in the store. It includes points that this study has not requested.
  std::uint64_t replicas() const { return store_->replicas(); }

  /// Reads a metric of the first `count` replicas of a point, in their order. `metric`: a name in metrics_of.
  /// Precondition: metric_exists().
  std::vector<Fraction> values(PointNumber point, std::string_view metric, std::uint32_t count) const;
  bool metric_exists(PointNumber point, std::string_view metric) const;
  /// The controls of the means of `count` replicas, from number 0 or from `first`, `most` at most; none where the means of the point are
  /// plain.
  Controls controls(PointNumber point, std::uint32_t count) const { return controls(point, 0, count); }
  Controls controls(PointNumber point, std::uint32_t first, std::uint32_t count,
                    std::size_t most = kMostControls) const;
  PairedControls paired_controls(PointNumber first, PointNumber second, std::uint32_t count) const {
    return {.first = controls(first, count), .second = controls(second, count)};
  }

  /// Visits the figures of `count` replicas in order, from number 0 or from `from`. Their incidents are not loaded.
  using See = std::function<void(std::uint32_t replica, const Figures&)>;
  void visit(PointNumber point, std::uint32_t count, const See& see) const;
  void visit(PointNumber point, std::uint32_t from, std::uint32_t count, const See& see) const;

  /// Statistics of every metric over the first `count` replicas (study/statistics.hpp).
  /// The last summary of each point is kept.
  Summary summary(PointNumber point, std::uint32_t count) const;
  /// The same, and visits the replicas meanwhile: reading them again would cost as much.
  Summary summary(PointNumber point, std::uint32_t count, const See& see) const;
  /// Drops the replicas in the store that this study did not request. An earlier study with more replicas may have
  /// left them. The store is then the same as after a study with an empty store. Precondition: !fell_short().
  void drop_unasked();
  /// Puts the statistics of all replicas of a point into the store.
  void put_summary(PointNumber point);

 private:
  /// The replicas that the store lacks, in the order in which they are to run.
  std::vector<Task> missing(std::span<const Want> wants) const;
  bool run(std::span<const Task> tasks);
  void check_policies_first(std::span<const Task> tasks);
  void check_policies_again(std::span<const Task> tasks) const;

  Executor* executor_;
  Store* store_;
  Options options_;
  std::vector<std::shared_ptr<const Point>> points_;
  std::vector<PointNumber> stored_;   // by point: its number in the store
  std::vector<std::uint32_t> asked_;  // by point: the number of requested replicas
  std::map<std::uint32_t, PointNumber> by_stored_;
  std::map<PointNumber, OrderCheck> checks_;  // of the first points with custom policies
  mutable std::map<PointNumber, Summary> summaries_;
  struct KnownControls {
    std::uint32_t first = 0, count = 0;
    std::size_t borne = 0;
    Controls controls;
  };
  mutable std::map<PointNumber, KnownControls> controls_;  // the last of each point
  bool fell_short_ = false;
};

}  // namespace gauntlet
