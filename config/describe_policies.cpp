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

/// Names that are stored as ids: their indexes in `known`, counted from `first`.
template <class Id>
Type ids(std::vector<Id>& into, std::vector<std::string> known, std::string kind, std::uint32_t first = 0) {
  std::vector<std::string> unused;
  Type type = names(unused, known, kind);
  type.read = [&into, known = std::move(known), kind = std::move(kind), first](const Place& place) {
    std::vector<std::string> chosen;
    names(chosen, known, kind).read(place);
    into.clear();
    for (const std::string& name : chosen)
      into.push_back(Id{
          first + static_cast<std::uint32_t>(std::find(known.begin(), known.end(), name) - known.begin())});
  };
  return type;
}

std::string in_quotes(Duration value) { return "\"" + to_text(value) + "\""; }

}  // namespace

void describe(Fields& fields, PolicyNames& policies) {
  fields.field("detect", names(policies.detect, to_strings(detector_names()), "a detector"),
               Fallback::value(quoted_list(to_strings(detector_names()))),
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

void describe(Fields& fields, DetectionConstants& detection, const World& world) {
  fields.field("timeout", duration(detection.heartbeat_timeout, Sign::positive), Fallback::value("\"1min\""),
               "silence of a host after which it counts as lost");
  fields.field("hang_timeout", duration(detection.hang_timeout, Sign::positive), Fallback::value("\"10min\""),
               "no step completed for so long counts as a hang");
  fields.field("collective_timeout", duration(detection.collective_timeout, Sign::positive),
               Fallback::value("\"10min\""), "a rank that waits longer for a collective aborts");
  // The collective watchdog's line is every victim's, not a culprit's: it belongs to the hang detector.
  const std::vector<std::string> lines(world.patterns.begin() + 1, world.patterns.end());
  fields.field("log_patterns", ids(detection.log_patterns, lines, "a log line of this scenario", 1),
               Fallback::computed([lines] { return quoted_list(lines); }), "log lines that stop the job");
  describe_source(fields);
}

void describe(Fields& fields, DiagnosisConstants& diagnosis, const World& world) {
  std::vector<std::string> probes;
  for (const ProbeKind& probe : world.probes) probes.push_back(probe.name);
  fields.field("suite", ids(diagnosis.suite, probes, "a probe of this scenario"),
               Fallback::computed([&] { return quoted_list(probes); }),
               "probes in the order in which they run; the first that finds a culprit ends it");
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
  describe_source(fields);
}

}  // namespace gauntlet
