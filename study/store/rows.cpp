#include "study/store/rows.hpp"

#include "core/component.hpp"
#include "core/contract.hpp"
#include "study/summary/fingerprint_text.hpp"

#include <algorithm>
#include <iterator>

namespace gauntlet {
namespace {

constexpr std::string_view kInteger = "INTEGER";
constexpr std::string_view kReal = "REAL";
constexpr std::string_view kText = "TEXT";

constexpr std::size_t kCauseColumns = kPhases - 1;  // of one cause: its phases but `effective`

/// Of how a fault kind fared, before the dot and its name.
constexpr const char* kScores[] = {
    "met",       "detected", "missed",     "latencies",       "missed_ns",
    "incidents", "handled",  "handled_ns", "evictions_wrong", "wrong_evictions_ns"};

void add_score(const FaultScore& of, Row& row) {
  row.insert(row.end(), {cell(of.met), cell(of.detected), cell(of.missed), &of.latencies,
                         cell(of.missed_cost), cell(of.incidents), cell(of.handled), cell(of.handled_time),
                         cell(of.evictions_wrong), cell(of.wrong_evictions)});
}

constexpr std::size_t kFirstLost = 1;  // the phases after `effective`

void add_lost(const PhaseTimes& lost, Row& row) {
  for (std::size_t phase = kFirstLost; phase < kPhases; ++phase) row.push_back(cell(lost[phase]));
}

/// Takes cell after cell.
class RowReader {
 public:
  explicit RowReader(const Row& row) : row_(row) {}
  void skip(std::size_t cells = 1) { at_ += cells; }
  void next(std::int64_t& value) {
    const auto* cell = std::get_if<std::int64_t>(&row_[at_++]);
    value = cell ? *cell : 0;
  }
  void next(Duration& value) { value = Duration(integer()); }
  void next(std::uint32_t& value) { value = static_cast<std::uint32_t>(integer()); }
  void next(double& value) {
    const auto* cell = std::get_if<double>(&row_[at_++]);
    value = cell ? *cell : 0;
  }
  void lost(PhaseTimes& times) {
    for (std::size_t phase = kFirstLost; phase < kPhases; ++phase) next(times[phase]);
  }
  std::uint64_t fingerprint() {
    const Cell& cell = row_[at_++];
    if (const auto* hex = std::get_if<Hex>(&cell)) return hex->value;
    const auto* text = std::get_if<std::string_view>(&cell);
    return text ? fingerprint_of(*text).value_or(0) : 0;
  }
  std::string_view text() {
    const auto* cell = std::get_if<std::string_view>(&row_[at_++]);
    return cell ? *cell : std::string_view();
  }
  void next(Latencies& latencies) {
    if (const auto* own = std::get_if<const Latencies*>(&row_[at_])) {
      latencies = **own;
      ++at_;
    } else {
      latencies = Latencies::from_text(text()).value_or(Latencies());
    }
  }
  void next(FaultScore& of) {
    next(of.met);
    next(of.detected);
    next(of.missed);
    next(of.latencies);
    next(of.missed_cost);
    next(of.incidents);
    next(of.handled);
    next(of.handled_time);
    next(of.evictions_wrong);
    next(of.wrong_evictions);
  }
  Ending ending() {
    const std::string_view name = text();
    for (const Ending each : {Ending::time_over, Ending::gave_up, Ending::stopped})
      if (name == name_of(each)) return each;
    return Ending::completed;
  }
  std::int64_t integer() {
    std::int64_t value = 0;
    next(value);
    return value;
  }

 private:
  const Row& row_;
  std::size_t at_ = 0;
};

}  // namespace

KindPlaces places_of(std::span<const std::string> of_study, std::span<const std::string> of_scenario) {
  KindPlaces places(of_study.size());
  for (std::uint32_t kind = 0; kind < of_scenario.size(); ++kind) {
    const auto found = std::find(of_study.begin(), of_study.end(), of_scenario[kind]);
    expect(found != of_study.end(), "a study names every fault kind of its scenarios");
    places[static_cast<std::size_t>(found - of_study.begin())] = FaultKindId{kind};
  }
  return places;
}

std::vector<Column> replica_columns(std::span<const std::string> faults) {
  std::vector<Column> columns = {
      {"replica", kInteger}, {"fingerprint", kText}, {"ending", kText}, {"wall_ns", kInteger}};
  for (const std::string_view phase : kPhaseNames) columns.push_back({std::string(phase) + "_ns", kInteger});
  std::vector<std::string> causes(kCauseNames.begin(), kCauseNames.end());
  causes.insert(causes.end(), faults.begin(), faults.end());
  for (const std::string& cause : causes)
    for (std::size_t phase = kFirstLost; phase < kPhases; ++phase)
      columns.push_back({"lost." + cause + "." + std::string(kPhaseNames[phase]) + "_ns", kInteger});
  for (const char* name :
       {"effective_corrupt_ns", "iteration_time_ns", "steps", "iterations", "interruptions", "planned_stops",
        "preemptions", "shrunk", "fewest_replicas", "false_alarms", "detected", "detection_latency_sum_ns"})
    columns.push_back({name, kInteger});
  columns.push_back({"unplanned_rate_per_s", kReal});
  columns.push_back({"compensated_work", kReal});
  columns.push_back({"tiltable_strikes", kInteger});
  columns.push_back({"tiltable_expected", kReal});
  for (const char* name : {"evictions_right", "evictions_wrong", "asked", "spares_max_in_use", "false_alerts",
                           "wrong_evictions_ns", "released_ns"})
    columns.push_back({name, kInteger});
  for (const std::string& fault : faults) columns.push_back({"faults." + fault, kInteger});
  for (const std::string& fault : faults) columns.push_back({"compensated." + fault, kReal});
  for (const std::string& fault : faults)
    for (const std::string_view name : kScores)
      columns.push_back({std::string(name) + "." + fault, name == "latencies" ? kText : kInteger});
  return columns;
}

void fill_replica_row(std::uint32_t replica, const Figures& figures, const KindPlaces& places, Row& row) {
  expect(figures.lost.size() == kCausesWithoutFault + figures.faults.size(), "every cause has its lost time");
  expect(figures.fault_scores.size() == figures.faults.size(), "every fault kind has its score");
  expect(figures.compensated.size() == figures.faults.size(), "every fault kind has its compensated count");
  row.clear();
  row.insert(row.end(),
             {cell(replica), Hex{figures.fingerprint}, name_of(figures.ending), cell(figures.wall)});
  for (const Duration phase : figures.phases) row.push_back(cell(phase));
  for (std::uint32_t cause = 0; cause < kCausesWithoutFault; ++cause) add_lost(figures.lost[cause], row);
  for (const auto& kind : places) {
    if (kind) {
      add_lost(figures.lost[cause_of(*kind).value], row);
    } else {
      row.resize(row.size() + kCauseColumns);
    }
  }
  row.insert(row.end(), {cell(figures.effective_corrupt),
                         cell(figures.iteration_time),
                         cell(figures.steps),
                         cell(figures.iterations),
                         cell(figures.interruptions),
                         cell(figures.planned_stops),
                         cell(figures.preemptions),
                         cell(figures.shrunk),
                         cell(figures.fewest_replicas),
                         cell(figures.false_alarms),
                         cell(figures.detected),
                         cell(figures.detection_latency_sum),
                         figures.unplanned_rate,
                         figures.compensated_work,
                         cell(figures.tiltable_strikes),
                         figures.tiltable_expected,
                         cell(figures.evictions_right),
                         cell(figures.evictions_wrong),
                         cell(figures.asked),
                         cell(figures.spares_max_in_use),
                         cell(figures.false_alerts),
                         cell(figures.wrong_evictions),
                         cell(figures.released)});
  for (const auto& kind : places) row.push_back(kind ? cell(figures.faults[kind->value]) : Cell{});
  for (const auto& kind : places) row.push_back(kind ? Cell{figures.compensated[kind->value]} : Cell{});
  for (const auto& kind : places) {
    if (kind) {
      add_score(figures.fault_scores[kind->value], row);
    } else {
      row.resize(row.size() + std::size(kScores));
    }
  }
}

void read_replica_row(const Row& row, const KindPlaces& places, Figures& figures) {
  const auto kinds = static_cast<std::size_t>(
      std::count_if(places.begin(), places.end(), [](const auto& kind) { return kind.has_value(); }));
  RowReader in(row);
  in.skip();  // replica
  figures.incidents.clear();
  figures.fingerprint = in.fingerprint();
  figures.ending = in.ending();
  in.next(figures.wall);
  for (Duration& phase : figures.phases) in.next(phase);
  figures.lost.assign(kCausesWithoutFault + kinds, PhaseTimes{});
  for (std::uint32_t cause = 0; cause < kCausesWithoutFault; ++cause) in.lost(figures.lost[cause]);
  for (const auto& kind : places) {
    if (kind) {
      in.lost(figures.lost[cause_of(*kind).value]);
    } else {
      in.skip(kCauseColumns);
    }
  }
  in.next(figures.effective_corrupt);
  in.next(figures.iteration_time);
  in.next(figures.steps);
  in.next(figures.iterations);
  in.next(figures.interruptions);
  in.next(figures.planned_stops);
  in.next(figures.preemptions);
  in.next(figures.shrunk);
  in.next(figures.fewest_replicas);
  in.next(figures.false_alarms);
  in.next(figures.detected);
  in.next(figures.detection_latency_sum);
  in.next(figures.unplanned_rate);
  in.next(figures.compensated_work);
  in.next(figures.tiltable_strikes);
  in.next(figures.tiltable_expected);
  in.next(figures.evictions_right);
  in.next(figures.evictions_wrong);
  in.next(figures.asked);
  in.next(figures.spares_max_in_use);
  in.next(figures.false_alerts);
  in.next(figures.wrong_evictions);
  in.next(figures.released);
  figures.faults.assign(kinds, 0);
  for (const auto& kind : places) {
    if (kind) {
      in.next(figures.faults[kind->value]);
    } else {
      in.skip();
    }
  }
  figures.compensated.assign(kinds, 0);
  for (const auto& kind : places) {
    if (kind) {
      in.next(figures.compensated[kind->value]);
    } else {
      in.skip();
    }
  }
  figures.fault_scores.resize(kinds);
  for (const auto& kind : places) {
    if (kind) {
      in.next(figures.fault_scores[kind->value]);
    } else {
      in.skip(std::size(kScores));
    }
  }
}

std::vector<Column> incident_columns() {
  std::vector<Column> columns = {
      {"replica", kInteger},         {"incident", kInteger}, {"opened_ns", kInteger},
      {"closed_ns", kInteger},       {"cause", kText},       {"component", kText},
      {"component_index", kInteger}, {"detected", kInteger}, {"detection_latency_ns", kInteger}};
  for (const char* name : {"stops", "restarts", "evictions_right", "evictions_wrong", "asked", "unplanned",
                           "noticed_by_person", "handled_without_person", "wrong_evictions_ns", "steps_lost"})
    columns.push_back({name, kInteger});
  for (const std::string_view phase : kPhaseNames)
    columns.push_back({"lost." + std::string(phase) + "_ns", kInteger});
  return columns;
}

void fill_incident_row(std::uint32_t replica, std::size_t number, const Incident& incident,
                       const std::vector<std::string>& causes, Row& row) {
  expect(incident.cause.value < causes.size(), "an incident has a cause of its scenario");
  row.clear();
  row.insert(
      row.end(),
      {cell(replica), cell(static_cast<std::int64_t>(number)), cell(incident.opened), cell(incident.closed),
       std::string_view(causes[incident.cause.value]), name_of(incident.component.kind),
       cell(incident.component.index), cell(std::int64_t{incident.detected}),
       incident.detected ? cell(incident.detection_latency) : Cell{}, cell(incident.stops),
       cell(incident.restarts), cell(incident.evictions_right), cell(incident.evictions_wrong),
       cell(incident.asked), cell(std::int64_t{incident.unplanned}), cell(std::int64_t{incident.noticed}),
       cell(std::int64_t{incident.handled}), cell(incident.wrong_evictions), cell(incident.steps_lost)});
  for (const Duration lost : incident.lost) row.push_back(cell(lost));
}

std::optional<Incident> read_incident_row(const Row& row, const std::vector<std::string>& causes) {
  RowReader in(row);
  in.skip(2);  // replica, incident
  Incident out;
  out.opened = kStart + Duration(in.integer());
  out.closed = kStart + Duration(in.integer());
  const auto cause = std::find(causes.begin(), causes.end(), in.text());
  if (cause == causes.end()) return std::nullopt;
  out.cause = {static_cast<std::uint32_t>(cause - causes.begin())};
  const std::string_view kind = in.text();
  for (std::size_t each = 0; each < kComponentNames.size(); ++each)
    if (kind == kComponentNames[each]) out.component.kind = static_cast<ComponentKind>(each);
  in.next(out.component.index);
  out.detected = in.integer() != 0;
  in.next(out.detection_latency);
  in.next(out.stops);
  in.next(out.restarts);
  in.next(out.evictions_right);
  in.next(out.evictions_wrong);
  in.next(out.asked);
  out.unplanned = in.integer() != 0;
  out.noticed = in.integer() != 0;
  out.handled = in.integer() != 0;
  in.next(out.wrong_evictions);
  in.next(out.steps_lost);
  for (Duration& lost : out.lost) in.next(lost);
  return out;
}

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::completed:
      return "completed";
    case Ending::time_over:
      return "time_over";
    case Ending::gave_up:
      return "gave_up";
    case Ending::stopped:
      return "stopped";
  }
  return "unknown";
}

}  // namespace gauntlet
