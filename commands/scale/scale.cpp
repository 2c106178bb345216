#include "commands/scale/scale.hpp"

#include "commands/scale/gpu_counts.hpp"
#include "core/contract.hpp"
#include "models/step/step.hpp"
#include "models/storage/storage.hpp"
#include "policies/checkpoint/interval.hpp"
#include "study/vary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace gauntlet {
namespace {

/// The size to run for one that was asked for, or why there is none near it.
struct Taken {
  std::uint64_t gpus = 0;
  std::optional<Problem> problem;
};
Taken take(const Scenario& base, std::uint64_t asked, BatchScaling batch, std::string_view option) {
  const std::uint64_t smallest = size_unit(base), nearest = nearest_size(base, asked, batch);
  if (asked < smallest) {
    const Layout& layout = base.world.job.layout;
    return {0,
            Problem{.file = std::string(option),
                    .what = fmt::format("{} GPUs", asked),
                    .why = fmt::format("are fewer than one pipeline replica of {} takes in whole hosts of {}",
                                       replica_text(layout), base.world.hardware.gpus_per_host),
                    .suggestion = fmt::format("begin at {}", smallest)}};
  }
  const bool near = nearest <= 2 * asked && asked <= 2 * nearest;
  if (!near && batch == BatchScaling::scaled)
    return {0, Problem{.file = std::string(option),
                       .what = fmt::format("{} GPUs", asked),
                       .why = "are more than a job may have",
                       .suggestion = fmt::format("ask for {} at most", nearest)}};
  const std::uint64_t gpus = near ? nearest : asked;
  if (auto problem = resized(base, gpus, batch).problem) {
    problem->file = option;
    return {0, std::move(problem)};
  }
  return {nearest, std::nullopt};
}

/// As large a share of the hosts as in the scenario, rounded up, of each kind: more hosts fail more often.
void add_spares_at(const Scenario& base, std::uint64_t gpus, Settings& settings) {
  const std::uint64_t own = size_of(base);
  const auto add = [&](const char* path, std::uint64_t spares) {
    settings.push_back({path, std::to_string((spares * gpus + own - 1) / own)});
  };
  const SparesModel& spares = base.world.spares;
  add("spares.count", warm_spares(base.world));
  if (spares.cold > 0) add("spares.cold", spares.cold);
  if (spares.pool > 0) add("spares.pool", spares.pool);
}

/// What makes a size, also where that is the scenario's own: then points.csv has it in every row.
Settings settings_of(const Scenario& base, std::uint64_t gpus, BatchScaling batch) {
  const World& world = base.world;
  if (gpus != size_of(base)) {
    Settings other = resized(base, gpus, batch).settings;
    add_spares_at(base, gpus, other);
    return other;
  }
  Settings own = {{"cluster.hosts", std::to_string(world.inventory.job_hosts)},
                  {"job.layout.dp", std::to_string(world.job.layout.dp)}};
  if (batch == BatchScaling::scaled)
    own.push_back({"job.global_batch", std::to_string(world.job.global_batch)});
  add_spares_at(base, gpus, own);
  return own;
}

/// Rounded in the ratio: 12,288 to 16,384.
std::uint64_t nearest_power_of_two(std::uint64_t count) {
  const std::uint64_t below = std::bit_floor(count);
  return count * count >= 2 * below * below ? 2 * below : below;
}

std::string usual_sizes(const Scenario& base) {
  constexpr std::uint64_t kDown = 16, kUp = 8;
  const std::uint64_t centre = nearest_power_of_two(size_of(base));
  std::uint64_t low = std::max(centre / kDown, std::uint64_t{1});
  while (low < size_unit(base)) low *= 2;
  const std::uint64_t high = std::max(centre * kUp, 2 * low);
  return fmt::format("{}:{}:log{}", low, high, std::countr_zero(high / low) + 1);
}

void load(const PointSource& source, const std::vector<std::uint64_t>& sizes, std::string_view option,
          ScalePlan& plan) {
  for (const std::uint64_t gpus : sizes) {
    LoadedPoint loaded = source.point(settings_of(plan.base->scenario, gpus, plan.batch));
    if (loaded.point) {
      plan.points.push_back(std::move(loaded.point));
      continue;
    }
    plan.points.clear();
    for (Problem& problem : loaded.problems) {
      plan.problems.push_back(as_problem_of(std::move(problem), option));
      plan.problems.back().why += fmt::format(" (at {} GPUs)", gpus);
    }
    return;
  }
}

/// Of the failures that were seen. The interval is that of the mean time to failure, of which the formula is a monotone
/// function.
std::optional<BestInterval> best_interval(const Summary& summary, Duration stall, Duration step) {
  const Statistics* mttf = summary.find("mttf_s");
  if (mttf == nullptr || !mttf->mean || !(*mttf->mean > 0)) return std::nullopt;
  const auto at = [&](double m) {
    const Duration best =
        stall > Duration::zero() ? exact_interval(stall, from_seconds(m)) : Duration::zero();
    return to_seconds(std::max(best, step));
  };
  BestInterval out{.seconds = at(*mttf->mean), .ci95 = {}, .every_step = false};
  if (mttf->ci95) out.ci95 = Interval{at(mttf->ci95->low), at(mttf->ci95->high)};
  out.every_step = out.seconds <= to_seconds(step);
  return out;
}

ScaledSize scaled_size(const Experiment& experiment, PointNumber number, std::uint32_t replicas,
                       std::uint64_t own) {
  const Point& point = experiment.point(number);
  const TierCosts costs = checkpoint_costs(point.scenario.world)[Tier::storage];
  ScaledSize size;
  for (const Setting& setting : point.settings) size.settings.emplace_back(setting.path, setting.value);
  size.summary = experiment.summary(number, replicas);
  size.own = size.summary.facts.gpus == own;
  size.step = StepModel(point.scenario.world).healthy();
  size.checkpoint_stall = costs.stall;
  size.checkpoint_persist = costs.persist;
  size.best_interval = best_interval(size.summary, size.checkpoint_stall, size.step);
  return size;
}

}  // namespace

ScalePlan plan_scale(const PointSource& source, std::string_view gpus, BatchScaling batch,
                     std::string_view option) {
  ScalePlan plan;
  plan.batch = batch;
  LoadedPoint base = source.point();
  plan.base = std::move(base.point);
  plan.problems = std::move(base.problems);
  if (!plan.problems.empty()) return plan;
  const Scenario& scenario = plan.base->scenario;
  plan.gpus = gpus.empty() ? usual_sizes(scenario) : std::string(gpus);
  GpuCounts asked = parse_gpu_counts(plan.gpus, option);
  if (asked.problem) plan.problems.push_back(std::move(*asked.problem));
  std::vector<std::uint64_t> sizes;
  if (asked.range) sizes.push_back(size_of(scenario));
  for (const std::uint64_t count : asked.counts) {
    Taken taken = take(scenario, count, batch, option);
    if (taken.problem) {
      if (gpus.empty()) continue;  // nobody asked for it
      plan.problems.push_back(std::move(*taken.problem));
      if (asked.range) break;  // its other sizes are as wrong
      continue;
    }
    if (taken.gpus != count) plan.rounded.push_back({.asked = count, .taken = taken.gpus});
    sizes.push_back(taken.gpus);
  }
  if (!plan.problems.empty()) return plan;
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  load(source, sizes, option, plan);
  return plan;
}

ScaleResult scale(Experiment& experiment, const ScalePlan& plan, std::uint32_t replicas) {
  expect(plan.base && !plan.points.empty(), "every size was loaded");
  const Point& base = *plan.base;
  const CheckpointConstants& checkpoint = base.scenario.policies.checkpoint;
  ScaleResult result{.scenario = base.facts.name,
                     .question = base.facts.question,
                     .version = base.facts.version,
                     .seed = base.facts.seed,
                     .keep_batch = plan.batch == BatchScaling::kept,
                     .unit = size_unit(base.scenario),
                     .sizes = {},
                     .asked_sizes = static_cast<std::uint32_t>(plan.points.size()),
                     .rounded = plan.rounded,
                     .interrupted = false,
                     .checkpoint_policy = base.scenario.policies.names.checkpoint,
                     .checkpoint_interval = checkpoint.interval,
                     .step_time = std::nullopt};
  const Duration step_time = base.scenario.world.job.step_time;
  if (step_time > Duration::zero()) result.step_time = step_time;

  std::vector<PointNumber> numbers;
  for (const std::shared_ptr<const Point>& point : plan.points) numbers.push_back(experiment.add(point));
  result.interrupted = !experiment.ensure(numbers, replicas);
  for (const PointNumber number : numbers) {
    const std::uint32_t done = std::min(replicas, experiment.replicas(number));
    if (done > 0) result.sizes.push_back(scaled_size(experiment, number, done, size_of(base.scenario)));
  }
  return result;
}

}  // namespace gauntlet
