#include "config/checks/unused_checks.hpp"

#include "policies/custom/custom_policy.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {
namespace {

/// `changed`: a field that is given as something else than what holds anyway.
void warn(const Place& root, bool changed, const std::string& path, const std::string& why,
          const std::string& remedy) {
  if (changed && root.given(path) && root.sound(path))
    root.warning_at(path, "has no effect: " + why, remedy + ", or leave it out");
}

void warn_of_tier(const Place& root, const std::string& path, const MemoryTier& tier, const std::string& why,
                  const std::string& remedy) {
  const MemoryTier usual;
  warn(root, tier.stall != usual.stall, path + ".stall", why, remedy);
  warn(root, tier.persist != usual.persist, path + ".persist", why, remedy);
  warn(root, tier.load != usual.load, path + ".load", why, remedy);
  warn(root, tier.increment != usual.increment, path + ".increment", why, remedy);
  warn(root, tier.apply != usual.apply, path + ".apply", why, remedy);
}

/// A custom policy may use any constant.
bool checkpoints_are_custom(const PolicyConstants& policies) {
  return policies.custom && policies.custom->checkpoint(policies.names.checkpoint) != nullptr;
}

void warn_of_tiers(const Place& root, const Scenario& scenario) {
  const StorageModel& storage = scenario.world.storage;
  const CheckpointConstants &checkpoint = scenario.policies.checkpoint, usual;
  const bool two_level = scenario.policies.names.checkpoint == "two-level";
  const bool custom = checkpoints_are_custom(scenario.policies);
  if (!two_level && !custom)
    warn(root, checkpoint.host_loss != usual.host_loss, "checkpoint.host_loss",
         "policies.checkpoint is not \"two-level\"", "write policies.checkpoint = \"two-level\"");
  const bool peers = checkpoint.peers_interval != kForever;
  if (!peers) {
    const std::string why = "no checkpoint goes to peers' memory",
                      remedy = "write checkpoint.peers_interval = \"5min\"";
    warn_of_tier(root, "storage.peers", storage.peers, why, remedy);
    warn(root, storage.copies != StorageModel{}.copies, "storage.copies", why, remedy);
  }
  if (checkpoint.memory_interval == kForever && !custom && (peers || !two_level))
    warn_of_tier(root, "storage.memory", storage.memory, "no checkpoint stays in a host's memory alone",
                 "write checkpoint.memory_interval = \"1min\"");
}

/// The layer on which a field was written; 0: it was not.
std::uint32_t layer_of(const Place& root, const std::string& path) {
  const auto found = root.find(path);
  return found && root.given(path) ? found->value().at.layer : 0;
}

/// Policies that compute the interval to storage read none. One that was there below them may stay for whoever takes them away.
void warn_of_interval(const Place& root, const PolicyConstants& policies) {
  if (policies.names.checkpoint == "fixed" || checkpoints_are_custom(policies) ||
      !root.sound("policies.checkpoint"))
    return;
  if (layer_of(root, "checkpoint.interval") > layer_of(root, "policies.checkpoint"))
    warn(root, true, "checkpoint.interval",
         "policies.checkpoint = \"" + policies.names.checkpoint + "\" computes the interval",
         "write policies.checkpoint = \"fixed\"");
}

/// Bandwidths of storage where every time that they would give is given as measured. `write` and `read` may stand beside the
/// measured times for whoever takes these away again; changed above them, they were meant to have an effect.
void warn_of_bandwidths(const Place& root, const StorageModel& storage) {
  if (!root.all_sound("storage.mode", "storage.stall", "storage.persist", "storage.load", "storage.free"))
    return;
  const bool two_stage = storage.mode == CheckpointMode::two_stage;
  const std::string measured = two_stage ? "storage.persist" : "storage.stall";
  const bool writes = !storage.free && (two_stage ? storage.persist : storage.stall) == Duration::zero();
  const bool reads = !storage.free && storage.load == Duration::zero();
  const auto because = [&](const std::string& path) {
    const bool two = path.find(" and ") != std::string::npos;
    return storage.free ? std::string("storage.free = true takes no time")
                        : path + (two ? " are" : " is") + " given as measured";
  };
  const auto remedy = [&](const std::string& path) {
    return storage.free ? std::string("write storage.free = false")
                        : "write \"0s\" for " + path + ", to compute the time from the bandwidth";
  };
  const auto check = [&](const std::string& path, bool used, const std::string& time) {
    if (!used) warn(root, true, path, because(time), remedy(time));
  };
  const auto changed_above = [&](const std::string& path, const std::string& time) {
    return layer_of(root, path) > layer_of(root, storage.free ? "storage.free" : time);
  };
  if (changed_above("storage.write", measured)) check("storage.write", writes, measured);
  if (changed_above("storage.read", "storage.load")) check("storage.read", reads, "storage.load");
  check("storage.write_per_host", writes, measured);
  check("storage.write_per_rank", writes, measured);
  check("storage.read_per_host", reads, "storage.load");
  check("storage.read_per_rank", reads, "storage.load");
  if (storage.tenants > 0) check("storage.tenants", writes || reads, measured + " and storage.load");
}

void warn_of_step_time(const Place& root, const JobModel& job) {
  if (job.step_time > Duration::zero() && root.sound("job.step_time"))
    warn(root, job.step_time_factor != JobModel{}.step_time_factor, "job.step_time_factor",
         "job.step_time is given as measured",
         "write job.step_time = \"0s\", to take it from the step model");
}

void warn_of_sharing(const Place& root, const SharedCluster& shared) {
  if (!shared.jobs.empty()) return;
  const SharedCluster usual;
  const std::string why = "there are no other jobs", remedy = "give the others as cluster.shared.jobs.NAME";
  warn(root, shared.hosts != usual.hosts, "cluster.shared.hosts", why, remedy);
  warn(root, shared.priority != usual.priority, "cluster.shared.priority", why, remedy);
  warn(root, shared.preempt_after != usual.preempt_after, "cluster.shared.preempt_after", why, remedy);
}

void warn_of_recovery(const Place& root, const PolicyConstants& policies) {
  const RecoveryConstants &recovery = policies.recovery, usual;
  if (recovery.start_backoff == Duration::zero())
    warn(root, recovery.longest_backoff != usual.longest_backoff, "recovery.longest_backoff",
         "recovery.start_backoff = 0s starts anew at once", "write recovery.start_backoff = \"10s\"");
  if (policies.names.retire == "never") {
    const std::string why = "policies.retire = \"never\"", remedy = "write policies.retire = \"threshold\"";
    warn(root, policies.retirement.evictions != RetirementConstants{}.evictions, "retirement.evictions", why,
         remedy);
    warn(root, policies.retirement.window != RetirementConstants{}.window, "retirement.window", why, remedy);
  }
}

void warn_of_repair(const Place& root, const World& world) {
  if (world.spares.cold + world.spares.pool == 0)
    warn(root, world.spares.selection != SparesModel{}.selection, "spares.selection",
         "every spare is warm, and joins at once", "write spares.cold = 4");
  const ManualRepair &manual = world.repair.manual, usual;
  if (manual.needed.value > 0) return;
  const std::string why = "repair.manual.needed = 0 leaves a person nothing to repair",
                    remedy = "write repair.manual.needed = 0.2";
  warn(root, manual.time != usual.time, "repair.manual.time", why, remedy);
  warn(root, manual.crew != usual.crew, "repair.manual.crew", why, remedy);
  warn(root, manual.silent_failure.value != usual.silent_failure.value, "repair.manual.silent_failure", why,
       remedy);
}

}  // namespace

void warn_of_unused(const Place& root, const Scenario& scenario) {
  warn_of_step_time(root, scenario.world.job);
  warn_of_tiers(root, scenario);
  warn_of_interval(root, scenario.policies);
  warn_of_bandwidths(root, scenario.world.storage);
  warn_of_recovery(root, scenario.policies);
  warn_of_repair(root, scenario.world);
  warn_of_sharing(root, scenario.world.shared);
}

}  // namespace gauntlet
