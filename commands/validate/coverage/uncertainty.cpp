#include "commands/validate/coverage/uncertainty.hpp"

#include "models/step/step.hpp"
#include "study/experiment.hpp"
#include "study/finish/finish.hpp"
#include "study/point_statistics.hpp"
#include "study/uncertainty/uncertainty.hpp"
#include "study/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kPercents[] = {5, 50, 80, 90, 95};
constexpr double kDoneByDate = 0.8;
constexpr double kPartOfWindow = 0.25;  // that a run without faults takes for the work

/// The scenario with work to finish.
PointSource with_work(const std::string& name, const Point& given, std::uint64_t seed) {
  const World& world = given.scenario.world;
  std::optional<double> tokens;
  if (world.job.steps == 0)
    tokens = kPartOfWindow * to_seconds(world.job.window) / to_seconds(StepModel(world).healthy()) *
             given.facts.tokens_per_step;
  return {name, work_of(given.scenario, tokens, Duration::zero()).sets, seed};
}

/// The studies of one scenario with uncertain parameters.
class UncertainStudies {
 public:
  UncertainStudies(PointSource source, std::shared_ptr<const Point> base, const CoverageQuestion& question,
                   const UncertainRepetitions& repetitions)
      : source_(std::move(source)),
        base_(std::move(base)),
        unknowns_(unknowns_of(base_->scenario, source_.resolved())),
        question_(&question),
        repetitions_(&repetitions) {}

  /// False where it was interrupted, or a draw is not a scenario.
  bool run() {
    if (!choose_date()) return false;
    for (std::uint32_t i = 1; i <= repetitions_->repetitions; ++i)
      if (!repeat(question_->seed + i)) return false;
    return true;
  }

  std::vector<CoveredFigure> figures() const {
    std::vector<CoveredFigure> out = means_;
    if (date_) {
      CoveredFigure share{
          .name = "share_by_date", .value = share_by(runs_, *date_).value(), .at_least = true, .count = {}};
      for (const Uncertainty& found : found_) share.count.add(found.share_ci95, share.value.value_or(0));
      out.push_back(std::move(share));
    }
    const FinishTimes all = percentiles_of(runs_);
    for (const std::size_t percent : kPercents) {
      CoveredFigure figure{.name = fmt::format("finish_p{}_s", percent),
                           .value = all.at(percent),
                           .at_least = true,
                           .count = {}};
      if (!figure.value) continue;
      for (const Uncertainty& found : found_) figure.count.add(found.finish.ci95_at(percent), *figure.value);
      out.push_back(std::move(figure));
    }
    return out;
  }
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  /// Calls `study` with an experiment of that seed, whose replicas nobody else sees.
  template <class Study>
  bool with_experiment(std::uint64_t seed, const Study& study) {
    const auto store = Store::temporary({.command = "validate coverage",
                                         .arguments = "",
                                         .version = GAUNTLET_VERSION,
                                         .seed = seed,
                                         .scenario = source_.path(),
                                         .text = base_->text},
                                        base_->facts.faults);
    const auto executor = make_thread_executor({.seed = seed, .incident_replicas = 0}, question_->threads);
    Experiment experiment(*executor, *store, {.stop = question_->stop, .progress = question_->progress});
    return study(experiment);
  }

  bool choose_date() {
    return with_experiment(question_->seed, [&](Experiment& experiment) {
      const PointNumber given = experiment.add(base_);
      const std::uint32_t replicas = repetitions_->true_replicas;
      if (!experiment.ensure({&given, 1}, replicas)) return false;
      date_ = finish_quantile(finish_times(experiment, given, replicas), kDoneByDate);
      return true;
    });
  }

  bool repeat(std::uint64_t seed) {
    return with_experiment(seed, [&](Experiment& experiment) {
      const PointNumber given = experiment.add(base_);
      CarriedUncertainty carried =
          carry_uncertainty(experiment, source_, {}, given, repetitions_->replicas_each,
                            {.seed = seed,
                             .draws = repetitions_->draws,
                             .replicas_each = repetitions_->replicas_each,
                             .finish_by = date_});
      problems_ = std::move(carried.problems);
      if (!carried.result) return false;
      for (const std::vector<double>& draw : carried.finish_times)
        runs_.insert(runs_.end(), draw.begin(), draw.end());
      found_.push_back(std::move(*carried.result));
      return compare_means(experiment, seed);
    });
  }

  /// The means of the last repetition with those at its true parameters.
  bool compare_means(Experiment& experiment, std::uint64_t seed) {
    LoadedPoint loaded = source_.point(draw_of(unknowns_, seed, repetitions_->draws));
    problems_ = std::move(loaded.problems);
    if (!loaded.point) return false;
    const PointNumber truth = experiment.add(under_other_faults(
        *loaded.point, repetitions_->draws * repetitions_->replicas_each, "true parameters"));
    if (!experiment.ensure({&truth, 1}, repetitions_->true_replicas)) return false;
    for (const UncertainMetric& metric : found_.back().metrics) {
      auto of = std::ranges::find(means_, metric.name, &CoveredFigure::name);
      if (of == means_.end())
        of = means_.insert(of, {.name = metric.name, .value = {}, .at_least = false, .count = {}});
      const Statistics at_truth =
          statistics_of(experiment, truth, metric.name, 0, repetitions_->true_replicas);
      if (at_truth.mean) of->count.add(metric.ci95, *at_truth.mean);
    }
    return true;
  }

  PointSource source_;
  std::shared_ptr<const Point> base_;
  std::vector<Unknown> unknowns_;
  const CoverageQuestion* question_;
  const UncertainRepetitions* repetitions_;
  std::optional<double> date_;  // seconds after the start; nothing where too few runs are ever done
  std::vector<CoveredFigure> means_;
  std::vector<Uncertainty> found_;  // by repetition
  std::vector<double> runs_;        // the finishing times of all repetitions
  std::vector<Problem> problems_;
};

}  // namespace

UncertainRepetitions uncertain_repetitions(const CoverageQuestion& question) {
  constexpr std::uint32_t kOneIn = 10, kFewest = 2, kDraws = 50, kTrueReplicas = 200;
  return {.repetitions = std::max(kFewest, question.repetitions / kOneIn),
          .draws = kDraws,
          .replicas_each = UncertaintyOptions{}.replicas_each,
          .true_replicas = kTrueReplicas};
}

bool cover_uncertainty(const CoverageQuestion& question, const UncertainRepetitions& repetitions,
                       CoveredScenario& scenario) {
  const LoadedPoint given = PointSource(scenario.name, {}, question.seed).point();
  if (!given.point || given.point->scenario.study.uncertain.empty()) return true;
  PointSource source = with_work(scenario.name, *given.point, question.seed);
  LoadedPoint base = source.point();
  if (!base.point) {
    scenario.problem = problems_text(base.problems);
    return true;
  }
  UncertainStudies studies(std::move(source), std::move(base.point), question, repetitions);
  if (!studies.run()) {
    scenario.problem = problems_text(studies.problems());
    return !scenario.problem.empty();
  }
  scenario.with_uncertainty = studies.figures();
  return true;
}

}  // namespace gauntlet
