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

StagedCopy& CheckpointWriter::next_copy() {
  wait_until_idle();
  last_ = (last_ + 1) % copies_.size();
  return *copies_[last_];
}

void CheckpointWriter::begin(const Writing& writing) {
  {
    const std::lock_guard lock(mutex_);
    writing_ = writing;
  }
  changed_.notify_all();
}

void CheckpointWriter::write(std::int64_t step, const std::vector<std::string_view>& state, Tier reach) {
  next_copy().stage(job_, rank_, step, state);
  begin({.step = step, .reach = reach});
}

void CheckpointWriter::write(std::int64_t step, StateSource& state, Tier reach) {
  state.begin_copy(next_copy().open(job_, rank_, step));
  begin({.step = step, .reach = reach, .copying = &state});
}

void CheckpointWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return writing_ || ending_; });
    if (!writing_) return;
    lock.unlock();
    // Nobody changes them while `writing_` is set.
    StagedCopy& copy = *copies_[last_];
    const auto problem = writing_->copying == nullptr ? std::nullopt : writing_->copying->wait();
    if (problem) {
      stage_two_->give_up(writing_->step, *problem);
    } else {
      if (writing_->copying != nullptr) copy.complete(writing_->step);
      stage_two_->write(writing_->step, copy, writing_->reach);
    }
    lock.lock();
    writing_.reset();
    changed_.notify_all();
  }
}

}  // namespace gauntlet
