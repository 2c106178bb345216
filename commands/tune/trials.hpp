// The points that a search has tried: their values, how they fared, and what it cost.
#pragma once

#include "commands/tune/bound.hpp"
#include "commands/tune/field.hpp"
#include "study/paired.hpp"
#include "study/search/lowest.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// What is made best.
struct Objective {
  std::string metric = "ettr";
  bool maximise = true;
};

/// Where replicas come from: an Experiment (tune.cpp), or a function with known answers.
class ReplicaSource {
 public:
  virtual ~ReplicaSource() = default;
  /// The number of the point with these values, one a field; nothing where the scenario refuses them.
  virtual std::optional<std::uint32_t> add(const std::vector<std::string>& values) = 0;
  /// Runs what is missing; false where it was stopped.
  virtual bool ensure(std::span<const std::uint32_t> points, std::uint32_t replicas) = 0;
  /// A metric of the first `count` replicas of a point, which are there.
  virtual std::span<const Fraction> values(std::uint32_t point, const std::string& metric,
                                           std::uint32_t count) = 0;
  /// The controls of their means; none where means are plain.
  virtual Controls controls(std::uint32_t point, std::uint32_t count) = 0;
};

/// One tried point.
struct Trial {
  std::vector<std::string> values;  // one a field
  Position at;
  std::optional<std::uint32_t> point;  // nothing: the scenario refuses it
  std::uint32_t replicas = 0;
  bool dropped = false;  // out of the race: gets no more replicas
};

/// Replica i of every trial meets the same faults, so trials are compared replica by replica.
class Trials {
 public:
  /// `budget`: replicas in all. The references must outlive it.
  Trials(ReplicaSource& source, const std::vector<TuneField>& fields, Objective objective,
         std::vector<Bound> bounds, std::uint64_t budget);

  /// The trial with these values; each set of values is tried once.
  std::size_t add(const std::vector<std::string>& values);
  /// The trial nearest to there that the fields' texts can say.
  std::size_t add(const Position& at);
  const Trial& operator[](std::size_t i) const { return all_[i]; }
  std::size_t size() const { return all_.size(); }
  void drop(std::size_t trial) { all_[trial].dropped = true; }

  enum class Run { done, stopped, over_budget };
  /// Runs those trials up to so many replicas; those that are refused, none. Nothing is run where less than `reserve` of
  /// the budget would be left.
  Run ensure(std::span<const std::size_t> trials, std::uint32_t replicas, std::uint64_t reserve = 0);
  std::uint64_t spent() const { return spent_; }
  std::uint64_t budget_left() const { return budget_ - spent_; }
  /// What the last step that was over budget needed of it, its reserve included; 0 where none was.
  std::uint64_t lacked() const { return lacked_; }

  const Objective& objective() const { return objective_; }
  std::span<const Bound> bounds() const { return bounds_; }
  const std::vector<TuneField>& fields() const { return *fields_; }

  /// A metric of the first `count` replicas; the trial has them.
  std::span<const Fraction> values(std::size_t trial, const std::string& metric, std::uint32_t count) const;
  Controls controls(std::size_t trial, std::uint32_t count) const;
  /// The same metric with what the controls explain taken out (study/controlled_ratio.hpp): for means.
  std::span<const Fraction> adjusted(std::size_t trial, const std::string& metric, std::uint32_t count) const;
  /// For that statistic: adjusted for a mean, else the values as they are.
  std::span<const Fraction> values_for(std::size_t trial, const std::string& metric, Statistic statistic,
                                       std::uint32_t count) const;
  /// All values that a bound is on; infinite, of a quantile of a metric of whole runs, where the run gave up.
  std::vector<Fraction> bounded_values(std::size_t trial, const Bound& bound) const;
  /// The objective's mean over all replicas, as a loss: smaller is better. Nothing where it has none.
  std::optional<double> loss(std::size_t trial) const;
  /// By how much the second's loss is larger, over the replicas that both have; over the first `most` of them where there
  /// are more.
  PairedDifference worse_by(std::size_t best, std::size_t other, std::uint32_t most = kAllReplicas) const;
  static constexpr std::uint32_t kAllReplicas = 0xffffffff;
  /// The same with an interval each of whose ends holds with probability 1 - `chance`, and no narrower than that of 95%.
  PairedDifference worse_by_at(std::size_t best, std::size_t other, double chance, std::uint32_t most) const;
  /// Whether the second's loss is larger by more than luck explains; luck alone does so with probability `chance`.
  bool clearly_worse(std::size_t best, std::size_t other, double chance) const;
  /// The figure of a bound over all replicas.
  std::optional<double> figure(std::size_t trial, const Bound& bound) const;
  /// Whether every bound is met by the trial's own replicas.
  bool meets(std::size_t trial) const;
  /// By how much the worst broken bound is broken, as a share of its limit; 0 where all are met.
  double breaks(std::size_t trial) const;
  /// Whether a bound is broken by so much that chance does not explain it (one in a thousand).
  bool clearly_breaks(std::size_t trial) const;
  /// The share of runs that gave up.
  double gave_up(std::size_t trial) const;
  /// Whether that is more than `baseline` by more than chance explains: then its loss is that of another job, one that
  /// never gets done.
  bool gives_up_more(std::size_t trial, double baseline) const;
  /// What a difference of the objective is measured against: the trial's loss (commands/tune/result.hpp, LossKind). Above
  /// zero: where it loses nothing, what the worst trial loses; 1 where none does.
  double scale(std::size_t trial) const;

  /// How a trial ranks: those that give up no more than `baseline` come first, then those that break bounds less, then the
  /// smaller loss over the replicas that both have, or the first `most` of them.
  bool better(std::size_t a, std::size_t b, double baseline, std::uint32_t most = kAllReplicas) const;

 private:
  double sign() const { return objective_.maximise ? -1 : 1; }
  double loss_size(std::size_t trial) const;

  ReplicaSource* source_;
  const std::vector<TuneField>* fields_;
  Objective objective_;
  std::vector<Bound> bounds_;
  std::uint64_t budget_, spent_ = 0, lacked_ = 0;
  std::vector<Trial> all_;
  std::map<std::vector<std::string>, std::size_t> by_values_;
  // Of the last number of replicas that was asked for.
  struct Adjusted {
    std::uint32_t count = 0;
    std::vector<Fraction> values;
  };
  mutable std::map<std::pair<std::size_t, std::string>, Adjusted> adjusted_;
};

}  // namespace gauntlet
