// The variants of a plan: points of a study by what they buy, run as far as a decision needs.
#pragma once

#include "commands/plan/question.hpp"
#include "commands/plan/result.hpp"
#include "commands/plan/share_decision.hpp"
#include "study/experiment.hpp"
#include "study/point.hpp"
#include "study/uncertainty/uncertainty.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {

/// How much is bought, where it differs from the scenario.
struct Variant {
  std::optional<std::uint64_t> gpus = {};
  std::optional<std::uint32_t> spares = {};  // warm ones (spares.count)
  std::optional<double> storage = {};        // times the bandwidths
  std::optional<std::uint32_t> crew = {};
  Settings more = {};  // anything else
};

/// Which bandwidths of the storage the checkpoints use: not those whose times are measured ones.
struct StorageUse {
  bool write = false, read = false;
};
StorageUse storage_use(const StorageModel& storage);

class PlanVariants {
 public:
  PlanVariants(Experiment& experiment, const PointSource& source, const PlanQuestion& question);

  /// The scenario as given; null where it does not load (take_problems() says why).
  const Scenario* base() const { return base_ ? &base_->scenario : nullptr; }
  const PlanQuestion& question() const { return *question_; }

  /// The settings that make it. Another number of GPUs does the same tokens in other steps.
  Settings settings(const Variant& variant) const;
  /// Nothing where the variant is not a scenario: then it stopped() and take_problems() says why.
  std::optional<PointNumber> point(const Variant& variant);
  /// Likewise, but the study goes on without the variant: a search may come upon a size that the scenario cannot have, such as
  /// fewer hosts than checkpoints have copies.
  std::optional<PointNumber> valid_point(const Variant& variant);
  /// Why the variant is not a scenario; nothing where it is one.
  std::optional<Problem> obstacle(const Variant& variant) const;
  /// False where it stopped.
  bool run(PointNumber point, std::uint32_t replicas);
  bool run(const std::vector<PointNumber>& points, std::uint32_t replicas);

  /// Whether enough runs are done by the date (the question has one; share_decision.hpp). False also of a variant that is not a scenario,
  /// and where it stopped.
  bool meets(const Variant& variant);
  /// The replicas that such a decision takes where there is no doubt: those of the question, and more once a check has failed.
  std::uint32_t deciding() const { return deciding_; }
  /// The most that one has taken. Runs that follow can check it.
  std::uint32_t decided_by() const { return decided_by_; }
  /// A variant that met the date does not by its first `replicas` runs. All of them join its decision, and others take more runs too.
  void check_failed(PointNumber point, std::uint32_t replicas);
  /// From now on variants meet the date with what is not known: `effects` were measured on a point that has run. Those of
  /// a variant are taken to be in proportion to its time without faults as far as they change that, else to the time that it
  /// loses, and of runs that never finish to how many these are.
  void carry(FinishEffects effects, PointNumber measured_on);
  /// A first look at that many runs.
  std::uint32_t first_look() const;

  /// Of a point that has run: so many replicas from `first` on.
  PlanOutcome outcome(PointNumber point, std::uint32_t first, std::uint32_t replicas) const;
  std::vector<double> finish(PointNumber point, std::uint32_t replicas) const;
  /// The most hosts that any run had away in repair, or standing in, at once.
  std::uint32_t most_spares_in_use(PointNumber point, std::uint32_t replicas) const;

  /// Interrupted, or out of valid scenarios.
  bool stopped() const { return stopped_; }
  std::vector<Problem> take_problems() { return std::move(problems_); }
  Experiment& experiment() const { return *experiment_; }
  const PointSource& source() const { return *source_; }

 private:
  LoadedPoint load(const Variant& variant) const;
  bool meets_point(PointNumber point);
  double healthy(PointNumber point) const;  // seconds of the work without faults
  /// Seconds more than that, of the median of the runs that finish.
  double lost(PointNumber point) const;
  FinishScale scale_of(PointNumber point, const std::vector<double>& times) const;
  EstimatedShare counted_share(PointNumber point, std::uint32_t replicas) const;
  EstimatedShare share(PointNumber point, std::uint32_t replicas);
  bool misses_are_rare() const;
  std::optional<EstimatedShare> rare_misses(PointNumber point, std::uint32_t replicas);
  std::optional<PointNumber> tilted_beside(PointNumber point, std::uint32_t replicas);

  Experiment* experiment_;
  const PointSource* source_;
  const PlanQuestion* question_;
  std::shared_ptr<const Point> base_;
  std::uint32_t deciding_, decided_by_;
  std::map<PointNumber, std::uint32_t> failed_by_;  // runs, of what has failed a check
  // Where late runs are rare: of a point the one with more stops; nothing where these do not make runs later.
  std::map<PointNumber, std::optional<PointNumber>> tilted_;
  std::optional<FinishEffects> effects_;
  double effects_lost_ = 0;  // by the point that they were measured on
  bool stopped_ = false;
  std::vector<Problem> problems_;
};

}  // namespace gauntlet
