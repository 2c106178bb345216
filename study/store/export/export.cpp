#include "study/store/export/export.hpp"

#include "core/system_advice.hpp"
#include "study/store/export/csv.hpp"
#include "study/summary/metrics.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

// The number of its point before every row, where there are several.
std::span<const Cell> point_cells(const Store& store, const Cell& number) {
  return store.points() > 1 ? std::span(&number, 1) : std::span<const Cell>();
}

std::vector<Column> columns_of(const Store& store, std::vector<Column> columns) {
  if (store.points() > 1) columns.insert(columns.begin(), {"point", "INTEGER"});
  return columns;
}

std::optional<std::string> ended(CsvWriter& csv) {
  const int error = csv.close();
  return error == 0 ? std::nullopt : std::optional(system_message(error));
}

/// Every path that some point sets, in the order of their first use.
std::vector<std::string> settings_of(const Store& store) {
  std::vector<std::string> paths;
  for (std::uint32_t point = 0; point < store.points(); ++point)
    for (const auto& [path, value] : store.point(point).settings)
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  return paths;
}

std::string_view value_of(const StoredPoint& point, const std::string& path) {
  for (const auto& [name, value] : point.settings)
    if (name == path) return value;
  return {};
}

void add_statistics(const Statistics& of, Row& row) {
  const auto add = [&](std::optional<double> value) { row.push_back(value ? Cell{*value} : Cell{}); };
  add(of.mean);
  add(of.se);
  add(of.ci95 ? std::optional(of.ci95->low) : std::nullopt);
  add(of.ci95 ? std::optional(of.ci95->high) : std::nullopt);
  add(of.p1);
  add(of.p5);
  add(of.p50);
  add(of.p95);
  add(of.p99);
  add(of.worst_5_mean);
}
constexpr const char* kStatistics[] = {"mean", "se",  "ci95_low", "ci95_high", "p1",
                                       "p5",   "p50", "p95",      "p99",       "worst_5_mean"};

/// The metrics of all points: those of a scenario with the fault kinds of all.
std::vector<Metric> metrics_of_all(const Store& store) {
  ScenarioFacts facts;
  facts.faults = store.faults();
  return metrics_of(facts);
}

}  // namespace

std::optional<std::string> export_replicas(const Store& store, const std::filesystem::path& file,
                                           Files& files) {
  CsvWriter csv(file, columns_of(store, replica_columns(store.faults())), files);
  for (std::uint32_t point = 0; point < store.points(); ++point) {
    const Cell number = std::int64_t{point};
    store.read_rows(point, store.first_replica(point), store.replicas(point),
                    [&](const Row& row) { csv.add(row, point_cells(store, number)); });
  }
  return ended(csv);
}

std::optional<std::string> export_incidents(const Store& store, const std::filesystem::path& file,
                                            Files& files) {
  CsvWriter csv(file, columns_of(store, incident_columns()), files);
  for (std::uint32_t point = 0; point < store.points(); ++point) {
    const Cell number = std::int64_t{point};
    store.read_incident_rows(point, [&](const Row& row) { csv.add(row, point_cells(store, number)); });
  }
  return ended(csv);
}

std::string points_csv(const Store& store, const SummaryOf& summary) {
  const std::vector<std::string> paths = settings_of(store);
  const std::vector<Metric> metrics = metrics_of_all(store);
  std::string out = "point,label";
  for (const std::string& path : paths) out += "," + csv_field(path);
  out += ",replicas";
  for (const Metric& metric : metrics)
    for (const char* statistic : kStatistics) out += "," + csv_field(metric.name + "." + statistic);
  out += '\n';

  for (std::uint32_t number = 0; number < store.points(); ++number) {
    const std::optional<Summary> of = summary(number);
    if (!of) continue;
    const StoredPoint& point = store.point(number);
    Row row = {std::int64_t{number}, std::string_view(point.label)};
    for (const std::string& path : paths) row.push_back(value_of(point, path));
    row.push_back(std::int64_t{of->replicas});
    for (const Metric& metric : metrics) {
      const Statistics* found = of->find(metric.name);
      add_statistics(found ? *found : Statistics{}, row);
    }
    append_csv(out, row);
    out.back() = '\n';
  }
  return out;
}

std::string points_csv(const Store& store) {
  return points_csv(store, [&](std::uint32_t point) { return store.summary(point); });
}

}  // namespace gauntlet
