#include "real/driver/measured_times.hpp"

#include "real/injectors/injector.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace gauntlet {
namespace {

/// A phase that ranks mark when it is complete, in the order of a start.
constexpr std::array<std::pair<std::string_view, Measured>, 4> kPhases = {
    {{"process_start", Measured::process_start},
     {"communicator_init", Measured::communicator_init},
     {"load", Measured::load},
     {"data_loader", Measured::data_loader}}};

/// What the ranks of one start said.
struct StartedRun {
  std::array<std::map<std::uint32_t, Time>, kPhases.size()> marks;  // by rank
  std::map<std::uint32_t, Time> up;
  std::uint32_t reporting = 0;  // so many ranks mark their phases
  std::vector<RankLine> lines;  // steps, stalls and durable checkpoints of rank 0
};

std::map<std::uint32_t, StartedRun> started_runs(const World& world,
                                                 const std::vector<RawProgress::Entry>& raw,
                                                 const RawProgress::Replicas& replicas,
                                                 const DrillClock& clock) {
  std::map<std::uint32_t, StartedRun> runs;
  for (const RawProgress::Entry& entry : raw) {
    StartedRun& run = runs[entry.run];
    Layout layout = world.job.layout;
    if (const auto found = replicas.find(entry.run); found != replicas.end()) layout.dp = found->second;
    run.reporting = world.drill.command.lines.any() ? 1 : layout.ranks();
    const Time at = clock.at(entry.line.at_ns);
    using Kind = RankLine::Kind;
    if (entry.line.kind == Kind::up) run.up.emplace(entry.rank, at);
    for (std::size_t i = 0; i < kPhases.size() && entry.line.kind == Kind::phase; ++i)
      if (entry.line.pattern == kPhases[i].first) run.marks[i].emplace(entry.rank, at);
    const bool progress =
        entry.line.kind == Kind::step || entry.line.kind == Kind::stall || entry.line.kind == Kind::saved;
    if (progress && entry.rank == 0) run.lines.push_back(entry.line);
  }
  return runs;
}

/// When the last of so many ranks said it; nothing where not all of them did.
std::optional<Time> last_of(const std::map<std::uint32_t, Time>& said, std::uint32_t ranks) {
  if (ranks == 0 || said.size() < ranks) return std::nullopt;
  return std::max_element(said.begin(), said.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->second;
}

/// The order that started the ranks which were up then.
std::optional<Time> ordered_before(const Record& record, Time up) {
  std::optional<Time> ordered;
  for (const RecordedOrder& each : record.orders)
    if (each.at <= up && std::holds_alternative<Start>(each.order.what)) ordered = each.at;
  return ordered;
}

void measure_start(const StartedRun& run, const Record& record, std::vector<Measurement>& into) {
  const auto up = last_of(run.up, run.reporting);
  const auto ordered = up ? ordered_before(record, *up) : std::nullopt;
  if (!ordered) return;
  std::vector<std::pair<Measured, Time>> ends;
  for (std::size_t i = 0; i < kPhases.size(); ++i)
    if (const auto end = last_of(run.marks[i], run.reporting)) ends.emplace_back(kPhases[i].second, *end);
  if (ends.empty()) return;
  // Ranks need not mark the last phase: they say that they are up.
  if (ends.back().first < Measured::load) ends.emplace_back(Measured::load, *up);
  ends.back().second = *up;
  Time began = *ordered;
  for (const auto& [phase, end] : ends) {
    const Time over = std::max(began, std::min(end, *up));
    into.push_back({.what = phase, .at = over, .took = over - began});
    began = over;
  }
}

/// From when until when a fault slowed or stopped the job; the last may still do so.
std::vector<std::pair<Time, Time>> disturbances_of(const World& world, const FaultPlan& plan,
                                                   const std::vector<JournalEntry>& journal) {
  std::map<std::uint64_t, std::pair<Time, Time>> faults;
  for (const JournalEntry& entry : journal) {
    const std::uint64_t number = fault_of_injection(entry.injection);
    if (number >= plan.size()) continue;
    const Effect effect = world.faults[plan[number].kind.value].effect;
    if (is_stop_request(effect) || stops_job(effect)) continue;  // no step is complete with them
    if (entry.step == JournalStep::observed) faults[number] = {entry.at, kNever};
    if (entry.step == JournalStep::undone && faults.contains(number)) faults[number].second = entry.at;
  }
  std::vector<std::pair<Time, Time>> out;
  for (const auto& [number, times] : faults) out.push_back(times);
  return out;
}

/// From one line's time to the next.
void measure_progress(const StartedRun& run, const DrillClock& clock,
                      const std::vector<std::pair<Time, Time>>& disturbances,
                      std::vector<Measurement>& into) {
  const auto disturbed = [&](Time from, Time until) {
    return std::any_of(disturbances.begin(), disturbances.end(),
                       [&](const auto& each) { return each.first < until && each.second > from; });
  };
  std::optional<Time> before = last_of(run.up, run.reporting);
  std::int64_t step = run.lines.empty() ? 0 : run.lines.front().step - 1;
  std::map<std::int64_t, Time> copied;  // by step, when its checkpoint let training go on
  for (const RankLine& line : run.lines) {
    const Time at = clock.at(line.at_ns);
    if (line.kind == RankLine::Kind::saved) {
      const auto from = copied.find(line.step);
      if (from != copied.end() && !disturbed(from->second, at))
        into.push_back(
            {.what = Measured::persist, .at = at, .took = std::max(Duration(0), at - from->second)});
      continue;
    }
    const bool is_step = line.kind == RankLine::Kind::step;
    const bool follows = before && at >= *before && (!is_step || line.step == step + 1);
    if (follows && !disturbed(*before, at))
      into.push_back({.what = is_step ? Measured::step : Measured::stall, .at = at, .took = at - *before});
    if (is_step) step = line.step;
    if (!is_step) copied[line.step] = at;
    before = at;
  }
}

}  // namespace

std::vector<Measurement> measured_times(const World& world, const FaultPlan& plan,
                                        const std::vector<RawProgress::Entry>& raw,
                                        const RawProgress::Replicas& replicas,
                                        const std::vector<JournalEntry>& journal, const Record& record,
                                        const DrillClock& clock) {
  std::vector<Measurement> out;
  const auto disturbances = disturbances_of(world, plan, journal);
  for (const auto& [number, run] : started_runs(world, raw, replicas, clock)) {
    measure_start(run, record, out);
    measure_progress(run, clock, disturbances, out);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Measurement& a, const Measurement& b) { return a.at < b.at; });
  return out;
}

}  // namespace gauntlet
