#include "commands/timeline/chain.hpp"

#include "commands/timeline/episodes.hpp"
#include "commands/timeline/groups.hpp"
#include "commands/timeline/names.hpp"
#include "core/component.hpp"
#include "core/record/enumerators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::array<std::string_view, 6> kTruthNames = {"onset",     "meets the job", "returns",
                                                         "escalates", "ends",          "grows"};

class Drawing {
 public:
  Drawing(const TimelineRun& run, TracePlan& plan, std::size_t most) : run_(run), plan_(plan) {
    const auto seen =
        std::count_if(run.record.observations.begin(), run.record.observations.end(),
                      [](const Observed& each) { return std::holds_alternative<Seen>(each.what); });
    joins_ = static_cast<std::size_t>(seen) > most;
  }

  Chain draw() {
    if (run_.logs) faults(run_.logs->truth);
    chain_.observations.resize(run_.record.observations.size());
    const std::vector<RecordedOrder>& orders = run_.record.orders;
    std::size_t order = 0;
    for (std::size_t i = 0; i < run_.record.observations.size(); ++i) {
      std::size_t last = order;
      while (last < orders.size() && orders[last].observations <= i + 1) ++last;
      observation(i, last > order);
      for (; order < last; ++order) give(orders[order], *chain_.observations[i]);
    }
    return std::move(chain_);
  }

 private:
  // --- faults --------------------------------------------------------------------------------------------------------

  void faults(const TruthLog& truth) {
    std::vector<FaultEpisode> episodes = episodes_of(truth, run_.end());
    find_observations(truth, run_.record, episodes);
    chain_.faults = episodes.size();
    for (const FaultEpisode& each : episodes) {
      const SliceNumber slice = fault(truth, each);
      if (each.answered)
        showing_.emplace(*each.answered, std::pair(slice, "first answered observation after it"));
      if (each.names_host && each.names_host != each.answered)
        showing_.emplace(*each.names_host, std::pair(slice, "first observation that names its host"));
    }
  }
  SliceNumber fault(const TruthLog& truth, const FaultEpisode& of) {
    const Truth& onset = truth[of.onset];
    const std::string& kind = run_.world.faults[onset.kind.value].name;
    TraceArguments arguments = {{"fault", kind},
                                {"component", name_of(onset.component)},
                                {"host", std::int64_t{onset.host.value}},
                                {"hosts", std::int64_t{onset.hosts}},
                                {"on_job", onset.on_job},
                                {"stops", onset.stops},
                                {"ended", of.ended}};
    if (onset.factor != 1) arguments.emplace_back("factor", onset.factor);
    const SliceNumber slice = plan_.add(plan_.group(track_rank::kFaults, "fault: " + kind), onset.at, of.end,
                                        {.name = fmt::format("{} {}", kind, name_of(onset.component)),
                                         .category = "fault",
                                         .arguments = std::move(arguments)});
    for (const std::size_t place : of.later) {
      const Truth& entry = truth[place];
      plan_.mark(slice, entry.at,
                 {.name = std::string(kTruthNames[static_cast<std::size_t>(entry.what)]),
                  .category = "fault_change",
                  .arguments = {{"factor", entry.factor}}});
    }
    return slice;
  }

  // --- observations --------------------------------------------------------------------------------------------------

  void observation(std::size_t place, bool is_answered) {
    const Observed& seen = run_.record.observations[place];
    const auto [first, last] = showing_.equal_range(place);
    if (const auto* what = std::get_if<Seen>(&seen.what)) {
      const bool alone = is_answered || first != last;
      chain_.observations[place] = detected(seen.at, *what, alone);
    } else if (const auto* outcome = std::get_if<Outcome>(&seen.what)) {
      chain_.observations[place] = answered(seen.at, *outcome);
    } else {
      chain_.observations[place] = plan_.add(plan_.group(track_rank::kEvents, "events"), seen.at, seen.at,
                                             {.name = name_of_event(seen.what),
                                              .category = "observation",
                                              .arguments = arguments_of(seen.what)});
    }
    for (auto each = first; each != last; ++each)
      plan_.link(each->second.first, *chain_.observations[place], each->second.second);
  }

  /// `alone`: it must be. Else it may be drawn together with others of its detector, and nothing is returned: with all of them where they are
  /// many, and with those of the same time.
  std::optional<SliceNumber> detected(Time at, const Seen& seen, bool alone) {
    const auto watched = watched_.find(seen.watch.value);
    const std::string signal = watched == watched_.end() ? "unknown" : watched->second;
    const GroupNumber group = plan_.group(track_rank::kDetectors, "detector: " + signal);
    std::string name = name_of(seen.who);
    if (seen.edge != Edge::sample) name += fmt::format(" {}", enumerator(seen.edge));
    if (seen.more > 0) name += fmt::format(" and {} more", seen.more);
    const bool at_once = std::exchange(last_[group], at) == at;  // many hosts of a switch
    if (alone || !(joins_ || at_once)) {
      together_.erase(group);
      return plan_.add(
          group, at, at,
          {.name = std::move(name), .category = "observation", .arguments = arguments_of(Observation(seen))});
    }
    if (!joins_ && together_.contains(group) && together_[group].at != at) together_.erase(group);
    const auto [found, fresh] = together_.try_emplace(group);
    found->second.at = at;
    if (fresh)
      found->second.slice =
          plan_.add(group, at, at, {.name = {}, .category = "observations", .arguments = {}});
    Together& of = found->second;
    ++of.count;
    plan_.set_end(of.slice, at);
    plan_.label(of.slice).name = fmt::format("{} observation{}", of.count, of.count == 1 ? "" : "s");
    plan_.label(of.slice).arguments = {{"count", of.count}};
    return std::nullopt;
  }

  SliceNumber answered(Time at, const Outcome& outcome) {
    const auto found = open_.find(outcome.order.value);
    TraceArguments arguments = arguments_of(Observation(outcome));
    if (found == open_.end())
      return plan_.add(
          plan_.group(track_rank::kOutcomes, "outcomes"), at, at,
          {.name = text_of_outcome(outcome), .category = "outcome", .arguments = std::move(arguments)});
    const auto [slice, name] = found->second;
    open_.erase(found);
    const std::string text = text_of_outcome(outcome);
    plan_.set_end(slice, at);
    plan_.label(slice).arguments.emplace_back("outcome", text);
    const SliceNumber made = plan_.add(
        plan_.group(track_rank::kOutcomes, "outcomes"), at, at,
        {.name = fmt::format("{} {}", name, text), .category = "outcome", .arguments = std::move(arguments)});
    plan_.link(slice, made, "outcome");
    return made;
  }

  // --- orders --------------------------------------------------------------------------------------------------------

  /// Until its outcome; an order without one lasts to the end of the record.
  void give(const RecordedOrder& given, SliceNumber observation) {
    const Action& what = given.order.what;
    if (const auto* watch = std::get_if<Watch>(&what)) watched_[watch->id.value] = enumerator(watch->signal);
    if (const auto* probe = std::get_if<Probe>(&what)) watched_.try_emplace(probe->report.value, "probe");
    TraceArguments arguments = arguments_of(what);
    arguments.emplace(arguments.begin(), "order_id", static_cast<std::int64_t>(given.order.id.value));
    std::string name = name_of_order(run_.world, what);
    const SliceNumber slice =
        plan_.add(plan_.group(track_rank::kOrders, "orders: " + kind_of_order(what)), given.at, run_.end(),
                  {.name = name, .category = "order", .arguments = std::move(arguments)});
    plan_.link(observation, slice, "answer");
    open_.insert_or_assign(given.order.id.value, std::pair(slice, std::move(name)));
  }

  struct Together {
    Time at;  // of the last one
    SliceNumber slice = 0;
    std::int64_t count = 0;
  };

  const TimelineRun& run_;
  TracePlan& plan_;
  bool joins_ = false;
  Chain chain_;
  std::multimap<std::size_t, std::pair<SliceNumber, const char*>> showing_;  // by observation
  std::map<std::uint32_t, std::string> watched_;                             // signals, by watch
  std::map<std::uint64_t, std::pair<SliceNumber, std::string>> open_;        // by order
  std::map<GroupNumber, Together> together_;
  std::map<GroupNumber, std::optional<Time>> last_;  // that a detector saw something
};

}  // namespace

Chain add_chain(const TimelineRun& run, TracePlan& plan, std::size_t most_observations) {
  return Drawing(run, plan, most_observations).draw();
}

}  // namespace gauntlet
