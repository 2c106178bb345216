#include "commands/plan/variants.hpp"

#include "models/step/step.hpp"
#include "study/finish/finish.hpp"
#include "study/point_statistics.hpp"
#include "study/size.hpp"
#include "study/tilted.hpp"
#include "study/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

/// Few enough to be cheap, and enough to tell a plan that is far off from one that is near.
constexpr std::uint32_t kFirstLook = 64;
/// A decision that is in doubt takes at most so many times as many runs as another. Of 1,000 searches of tests/commands/plan/share_decision_test.cpp, whose
/// shares are known, 24% end beyond 12 spares without more runs, 3% with twice as many, and 1% with four times as many.
constexpr std::uint32_t kDoubt = 2;

int digits_behind(double value) { return value < 9.995 ? 2 : value < 99.95 ? 1 : 0; }

/// A bandwidth with three digits, in bytes: "9.77MB/s".
std::string bandwidth_text(Bandwidth bandwidth) {
  constexpr std::array<std::pair<double, const char*>, 3> kScales = {
      {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}}};
  constexpr double kRounded = 0.9995;  // what three digits make 1,000 of is written in the next unit
  for (const auto& [scale, unit] : kScales)
    if (bandwidth.value >= kRounded * scale)
      return fmt::format("{:.{}f}{}", bandwidth.value / scale, digits_behind(bandwidth.value / scale), unit);
  return fmt::format("{:.2f}kB/s", bandwidth.value / 1e3);
}

}  // namespace

StorageUse storage_use(const StorageModel& storage) {
  if (storage.free) return {};
  const bool two_stage = storage.mode == CheckpointMode::two_stage;
  return {.write = (two_stage ? storage.persist : storage.stall) == Duration::zero(),
          .read = storage.load == Duration::zero()};
}

PlanVariants::PlanVariants(Experiment& experiment, const PointSource& source, const PlanQuestion& question)
    : experiment_(&experiment),
      source_(&source),
      question_(&question),
      deciding_(question.replicas),
      decided_by_(question.replicas) {
  LoadedPoint loaded = source.point();
  base_ = std::move(loaded.point);
  problems_ = std::move(loaded.problems);
  stopped_ = !base_;
}

Settings PlanVariants::settings(const Variant& variant) const {
  const World& world = base_->scenario.world;
  Settings out;
  if (variant.gpus && *variant.gpus != size_of(base_->scenario)) {
    out = resized(base_->scenario, *variant.gpus, BatchScaling::scaled).settings;
    JobModel job = world.job;
    for (const Setting& each : out)
      if (each.path == "job.global_batch")
        job.global_batch = static_cast<std::uint32_t>(std::stoul(each.value));
    out.push_back({"job.steps", std::to_string(steps_for(question_->tokens, job))});
  }
  if (variant.spares && *variant.spares != warm_spares(world))
    out.push_back({"spares.count", std::to_string(*variant.spares)});
  const StorageUse use = storage_use(world.storage);
  if (variant.storage && use.write)
    out.push_back({"storage.write", bandwidth_text(*variant.storage * world.storage.write)});
  if (variant.storage && use.read)
    out.push_back({"storage.read", bandwidth_text(*variant.storage * world.storage.read)});
  if (variant.crew && *variant.crew != world.repair.crew)
    out.push_back({"repair.crew", std::to_string(*variant.crew)});
  out.insert(out.end(), variant.more.begin(), variant.more.end());
  return out;
}

LoadedPoint PlanVariants::load(const Variant& variant) const {
  const Scenario& base = base_->scenario;
  const Resized size = variant.gpus ? resized(base, *variant.gpus, BatchScaling::scaled) : Resized{};
  if (size.problem) return {nullptr, {*size.problem}};
  const Settings tried = settings(variant);
  LoadedPoint loaded = source_->point(tried);
  if (tried.empty()) return loaded;
  for (Problem& problem : loaded.problems)
    problem.why += " (where this was tried: " + settings_text(tried) + ")";
  return loaded;
}

std::optional<PointNumber> PlanVariants::point(const Variant& variant) {
  if (stopped_) return std::nullopt;
  LoadedPoint loaded = load(variant);
  if (loaded.point) return experiment_->add(std::move(loaded.point));
  stopped_ = true;
  problems_ = std::move(loaded.problems);
  return std::nullopt;
}

std::optional<PointNumber> PlanVariants::valid_point(const Variant& variant) {
  if (stopped_) return std::nullopt;
  LoadedPoint loaded = load(variant);
  if (!loaded.point) return std::nullopt;
  return experiment_->add(std::move(loaded.point));
}

std::optional<Problem> PlanVariants::obstacle(const Variant& variant) const {
  const LoadedPoint loaded = load(variant);
  if (loaded.point || loaded.problems.empty()) return std::nullopt;
  return loaded.problems.front();
}

bool PlanVariants::run(PointNumber point, std::uint32_t replicas) {
  return run(std::vector<PointNumber>{point}, replicas);
}

bool PlanVariants::run(const std::vector<PointNumber>& points, std::uint32_t replicas) {
  if (!stopped_ && !experiment_->ensure(points, replicas)) stopped_ = true;
  return !stopped_;
}

/// So few of the runs of a variant may be late that counting them says little.
bool PlanVariants::misses_are_rare() const {
  return question_->finish_by_s && !question_->uncertainty &&
         deciding_ < runs_that_show(question_->confidence);
}

/// A point beside it with more stops, so that about half of its runs are late. How many more: as the first look at the point says, which
/// has run. Nothing where more stops do not make runs later, or it was stopped.
std::optional<PointNumber> PlanVariants::tilted_beside(PointNumber point, std::uint32_t replicas) {
  const auto wall = [](const Figures& figures) { return to_seconds(figures.wall); };
  const auto [found, is_new] = tilted_.try_emplace(point);
  if (is_new) {
    double mean = 0;
    experiment_->visit(point, first_look(),
                       [&](std::uint32_t, const Figures& figures) { mean += wall(figures) / first_look(); });
    const double tilt =
        tilt_that_moves(*experiment_, point, first_look(), wall, *question_->finish_by_s - mean);
    if (tilt > 1) found->second = experiment_->add(tilted(experiment_->point(point), tilt));
  }
  if (!found->second || !run(*found->second, replicas)) return std::nullopt;
  return found->second;
}

/// By the weights of runs with more stops. They tell one variant from another; a delay that more stops do not make likelier, such as a
/// rare wait for spares, is not in their error.
std::optional<EstimatedShare> PlanVariants::rare_misses(PointNumber number, std::uint32_t replicas) {
  if (!misses_are_rare() || replicas < first_look()) return std::nullopt;
  const auto tilted = tilted_beside(number, replicas);
  if (!tilted) return std::nullopt;
  const double by = *question_->finish_by_s;
  const RareShare late = rare_share(*experiment_, number, *tilted, replicas, [by](const Figures& figures) {
    return figures.ending != Ending::completed || to_seconds(figures.wall) > by;
  });
  if (!late.ci95) return std::nullopt;
  return EstimatedShare{.value = 1 - late.share, .error = late.se};
}

std::uint32_t PlanVariants::first_look() const { return std::min(kFirstLook, question_->replicas); }

bool PlanVariants::meets(const Variant& variant) {
  const auto number = valid_point(variant);
  return number && meets_point(*number);
}

void PlanVariants::carry(FinishEffects effects, PointNumber measured_on) {
  effects_ = std::move(effects);
  effects_lost_ = lost(measured_on);
}

double PlanVariants::healthy(PointNumber number) const {
  const World& world = experiment_->point(number).scenario.world;
  return static_cast<double>(world.job.steps) * to_seconds(StepModel(world).healthy());
}

double PlanVariants::lost(PointNumber number) const {
  std::vector<double> times = finish(number, first_look());
  std::erase_if(times, [](double at) { return std::isinf(at); });
  const auto median = finish_quantile(times, 0.5);
  return median ? std::max(0.0, *median - healthy(number)) : 0;
}

FinishScale PlanVariants::scale_of(PointNumber number, const std::vector<double>& times) const {
  FinishScale scale;
  scale.healthy = healthy(number);
  if (effects_lost_ > 0) scale.time = lost(number) / effects_lost_;
  // A plan that gives up more often than the measured one has no more runs to lose by it.
  const double never = static_cast<double>(
      std::count_if(times.begin(), times.end(), [](double at) { return std::isinf(at); }));
  scale.never = std::min(
      1.0, effects_->never > 0 ? never / static_cast<double>(times.size()) / effects_->never : scale.time);
  return scale;
}

/// Its error is that of the asked share.
EstimatedShare PlanVariants::counted_share(PointNumber number, std::uint32_t replicas) const {
  const double by = *question_->finish_by_s, asked = question_->confidence;
  return {.value = share_by(finish(number, replicas), by).value().value_or(0),
          .error = std::sqrt(asked * (1 - asked) / static_cast<double>(replicas))};
}

EstimatedShare PlanVariants::share(PointNumber number, std::uint32_t replicas) {
  const double by = *question_->finish_by_s;
  if (!effects_ || effects_->moved_by.empty())
    return rare_misses(number, replicas).value_or(counted_share(number, replicas));
  const std::vector<double> times = finish(number, replicas);
  const UncertainFinish::Share share = moved(times, *effects_, scale_of(number, times)).share_by(by);
  return {.value = share.value, .error = std::sqrt(share.variance)};
}

void PlanVariants::check_failed(PointNumber point, std::uint32_t replicas) {
  failed_by_[point] = replicas;
  deciding_ += question_->counted;
  decided_by_ = replicas;
}

bool PlanVariants::meets_point(PointNumber number) {
  // Faults make nothing faster; a draw may.
  double quickest = healthy(number);
  if (effects_ && !effects_->longer.empty())
    quickest *= 1 + std::min(0.0, *std::min_element(effects_->longer.begin(), effects_->longer.end()));
  if (quickest > *question_->finish_by_s) return false;
  // More runs narrow what counts them. The effects of draws, and weights, have errors of their own.
  const bool counts = !effects_, only_counts = counts && !misses_are_rare();
  const auto failed = failed_by_.find(number);
  const bool has_failed = failed != failed_by_.end();
  const ShareTerms terms{.asked = question_->confidence,
                         .first_look = has_failed ? failed->second : first_look(),
                         .deciding = has_failed ? failed->second : deciding_,
                         .most = only_counts ? kDoubt * question_->replicas : 0,
                         .quick = counts && !has_failed,
                         .checked = counts && failed_by_.empty()};
  const auto decide = [&](std::uint32_t runs) -> std::optional<EstimatedShare> {
    return run(number, runs) ? std::optional(share(number, runs)) : std::nullopt;
  };
  const auto look = [&](std::uint32_t runs) -> std::optional<EstimatedShare> {
    return run(number, runs) ? std::optional(counts ? counted_share(number, runs) : share(number, runs))
                             : std::nullopt;
  };
  const ShareDecision decision = decide_share(terms, look, decide);
  decided_by_ = std::max(decided_by_, decision.runs);
  return decision.enough;
}

std::vector<double> PlanVariants::finish(PointNumber number, std::uint32_t replicas) const {
  return finish_times(*experiment_, number, replicas);
}

std::uint32_t PlanVariants::most_spares_in_use(PointNumber number, std::uint32_t replicas) const {
  double most = 0;
  for (const Fraction& each : experiment_->values(number, "spares.max_in_use", replicas))
    most = std::max(most, each.numerator);
  return static_cast<std::uint32_t>(most);
}

PlanOutcome PlanVariants::outcome(PointNumber number, std::uint32_t first, std::uint32_t replicas) const {
  const World& world = experiment_->point(number).scenario.world;
  const StorageUse use = storage_use(world.storage);
  const std::uint32_t end = first + replicas;
  const std::vector<double> all = finish(number, end);
  const std::span<const double> times = std::span(all).subspan(first);
  return {.size = {.gpus = std::uint64_t{world.inventory.job_hosts} * world.inventory.gpus_per_host,
                   .replicas = world.job.layout.dp,
                   .hosts = world.inventory.job_hosts,
                   .spares = world.inventory.spares,
                   .global_batch = world.job.global_batch,
                   .steps = world.job.steps,
                   .crew = world.repair.crew,
                   .storage_write = use.write ? bandwidth_text(world.storage.write) : "",
                   .storage_read = use.read ? bandwidth_text(world.storage.read) : ""},
          .settings = experiment_->point(number).settings,
          .first = first,
          .by_date = question_->finish_by_s ? share_by(times, *question_->finish_by_s) : ShareOfRuns{},
          .finish = percentiles_with_intervals(times),
          .cost = statistics_of(*experiment_, number, "cost", first, end),
          .gpu_hours = statistics_of(*experiment_, number, "gpu_hours", first, end)};
}

}  // namespace gauntlet
