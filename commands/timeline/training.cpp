#include "commands/timeline/training.hpp"

#include "commands/timeline/groups.hpp"
#include "commands/timeline/names.hpp"
#include "core/component.hpp"
#include "core/record/enumerators.hpp"
#include "score/phase_log.hpp"
#include "score/score.hpp"
#include "study/replica.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gauntlet {
namespace {

// Names of the format's own palette.
constexpr std::array<std::string_view, kPhases> kColours = {
    "good", "bad", "terrible", "rail_load", "rail_idle", "yellow", "olive", "rail_response", "grey"};

/// Which tiers standing orders keep, by the record: a checkpoint reaches the first of them, or further.
class TiersInUse {
 public:
  explicit TiersInUse(const Record& record) : record_(record) {}

  /// Times that are asked for do not go backwards. `reach`: as Cadence::reach.
  Tier tier(Time at, std::size_t reach) {
    for (; next_ < record_.orders.size() && record_.orders[next_].at <= at; ++next_)
      if (const auto* every = std::get_if<CheckpointEvery>(&record_.orders[next_].order.what))
        used_[static_cast<std::size_t>(every->tier)] = every->interval != kForever;
    std::size_t last = kTiers - 1;  // where none is kept, a checkpoint was ordered: to storage
    for (std::size_t tier = 0; tier < kTiers; ++tier) {
      if (!used_[tier]) continue;
      last = tier;
      if (reach == 0) break;
      --reach;
    }
    return static_cast<Tier>(last);
  }

 private:
  const Record& record_;
  std::size_t next_ = 0;
  std::array<bool, kTiers> used_ = {};
};

/// The checkpoints of a stretch by their numbers: complete from `first` up to and without `end`, and perhaps one that was cut.
struct Taken {
  std::int64_t first = 1, end = 1;
  bool cut = false;  // checkpoint `end` had begun
};

Taken taken_in(const Stretch& stretch) {
  const Reached from = stretch.reached_at(stretch.begin), to = stretch.reached_at(stretch.end);
  return {.first = from.checkpoints + 1, .end = to.checkpoints + 1, .cut = to.into_stall > Duration::zero()};
}

class CheckpointSlices {
 public:
  CheckpointSlices(const TimelineRun& run, TracePlan& plan, DrawnTraining& out, std::int64_t most)
      : run_(run), plan_(plan), out_(out), tiers_(run.record) {
    for (const Stretch& each : run.logs->progress.stretches) {
      const Taken taken = taken_in(each);
      out_.checkpoints += taken.end - taken.first;
    }
    out_.checkpoints_each = std::max<std::int64_t>(1, (out_.checkpoints + most - 1) / most);
  }

  /// Draws them, and returns where the phases are to be cut so that each lies where it fell.
  std::vector<Time> draw() {
    for (const Stretch& each : run_.logs->progress.stretches) {
      const Reached from = each.reached_at(each.begin);
      count(each.begin, each.first_step + from.steps);
      of_stretch(each, taken_in(each));
      count(each.end, each.first_step + each.reached_at(each.end).steps);
    }
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    return std::move(cuts_);
  }

 private:
  void of_stretch(const Stretch& stretch, const Taken& taken) {
    for (std::int64_t n = taken.first; n < taken.end; n += out_.checkpoints_each) {
      const std::int64_t last = std::min(n + out_.checkpoints_each, taken.end) - 1;
      several(stretch, n, last);
    }
    if (!taken.cut) return;
    const Time begin = std::max(stretch.begin, begin_of(stretch, taken.end));
    cuts_.push_back(begin);
    slice(begin, stretch.end, stretch.cadence.reach(taken.end), 1, "checkpoint, cut short");
  }

  static Time begin_of(const Stretch& stretch, std::int64_t n) {
    return stretch.time_of_step(stretch.steps_before_checkpoint(n));
  }

  /// Those from `first` to `last` that reach the same tier are a slice.
  void several(const Stretch& stretch, std::int64_t first, std::int64_t last) {
    std::array<std::int64_t, kTiers> counts = {};
    for (std::int64_t n = first; n <= last; ++n) ++counts[stretch.cadence.reach(n)];
    const Time begin = std::max(stretch.begin, begin_of(stretch, first));
    const Time end = std::min(stretch.end, stretch.time_of_checkpoint(last));
    if (first == last) cuts_.push_back(begin);
    cuts_.push_back(end);
    count(end, stretch.first_step + stretch.steps_before_checkpoint(last));
    for (std::size_t reach = 0; reach < kTiers; ++reach)
      if (counts[reach] > 0)
        slice(begin, end, reach, counts[reach],
              counts[reach] == 1 ? "checkpoint" : fmt::format("{} checkpoints", counts[reach]));
  }

  void slice(Time begin, Time end, std::size_t reach, std::int64_t count, std::string name) {
    const std::string tier(enumerator(tiers_.tier(begin, reach)));
    plan_.add(
        plan_.group(track_rank::kCheckpoints, "checkpoints: " + tier), begin, end,
        {.name = std::move(name), .category = "checkpoint", .arguments = {{"tier", tier}, {"count", count}}});
  }

  void count(Time at, std::int64_t steps) {
    const auto value = static_cast<double>(steps);
    if (!out_.steps.empty() && out_.steps.back().value == value) return;
    out_.steps.push_back({.at = at, .value = value});
  }

  const TimelineRun& run_;
  TracePlan& plan_;
  DrawnTraining& out_;
  TiersInUse tiers_;
  std::vector<Time> cuts_;
};

void add_phases(const TimelineRun& run, const std::vector<PhaseSpan>& spans, TracePlan& plan) {
  const GroupNumber group = plan.group(track_rank::kPhases, "phases");
  for (const PhaseSpan& each : spans) {
    const auto phase = static_cast<std::size_t>(each.phase);
    TraceArguments arguments;
    if (each.phase != Phase::effective) arguments = {{"cause", name_of_cause(run.world, each.cause)}};
    plan.add(group, each.begin, each.end,
             {.name = std::string(kPhaseNames[phase]),
              .category = "phase",
              .arguments = std::move(arguments),
              .colour = kColours[phase]});
  }
}

void add_incidents(const TimelineRun& run, const Figures& figures, TracePlan& plan) {
  for (const Incident& each : figures.incidents) {
    TraceArguments arguments = {{"cause", name_of_cause(run.world, each.cause)},
                                {"component", name_of(each.component)},
                                {"detected", each.detected},
                                {"detection_latency_s", to_seconds(each.detection_latency)},
                                {"stops", std::int64_t{each.stops}},
                                {"restarts", std::int64_t{each.restarts}},
                                {"evictions_right", std::int64_t{each.evictions_right}},
                                {"evictions_wrong", std::int64_t{each.evictions_wrong}},
                                {"asked", std::int64_t{each.asked}},
                                {"steps_lost", each.steps_lost}};
    for (std::size_t phase = 0; phase < kPhases; ++phase)
      if (each.lost[phase] > Duration::zero())
        arguments.emplace_back(fmt::format("{}_s", kPhaseNames[phase]), to_seconds(each.lost[phase]));
    plan.add(plan.group(track_rank::kIncidents, "incidents"), each.opened, each.closed,
             {.name = fmt::format("{} {}", name_of_cause(run.world, each.cause), name_of(each.component)),
              .category = "incident",
              .arguments = std::move(arguments)});
  }
}

}  // namespace

DrawnTraining add_training(const TimelineRun& run, TracePlan& plan, std::int64_t most_checkpoints) {
  DrawnTraining out;
  PhaseLog phases(CheckpointSlices(run, plan, out, most_checkpoints).draw());
  score(score_facts(run.world), run.logs->truth, run.logs->progress, run.record, out.figures, phases);
  add_phases(run, phases.spans(), plan);
  add_incidents(run, out.figures, plan);
  return out;
}

}  // namespace gauntlet
