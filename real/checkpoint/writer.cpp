#include "real/checkpoint/writer.hpp"

#include "core/contract.hpp"

#include <utility>

namespace gauntlet {

CheckpointWriter::CheckpointWriter(std::unique_ptr<StageTwo> stage_two, const JobIdentity& job,
                                   std::uint32_t rank, const std::vector<StagedCopy::Settings>& copies)
    : stage_two_(std::move(stage_two)), job_(job), rank_(rank) {
  expect(!copies.empty(), "a writer has a copy");
  for (const StagedCopy::Settings& each : copies) copies_.push_back(std::make_unique<StagedCopy>(each));
  // What an earlier start left: its newest copy is the last to be replaced.
  for (std::size_t i = 1; i < copies_.size(); ++i)
    if (copies_[last_]->key() < copies_[i]->key()) last_ = i;
  thread_ = std::thread([this] { run(); });
}

CheckpointWriter::CheckpointWriter(const CheckpointTier& tier, std::uint32_t rank,
                                   const StagedCopy::Settings& staged, Duration longest_wait,
                                   Listener listener)
    : CheckpointWriter(
          std::make_unique<OwnStageTwo>(
              tier, OwnStageTwo::Settings{.rank = rank, .longest_wait = longest_wait}, std::move(listener)),
          tier.job(), rank, {staged}) {}

CheckpointWriter::~CheckpointWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  stage_two_->end();
  changed_.notify_all();
  thread_.join();
}

void CheckpointWriter::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !writing_; });
}

void CheckpointWriter::write(std::int64_t step, const std::vector<std::string_view>& state, Tier reach) {
  wait_until_idle();
  last_ = (last_ + 1) % copies_.size();
  copies_[last_]->stage(job_, rank_, step, state);
  {
    const std::lock_guard lock(mutex_);
    writing_ = Writing{step, reach};
  }
  changed_.notify_all();
}

void CheckpointWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return writing_ || ending_; });
    if (!writing_) return;
    lock.unlock();
    stage_two_->write(writing_->step, *copies_[last_],
                      writing_->reach);  // nobody changes them while they are set
    lock.lock();
    writing_.reset();
    changed_.notify_all();
  }
}

}  // namespace gauntlet
