#include "commands/timeline/plan.hpp"

#include "core/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace gauntlet {

GroupNumber TracePlan::group(std::uint32_t rank, const std::string& name) {
  const auto [found, fresh] = by_name_.try_emplace(name, groups_.size());
  if (fresh) groups_.push_back({.rank = rank, .name = name});
  return found->second;
}

SliceNumber TracePlan::add(GroupNumber group, Time begin, Time end, TraceLabel label) {
  begin = std::max(begin, kStart);  // a host of a drill tells times by its own clock
  slices_.push_back({.group = group, .begin = begin, .end = std::max(begin, end), .label = std::move(label)});
  return slices_.size() - 1;
}

void TracePlan::mark(SliceNumber slice, Time at, TraceLabel label) {
  slices_[slice].marks.push_back(
      {.at = std::clamp(at, slices_[slice].begin, slices_[slice].end), .label = std::move(label)});
  ++marks_;
}

void TracePlan::link(SliceNumber from, SliceNumber to, std::string name) {
  if (slices_[to].begin < slices_[from].begin || to <= from) return;
  slices_[from].links.push_back({.to = to, .name = std::move(name)});
  ++links_;
}

/// By slice: the first track of its group that is free when it begins. A slice of no length keeps its time from longer ones
/// (TraceEvents).
std::vector<TraceTrack> TracePlan::tracks_of(std::uint32_t process, const std::vector<SliceNumber>& in_order,
                                             TraceEvents& into) const {
  // Perfetto stacks what begins at one time and has no length, and drops what is deeper than 512. So many are rows enough.
  constexpr std::size_t kMostAtOnce = 32;
  struct Lane {
    Time begin, end;          // of its last slice
    std::size_t at_once = 0;  // slices of no length, up to the last one
  };
  std::vector<std::vector<Lane>> of_groups(groups_.size());
  std::vector<std::size_t> lane_of(slices_.size());
  for (const SliceNumber number : in_order) {
    const Slice& slice = slices_[number];
    const bool is_long = slice.begin < slice.end;
    std::vector<Lane>& lanes = of_groups[slice.group];
    auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& each) {
      const bool met = each.end == slice.begin && each.begin == each.end && is_long;
      const bool full = each.end == slice.begin && each.at_once == kMostAtOnce;
      return each.end <= slice.begin && !met && !full;
    });
    if (lane == lanes.end()) lane = lanes.insert(lanes.end(), Lane{});
    const std::size_t before = lane->end == slice.begin ? lane->at_once : 0;
    *lane = {slice.begin, slice.end, is_long ? 0 : before + 1};
    lane_of[number] = static_cast<std::size_t>(lane - lanes.begin());
  }
  std::vector<GroupNumber> groups(groups_.size());
  std::iota(groups.begin(), groups.end(), GroupNumber{0});
  std::stable_sort(groups.begin(), groups.end(),
                   [&](GroupNumber a, GroupNumber b) { return groups_[a].rank < groups_[b].rank; });
  std::vector<std::vector<TraceTrack>> tracks(groups_.size());
  for (const GroupNumber each : groups)
    for (std::size_t lane = 0; lane < of_groups[each].size(); ++lane)
      tracks[each].push_back(into.add_track(
          process, lane == 0 ? groups_[each].name : fmt::format("{} ({})", groups_[each].name, lane + 1)));
  std::vector<TraceTrack> out;
  for (std::size_t i = 0; i < slices_.size(); ++i) out.push_back(tracks[slices_[i].group][lane_of[i]]);
  return out;
}

void TracePlan::write(std::uint32_t process, TraceEvents& into) const {
  std::vector<SliceNumber> in_order(slices_.size());
  std::iota(in_order.begin(), in_order.end(), SliceNumber{0});
  std::stable_sort(in_order.begin(), in_order.end(),
                   [&](SliceNumber a, SliceNumber b) { return slices_[a].begin < slices_[b].begin; });
  const std::vector<TraceTrack> tracks = tracks_of(process, in_order, into);
  std::vector<std::vector<std::pair<TraceArrow, const Link*>>> arriving(slices_.size());
  for (const SliceNumber number : in_order) {
    const Slice& slice = slices_[number];
    const Duration begin = slice.begin - kStart;
    into.add_slice(tracks[number], begin, slice.end - kStart, slice.label);
    for (const auto& [arrow, link] : arriving[number])
      into.end_arrow(arrow, tracks[number], begin, link->name);
    for (const Link& link : slice.links) {
      const TraceArrow arrow = into.new_arrow();
      into.begin_arrow(arrow, tracks[number], begin, link.name);
      arriving[link.to].emplace_back(arrow, &link);
    }
    for (const Mark& mark : slice.marks) into.add_instant(tracks[number], mark.at - kStart, mark.label);
  }
}

}  // namespace gauntlet
