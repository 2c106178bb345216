#include "real/checkpoint/stage_two.hpp"

#include "core/quantity.hpp"

#include <chrono>
#include <utility>

namespace gauntlet {
namespace {

// How often rank 0 looks for the other ranks' shards: a shared file system has nothing better to offer.
constexpr Duration kLookEvery = std::chrono::milliseconds(2);

}  // namespace

OwnStageTwo::OwnStageTwo(const CheckpointTier& tier, const Settings& settings, CheckpointListener listener)
    : tier_(tier), settings_(settings), listener_(std::move(listener)) {}

void OwnStageTwo::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
}

void OwnStageTwo::write(std::int64_t step, StagedCopy& copy, Tier reach) {
  if (reach != Tier::storage) return;
  const std::string_view shard = copy.sealed();
  if (const auto problem = tier_.write(step, settings_.rank, shard))
    listener_.failed(step, *problem);
  else if (settings_.rank == 0)
    complete(step, {.bytes = shard.size(), .checksum = checksum_at_end(shard)});
}

void OwnStageTwo::complete(std::int64_t step, const Manifest::Entry& own) {
  if (const auto problem = wait_for_shards(step)) return listener_.failed(step, *problem);
  if (tier_.first_missing(step)) return;  // ending
  if (const auto problem = tier_.commit(step, {{settings_.rank, own}}))
    return listener_.failed(step, *problem);
  listener_.saved(step);
  if (const auto problem = tier_.prune(step)) listener_.not_removed(*problem);
}

std::optional<Problem> OwnStageTwo::wait_for_shards(std::int64_t step) {
  const auto deadline = std::chrono::steady_clock::now() + settings_.longest_wait;
  std::unique_lock lock(mutex_);
  while (const auto missing = tier_.first_missing(step)) {
    if (ending_) return std::nullopt;
    if (std::chrono::steady_clock::now() >= deadline)
      return Problem{.file = {},
                     .what = "the shard of rank " + std::to_string(*missing),
                     .why = "did not come within " + to_text(settings_.longest_wait),
                     .suggestion = {}};
    changed_.wait_for(lock, kLookEvery);
  }
  return std::nullopt;
}

}  // namespace gauntlet
