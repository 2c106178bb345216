#include "real/checkpoint/writer.hpp"

#include "core/quantity.hpp"

#include <chrono>

namespace gauntlet {
namespace {

// How often rank 0 looks for the other ranks' shards: a shared file system has nothing better to offer.
constexpr Duration kLookEvery = std::chrono::milliseconds(2);

}  // namespace

CheckpointWriter::CheckpointWriter(const CheckpointTier& tier, std::uint32_t rank,
                                   Duration longest_wait, Listener listener)
    : tier_(tier), rank_(rank), longest_wait_(longest_wait), listener_(std::move(listener)) {
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
  changed_.wait(lock, [&] { return !shard_; });
}

void CheckpointWriter::write(Shard shard) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !shard_; });
    shard_ = std::move(shard);
  }
  changed_.notify_all();
}

void CheckpointWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return shard_ || ending_; });
    if (!shard_) return;
    lock.unlock();
    write_one(*shard_);  // nobody changes it while it is set
    lock.lock();
    shard_.reset();
    changed_.notify_all();
  }
}

void CheckpointWriter::write_one(const Shard& shard) {
  if (const auto problem = tier_.write(shard))
    listener_.failed(shard.step, *problem);
  else if (rank_ == 0)
    complete(shard.step);
}

void CheckpointWriter::complete(std::int64_t step) {
  if (const auto problem = wait_for_shards(step)) return listener_.failed(step, *problem);
  if (tier_.first_missing(step)) return;  // ending
  if (const auto problem = tier_.commit(step)) return listener_.failed(step, *problem);
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
