#include "study/levers/levers.hpp"

#include "config/toml/nearest.hpp"
#include "models/step/step.hpp"
#include "policies/controller/registry.hpp"
#include "study/levers/fault_levers.hpp"
#include "study/levers/stretched.hpp"
#include "study/option_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kShorter = 0.5,
                 kMore = 2;  // times a duration; times a bandwidth, or a mean time between failures

/// The parts of a scenario whose durations can be improved. The others are the faults, whose rates are levers of their own,
/// and what the study takes as it is: the cluster, prices, drills, the study itself.
constexpr std::array<std::string_view, 10> kParts = {"spares",     "job",     "storage", "telemetry",
                                                     "repair",     "people",  "probes",  "detection",
                                                     "checkpoint", "recovery"};

/// Durations that nobody improves: how long to look, when to give up, what a policy expects before it has seen anything, how
/// far clocks may be off. The step has a lever of its own.
constexpr std::array<std::string_view, 9> kNoLevers = {"job.window",
                                                       "job.give_up_after",
                                                       "job.step_time",
                                                       "checkpoint.prior_mtbf",
                                                       "checkpoint.prior_cost",
                                                       "checkpoint.prior_quick_cost",
                                                       "detection.clock_error",
                                                       "telemetry.clock_error",
                                                       "checkpoint.shortest"};

/// What there can be one more of; but for warm spare hosts, zero means that there is none, or always enough.
constexpr std::array<std::string_view, 5> kCounted = {"spares.count", "spares.cold", "spares.pool",
                                                      "repair.crew", "repair.manual.crew"};

constexpr std::string_view kStep = "job.step_time", kPlannedStops = "job.planned.count",
                           kSuite = "diagnosis.suite";

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether the constants in `detection.NAME` are those of detectors that are not in use: of the one that has its name, or
/// takes its constants from there.
bool is_of_unused_detector(std::string_view table, const std::vector<std::string>& detectors) {
  std::string name(table);
  std::ranges::replace(name, '_', '-');
  if (std::ranges::find(detector_names(), name) == detector_names().end()) return false;
  return !holds(detectors, name) && !(name == "fail-slow" && holds(detectors, "change-point"));
}

/// The walk through the tree of values.
class Finder {
 public:
  Finder(const Scenario& scenario, const Value& resolved) : scenario_(&scenario), resolved_(&resolved) {}

  std::vector<Lever> find() {
    levers_ = fault_levers(scenario_->world, *resolved_);
    quicker_step();
    for (const std::string_view part : kParts)
      if (const Value* value = resolved_->find(part)) walk(*value, std::string(part));
    return std::move(levers_);
  }

 private:
  void walk(const Value& value, const std::string& path) {
    if (is_one_of(kNoLevers, path)) return;
    if (value.table() == nullptr || is_distribution(value)) return leaf(value, path);
    for (const auto& [key, member] : *value.table()) {
      if (key == "source" || key == "name") continue;
      if (path == "detection" && member.table() != nullptr &&
          is_of_unused_detector(key, scenario_->policies.names.detect))
        continue;
      if (path == "probes" && !is_in_suite(key)) continue;
      walk(member, path + "." + key);
    }
  }

  void leaf(const Value& value, const std::string& path) {
    if (std::holds_alternative<std::int64_t>(value.data))
      return counted(std::get<std::int64_t>(value.data), path);
    if (path.ends_with("mtbf")) return add(path, stretched(*resolved_, path, kMore));
    add(path, stretched(*resolved_, path, kShorter));
    // Of an interval less is not always better.
    if (path.starts_with("checkpoint.") && path.ends_with("interval"))
      add(path, stretched(*resolved_, path, kMore));
    if (path.starts_with("storage.")) add(path, faster(*resolved_, path, kMore));
  }

  void counted(std::int64_t count, const std::string& path) {
    if (is_one_of(kCounted, path) && (count > 0 || path == "spares.count"))
      levers_.push_back(
          {path, fmt::format("{} to {}", count, count + 1), {{path, std::to_string(count + 1)}}});
    if (path == kPlannedStops && count > 1)
      levers_.push_back({path, "half as often", {{path, std::to_string(count / 2)}}});
  }

  void add(const std::string& path, Stretched change) {
    if (!change.settings.empty())
      levers_.push_back({path, std::move(change.change), std::move(change.settings)});
  }

  void quicker_step() {
    const double step = to_seconds(StepModel(scenario_->world).healthy());
    const std::string text = to_text(from_seconds((1 - kQuickerStep) * step));
    levers_.push_back(
        {std::string(kStep), fmt::format("{:g}% quicker", 100 * kQuickerStep), {{std::string(kStep), text}}});
  }

  bool is_in_suite(std::string_view probe) const {
    const Value* suite = resolved_->find(kSuite);
    if (suite == nullptr || suite->array() == nullptr) return true;
    return std::ranges::any_of(*suite->array(), [&](const Value& each) {
      return each.string() != nullptr && *each.string() == probe;
    });
  }

  const Scenario* scenario_;
  const Value* resolved_;
  std::vector<Lever> levers_;
};

bool is_at_or_below(const std::string& path, const std::string& name) {
  return path == name || path.starts_with(name + ".");
}

}  // namespace

std::vector<Lever> levers_of(const Scenario& scenario, const Value& resolved) {
  return Finder(scenario, resolved).find();
}

std::vector<std::string_view> keys_that_levers_know() {
  std::vector<std::string_view> keys = {kStep, kPlannedStops, kSuite};
  keys.insert(keys.end(), kParts.begin(), kParts.end());
  keys.insert(keys.end(), kNoLevers.begin(), kNoLevers.end());
  keys.insert(keys.end(), kCounted.begin(), kCounted.end());
  return keys;
}

ChosenLevers chosen_levers(std::vector<Lever> levers, const std::vector<std::string>& names,
                           const std::string& option) {
  if (names.empty()) return {.levers = std::move(levers), .problems = {}};
  ChosenLevers chosen;
  std::vector<std::string> known;
  for (const Lever& lever : levers)
    if (!std::ranges::count(known, lever.path)) known.push_back(lever.path);
  for (const std::string& name : names)
    if (std::ranges::none_of(levers, [&](const Lever& each) { return is_at_or_below(each.path, name); }))
      chosen.problems.push_back(option_problem(option, fmt::format("\"{}\"", name),
                                               "is not a lever of this scenario",
                                               suggest_names(name, known)));
  if (!chosen.problems.empty()) return chosen;
  for (Lever& lever : levers)
    if (std::ranges::any_of(names, [&](const std::string& name) { return is_at_or_below(lever.path, name); }))
      chosen.levers.push_back(std::move(lever));
  return chosen;
}

}  // namespace gauntlet
