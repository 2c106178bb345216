#include "cli/segments/trace.hpp"

#include "core/saturating.hpp"
#include "report/trace_events/trace_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Where a rank runs in one start of the job.
using RunAndRank = std::pair<std::uint32_t, std::uint32_t>;

/// The coordinates that the members of a group have in common: all but that of the dimension.
std::string group_name(const Coordinates& at, std::string_view by) {
  std::string name;
  for (const auto& [dimension, value] :
       {std::pair<std::string_view, std::uint32_t>{"pp", at.pp}, {"dp", at.dp}, {"cp", at.cp}, {"tp", at.tp}})
    if (dimension != by) name += fmt::format("{}{} {}", name.empty() ? "" : ", ", dimension, value);
  return fmt::format("{} group of {}", by, name);
}

/// A segment of one rank in one step, in the time of the trace.
struct Placed {
  const SegmentTime* segment = nullptr;
  Duration begin{}, end{};
};

/// Places the segments of a rank's step one after another, ending when the rank reported them. Nested segments overlap in truth: they are cut
/// where the previous step was reported, or where the drill began. Sorted by end.
std::vector<Placed> placed(const SegmentSteps& steps) {
  std::vector<Placed> out;
  std::map<RunAndRank, Duration> ends;  // of the step before
  for (auto begin = steps.segments.begin(); begin != steps.segments.end();) {
    const auto end = std::find_if(begin, steps.segments.end(), [&](const SegmentTime& each) {
      return each.run != begin->run || each.step != begin->step || each.rank != begin->rank;
    });
    Duration left{}, reported{};
    for (auto each = begin; each != end; ++each) {
      left = sum(left, each->took);
      reported = std::max(reported, each->reported - kStart);
    }
    const auto [before, is_first] = ends.try_emplace({begin->run, begin->rank}, reported - left);
    for (; begin != end; ++begin) {
      Placed place{.segment = &*begin,
                   .begin = std::max({before->second, reported - left, Duration::zero()}),
                   .end = {}};
      left -= begin->took;
      place.end = std::max(place.begin, reported - left);
      out.push_back(place);
    }
    before->second = std::max(before->second, reported);
  }
  Duration first = Duration::max();
  for (const Placed& each : out) first = std::min(first, each.begin);
  for (Placed& each : out) {
    each.begin -= first;
    each.end -= first;
  }
  std::stable_sort(out.begin(), out.end(), [](const Placed& a, const Placed& b) { return a.end < b.end; });
  return out;
}

/// The slice of a rank that ended last in a step, and the one that began first.
struct OfStep {
  std::size_t last = 0, first = 0;  // by place
};

}  // namespace

SegmentsTrace segments_trace(const SegmentSteps& steps, std::string_view by) {
  std::map<std::string, std::map<RunAndRank, RankSeat>> groups;
  for (const SegmentTime& each : steps.segments) {
    const RankSeat& seat = steps.seats.at({each.run, each.rank});
    groups[group_name(seat.at, by)].emplace(RunAndRank(each.run, each.rank), seat);
  }
  if (groups.size() > kMostProcesses)
    return {.text = {},
            .problem = Problem{.what = fmt::format("--by {}", by),
                               .why = fmt::format("makes {} groups of ranks, and a trace shows {}",
                                                  groups.size(), kMostProcesses),
                               .suggestion = "choose another dimension"}};
  TraceEvents trace("segments", {{"scenario", steps.scenario},
                                 {"seed", static_cast<std::int64_t>(steps.seed)},
                                 {"groups", std::string(by)}});
  const std::vector<Placed> slices = placed(steps);
  std::map<RunAndRank, TraceTrack> tracks;
  std::uint32_t process = 0;
  for (const auto& [name, members] : groups) {
    trace.name_process(++process, name);
    for (const auto& [key, seat] : members)
      tracks[key] = trace.add_track(process, fmt::format("rank {} on host {}", seat.rank, seat.host));
  }
  std::map<std::pair<std::int64_t, RunAndRank>, OfStep> of_steps;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const RunAndRank key{slices[i].segment->run, slices[i].segment->rank};
    const auto [found, is_new] = of_steps.try_emplace({slices[i].segment->step, key}, OfStep{i, i});
    found->second.last = i;
    if (!is_new && slices[i].begin < slices[found->second.first].begin) found->second.first = i;
  }
  // From the member of a group that ended a step last to the others.
  std::map<std::size_t, std::vector<TraceArrow>> begins, ends;
  for (const auto& [name, members] : groups) {
    std::map<std::pair<std::uint32_t, std::int64_t>, std::size_t> slowest;  // by run and step
    for (const auto& [at, found] : of_steps)
      if (members.contains(at.second)) {
        const auto [entry, is_new] = slowest.try_emplace({at.second.first, at.first}, found.last);
        if (!is_new && slices[found.last].end > slices[entry->second].end) entry->second = found.last;
      }
    for (const auto& [at, found] : of_steps) {
      if (!members.contains(at.second)) continue;
      const auto before = slowest.find({at.second.first, at.first - 1});
      if (before == slowest.end()) continue;
      const Placed& from = slices[before->second];
      if (RunAndRank{from.segment->run, from.segment->rank} == at.second ||
          slices[found.first].begin < from.end)
        continue;
      const TraceArrow arrow = trace.new_arrow();
      begins[before->second].push_back(arrow);
      ends[found.first].push_back(arrow);
    }
  }
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Placed& each = slices[i];
    const TraceTrack track = tracks.at({each.segment->run, each.segment->rank});
    trace.add_slice(track, each.begin, each.end,
                    {.name = each.segment->name,
                     .category = "segment",
                     .arguments = {{"step", each.segment->step},
                                   {"run", std::int64_t{each.segment->run}},
                                   {"took_ns", each.segment->took.count()}}});
    for (const TraceArrow arrow : ends[i]) trace.end_arrow(arrow, track, each.begin, "holds up");
    for (const TraceArrow arrow : begins[i]) trace.begin_arrow(arrow, track, each.end, "holds up");
  }
  return {.text = trace.text(), .problem = {}};
}

}  // namespace gauntlet
