#include "study/point.hpp"

#include "models/step/step.hpp"
#include "models/storage/storage.hpp"
#include "policies/controller/registry.hpp"
#include "study/control_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

/// Whether that policy computes the interval to storage. Of a custom policy nobody knows.
bool computes_interval(std::string_view checkpoint_policy) {
  const auto shipped = checkpoint_policy_names();
  return checkpoint_policy != "fixed" && std::ranges::find(shipped, checkpoint_policy) != shipped.end();
}

/// As --set has them.
std::vector<std::string> as_sets(const Settings& settings) {
  std::vector<std::string> sets;
  for (const Setting& setting : settings) sets.push_back(setting.path + "=" + setting.value);
  return sets;
}

}  // namespace

ScenarioFacts facts_of(const Scenario& scenario, std::uint64_t seed, const std::string& version) {
  const World& world = scenario.world;
  const JobModel& job = world.job;
  ScenarioFacts facts;
  facts.name = world.name;
  facts.question = world.question;
  facts.version = version;
  facts.seed = seed;
  facts.gpus = world.inventory.job_hosts * world.inventory.gpus_per_host;
  facts.gpus_held = (world.inventory.hosts() - world.spares.pool) * world.inventory.gpus_per_host;
  facts.hosts = world.inventory.job_hosts;
  facts.spares = world.inventory.spares;
  facts.peak = world.hardware.peak;
  facts.tokens_per_step = static_cast<double>(job.global_batch) * job.model.sequence;
  facts.flops_per_step = model_flops_per_token(job.model) * facts.tokens_per_step;
  facts.gpu_hour = world.cost.gpu_hour;
  facts.idle_gpu_hour = world.cost.idle_gpu_hour;
  facts.currency = world.cost.currency;
  constexpr double kTerabyte = 1e12;
  facts.storage_month = {world.cost.tb_month.value * checkpoint_size(world).value / kTerabyte *
                         world.storage.keep_last};
  facts.computes_interval = computes_interval(scenario.policies.names.checkpoint);
  facts.saves_behind_training = world.storage.mode == CheckpointMode::two_stage;
  facts.window = job.window;
  facts.steps = job.steps;
  facts.give_up_after = job.give_up_after;
  for (const FaultKind& kind : world.faults) {
    facts.faults.push_back(kind.name);
    if (!kind.trace.empty()) facts.replayed.push_back(kind.name);
  }
  facts.controls = choose_controls(world);
  return facts;
}

PointSource::PointSource(std::string path, std::vector<std::string> sets, std::optional<std::uint64_t> seed,
                         Means means)
    : path_(std::move(path)),
      sets_(std::move(sets)),
      means_(means),
      source_(path_, sets_),
      resolved_{Value::Table{}, {}, {}, false} {
  LoadedScenario loaded = source_.load();
  if (loaded.scenario) seed_ = loaded.scenario->study.seed;
  if (seed) seed_ = *seed;
  base_ = point_of(loaded, {}, {});
  if (base_.point) resolved_ = std::move(loaded.resolved);
}

std::string PointSource::shown(Comments comments, const Settings& settings) const {
  return show(source_.load(as_sets(settings)), comments);
}

LoadedPoint PointSource::point(const Settings& settings, std::string label) const {
  if (settings.empty()) {
    LoadedPoint base = base_;
    if (base.point && !label.empty()) {
      auto labelled = std::make_shared<Point>(*base.point);
      labelled->label = std::move(label);
      base.point = std::move(labelled);
    }
    return base;
  }
  LoadedScenario loaded = source_.load(as_sets(settings));
  return point_of(loaded, settings, std::move(label));
}

LoadedPoint PointSource::point_of(LoadedScenario& loaded, const Settings& settings, std::string label) const {
  if (!loaded.scenario) return {.point = nullptr, .problems = std::move(loaded.problems)};
  Point point{.label = std::move(label),
              .settings = settings,
              .scenario = {},
              .text = show(loaded, Comments::none),
              .facts = facts_of(*loaded.scenario, seed_, GAUNTLET_VERSION)};
  point.scenario = std::move(*loaded.scenario);
  if (means_ == Means::plain) {
    point.facts.controls.clear();
    point.text += "# with plain means\n";
  }
  return {.point = std::make_shared<const Point>(std::move(point)),
          .problems = {},
          .warnings = std::move(loaded.warnings)};
}

std::shared_ptr<const Point> under_other_faults(const Point& point, std::uint32_t first, std::string label) {
  auto out = std::make_shared<Point>(point);
  out->label = std::move(label);
  out->text += fmt::format("# under the faults of replicas {} on\n", first);
  out->first_faults = first;
  return out;
}

std::string settings_text(const Settings& settings) {
  std::string text;
  for (const Setting& setting : settings)
    text += (text.empty() ? "" : ", ") + setting.path + " = " + setting.value;
  return text;
}

}  // namespace gauntlet
