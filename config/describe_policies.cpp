// Which policies run, and their constants.
#include "config/describe.hpp"
#include "config/expectations.hpp"
#include "config/types.hpp"
#include "policies/registry.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  std::string out = "[";
  for (const std::string& name : names) out += (out.size() == 1 ? "\"" : ", \"") + name + "\"";
  return out + "]";
}

/// Probes of this scenario, each with its group.
Type suite_of(std::vector<SuiteProbe>& into, const World& world) {
  std::vector<std::string> known;
  for (const ProbeKind& probe : world.probes) known.push_back(probe.name);
  std::vector<std::string> unused;
  Type type = names(unused, known, "a probe of this scenario");
  type.read = [&into, &world, known = std::move(known)](const Place& place) {
    std::vector<std::string> chosen;
    names(chosen, known, "a probe of this scenario").read(place);
    into.clear();
    for (const std::string& name : chosen) {
      const auto index =
          static_cast<std::uint32_t>(std::find(known.begin(), known.end(), name) - known.begin());
      into.emplace_back(ProbeId{index}, world.probes[index].group);
    }
  };
  return type;
}

/// The usual detectors, as far as telemetry carries what they watch.
std::vector<std::string> detectors_for(const Telemetry& telemetry) {
  std::vector<std::string> fit;
  for (const std::string_view name : usual_detectors()) {
    const auto signals = signals_of_detector(name);
    const bool carried = std::all_of(signals.begin(), signals.end(), [&](Signal signal) {
      return telemetry.carries[static_cast<std::size_t>(signal)];
    });
    if (carried) fit.emplace_back(name);
  }
  return fit;
}

std::string in_quotes(Duration value) { return "\"" + to_text(value) + "\""; }

}  // namespace

void describe(Fields& fields, PolicyNames& policies, const World& world) {
  fields.field("detect", names(policies.detect, to_strings(detector_names()), "a detector"),
               Fallback::computed([&] { return quoted_list(detectors_for(world.telemetry)); }),
               "what notices that the job is in trouble");
  fields.field("diagnose", name(policies.diagnose, to_strings(diagnoser_names()), "a diagnosis"),
               Fallback::value("\"suite\""), "how the culprit is found");
  fields.field("checkpoint",
               name(policies.checkpoint, to_strings(checkpoint_policy_names()), "a checkpoint policy"),
               Fallback::value("\"fixed\""), "how often to save");
  fields.field("recover", name(policies.recover, to_strings(recovery_names()), "a recovery"),
               Fallback::value("\"replace\""), "what to do with the culprit");
  describe_source(fields);
}

void describe(Fields& fields, DiagnosisConstants& diagnosis, const World& world) {
  std::vector<std::string> probes;
  for (const ProbeKind& probe : world.probes) probes.push_back(probe.name);
  fields.field("suite", suite_of(diagnosis.suite, world),
               Fallback::computed([&] { return quoted_list(probes); }),
               "probes in the order in which they run; the first that finds a culprit ends it");
  fields.field("examine_degraded", flag(diagnosis.examine_degraded), Fallback::value("false"),
               "whether a host that only slows the job is examined before it is replaced");
  describe_source(fields);
}

void describe(Fields& fields, CheckpointConstants& checkpoint, const World& world) {
  fields.field("interval", duration(checkpoint.interval, Sign::positive), Fallback::value("\"30min\""),
               "training time between checkpoints (fixed), and the first one (young, daly)");
  fields.field("prior_mtbf", duration(checkpoint.prior_mtbf, Sign::positive),
               Fallback::computed([&] { return in_quotes(expected_mtbf(world)); }),
               "of the job, expected before anything is observed");
  fields.field("prior_cost", duration(checkpoint.prior_cost, Sign::not_negative),
               Fallback::computed([&] { return in_quotes(expected_checkpoint_cost(world)); }),
               "for which one checkpoint is expected to block training");
  fields.field("prior_weight", number(checkpoint.prior_weight, {0, 1e9, false}), Fallback::value("1.0"),
               "failures' worth of evidence that the expectation is");
  fields.field("shortest", duration(checkpoint.shortest, Sign::positive), Fallback::value("\"1s\""),
               "young, daly: no interval below this is ordered, however cheap a checkpoint is");
  fields.field("hysteresis", number(checkpoint.hysteresis, {0, 1, false}), Fallback::value("0.05"),
               "young, daly: a new interval is ordered when it differs by more than this share");
  describe_source(fields);
}

void describe(Fields& fields, RecoveryConstants& recovery) {
  fields.field("restarts_in_place", whole_number(recovery.restarts_in_place, {0, 1'000'000}),
               Fallback::value("1"),
               "in one incident, before hosts under suspicion are replaced or a person is asked");
  fields.field("relapse_window", duration(recovery.relapse_window, Sign::not_negative),
               Fallback::value("\"30min\""),
               "a stop so soon after a start belongs to the incident before it");
  fields.field("save_timeout", duration(recovery.save_timeout, Sign::positive), Fallback::value("\"30min\""),
               "a last checkpoint before a stop is waited for so long at most");
  describe_source(fields);
}

}  // namespace gauntlet
