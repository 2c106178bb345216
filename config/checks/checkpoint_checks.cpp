#include "config/checks/checkpoint_checks.hpp"

#include "config/checks/expectations.hpp"
#include "core/saturating.hpp"
#include "models/storage/storage.hpp"
#include "policies/controller/registry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

namespace gauntlet {
namespace {

/// A tier takes the next checkpoint when it has the last one: a quicker rhythm than that cannot be kept.
void check_quick_tier(const Place& place, std::string_view name, Duration interval, Duration persist) {
  if (interval == kForever || interval >= persist) return;
  place.mistake_at(name, "is below the " + to_text(persist) + " until that tier holds all of a checkpoint",
                   "write \"" + to_text(persist) + "\" or more, or leave it out");
}

/// What a policy that finds its intervals itself begins with, from what it is told to expect.
void warn_of_first_interval(const Place& place, const CheckpointConstants& checkpoint,
                            std::string_view policy, const CheckpointCosts& costs) {
  CheckpointPolicy chosen = make_checkpoint_policy(policy);
  WatchIds ids;
  Orders orders;
  std::visit([&](auto& each) { each.start(JobId{}, checkpoint, kStart, ids, orders); }, chosen);
  Duration persist{}, interval = kForever;
  for (const Order& order : orders) {
    const auto* every = std::get_if<CheckpointEvery>(&order.what);
    if (every == nullptr || every->interval == kForever) continue;
    persist = std::max(persist, costs[every->tier].persist);
    if (every->tier == Tier::storage) interval = every->interval;
  }
  if (interval >= persist) return;
  place.warning_at(
      "prior_cost",
      "and prior_mtbf let policies.checkpoint = \"" + std::string(policy) + "\" begin with an interval of " +
          to_text(interval) + ", below the " + to_text(persist) + " until a checkpoint is durable",
      "one is saved every " + to_text(persist) +
          " in its place; give storage more bandwidth, or write shortest = \"" + to_text(persist) + "\"");
}

void check_interval(const Place& root, const Scenario& scenario) {
  const JobModel& job = scenario.world.job;
  // Of an interval that nobody wrote nothing is wrong: a short job saves nothing, and needs to. `show` writes it.
  if (scenario.policies.checkpoint.interval == CheckpointConstants{}.interval) return;
  if (!root.all_sound("checkpoint.interval", "job.window", "job.steps", "job.step_time")) return;
  const Duration interval = scenario.policies.checkpoint.interval;
  if (job.window > Duration::zero() && interval > job.window) {
    root.mistake_at("checkpoint.interval", "is longer than the job's window of " + to_text(job.window),
                    "nothing would ever be saved");
    return;
  }
  const Duration work = times(job.steps, job.step_time);
  if (work > Duration::zero() && interval > work)
    root.mistake_at("checkpoint.interval", "is longer than the job's " + to_text(work) + " of steps",
                    "nothing would ever be saved");
}

/// Checkpoints to other hosts' memory need other hosts.
void check_copies(const Place& root, const Scenario& scenario) {
  if (!root.all_sound("storage.copies", "cluster.hosts", "checkpoint.peers_interval") ||
      scenario.policies.checkpoint.peers_interval == kForever)
    return;
  const std::uint32_t copies = scenario.world.storage.copies, hosts = scenario.world.inventory.job_hosts;
  if (copies > hosts)
    root.mistake_at("storage.copies",
                    "is more than the " + std::to_string(hosts) + " hosts of the job (cluster.hosts)",
                    "each copy is on a host of its own: write less, or leave checkpoint.peers_interval out");
}

/// Warns of checkpoints that are kept forever and fill the storage. The time until then assumes training without a stop.
void warn_of_full_storage(const Place& root, const Scenario& scenario, Bytes size) {
  if (!root.all_sound("storage.keep_every", "checkpoint.interval", "policies.checkpoint", "job.window"))
    return;
  const StorageModel& storage = scenario.world.storage;
  if (storage.keep_every == 0 || scenario.policies.names.checkpoint != "fixed") return;
  const double room = storage.capacity.value / size.value - (storage.keep_last + 1.0);
  const double until_full = room * storage.keep_every * to_seconds(scenario.policies.checkpoint.interval);
  const Duration window = scenario.world.job.window;
  if (window == Duration::zero() || until_full >= to_seconds(window)) return;
  root.warning_at("storage.capacity",
                  "is full before the window of " + to_text(window) +
                      " is over: storage.keep_every = " + std::to_string(storage.keep_every) +
                      " keeps checkpoints of " + to_text(size) + " forever",
                  "the simulation continues as if there were room; write more, or a larger keep_every");
}

void check_capacity(const Place& root, const Scenario& scenario) {
  const World& world = scenario.world;
  const StorageModel& storage = world.storage;
  if (!root.all_sound("storage.capacity", "storage.keep_last", "storage.bytes_per_parameter", "job.model"))
    return;
  const Bytes size = checkpoint_size(world);
  // Beside those that are kept, the next one is being written.
  const double needed = (storage.keep_last + 1.0) * size.value;
  if (storage.capacity.value > 0 && storage.capacity.value < needed)
    root.mistake_at("storage.capacity",
                    "has no room for storage.keep_last = " + std::to_string(storage.keep_last) +
                        " checkpoints and the next one, " + to_text(size) + " each",
                    "write \"" + to_text(Bytes{needed}) + "\" or more, or keep less");
  else if (storage.capacity.value > 0)
    warn_of_full_storage(root, scenario, size);
}

/// How many starts a run needs after a failure, as far as the scenario says.
double expected_starts(const World& world) {
  const Duration mtbf = expected_mtbf(world);
  if (mtbf == kForever) return 0;
  constexpr double kSecondsOfYear = 365 * 86400.0;
  const double work = static_cast<double>(world.job.steps) * to_seconds(world.job.step_time);
  const double window = to_seconds(world.job.window);
  return (window > 0 ? window : work > 0 ? work : kSecondsOfYear) / to_seconds(mtbf);
}

/// With two digits that count.
std::string two_digits(double value) {
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 2);
  return {buffer.data(), end.ptr};
}

/// Where all the checkpoints that storage keeps are bad, training begins anew.
void warn_of_corruption(const Place& root, const Scenario& scenario) {
  constexpr double kWorthAWord = 0.01;  // times in a run
  constexpr std::uint32_t kMostKept = 1000;
  const StorageModel& storage = scenario.world.storage;
  if (storage.corrupt.value == 0 || storage.keep_every > 0 || !root.mistakes().none()) return;
  const double starts = expected_starts(scenario.world);
  double all_bad = 1;  // the probability that so many are
  const auto keep_one_more = [&] { all_bad *= storage.corrupt.value; };
  for (std::uint32_t kept = 0; kept < std::min(storage.keep_last, kMostKept); ++kept) keep_one_more();
  if (starts * all_bad < kWorthAWord) return;
  const double now = all_bad;
  std::uint32_t enough = storage.keep_last;
  for (; enough < kMostKept && starts * all_bad >= kWorthAWord; ++enough) keep_one_more();
  root.warning_at("storage.corrupt",
                  "and storage.keep_last = " + std::to_string(storage.keep_last) +
                      " leave no good checkpoint in storage at " + two_digits(100 * now) +
                      "% of the starts, " + two_digits(starts * now) + " times in a run with " +
                      std::to_string(static_cast<std::uint64_t>(std::ceil(starts))) + " failures",
                  "training then begins anew: write storage.keep_last = " + std::to_string(enough) +
                      ", with which that happens less than 0.01 times in a run");
}

/// What is deleted cannot be gone back to.
void warn_of_roll_back(const Place& root, const Scenario& scenario) {
  if (!root.all_sound("recovery.roll_back", "storage.keep_last", "storage.keep_every")) return;
  const StorageModel& storage = scenario.world.storage;
  const std::uint32_t back = scenario.policies.recovery.roll_back;
  if (storage.keep_every > 0 || back < storage.keep_last) return;
  root.warning_at(
      "recovery.roll_back",
      "is further back than storage.keep_last = " + std::to_string(storage.keep_last) + " checkpoints reach",
      "the job then goes on from the oldest of them: write keep_last = " +
          std::to_string(std::uint64_t{back} + 1) + " or more");
}

/// Likewise where a line that comes late tells of wrong numbers.
void warn_of_late_lines(const Place& root, const Scenario& scenario) {
  if (!root.all_sound("detection.corruption", "checkpoint.interval", "storage.keep_last",
                      "storage.keep_every"))
    return;
  const StorageModel& storage = scenario.world.storage;
  const CorruptionConstants& corruption = scenario.policies.detection.corruption;
  const Duration interval = scenario.policies.checkpoint.interval;
  if (corruption.lines.empty() || storage.keep_every > 0 || scenario.policies.names.checkpoint != "fixed")
    return;
  const Duration late = after(kStart + corruption.late, scenario.world.telemetry.delay) - kStart;
  if (late == Duration::zero()) return;
  const auto doubtful = static_cast<std::uint64_t>(1 + (late - Duration(1)) / interval);
  if (doubtful < storage.keep_last) return;
  root.warning_at("detection.corruption.late",
                  "is further back than storage.keep_last = " + std::to_string(storage.keep_last) +
                      " checkpoints of " + to_text(interval) + " reach",
                  "the job then goes on from the oldest of them, which may be wrong: write keep_last = " +
                      std::to_string(doubtful + 1) + " or more");
}

/// The bill is of a size that stays.
void check_bill(const Place& root, const World& world) {
  if (!root.all_sound("cost.tb_month", "storage.keep_every") || world.cost.tb_month.value == 0 ||
      world.storage.keep_every == 0)
    return;
  root.mistake_at("cost.tb_month",
                  "is given, and what storage.keep_every = " + std::to_string(world.storage.keep_every) +
                      " keeps forever grows and is not in the cost",
                  "leave one of them out");
}

/// Checkpoints of all tiers fall together: a safer tier's are every so many of a quicker one's.
void warn_of_rounding(const Place& place, const CheckpointConstants& checkpoint) {
  Duration quicker{};
  for (const auto& [name, interval] :
       {std::pair{"memory_interval", checkpoint.memory_interval},
        std::pair{"peers_interval", checkpoint.peers_interval}, std::pair{"interval", checkpoint.interval}}) {
    if (interval == kForever) continue;
    const Duration past = quicker == Duration::zero() ? Duration::zero() : interval % quicker;
    const Duration rounded = past == Duration::zero() ? interval : sum(interval, quicker - past);
    if (rounded != interval)
      place.warning_at(name,
                       "becomes " + to_text(rounded) +
                           ": checkpoints that go further are taken with every so many of those each " +
                           to_text(quicker),
                       "write a multiple of " + to_text(quicker));
    quicker = rounded;
  }
}

}  // namespace

/// Tiers are nested: the safer ones have the longer intervals, as far as these are known beforehand.
void check_tiers(const Place& place, const CheckpointConstants& checkpoint, std::string_view policy,
                 const World& world) {
  if (!place.all_sound("interval", "memory_interval", "peers_interval")) return;
  const auto check = [&](std::string_view quicker, Duration interval, std::string_view safer,
                         Duration longer) {
    if (interval == kForever || longer == kForever || interval < longer) return;
    place.mistake_at(quicker, "is not below " + place.path_of(safer) + " = " + to_text(longer),
                     "checkpoints that go further serve it too: leave it out, or write less");
  };
  // The one that two-level finds itself is not kept to.
  const bool two_level = policy == "two-level", peers = checkpoint.peers_interval != kForever;
  if (!two_level)
    check("memory_interval", checkpoint.memory_interval, "peers_interval", checkpoint.peers_interval);
  const bool known = place.mistakes().none();
  const CheckpointCosts costs = known ? expected_costs(world) : CheckpointCosts{};
  if (!two_level)
    check_quick_tier(place, "peers_interval", checkpoint.peers_interval, costs[Tier::peers].persist);
  if (!two_level || peers)
    check_quick_tier(place, "memory_interval", checkpoint.memory_interval, costs[Tier::memory].persist);
  if (policy != "fixed") {
    const auto shipped = checkpoint_policy_names();
    const bool custom = std::find(shipped.begin(), shipped.end(), policy) == shipped.end();
    if (!custom && place.mistakes().none()) warn_of_first_interval(place, checkpoint, policy, costs);
    return;
  }
  const Duration write = sum(costs[Tier::storage].stall, costs[Tier::storage].persist);
  if (checkpoint.interval < write)
    place.mistake_at("interval", "is below the " + to_text(write) + " that a checkpoint takes to be durable",
                     "write \"" + to_text(write) + "\" or more, or give storage more bandwidth");
  check("memory_interval", checkpoint.memory_interval, "interval", checkpoint.interval);
  check("peers_interval", checkpoint.peers_interval, "interval", checkpoint.interval);
  if (place.mistakes().none()) warn_of_rounding(place, checkpoint);
}

void check_checkpoints(const Place& root, const Scenario& scenario) {
  check_interval(root, scenario);
  check_copies(root, scenario);
  check_capacity(root, scenario);
  warn_of_roll_back(root, scenario);
  warn_of_late_lines(root, scenario);
  warn_of_corruption(root, scenario);
  check_bill(root, scenario.world);
}

}  // namespace gauntlet
