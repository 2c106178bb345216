// Where checkpoints are kept, and what they cost there.
#include "config/describe.hpp"
#include "config/fields/types.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace gauntlet {
namespace {

constexpr std::int64_t kMostCheckpoints = 4'000'000'000;

constexpr std::array<Choice<CheckpointMode>, 2> kModes = {{
    {"synchronous", CheckpointMode::synchronous},
    {"two_stage", CheckpointMode::two_stage},
}};

void describe(Fields& fields, MemoryTier& tier) {
  fields.field("stall", duration(tier.stall, Sign::not_negative),
               "measured time for which a checkpoint blocks training; 0s: computed from size and bandwidth");
  fields.field("persist", duration(tier.persist, Sign::not_negative),
               "measured time from the end of the stall until the tier holds all of it; 0s: computed from "
               "size and bandwidth");
  fields.field(
      "load", duration(tier.load, Sign::not_negative),
      "time until every rank has its state again from a whole checkpoint, as measured; 0s: from size and "
      "bandwidth");
  fields.field("increment", number(tier.increment, {0, 1, true}),
               "share of the state that a checkpoint carries which goes no further than this tier, such as "
               "what changed since "
               "the last; stall and persist are those of one; 1: all of it");
  fields.field(
      "apply", duration(tier.apply, Sign::not_negative),
      "time to apply one such increment, when the state is loaded: all since the last whole checkpoint are");
  describe_source(fields);
  fields.check([&](const Place& place) {
    if (place.all_sound("increment", "apply") && tier.increment == 1 && tier.apply > Duration::zero())
      place.warning_at("apply", "is given, and increment = 1 makes every checkpoint a whole one",
                       "increment = 0.15, or leave it out");
  });
}

void describe_bandwidths(Fields& fields, StorageModel& storage) {
  fields.field("write", quantity(storage.write, Sign::positive), Fallback::optional(),
               "bandwidth of writes, all clients together");
  fields.field("read", quantity(storage.read, Sign::positive), Fallback::optional(),
               "bandwidth of reads, all clients together");
  fields.field("write_per_host", quantity(storage.write_per_host, Sign::positive), Fallback::optional(),
               "bandwidth of writes by the ranks of one host together; left out: no bound of its own");
  fields.field("read_per_host", quantity(storage.read_per_host, Sign::positive), Fallback::optional(),
               "the same, of reads");
  fields.field("write_per_rank", quantity(storage.write_per_rank, Sign::positive), Fallback::optional(),
               "bandwidth of writes by one rank; left out: no bound of its own");
  fields.field("read_per_rank", quantity(storage.read_per_rank, Sign::positive), Fallback::optional(),
               "the same, of reads");
  fields.field("tenants", number(storage.tenants, {0, 1, false}),
               "share of write and read that others take; below 1");
}

void describe_mishaps(Fields& fields, StorageModel& storage) {
  fields.field("corrupt", probability(storage.corrupt),
               "share of the checkpoints in storage that prove torn or wrong when they are loaded");
  fields.field("slow_write", probability(storage.slow_write),
               "share of the checkpoints to storage that take longer to persist");
  fields.field("slow_factor", number(storage.slow_factor, {1, 1000, false}), "multiplier of the time");
}

void describe_retention(Fields& fields, StorageModel& storage) {
  fields.field("capacity", quantity(storage.capacity, Sign::positive), Fallback::optional(),
               "for checkpoints; left out: enough");
  fields.field("keep_last", whole_number(storage.keep_last, {1, kMostCheckpoints}),
               "checkpoints that storage keeps, the newest ones; at least 1");
  fields.field("keep_every", whole_number(storage.keep_every, {0, kMostCheckpoints}),
               "keep every N-th checkpoint in storage forever; 0: none");
}

/// As bf16, or as little as all of a parameter takes.
std::string usual_weight_bytes(const StorageModel& storage) {
  return to_toml(Value{std::min(2.0, storage.bytes_per_parameter), {}, {}, false});
}

void check_bandwidths(const Place& place, const StorageModel& storage) {
  if (storage.free || !place.all_sound("mode", "stall", "persist", "load", "free")) return;
  const bool two_stage = storage.mode == CheckpointMode::two_stage;
  const Duration measured = two_stage ? storage.persist : storage.stall;
  if (measured == Duration::zero() && storage.write.value == 0 && place.sound("write"))
    place.mistake_at("write", "is missing",
                     two_stage ? "write = \"1TB/s\", the measured persist, or free = true"
                               : "write = \"1TB/s\", the measured stall, or free = true");
  if (storage.load == Duration::zero() && storage.read.value == 0 && place.sound("read"))
    place.mistake_at("read", "is missing", "read = \"1TB/s\", the measured load, or free = true");
}

void check_mishaps(const Place& place, const StorageModel& storage) {
  if (place.sound("corrupt") && storage.corrupt.value == 1)
    place.mistake_at("corrupt", "lets no checkpoint be loaded", "write less than 1, such as 0.01");
  if (!place.all_sound("slow_write", "slow_factor")) return;
  if (storage.slow_write.value > 0 && storage.slow_factor == 1)
    place.warning_at("slow_write", "is given, and slow_factor = 1 makes no write longer",
                     "slow_factor = 5.0, or leave it out");
  if (storage.slow_write.value == 0 && storage.slow_factor > 1)
    place.warning_at("slow_factor", "is given, and slow_write = 0 makes no write slow",
                     "slow_write = 0.05, or leave it out");
}

}  // namespace

void describe(Fields& fields, StorageModel& storage) {
  fields.field(
      "mode", choice<CheckpointMode>(storage.mode, kModes, "a way to save checkpoints"),
      "two_stage: training waits for the copy to host memory; synchronous: until all of it is durable");
  fields.field("bytes_per_parameter", number(storage.bytes_per_parameter, {0, 1e6, true}),
               "bytes of a checkpoint for each parameter: bf16 weights, fp32 master weights and two "
               "optimizer moments are 14");
  fields.field(
      "weight_bytes", number(storage.weight_bytes, {0, 1e6, false}),
      Fallback::computed([&] { return usual_weight_bytes(storage); }),
      "the part of bytes_per_parameter that every data-parallel replica holds whole: the weights, 2 as bf16");
  describe_bandwidths(fields, storage);
  fields.field("stall", duration(storage.stall, Sign::not_negative),
               "measured time for which a checkpoint blocks training; 0s: computed from size and bandwidth");
  fields.field("persist", duration(storage.persist, Sign::not_negative),
               "measured time from the end of the stall until the checkpoint is durable; 0s: computed from "
               "size and bandwidth");
  fields.field("load", duration(storage.load, Sign::not_negative),
               "time to load a checkpoint, as measured where one rank of each data-parallel group reads; 0s: "
               "from size "
               "and bandwidth");
  fields.table(
      "memory", [&](Fields& f) { describe(f, storage.memory); },
      "copies of checkpoints that stay in each host's memory (checkpoint.memory_interval)");
  fields.table(
      "peers", [&](Fields& f) { describe(f, storage.peers); },
      "copies of checkpoints in other hosts' memory (checkpoint.peers_interval)");
  fields.field("copies", whole_number(storage.copies, {2, 1'000'000}),
               "peers: hosts that hold the same state, the host itself among them; as far apart as can be, "
               "so that a rack or a switch leaves one");
  fields.field("free", flag(storage.free), "stall, persist and load take no time where they are 0s");
  describe_mishaps(fields, storage);
  describe_retention(fields, storage);
  describe_source(fields);
  fields.check([&](const Place& place) {
    check_bandwidths(place, storage);
    if (place.sound("tenants") && storage.tenants >= 1)
      place.mistake_at("tenants", "leaves no bandwidth for checkpoints", "write less than 1, such as 0.5");
    if (place.find("weight_bytes") && place.all_sound("weight_bytes", "bytes_per_parameter") &&
        storage.weight_bytes > storage.bytes_per_parameter)
      place.mistake_at("weight_bytes",
                       "is above " + place.path_of("bytes_per_parameter") + ", of which it is a part",
                       "write what one weight takes, such as 2.0");
    check_mishaps(place, storage);
  });
}

}  // namespace gauntlet
