// Which policies run, and their constants.
#include "config/checks/checkpoint_checks.hpp"
#include "config/checks/expectations.hpp"
#include "config/describe.hpp"
#include "config/fields/types.hpp"
#include "core/text.hpp"
#include "models/step/job_size.hpp"
#include "models/storage/storage.hpp"
#include "policies/controller/registry.hpp"
#include "policies/custom/custom_policy.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// Of the quickest tier that a policy may choose the interval of: peers' memory where that has one, else each host's own.
Duration expected_quick_cost(const CheckpointConstants& checkpoint, const World& world) {
  const bool peers = checkpoint.peers_interval != kForever;
  return expected_costs(world)[peers ? Tier::peers : Tier::memory].stall;
}

void check_starts(const Place& place, const RecoveryConstants& recovery) {
  if (place.all_sound("start_backoff", "longest_backoff") &&
      recovery.start_backoff > recovery.longest_backoff)
    place.mistake_at("start_backoff", "is above longest_backoff = " + to_text(recovery.longest_backoff),
                     "write longest_backoff = \"" + to_text(recovery.start_backoff) + "\" or more");
  if (place.all_sound("start_attempts", "start_deadline", "retention") && recovery.start_attempts == 0 &&
      recovery.start_deadline == kForever && recovery.retention > Duration::zero())
    place.mistake_at("retention", "is given, and start_attempts = 0 tries forever",
                     "write start_attempts = 3 or start_deadline = \"1h\", or leave retention out");
}

std::uint32_t fewest_that_fit(const RecoveryConstants& recovery, const World& world) {
  if (recovery.wait_for_spare == kForever || !layout_stands(world)) return 1;
  return std::max(1U, fewest_replicas(world));
}

/// The names of shipped and of custom policies.
template <class Custom>
std::vector<std::string> with(std::span<const std::string_view> shipped, const std::vector<Custom>& brought) {
  std::vector<std::string> out = to_strings(shipped);
  for (const Custom& each : brought) out.push_back(each.name);
  return out;
}

/// A duration that need not be given: then there is no end to it.
void endless(Fields& fields, std::string_view name, Duration& into, Sign sign, std::string_view doc) {
  into = kForever;
  fields.field(name, duration(into, sign), Fallback::optional(), doc);
}

}  // namespace

void describe(Fields& fields, PolicyNames& policies, const CustomPolicies* custom, const World& world) {
  const CustomPolicies none, &brought = custom != nullptr ? *custom : none;
  fields.field("detect", names(policies.detect, with(detector_names(), brought.detectors), "a detector"),
               Fallback::computed([&] { return quoted_list(detectors_for(world.telemetry)); }),
               "what notices that the job is in trouble");
  fields.field("diagnose", name(policies.diagnose, to_strings(diagnoser_names()), "a diagnosis"),
               "how the culprit is found");
  fields.field(
      "checkpoint",
      name(policies.checkpoint, with(checkpoint_policy_names(), brought.checkpoints), "a checkpoint policy"),
      "how often to save");
  fields.field("restore", name(policies.restore, to_strings(restore_names()), "a way to restore"),
               "who reads a checkpoint back from storage");
  fields.field("recover", name(policies.recover, with(recovery_names(), brought.recoveries), "a recovery"),
               "what to do with the culprit");
  fields.field("retire", name(policies.retire, to_strings(retirement_names()), "a retirement"),
               "which hosts do not come back from repair");
  describe_source(fields);
}

void describe(Fields& fields, DiagnosisConstants& diagnosis, const World& world) {
  std::vector<std::string> probes;
  for (const ProbeKind& probe : world.probes) probes.push_back(probe.name);
  fields.field("suite", suite_of(diagnosis.suite, world),
               Fallback::computed([&] { return quoted_list(probes); }),
               "probes in the order in which they run; the first that finds a culprit ends it");
  fields.field("examine_degraded", flag(diagnosis.examine_degraded),
               "whether a host that only slows the job is examined before it is replaced");
  describe_source(fields);
}

void describe(Fields& fields, CheckpointConstants& checkpoint, const std::string& policy,
              const World& world) {
  fields.field(
      "interval", duration(checkpoint.interval, Sign::positive),
      "fixed: training time between checkpoints to storage; rounded up to a multiple of a quicker tier's");
  // Intervals of tiers in memory, which a job need not have.
  endless(
      fields, "memory_interval", checkpoint.memory_interval, Sign::positive,
      "time between those to the memory of each host, which outlive its ranks; in whole steps, so that less "
      "than one is "
      "every step; left out: none");
  endless(fields, "peers_interval", checkpoint.peers_interval, Sign::positive,
          "time between those to the memory of other hosts too, which outlive a host; left out: none");
  fields.field("prior_mtbf", duration(checkpoint.prior_mtbf, Sign::positive),
               Fallback::computed([&] { return in_quotes(to_text(expected_mtbf(world))); }),
               "mean time between failures of the job that is expected before anything is observed");
  fields.field("prior_cost", duration(checkpoint.prior_cost, Sign::not_negative), Fallback::computed([&] {
                 return in_quotes(to_text(expected_costs(world)[Tier::storage].stall));
               }),
               "expected time for which one checkpoint to storage blocks training");
  fields.field("prior_quick_cost", duration(checkpoint.prior_quick_cost, Sign::not_negative),
               Fallback::computed([&] { return in_quotes(to_text(expected_quick_cost(checkpoint, world))); }),
               "two-level: expected time for which one checkpoint to the quick tier blocks training; that "
               "tier is the peers' memory if peers_interval is set, else the hosts' memory");
  fields.field("host_loss", number(checkpoint.host_loss, {0, 1, true}),
               "two-level: share of the failures that the quick tier does not outlive (assumption)");
  fields.field("prior_weight", number(checkpoint.prior_weight, {0, 1e9, true}),
               "weight of the expected values, in failures; with a large weight nothing is learned");
  fields.field(
      "shortest", duration(checkpoint.shortest, Sign::positive),
      "no optimum below this is ordered, however cheap a checkpoint is; nor two saves by log lines within");
  fields.field("hysteresis", number(checkpoint.hysteresis, {0, 1, false}),
               "a new optimum is ordered when it differs by more than this share");
  describe_source(fields);
  fields.check([&](const Place& place) { check_tiers(place, checkpoint, policy, world); });
}

void describe(Fields& fields, RecoveryConstants& recovery, const World& world) {
  fields.field("restarts_in_place", whole_number(recovery.restarts_in_place, {0, 1'000'000}),
               "restarts in one incident before hosts under suspicion are replaced or a person is asked");
  fields.field("relapse_window", duration(recovery.relapse_window, Sign::not_negative),
               "a stop within this time after a start belongs to the incident before it");
  fields.field("save_timeout", duration(recovery.save_timeout, Sign::positive),
               "longest wait for the last checkpoint before a stop");
  fields.field(
      "reschedule", flag(recovery.reschedule),
      "whether a start on the same hosts goes through the scheduler; false: a planned stop is a hot update");
  fields.field("roll_back", whole_number(recovery.roll_back, {0, 1'000'000}),
               "number of checkpoints to go further back each time that the loss is wrong or the same "
               "progress is lost again");
  fields.field("start_attempts", whole_number(recovery.start_attempts, {0, 1'000'000}),
               "number of failed starts in a row after which the hosts are given back and a person is asked; "
               "0: no limit");
  fields.field("start_backoff", duration(recovery.start_backoff, Sign::not_negative),
               "wait before the second attempt; it doubles each time. With 0s and start_attempts = 0, failed "
               "starts are "
               "investigated");
  fields.field("longest_backoff", duration(recovery.longest_backoff, Sign::positive),
               "the longest wait between two attempts (Kubernetes: 5min)");
  fields.field("retention", duration(recovery.retention, Sign::not_negative),
               "time for which the hosts are kept for inspection after the last attempt");
  endless(fields, "start_deadline", recovery.start_deadline, Sign::positive,
          "longest time from submission to training; then the hosts are kept for `retention` and given back, "
          "and a "
          "person is asked; left out: none");
  endless(fields, "wait_for_spare", recovery.wait_for_spare, Sign::not_negative,
          "longest wait for a host in place of a replaced one; then the job continues with fewer "
          "data-parallel replicas "
          "until there is one; left out: forever");
  fields.field("least_replicas", whole_number(recovery.least_replicas, {1, 1'000'000'000}),
               Fallback::computed([&] { return std::to_string(fewest_that_fit(recovery, world)); }),
               "smallest number of data-parallel replicas with which the job continues; computed: the fewest "
               "that fill "
               "whole hosts and fit their memory");
  describe_source(fields);
  fields.check([&](const Place& place) { check_starts(place, recovery); });
}

void describe(Fields& fields, RetirementConstants& retirement) {
  fields.field(
      "evictions", whole_number(retirement.evictions, {1, 1'000'000}),
      "evictions of one host, after which it leaves (threshold); score: see policies.retire (assumption)");
  fields.field("window", duration(retirement.window, Sign::positive),
               "the time within which they count (threshold), or in which an old one fades by half (score)");
  describe_source(fields);
}

}  // namespace gauntlet
