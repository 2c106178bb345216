// Who sits where: the hosts of the job by slot, and where a slot lies in the job's 3D layout.
//
// A host counts to the pipeline stage and the data-parallel replica of its first rank. Ranks fill hosts in order, and the
// layout counts pipeline stages slowest, so that the slots of a stage are consecutive, and so are those of a replica in it.
#pragma once

#include "core/contract.hpp"
#include "core/id.hpp"
#include "core/layout.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gauntlet {

/// Slots [begin, end).
struct SlotRange {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
};

/// The slots of both; empty where they share none.
constexpr SlotRange common(SlotRange a, SlotRange b) {
  const std::uint32_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// A few of them, in ascending order, none empty. Neighbours are one.
class SlotRanges {
 public:
  void add(std::uint32_t begin, std::uint32_t end) {
    if (begin >= end) return;
    if (count_ > 0 && ranges_[count_ - 1].end == begin) {
      ranges_[count_ - 1].end = end;
      return;
    }
    expect(count_ < ranges_.size(), "there is room for one more");
    ranges_[count_++] = {begin, end};
  }
  const SlotRange* begin() const { return ranges_.data(); }
  const SlotRange* end() const { return ranges_.data() + count_; }

 private:
  std::array<SlotRange, 6>
      ranges_;  // the most that are as many hops away: one replica of two stages, the others of two
  std::size_t count_ = 0;
};

class Seats {
 public:
  Seats() = default;
  Seats(const Layout& layout, std::uint32_t gpus_per_host, std::uint32_t job_hosts, std::uint32_t hosts)
      : gpus_per_host_(gpus_per_host), slot_of_(hosts) {
    reset(layout, job_hosts);
  }
  /// Every host back to the slot of its own number.
  void reset(const Layout& layout, std::uint32_t job_hosts) {
    if (layout != layout_ || job_hosts != count()) resize(layout, job_hosts);
    for (std::uint32_t s = 0; s < count(); ++s) slots_[s] = HostId{s};
    std::iota(slot_of_.begin(), slot_of_.end(), 0U);
  }
  /// Another number of replicas: slots from `job_hosts` on are gone, and new ones hold the hosts of their own numbers until others
  /// are seated there.
  void resize(const Layout& layout, std::uint32_t job_hosts) {
    layout_ = layout;
    const std::uint32_t before = count();
    slots_.resize(job_hosts);
    for (std::uint32_t s = before; s < job_hosts; ++s) slots_[s] = HostId{s};
    stages_.clear();
    replicas_.clear();
    for (std::uint32_t s = 0; s < job_hosts; ++s) {
      stages_.push_back(std::min(first_rank(s) / ranks_of_stage(), layout_.pp - 1));
      replicas_.push_back(first_rank(s) / ranks_of_replica() % layout_.dp);
    }
  }

  /// The hosts in rank order; a vacant slot keeps its last one.
  const std::vector<HostId>& hosts() const { return slots_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(slots_.size()); }
  HostId host(std::uint32_t slot) const { return slots_[slot]; }
  /// Where the host is, or last was.
  std::uint32_t slot_of(HostId host) const { return slot_of_[host.value]; }
  void seat(std::uint32_t slot, HostId host) {
    slots_[slot] = host;
    slot_of_[host.value] = slot;
  }

  std::uint32_t stages() const { return layout_.pp; }
  std::uint32_t stage_of(std::uint32_t slot) const { return stages_[slot]; }
  SlotRange slots_of_stage(std::uint32_t stage) const {
    return {slot_from(stage * ranks_of_stage()), slot_from((stage + 1) * ranks_of_stage())};
  }

  /// From the abort of the ranks in slot `from` to that of the ranks in `slot`: along the pipeline from stage to stage, and
  /// at once to the other replicas of a stage.
  std::uint32_t hops(std::uint32_t from, std::uint32_t slot) const {
    const std::uint32_t a = stage_of(from), b = stage_of(slot);
    return std::max(1U, (a > b ? a - b : b - a) + (replica_of(from) == replica_of(slot) ? 0U : 1U));
  }
  std::uint32_t most_hops(std::uint32_t from) const {
    const std::uint32_t stage = stage_of(from);
    return std::max(stage, layout_.pp - 1 - stage) + 1;
  }
  /// The slots that are so many hops away, `from` among them at one hop, in ascending order.
  SlotRanges slots_at(std::uint32_t from, std::uint32_t hops) const;
  /// The collective in which the ranks of `slot` wait for those of `from`, or for others that do.
  Dimension waits_in(std::uint32_t from, std::uint32_t slot) const {
    if (replica_of(from) != replica_of(slot)) return Dimension::data;
    return stage_of(from) == stage_of(slot) ? Dimension::tensor : Dimension::pipeline;
  }

 private:
  std::uint32_t first_rank(std::uint32_t slot) const { return slot * gpus_per_host_; }
  std::uint32_t slot_from(std::uint32_t rank) const {
    return std::min((rank + gpus_per_host_ - 1) / gpus_per_host_, count());
  }
  std::uint32_t ranks_of_replica() const { return layout_.tp * layout_.cp; }  // within a stage
  std::uint32_t ranks_of_stage() const { return ranks_of_replica() * layout_.dp; }
  std::uint32_t replica_of(std::uint32_t slot) const { return replicas_[slot]; }

  Layout layout_;
  std::uint32_t gpus_per_host_ = 1;
  std::vector<HostId> slots_;
  std::vector<std::uint32_t> slot_of_;
  std::vector<std::uint32_t> stages_, replicas_;  // by slot
};

inline SlotRanges Seats::slots_at(std::uint32_t from, std::uint32_t hops) const {
  const auto stage = static_cast<std::int64_t>(stage_of(from));
  const auto away = static_cast<std::int64_t>(hops);
  SlotRanges found;
  const auto valid = [&](std::int64_t p) { return p >= 0 && p < static_cast<std::int64_t>(layout_.pp); };
  const auto add_stage = [&](std::int64_t p, bool same_replica, bool others) {
    if (!valid(p)) return;
    const auto number = static_cast<std::uint32_t>(p);
    const SlotRange all = slots_of_stage(number);
    const std::uint32_t rank = number * ranks_of_stage() + replica_of(from) * ranks_of_replica();
    const std::uint32_t begin = std::clamp(slot_from(rank), all.begin, all.end);
    const std::uint32_t end = std::clamp(slot_from(rank + ranks_of_replica()), begin, all.end);
    if (others) found.add(all.begin, begin);
    if (same_replica) found.add(begin, end);
    if (others) found.add(end, all.end);
  };
  add_stage(stage - away, true, false);
  if (away == 1) {
    add_stage(stage, true, true);
  } else {
    add_stage(stage - away + 1, false, true);
    add_stage(stage + away - 1, false, true);
  }
  add_stage(stage + away, true, false);
  return found;
}

}  // namespace gauntlet
