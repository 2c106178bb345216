#include "study/results/rows.hpp"

#include "core/contract.hpp"
#include "study/results/metrics.hpp"

namespace gauntlet {
namespace {

constexpr std::string_view kInteger = "INTEGER";
constexpr std::string_view kReal = "REAL";
constexpr std::string_view kText = "TEXT";

Cell cell(Duration duration) { return std::int64_t{duration.count()}; }
Cell cell(Time time) { return cell(time.time_since_epoch()); }
Cell cell(std::int64_t count) { return count; }
Cell cell(std::uint32_t count) { return std::int64_t{count}; }

}  // namespace

std::vector<Column> replica_columns(const ScenarioFacts& facts) {
  std::vector<Column> columns = {
      {"replica", kInteger}, {"fingerprint", kText}, {"ending", kText}, {"wall_ns", kInteger}};
  for (const std::string_view phase : kPhaseNames) columns.push_back({std::string(phase) + "_ns", kInteger});
  for (const std::string& cause : cause_names(facts)) columns.push_back({"lost." + cause + "_ns", kInteger});
  for (const char* name :
       {"effective_corrupt_ns", "iteration_time_ns", "steps", "iterations", "interruptions", "planned_stops",
        "false_alarms", "detected", "detection_latency_sum_ns"})
    columns.push_back({name, kInteger});
  columns.push_back({"unplanned_rate_per_s", kReal});
  for (const char* name : {"evictions_right", "evictions_wrong", "asked", "spares_max_in_use"})
    columns.push_back({name, kInteger});
  for (const std::string& fault : facts.faults) columns.push_back({"faults." + fault, kInteger});
  return columns;
}

void fill_replica_row(std::uint32_t replica, const Figures& figures, Row& row) {
  row.clear();
  row.insert(row.end(),
             {cell(replica), Hex{figures.fingerprint}, name_of(figures.ending), cell(figures.wall)});
  for (const Duration phase : figures.phases) row.push_back(cell(phase));
  for (const Duration lost : figures.lost_by_cause) row.push_back(cell(lost));
  row.insert(row.end(),
             {cell(figures.effective_corrupt), cell(figures.iteration_time), cell(figures.steps),
              cell(figures.iterations), cell(figures.interruptions), cell(figures.planned_stops),
              cell(figures.false_alarms), cell(figures.detected), cell(figures.detection_latency_sum),
              figures.unplanned_rate, cell(figures.evictions_right), cell(figures.evictions_wrong),
              cell(figures.asked), cell(figures.spares_max_in_use)});
  for (const std::uint32_t onsets : figures.faults) row.push_back(cell(onsets));
}

std::vector<Column> incident_columns() {
  std::vector<Column> columns = {
      {"replica", kInteger},         {"incident", kInteger}, {"opened_ns", kInteger},
      {"closed_ns", kInteger},       {"cause", kText},       {"component", kText},
      {"component_index", kInteger}, {"detected", kInteger}, {"detection_latency_ns", kInteger}};
  for (const char* name : {"stops", "restarts", "evictions_right", "evictions_wrong", "asked", "steps_lost"})
    columns.push_back({name, kInteger});
  for (const std::string_view phase : kPhaseNames)
    columns.push_back({"lost." + std::string(phase) + "_ns", kInteger});
  return columns;
}

void fill_incident_row(std::uint32_t replica, std::size_t number, const Incident& incident,
                       const std::vector<std::string>& causes, Row& row) {
  expect(incident.cause.value < causes.size(), "an incident has a cause of its scenario");
  row.clear();
  row.insert(row.end(), {cell(replica), cell(static_cast<std::int64_t>(number)), cell(incident.opened),
                         cell(incident.closed), std::string_view(causes[incident.cause.value]),
                         name_of(incident.component.kind), cell(incident.component.index),
                         cell(std::int64_t{incident.detected}),
                         incident.detected ? cell(incident.detection_latency) : Cell{}, cell(incident.stops),
                         cell(incident.restarts), cell(incident.evictions_right),
                         cell(incident.evictions_wrong), cell(incident.asked), cell(incident.steps_lost)});
  for (const Duration lost : incident.lost) row.push_back(cell(lost));
}

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::completed:
      return "completed";
    case Ending::time_over:
      return "time_over";
    case Ending::gave_up:
      return "gave_up";
  }
  return "unknown";
}

std::string_view name_of(ComponentKind kind) {
  switch (kind) {
    case ComponentKind::job:
      return "job";
    case ComponentKind::host:
      return "host";
    case ComponentKind::gpu:
      return "gpu";
    case ComponentKind::nic:
      return "nic";
  }
  return "unknown";
}

}  // namespace gauntlet
