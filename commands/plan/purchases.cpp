#include "commands/plan/purchases.hpp"

#include "study/finish/finish.hpp"
#include "study/levers/stretched.hpp"
#include "study/paired.hpp"
#include "study/size.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {
namespace {

constexpr double kTenthMore = 1.1, kTenthLess = 0.9;

void add(Settings& settings, Stretched more) {
  settings.insert(settings.end(), more.settings.begin(), more.settings.end());
}

/// All of a restart: its phases, and the load of a checkpoint.
Settings quicker_restart(const Value& resolved) {
  Settings settings;
  add(settings, stretched(resolved, "job.restart_time", kTenthLess));
  const Value* start = resolved.find("job.start");
  if (start != nullptr && start->table() != nullptr)
    for (const auto& [phase, value] : *start->table())
      add(settings, stretched(resolved, "job.start." + phase, kTenthLess));
  for (const char* load : {"storage.load", "storage.memory.load", "storage.peers.load"})
    add(settings, stretched(resolved, load, kTenthLess));
  return settings;
}

Change difference(const Experiment& experiment, const char* metric, PointNumber from, PointNumber to,
                  std::uint32_t replicas) {
  const PairedDifference of =
      paired_difference(experiment.values(from, metric, replicas), experiment.values(to, metric, replicas),
                        run_value_of(metric), experiment.paired_controls(from, to, replicas));
  return {of.difference, of.ci95};
}

}  // namespace

std::vector<Offer> offers(const Variant& from, const Scenario& scenario, const Value& resolved) {
  const World& world = scenario.world;
  std::vector<Offer> all;
  const auto offer = [&](std::string what) -> Variant& {
    return all.emplace_back(Offer{std::move(what), from}).variant;
  };
  const std::uint64_t unit = growth_unit(scenario);
  const std::uint64_t replicas = unit / replica_gpus(world.job.layout);
  if (!resized(scenario, size_of(scenario) + unit, BatchScaling::scaled).problem)
    offer(fmt::format("{} more GPUs ({} replica{} of the model)", unit, replicas, replicas == 1 ? "" : "s"))
        .gpus = size_of(scenario) + unit;
  offer("1 more spare host").spares = warm_spares(world) + 1;
  const StorageUse use = storage_use(world.storage);
  if (use.write || use.read)
    offer("10% more storage bandwidth").storage = kTenthMore * from.storage.value_or(1);
  if (world.repair.crew > 0) offer("1 more technician").crew = world.repair.crew + 1;
  Settings interval;
  if (scenario.policies.names.checkpoint == "fixed")
    add(interval, stretched(resolved, "checkpoint.interval", kTenthLess));
  if (!interval.empty()) offer("10% shorter checkpoint interval").more = std::move(interval);
  Settings restart = quicker_restart(resolved);
  if (!restart.empty()) offer("10% quicker restarts").more = std::move(restart);
  return all;
}

std::vector<Purchase> purchases(PlanVariants& variants, PointNumber from, const std::vector<Offer>& offers) {
  std::vector<PointNumber> points = {from};
  std::vector<std::string> names;  // of those that the scenario can have
  for (const Offer& offer : offers) {
    const auto point = variants.valid_point(offer.variant);
    if (variants.stopped()) return {};
    if (!point) continue;
    points.push_back(*point);
    names.push_back(offer.what);
  }
  const PlanQuestion& question = variants.question();
  if (!variants.run(points, question.replicas)) return {};
  const Experiment& experiment = variants.experiment();
  const bool priced = experiment.point(from).facts.has_price();
  const std::vector<double> before = variants.finish(from, question.replicas);
  std::vector<Purchase> bought;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<double> after = variants.finish(points[i + 1], question.replicas);
    bought.push_back(
        {.what = names[i],
         .p95 = quantile_change(before, after, 0.95, question.seed),
         .share = question.finish_by_s ? share_change(before, after, *question.finish_by_s) : Change{},
         .mean = mean_change(before, after),
         .cost =
             difference(experiment, priced ? "cost" : "gpu_hours", from, points[i + 1], question.replicas)});
  }
  return bought;
}

}  // namespace gauntlet
