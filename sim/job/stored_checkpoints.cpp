#include "sim/job/stored_checkpoints.hpp"

#include <algorithm>

namespace gauntlet {

StoredCheckpoints::StoredCheckpoints(const StorageModel& storage)
    : keep_last_(std::max(1U, storage.keep_last)),
      keep_every_(storage.keep_every),
      corrupt_(storage.corrupt.value),
      slow_write_(storage.slow_write.value),
      slow_factor_(std::max(1.0, storage.slow_factor)) {}

void StoredCheckpoints::reset(Seed seed) {
  seed_ = seed;
  series_.clear();
  deleted_ = 0;
  damaged_.clear();
  old_ = 0;
}

// --- what happens to one ---------------------------------------------------------------------------------------------

double StoredCheckpoints::draw(std::int64_t number, std::uint64_t which) const {
  static constexpr StreamName kCheckpoint = stream_name("storage.checkpoint");
  return uniform_at(seed_, kCheckpoint, static_cast<std::uint64_t>(number), which);
}

bool StoredCheckpoints::damaged(std::int64_t number) const {
  return std::find(damaged_.begin(), damaged_.end(), number) != damaged_.end();
}

void StoredCheckpoints::damage_newest() {
  std::optional<One> one = newest();
  while (one && damaged(one->number)) one = before(*one);
  if (one) damaged_.push_back(one->number);
}

bool StoredCheckpoints::corrupt(std::int64_t number) const {
  return damaged(number) || (corrupt_ > 0 && draw(number, 0) < corrupt_);
}

double StoredCheckpoints::slowness(std::int64_t number) const {
  return slow_write_ > 0 && draw(number, 1) < slow_write_ ? slow_factor_ : 1;
}

// --- which are kept --------------------------------------------------------------------------------------------------

void StoredCheckpoints::add(One first, std::int64_t count, std::int64_t apart) {
  // A slow write may end after that of the next one.
  const auto place = std::find_if(series_.rbegin(), series_.rend(), [&](const Series& each) {
                       return each.first.number < first.number;
                     }).base();
  old_ = std::min(old_, static_cast<std::size_t>(place - series_.begin()));
  series_.insert(place, Series{.first = first, .count = count, .apart = apart});
  retain();
}

void StoredCheckpoints::retain() {
  std::int64_t wanted = keep_last_;
  for (auto each = series_.rbegin(); each != series_.rend() && wanted > 0; ++each) {
    if (each->count >= wanted) deleted_ = std::max(deleted_, each->last() - wanted);
    wanted -= each->count;
  }
  erase_empty();
}

/// Erases the entries of which no checkpoint is kept. Old checkpoints that are kept forever stay, however many these are.
void StoredCheckpoints::erase_empty() {
  old_ = std::min(old_, series_.size());
  // Numbers ascend: where the last one of an entry is recent, those of all later entries are.
  if (old_ < series_.size() && series_[old_].last() > deleted_) return;
  const auto recent = series_.begin() + static_cast<std::ptrdiff_t>(old_);
  const auto empty = [this](const Series& each) { return kept_in(each) == 0; };
  series_.erase(std::remove_if(recent, series_.end(), empty), series_.end());
  while (old_ < series_.size() && series_[old_].last() <= deleted_) ++old_;
}

std::int64_t StoredCheckpoints::kept_in(const Series& series) const {
  const std::int64_t recent = std::clamp<std::int64_t>(series.last() - deleted_, 0, series.count);
  if (keep_every_ == 0) return recent;
  const std::int64_t every = keep_every_, last = series.last() - recent;
  return recent + last / every - (series.first.number - 1) / every;
}

std::optional<StoredCheckpoints::One> StoredCheckpoints::at_most(std::int64_t most) const {
  for (auto each = series_.rbegin(); each != series_.rend(); ++each) {
    std::int64_t number = std::min(most, each->last());
    if (number <= deleted_ && keep_every_ > 0) number -= number % keep_every_;
    if (number <= deleted_ && keep_every_ == 0) continue;
    if (number >= each->first.number) return each->at(number);
  }
  return std::nullopt;
}

std::optional<StoredCheckpoints::One> StoredCheckpoints::newest(std::uint32_t back) const {
  std::optional<One> found = series_.empty() ? std::nullopt : at_most(series_.back().last());
  for (; found && back > 0; --back) {
    const std::optional<One> older = before(*found);
    if (!older) break;
    found = older;
  }
  return found;
}

std::optional<StoredCheckpoints::One> StoredCheckpoints::before(One one) const {
  return at_most(one.number - 1);
}

void StoredCheckpoints::forget_after(std::int64_t step) {
  // Steps ascend with the numbers.
  while (!series_.empty() && series_.back().first.step > step) series_.pop_back();
  if (!series_.empty()) {
    Series& last = series_.back();
    last.count = std::min(last.count, 1 + (step - last.first.step) / last.apart);
    if (kept_in(last) == 0) series_.pop_back();
  }
  erase_empty();
}

}  // namespace gauntlet
