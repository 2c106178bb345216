// The victims of a stop: every rank that waits for one that is gone, or that stands still, aborts in the end; first those
// that talk with the culprit, then those that talk with these. What they log and how they exit shows everywhere, wherever
// the fault was.
#pragma once

#include "core/saturating.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/hosts/seats.hpp"
#include "sim/telemetry/heartbeats.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gauntlet {

class Victims final : public AbortTimes {
 public:
  Victims(const World& world, const Seats& seats, SimEngine& engine)
      : hop_(world.telemetry.abort_hop), seats_(&seats), engine_(&engine) {}

  /// The ranks in `culprits` (slots in ascending order, at least one) are gone or hang: the first of the others abort at
  /// `first`, with `line`.
  void begin(const std::vector<std::uint32_t>& culprits, PatternId line, Time first) {
    clear();
    culprits_ = culprits;
    expect(std::is_sorted(culprits_.begin(), culprits_.end()), "culprits come in ascending order");
    line_ = line;
    first_ = first;
    last_hops_ = seats_->most_hops(culprits_.front());
    engine_->set(wave_, first_, Priority::timer, AbortWave{1});
  }
  void clear() {
    engine_->hold(wave_);
    culprits_.clear();
    aborted_hops_ = 0;
  }
  bool active() const { return !culprits_.empty(); }

  /// The ranks of `wave` abort now. False for the last of the waves.
  bool on(const AbortWave& wave) {
    aborted_hops_ = wave.hops;
    if (wave.hops >= last_hops_) return false;
    engine_->set(wave_, after(first_, times(wave.hops, hop_)), Priority::timer, AbortWave{wave.hops + 1});
    return true;
  }

  PatternId line() const { return line_; }
  const std::vector<std::uint32_t>& culprits() const { return culprits_; }
  bool is_culprit(std::uint32_t slot) const {
    return std::binary_search(culprits_.begin(), culprits_.end(), slot);
  }
  std::uint32_t count() const { return count_in({0, seats_->count()}); }
  std::uint32_t count_in(SlotRange slots) const {
    const auto begin = std::lower_bound(culprits_.begin(), culprits_.end(), slots.begin);
    const auto end = std::lower_bound(begin, culprits_.end(), slots.end);
    return slots.size() - static_cast<std::uint32_t>(end - begin);
  }
  /// The slots whose ranks abort so many hops from the culprit, itself among them.
  SlotRanges slots_at(std::uint32_t hops) const { return seats_->slots_at(culprits_.front(), hops); }

  Time aborted_at(HostId host) const override {
    if (aborted_hops_ == 0) return kNever;
    const std::uint32_t slot = seats_->slot_of(host);
    if (slot >= seats_->count() || seats_->host(slot) != host) return kNever;
    const std::uint32_t hops = seats_->hops(culprits_.front(), slot);
    if (hops > aborted_hops_ || is_culprit(slot)) return kNever;
    return after(first_, times(hops - 1, hop_));
  }

 private:
  Duration hop_;
  const Seats* seats_;
  SimEngine* engine_;
  std::vector<std::uint32_t> culprits_;  // slots, ascending
  PatternId line_;
  Time first_{};
  std::uint32_t last_hops_ = 0, aborted_hops_ = 0;
  Timer wave_;
};

}  // namespace gauntlet
