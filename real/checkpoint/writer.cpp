#include "real/checkpoint/writer.hpp"

#include "core/quantity.hpp"

#include <chrono>

namespace gauntlet {
namespace {

// How often rank 0 looks for the other ranks' shards: a shared file system has nothing better to offer.
constexpr Duration kLookEvery = std::chrono::milliseconds(2);

}  // namespace

CheckpointWriter::CheckpointWriter(const CheckpointTier& tier, std::uint32_t rank,
                                   const StagedCopy::Settings& staged, Duration longest_wait,
                                   Listener listener)
    : tier_(tier),
      rank_(rank),
      longest_wait_(longest_wait),
      listener_(std::move(listener)),
      copy_(staged) {
  thread_ = std::thread([this] { run(); });
}

CheckpointWriter::~CheckpointWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CheckpointWriter::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !step_; });
}

void CheckpointWriter::write(std::int64_t step, const std::vector<std::string_view>& state) {
  wait_until_idle();
  copy_.stage(tier_.job(), rank_, step, state);
  {
    const std::lock_guard lock(mutex_);
    step_ = step;
  }
  changed_.notify_all();
}

void CheckpointWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return step_ || ending_; });
    if (!step_) return;
    lock.unlock();
    write_one(*step_);  // nobody changes it while it is set
    lock.lock();
    step_.reset();
    changed_.notify_all();
  }
}

void CheckpointWriter::write_one(std::int64_t step) {
  const std::string_view shard = copy_.sealed();
  if (const auto problem = tier_.write(step, rank_, shard))
    listener_.failed(step, *problem);
  else if (rank_ == 0)
    complete(step, {.bytes = shard.size(), .checksum = checksum_at_end(shard)});
}

void CheckpointWriter::complete(std::int64_t step, const Manifest::Entry& own) {
  if (const auto problem = wait_for_shards(step)) return listener_.failed(step, *problem);
  if (tier_.first_missing(step)) return;  // ending
  if (const auto problem = tier_.commit(step, {{rank_, own}})) return listener_.failed(step, *problem);
  listener_.saved(step);
  if (const auto problem = tier_.prune(step)) listener_.not_removed(*problem);
}

std::optional<Problem> CheckpointWriter::wait_for_shards(std::int64_t step) {
  const auto deadline = std::chrono::steady_clock::now() + longest_wait_;
  std::unique_lock lock(mutex_);
  while (const auto missing = tier_.first_missing(step)) {
    if (ending_) return std::nullopt;
    if (std::chrono::steady_clock::now() >= deadline)
      return Problem{.file = {},
                     .what = "the shard of rank " + std::to_string(*missing),
                     .why = "did not come within " + to_text(longest_wait_),
                     .suggestion = {}};
    changed_.wait_for(lock, kLookEvery);
  }
  return std::nullopt;
}

}  // namespace gauntlet
