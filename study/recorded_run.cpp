#include "study/recorded_run.hpp"

#include "core/record/describe.hpp"
#include "core/record/evaluation.hpp"
#include "models/world/blast_radius.hpp"
#include "score/score.hpp"
#include "study/replica.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

namespace gauntlet {
namespace {

/// Looks at what an entry names, however deep.
class NamesOf {
 public:
  explicit NamesOf(const World& world) : world_(world) {}

  /// Whether all of it is in the world.
  template <class T>
  bool are_known(const T& value) {
    if constexpr (std::is_same_v<T, ComponentId>) {
      return value.index < component_count(world_, value.kind);
    } else if constexpr (std::is_same_v<T, HostId>) {
      return are_known(component(value));
    } else if constexpr (std::is_same_v<T, JobId>) {
      return are_known(component(value));
    } else if constexpr (std::is_same_v<T, PatternId>) {
      return value.value < world_.patterns.size();
    } else if constexpr (std::is_same_v<T, ProbeId>) {
      return value.value < world_.probes.size();
    } else if constexpr (std::is_same_v<T, FaultKindId>) {
      return value.value < world_.faults.size();
    } else if constexpr (std::is_same_v<T, Pause>) {
      return value.kind == kEvaluation || are_known(value.kind);
    } else if constexpr (std::is_same_v<T, Scope>) {
      return is_known(value);
    } else if constexpr (kIsVariant<T>) {
      return std::visit([&](const auto& alternative) { return are_known(alternative); }, value);
    } else if constexpr (kIsVector<T>) {
      return std::ranges::all_of(value, [&](const auto& each) { return are_known(each); });
    } else if constexpr (Described<T>) {
      bool known = true;
      for_each_member(value, [&](std::string_view, const auto& each) { known = known && are_known(each); });
      return known;
    } else {
      return true;
    }
  }

 private:
  bool is_known(const Scope& who) const {
    switch (who.subset) {
      case Scope::Subset::all:
        return true;
      case Scope::Subset::one:
        return who.index < component_count(world_, who.kind);
      case Scope::Subset::stage:
        return who.index == 0 && who.stage < world_.inventory.layout.pp;
      case Scope::Subset::job:
        return who.index == 0;
    }
    return false;
  }

  const World& world_;
};

/// What has been ordered so far, and what may still answer it.
class Ordered {
 public:
  void add(const Order& order) {
    open_[order.id.value] = order.what;
    if (const auto* watch = std::get_if<Watch>(&order.what)) watched_[watch->id.value] = watch->who.kind;
    if (const auto* probe = std::get_if<Probe>(&order.what)) watched_[probe->report.value] = probe->who.kind;
  }
  /// Whether this can follow what was ordered.
  bool allows(const Observation& seen) {
    if (const auto* outcome = std::get_if<Outcome>(&seen)) return allows(*outcome);
    if (const auto* value = std::get_if<Seen>(&seen)) {
      const auto watch = watched_.find(value->watch.value);
      return watch != watched_.end() && watch->second == value->who.kind;
    }
    return true;
  }

 private:
  bool allows(const Outcome& outcome) {
    const auto order = open_.find(outcome.order.value);
    if (order == open_.end()) return false;
    const Action what = order->second;
    open_.erase(order);
    if (outcome.status != Status::done) return true;
    if (std::holds_alternative<Acquire>(what)) return std::holds_alternative<Granted>(outcome.result);
    if (std::holds_alternative<Ask>(what)) return std::holds_alternative<Answered>(outcome.result);
    return true;
  }

  std::unordered_map<std::uint64_t, Action> open_;
  std::unordered_map<std::uint32_t, ComponentKind> watched_;
};

/// Why a record cannot be one of a run in this world.
std::optional<std::string> contradiction(const World& world, const Record& record) {
  if (!record.observations.empty()) {
    const auto* started = std::get_if<Started>(&record.observations.front().what);
    if (started == nullptr) return "does not begin with the start of a run";
    if (started->inventory != world.inventory) return "starts another job than its scenario describes";
  }
  NamesOf names(world);
  Ordered ordered;
  std::size_t given = 0;
  const auto unknown = [](std::string_view what, std::size_t number) {
    return fmt::format("names a component, pattern, probe or fault that its scenario does not have, in {} {}",
                       what, number + 1);
  };
  for (std::size_t i = 0; i < record.observations.size(); ++i) {
    const Observation& seen = record.observations[i].what;
    if (!names.are_known(seen)) return unknown("observation", i);
    if (i > 0 && std::holds_alternative<Started>(seen)) return "starts more than one run";
    if (!ordered.allows(seen))
      return fmt::format("{}, in observation {}",
                         std::holds_alternative<Seen>(seen) ? "has a value that no watch asks for"
                                                            : "answers an order that is not open",
                         i + 1);
    for (; given < record.orders.size() && record.orders[given].observations == i + 1; ++given) {
      if (!names.are_known(record.orders[given].order)) return unknown("order", given);
      const auto* start = std::get_if<Start>(&record.orders[given].order.what);
      if (start != nullptr && start->replicas > world.inventory.layout.dp)
        return fmt::format("starts more replicas than its scenario has, in order {}", given + 1);
      ordered.add(record.orders[given].order);
    }
  }
  return std::nullopt;
}

std::optional<std::string> contradiction(const World& world, const RunLogs& logs, const Record& record) {
  Figures figures;
  if (!NamesOf(world).are_known(logs)) return "names faults that its scenario does not have";
  const bool ends_in_world = std::ranges::all_of(logs.truth, [&](const Truth& each) {
    return each.hosts <= world.inventory.hosts() - each.host.value && each.orders <= record.orders.size();
  });
  if (!ends_in_world || record.observations.empty() ||
      !score_recorded(score_facts(world), logs, record, figures))
    return "has logs that do not belong to its record";
  return std::nullopt;
}

}  // namespace

OpenedRecording open_recording(const std::string& path) {
  ReadRecording read = read_recording(path);
  if (!read.recording) return {.run = std::nullopt, .problems = {std::move(read.problem)}};
  RecordedRun run{.recording = std::move(*read.recording), .loaded = {}};
  run.loaded = load_scenario_text(run.recording.header.scenario, path + " (its scenario)");
  if (!run.loaded.scenario) return {.run = std::nullopt, .problems = std::move(run.loaded.problems)};
  const World& world = run.loaded.scenario->world;
  auto why = contradiction(world, run.recording.record);
  if (!why && run.recording.logs) why = contradiction(world, *run.recording.logs, run.recording.record);
  if (why) return {.run = std::nullopt, .problems = {problem_of(path, *why, "record the run again")}};
  return {.run = std::move(run), .problems = {}};
}

}  // namespace gauntlet
