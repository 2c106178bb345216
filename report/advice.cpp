#include "report/advice.hpp"

#include "report/losses.hpp"
#include "report/units.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

namespace gauntlet {
namespace {

struct Advice {
  std::string_view phase, aim, settings;
};

// Named as in a scenario, so that they can be pasted.
constexpr std::array kAdvice = {
    Advice{"slowdown", "Find the slow parts by cause, and try without them:", "--set faults.NAME.factor=..."},
    Advice{"recomputing", "Lose less at a stop:",
           "--set policies.checkpoint=exact, or with `fixed` --set checkpoint.interval=..."},
    Advice{"checkpoint_stall", "Save less often, or faster:",
           "--set policies.checkpoint=fixed --set checkpoint.interval=..., or --set storage.stall=..."},
    Advice{"undetected",
           "Detect faults sooner:", "--set detection.hang_timeout=... or --set detection.timeout=..."},
    Advice{"diagnosing",
           "Find the culprit faster:", "--set diagnosis.suite=[...] with the quicker probes first"},
    Advice{"waiting_for_spare", "Add spares, repair faster, or run with fewer replicas:",
           "--set spares.count=... or --set repair.time=... or --set recovery.wait_for_spare=10min"},
    Advice{"restarting", "Restart faster:", "--set job.restart_time=... or --set storage.load=..."},
    Advice{
        "planned", "Stop less often, or for a shorter time. The causes name the stops:",
        "--set job.planned.hold=... or --set job.evaluation.time=... or --set faults.NAME.heals_after=..."},
};

// Where others take the hosts.
constexpr Advice kOfPreemption{"planned", "Avoid preemption: raise the priority, add hosts, or delay it:",
                               "--set cluster.shared.priority=... or --set cluster.shared.hosts=... or --set "
                               "cluster.shared.preempt_after=..."};

// Where the policy computes the interval to storage from what a checkpoint costs: another formula, or an interval, gains little or
// nothing.
constexpr std::string_view kCheaper = "--set storage.stall=...",
                           kCheaperOrDurableSooner = "--set storage.stall=... or --set storage.persist=...";

std::optional<Advice> of_computed_interval(const ScenarioFacts& facts, std::string_view phase) {
  if (!facts.computes_interval) return std::nullopt;
  if (phase == "checkpoint_stall") return Advice{phase, "Save faster:", kCheaper};
  if (phase != "recomputing") return std::nullopt;
  return facts.saves_behind_training
             ? Advice{phase, "Save faster, so that less is lost at a stop:", kCheaperOrDurableSooner}
             : Advice{phase, "Save faster, so that the policy saves more often:", kCheaper};
}

std::string share(double part, double whole) { return fmt::format("{:.0f}%", 100 * part / whole); }

}  // namespace

std::string why_text(const Summary& summary) {
  const std::vector<Loss> phases = losses_by_phase(summary);
  const std::vector<Loss> causes = losses_by_cause(summary);
  if (phases.empty() || causes.empty()) return "";
  const double lost = total(phases);
  std::string text = fmt::format("A run loses {}: {} of that in `{}`", time_text(lost),
                                 share(phases[0].seconds, lost), phases[0].name);
  if (phases.size() > 1) text += fmt::format(", {} in `{}`", share(phases[1].seconds, lost), phases[1].name);
  text += fmt::format(". The largest cause is `{}`: {}.", causes[0].name, share(causes[0].seconds, lost));
  return text;
}

std::string next_text(const Summary& summary) {
  const std::vector<Loss> phases = losses_by_phase(summary);
  const std::vector<Loss> causes = losses_by_cause(summary);
  if (phases.empty() || causes.empty()) return "";
  const auto said = [](const Advice& advice) {
    return fmt::format("`{}` loses the most time. {}\n          {}", advice.phase, advice.aim,
                       advice.settings);
  };
  if (phases[0].name == kOfPreemption.phase && causes[0].name == "preempted") return said(kOfPreemption);
  if (const auto advice = of_computed_interval(summary.facts, phases[0].name)) return said(*advice);
  for (const Advice& advice : kAdvice)
    if (advice.phase == phases[0].name) return said(advice);
  return "";
}

}  // namespace gauntlet
