// The checkpoints in storage: which of them are kept, and the random draws of each.
//
// Checkpoints to storage are numbered from 1, over the whole run. Those that one undisturbed stretch of training made lie
// equally far apart and are kept as one entry, so that memory goes with the number of stretches.
#pragma once

#include "core/random/stream.hpp"
#include "models/world/world.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

class StoredCheckpoints {
 public:
  struct One {
    std::int64_t number = 0;
    std::int64_t step = 0;
    friend bool operator==(const One&, const One&) = default;
  };

  explicit StoredCheckpoints(const StorageModel& storage = {});
  void reset(Seed seed);

  /// A series of `count` is durable: `first`, and each next one `apart` steps later.
  void add(One first, std::int64_t count, std::int64_t apart);
  /// What was made after that step is deleted.
  void forget_after(std::int64_t step);

  /// The one that is kept `back` further than the newest, or the oldest; nothing where none is.
  std::optional<One> newest(std::uint32_t back = 0) const;
  /// The next older one that is kept.
  std::optional<One> before(One one) const;

  /// The newest that is kept and was not damaged yet cannot be read any more.
  void damage_newest();

  // Each drawn on its own, by number: policies that are compared on one seed meet the same.
  /// Since it was written, or since a fault damaged it.
  bool corrupt(std::int64_t number) const;
  /// How many times as long as others it takes to persist; at most `slowest()`.
  double slowness(std::int64_t number) const;
  double slowest() const { return slow_write_ > 0 ? slow_factor_ : 1; }

 private:
  struct Series {
    One first;
    std::int64_t count = 1, apart = 1;
    std::int64_t last() const { return first.number + count - 1; }
    One at(std::int64_t number) const { return {number, first.step + (number - first.number) * apart}; }
  };

  double draw(std::int64_t number, std::uint64_t which) const;
  bool damaged(std::int64_t number) const;
  /// The newest that is kept with a number of at most `most`.
  std::optional<One> at_most(std::int64_t most) const;
  std::int64_t kept_in(const Series& series) const;
  void retain();
  void erase_empty();

  std::uint32_t keep_last_, keep_every_;
  double corrupt_, slow_write_, slow_factor_;
  Seed seed_;
  std::vector<Series> series_;         // by number
  std::int64_t deleted_ = 0;           // up to this number all are, but for those that are kept for ever
  std::vector<std::int64_t> damaged_;  // by a fault: their numbers, those that are gone too
  std::size_t old_ = 0;                // so many series, the first ones, hold nothing but these
};

}  // namespace gauntlet
