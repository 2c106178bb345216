#include "commands/plan/plan.hpp"

#include "commands/plan/purchases.hpp"
#include "commands/plan/search.hpp"
#include "commands/plan/sensitivity.hpp"
#include "commands/plan/step_time.hpp"
#include "study/binomial.hpp"
#include "study/finish/finish.hpp"
#include "study/levers/levers.hpp"
#include "study/levers/rank.hpp"
#include "study/size.hpp"
#include "study/uncertainty/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

/// Bars are differences of paired medians.
constexpr std::uint32_t kTornadoReplicas = 200;
/// Replicas of every lever at the first look. Levers without a certain place get twice, then four times as many; `gauntlet rank` adds more.
constexpr std::uint32_t kLeverReplicas = 32, kLeverLooks = 3;
/// The first levers whose order the report speaks of.
constexpr std::uint32_t kClaimedLevers = 5;
/// Rounds of search and check. Each checks by runs that did not choose; after the last, the report states the result of its check.
constexpr int kRounds = 4;
/// The same with parameter uncertainty, where a round takes 3,200 runs or more.
constexpr int kUncertainRounds = 3;

/// What of the cluster limits the search around a plan: "more than 3 spares", and why.
void add_limits(const PlanVariants& variants, Variant most, bool sizes, std::vector<std::string>& notes) {
  const auto add = [&](const std::string& what, const Variant& more) {
    if (const auto obstacle = variants.obstacle(more))
      notes.push_back("Not tried: " + what + ". " + obstacle->what + " " + obstacle->why + ".");
  };
  const Scenario& base = *variants.base();
  const std::uint32_t spares = *most.spares;
  const std::uint64_t gpus = *most.gpus;
  most.spares = spares + 1;
  add(fmt::format("more than {} warm spare{} with {} GPUs", spares, spares == 1 ? "" : "s", gpus), most);
  if (!sizes) return;
  most = {.gpus = gpus + size_unit(base), .spares = 0};
  add(fmt::format("more than {} GPUs", gpus), most);
}

std::vector<std::string> notes_on(const Scenario& base, const PlanOutcome& enough, bool resized) {
  std::vector<std::string> notes;
  const StorageUse use = storage_use(base.world.storage);
  if (resized)
    notes.emplace_back(
        "The work is a number of tokens. With another number of GPUs the global batch changes with the "
        "replicas, and so does the number of steps. The plan assumes that the model learns as well from that "
        "batch.");
  if (resized && base.world.job.step_time > Duration::zero())
    notes.emplace_back("The measured job.step_time is scaled with the size as the step model predicts.");
  if (!use.write)
    notes.emplace_back(
        "Storage bandwidth is not planned: checkpoints take their measured times (storage.stall, "
        "storage.persist), or none.");
  if (base.world.repair.crew == 0 && enough.size.crew > 0)
    notes.emplace_back("As given, repair.crew = 0: a technician is always free.");
  return notes;
}

/// One call of plan().
class Planning {
 public:
  Planning(Experiment& experiment, const PointSource& source, const PlanQuestion& question)
      : question_(&question), variants_(experiment, source, question) {}

  Planned run() {
    if (variants_.base() != nullptr) parts();
    std::vector<Problem> problems = variants_.take_problems();
    problems.insert(problems.end(), problems_.begin(), problems_.end());
    if (!problems.empty() || !begun_) return {.result = std::nullopt, .problems = std::move(problems)};
    result_.interrupted = stopped_ || variants_.stopped();
    return {.result = std::move(result_), .problems = {}};
  }

 private:
  void parts() {
    const auto given = variants_.point({});
    if (!given) return;
    begun_ = true;
    result_.facts = variants_.experiment().point(*given).facts;
    result_.tokens = question_->tokens;
    result_.finish_by_s = question_->finish_by_s;
    result_.confidence = question_->confidence;
    result_.start = question_->start;
    result_.percents = question_->percents;
    const bool whole = variants_.run(*given, question_->counted);
    // Where it was stopped, what there is; nothing is decided by it.
    const std::uint32_t ran =
        whole ? question_->counted : std::min(variants_.experiment().replicas(*given), question_->counted);
    result_.replicas = std::min(ran, question_->replicas);
    result_.as_given = variants_.outcome(*given, 0, ran);
    if (!whole || !(question_->finish_by_s ? what_is_enough(*given) : when(*given))) return;
    result_.one_more = bought({}, *given);
    if (result_.enough && point_ != given) result_.enough_one_more = bought(found_, *point_);
    if (!stopped_ && !variants_.stopped()) tornado(*given);
    if (!stopped_ && !variants_.stopped()) levers(*given);
  }

  /// Without a date there is nothing to search for.
  bool when(PointNumber given) {
    result_.notes = notes_on(*variants_.base(), result_.as_given, false);
    if (question_->uncertainty) result_.uncertainty = carried({}, given, question_->replicas).result;
    add_step_time();
    return !stopped_;
  }

  bool what_is_enough(PointNumber given) {
    if (!(question_->uncertainty ? uncertain_search(given) : search())) return false;
    describe();
    return true;
  }

  std::vector<Purchase> bought(const Variant& from, PointNumber point) {
    const Scenario& scenario = variants_.experiment().point(point).scenario;
    return purchases(variants_, point, offers(from, scenario, variants_.source().resolved()));
  }

  /// With what is not known. The search takes its effects to be those that they have on the plan as given. But few spares
  /// and a small crew may make them worse, so what it finds is held to draws of its own: where these say no, spares, crew
  /// and storage grow, and where even plenty of them do not help, so do the GPUs.
  bool uncertain_search(PointNumber given) {
    CarriedUncertainty known = carried({}, given, question_->replicas);
    result_.uncertainty = known.result;
    if (stopped_) return false;
    variants_.carry(std::move(known.finish), given);
    for (int round = 1; round <= kUncertainRounds; ++round) {
      if (!search()) return false;
      if (!meets_) {
        CarriedUncertainty best = carried_on_found();
        if (stopped_ || !found_is_sure()) return !stopped_;
        variants_.carry(std::move(best.finish), *point_);  // draws of its own say that it does
        continue;
      }
      const LeastPlan least{.enough = found_, .plenty = plenty_, .best = {}};
      if (holds(least, 0) || stopped_) return !stopped_;
      CarriedUncertainty most;
      if (holds(least, kGenerous, &most)) {
        const auto step = gauntlet::least(
            0, kGenerous, [&](std::int64_t each) { return holds(least, static_cast<int>(each)); });
        holds(least, static_cast<int>(step));  // it is the one to report
        return !stopped_;
      }
      if (stopped_) return false;
      variants_.carry(std::move(most.finish), *point_);
    }
    return true;
  }

  /// Whether it meets the date with what is not known; it is then what was found.
  bool holds(const LeastPlan& least, int step, CarriedUncertainty* out = nullptr) {
    if (stopped_) return false;
    found_ = generous(*least.enough, *least.plenty, variants_.base()->world.repair.crew, step);
    point_ = variants_.point(found_);
    if (!point_ || !variants_.run(*point_, runs_of_found())) {
      stopped_ = true;
      return false;
    }
    CarriedUncertainty carried = carried_on_found();
    if (out != nullptr) *out = std::move(carried);
    return !stopped_ && found_is_sure();
  }

  /// The least that meets the date, or the best that does not. The least of many that seem to meet it is one that was
  /// lucky, so it has to meet it with other runs too; where it does not, those join the decision.
  bool search() {
    for (int round = 1; true; ++round) {
      const LeastPlan found = least_plan(variants_);
      if (variants_.stopped()) return false;
      meets_ = found.enough.has_value();
      found_ = meets_ ? *found.enough : *found.best;
      plenty_ = found.plenty;
      point_ = variants_.point(found_);
      if (!point_ || !variants_.run(*point_, meets_ ? runs_of_found() : question_->counted)) return false;
      if (!meets_ || question_->uncertainty || round == kRounds) return true;
      const ShareOfRuns others =
          variants_.outcome(*point_, variants_.decided_by(), question_->counted).by_date;
      if (others.value().value_or(0) >= question_->confidence) return true;
      variants_.check_failed(*point_, runs_of_found());
    }
  }

  /// Whether counting its runs cannot show the asked share, even if all are done in time. With uncertain parameters each draw is one.
  bool are_too_few(const PlanOutcome& outcome) const {
    constexpr double kLevel = 0.95;  // of the interval that is printed
    const double independent = found_uncertainty_ ? found_uncertainty_->draws : outcome.by_date.runs;
    return clopper_pearson(independent, independent, kLevel).low < question_->confidence;
  }

  /// What was found. The runs of what is enough are others than those that chose it.
  void describe() {
    const std::uint32_t first = meets_ ? variants_.decided_by() : 0;
    const PlanOutcome outcome = variants_.outcome(*point_, first, question_->counted);
    (meets_ ? result_.enough : result_.best) = outcome;
    result_.too_few = meets_ && are_too_few(outcome);
    (meets_ ? result_.enough_uncertainty : result_.best_uncertainty) = found_uncertainty_;
    if (!meets_) result_.best_by_s = nearest_date();
    result_.notes = notes_on(*variants_.base(), outcome, outcome.size.gpus != result_.as_given.size.gpus);
    constexpr double kRounding = 1.001;
    if (found_.storage && *found_.storage < kRounding * kLeastStorage)
      result_.notes.emplace_back("Less storage bandwidth than a thousandth of the given one was not tried.");
    add_step_time();
    add_limits(variants_, meets_ ? *plenty_ : found_, !meets_, result_.notes);
  }

  void add_step_time() {
    std::string note = step_time_note(*variants_.base(), result_.uncertainty);
    if (!note.empty()) result_.notes.push_back(std::move(note));
  }

  /// When the asked share of the best plan's runs is done.
  std::optional<double> nearest_date() {
    if (!found_uncertainty_)
      return finish_quantile(variants_.finish(*point_, question_->counted), question_->confidence);
    const FinishTimes& finish = found_uncertainty_->finish;
    constexpr double kRounding = 1e-9;  // 0.55 is 55%, not 56
    const auto percent = static_cast<std::size_t>(std::ceil(100 * question_->confidence - kRounding));
    return finish.at(percent);
  }

  void tornado(PointNumber given) {
    Sensitivities bars =
        sensitivity(variants_.experiment(), variants_.source(), {}, given,
                    {.seed = question_->seed, .replicas = std::min(question_->replicas, kTornadoReplicas)});
    problems_ = std::move(bars.problems);
    stopped_ = !bars.tornado;
    if (bars.tornado) result_.tornado = std::move(*bars.tornado);
  }

  void levers(PointNumber given) {
    const std::vector<Lever> all = levers_of(*variants_.base(), variants_.source().resolved());
    RankTerms terms{.replicas = std::min(question_->replicas, kLeverReplicas),
                    .looks = kLeverLooks,
                    .claimed = kClaimedLevers};
    while (terms.replicas << (terms.looks - 1) > question_->replicas) --terms.looks;
    result_.levers = rank_levers(variants_.experiment(), variants_.source(), given, all, terms);
    stopped_ = result_.levers.interrupted;
  }

  /// `replicas`: how many of the point have been asked for so far. The store may have more of them.
  CarriedUncertainty carried(const Settings& settings, PointNumber point, std::uint32_t replicas) {
    UncertaintyOptions options;
    options.seed = question_->seed;
    options.finish_by = question_->finish_by_s;
    options.replicas_each = replicas_of_draw(question_->replicas);
    CarriedUncertainty carried =
        carry_uncertainty(variants_.experiment(), variants_.source(), settings, point, replicas, options);
    problems_ = carried.problems;
    stopped_ = !carried.result;
    return carried;
  }

  /// Of what was found: also the runs that chose it.
  CarriedUncertainty carried_on_found() {
    CarriedUncertainty carried = this->carried(variants_.settings(found_), *point_, runs_of_found());
    found_uncertainty_ = carried.result;
    return carried;
  }

  /// Those that choose, and others.
  std::uint32_t runs_of_found() const { return variants_.decided_by() + question_->counted; }

  bool found_is_sure() const {
    return found_uncertainty_ && found_uncertainty_->share_by_date.value_or(0) >= question_->confidence;
  }

  const PlanQuestion* question_;
  PlanVariants variants_;
  PlanResult result_;
  Variant found_;
  std::optional<Variant> plenty_;
  std::optional<PointNumber> point_;
  std::optional<Uncertainty> found_uncertainty_;
  bool meets_ = false;
  bool begun_ = false, stopped_ = false;
  std::vector<Problem> problems_;
};

}  // namespace

Planned plan(Experiment& experiment, const PointSource& source, const PlanQuestion& question) {
  return Planning(experiment, source, question).run();
}

}  // namespace gauntlet
