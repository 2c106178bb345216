#include "study/store/store_private.hpp"
#include "study/summary/fingerprint_text.hpp"
#include "study/summary/json.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace gauntlet {
namespace {

/// Throws where the store is of another format.
void refuse_other_format(sqlite3* database) {
  RowStatement columns(database,
                       "SELECT count(*), count(CASE WHEN name = 'format' THEN 1 END), "
                       "count(CASE WHEN name = 'version' THEN 1 END) FROM pragma_table_info('study')");
  columns.step();
  if (columns.integer(0) == 0) sqlite::damaged("it has no table study");
  if (columns.integer(1) == 0) throw OtherFormat("was written in a format that has no number");
  RowStatement format(database, "SELECT format FROM study");
  if (!format.step()) sqlite::damaged("its table study is empty");
  const std::int64_t number = format.integer(0);
  if (number == kStoreFormat) return;
  std::string by;
  if (columns.integer(2) > 0) {
    RowStatement version(database, "SELECT version FROM study");
    version.step();
    by = fmt::format(" by gauntlet {}", version.text(0));
  }
  throw OtherFormat(
      fmt::format("was written in format {}{}, and this gauntlet reads format {}", number, by, kStoreFormat));
}

StudyIdentity read_study(sqlite3* database) {
  refuse_other_format(database);
  RowStatement row(database, "SELECT command, arguments, version, seed, scenario, text FROM study");
  row.step();
  StudyIdentity study;
  study.command = row.text(0);
  study.arguments = row.text(1);
  study.version = row.text(2);
  study.seed = std::strtoull(row.text(3).c_str(), nullptr, 10);
  study.scenario = row.text(4);
  study.text = row.text(5);
  return study;
}

/// The fault kinds that the replica table has a column of, in their order.
std::vector<std::string> read_faults(sqlite3* database) {
  constexpr std::string_view kPrefix = "faults.";
  std::vector<std::string> faults;
  RowStatement columns(database, "SELECT name FROM pragma_table_info('replica') ORDER BY cid");
  while (columns.step())
    if (const std::string name = columns.text(0); name.starts_with(kPrefix))
      faults.push_back(name.substr(kPrefix.size()));
  return faults;
}

StoredPoint read_point(const RowStatement& row, const StudyIdentity& study) {
  StoredPoint point;
  point.label = row.text(1);
  const Json settings = Json::parse(row.text(2));
  for (const auto& [path, value] : settings.items())
    point.settings.emplace_back(path, value.get<std::string>());
  ScenarioFacts& facts = point.facts;
  facts.version = study.version;
  facts.seed = study.seed;
  facts.name = row.text(3);
  facts.question = row.text(4);
  facts.gpus = row.count(5);
  facts.gpus_held = row.count(6);
  facts.hosts = row.count(7);
  facts.spares = row.count(8);
  facts.peak = {row.real(9)};
  facts.tokens_per_step = row.real(10);
  facts.flops_per_step = {row.real(11)};
  facts.gpu_hour = {row.real(12)};
  facts.window = Duration(row.integer(13));
  facts.steps = row.integer(14);
  facts.give_up_after = Duration(row.integer(15));
  facts.faults = Json::parse(row.text(16)).get<std::vector<std::string>>();
  point.text = row.text(17);
  if (!std::holds_alternative<std::monostate>(row.cell(18))) facts.idle_gpu_hour = Money{row.real(18)};
  facts.storage_month = {row.real(19)};
  facts.replayed = Json::parse(row.text(20)).get<std::vector<std::string>>();
  facts.currency = row.text(21);
  facts.controls = Json::parse(row.text(22)).get<std::vector<std::vector<std::uint32_t>>>();
  facts.computes_interval = row.integer(23) != 0;
  facts.saves_behind_training = row.integer(24) != 0;
  for (const std::vector<std::uint32_t>& control : facts.controls)
    for (const std::uint32_t kind : control)
      if (kind >= facts.faults.size()) sqlite::damaged("a control names a fault that is not there");
  return point;
}

/// Which replicas every point has. Only a run of one by number has another first one than 0.
void read_extent(sqlite3* database, bool of_one_by_number, std::deque<Store::Connection::Entry>& points) {
  RowStatement extent(database,  // two questions: SQLite answers each from the key without a scan
                      "SELECT (SELECT min(replica) FROM replica WHERE point = ?1),"
                      " (SELECT max(replica) FROM replica WHERE point = ?1)");
  for (std::size_t i = 0; i < points.size(); ++i, extent.reset()) {
    const Cell number[] = {static_cast<std::int64_t>(i)};
    extent.bind(1, number).step();
    if (std::holds_alternative<std::monostate>(extent.cell(1))) continue;
    if (extent.count(0) > 0 && !of_one_by_number)
      sqlite::damaged(fmt::format("the first replicas of point {} are missing", i));
    points[i].first = extent.count(0);
    points[i].replicas = extent.count(1) - extent.count(0) + 1;
  }
}

std::optional<double> number(const RowStatement& row, int column) {
  const Cell cell = row.cell(column);
  return std::holds_alternative<std::monostate>(cell) ? std::nullopt : std::optional(row.real(column));
}

NamedStatistics read_metric(const RowStatement& row) {
  NamedStatistics metric;
  metric.name = row.text(2);
  Statistics& of = metric.statistics;
  of.n = static_cast<std::uint64_t>(row.integer(3));
  of.mean = number(row, 4);
  of.sd = number(row, 5);
  of.se = number(row, 6);
  const auto low = number(row, 7), high = number(row, 8);
  if (low && high) of.ci95 = Interval{*low, *high};
  of.p1 = number(row, 9);
  of.p5 = number(row, 10);
  of.p50 = number(row, 11);
  of.p95 = number(row, 12);
  of.p99 = number(row, 13);
  of.worst_5_mean = number(row, 14);
  return metric;
}

}  // namespace

void Store::Connection::load() {
  study = read_study(database.get());
  faults = read_faults(database.get());
  replica_cells = replica_columns(faults).size();
  RowStatement rows(database.get(), "SELECT * FROM point ORDER BY point");
  while (rows.step()) {
    if (rows.count(0) != points.size()) sqlite::damaged("a point is missing");
    StoredPoint point = read_point(rows, study);
    for (const std::string& fault : point.facts.faults)
      if (std::find(faults.begin(), faults.end(), fault) == faults.end())
        sqlite::damaged(fmt::format("it has no columns for the fault {}", fault));
    add_entry(std::move(point), 0);
  }
  read_extent(database.get(), study.command.starts_with("run --replica "), points);
}

std::optional<Summary> Store::summary(std::uint32_t point) const {
  RowStatement rows(
      connection_->database.get(),
      "SELECT replicas, fingerprint, name, n, mean, sd, se, ci95_low, ci95_high, p1, p5, p50, p95, p99,"
      " worst_5_mean FROM metric WHERE point = ?");
  const Cell number[] = {std::int64_t{point}};
  Summary out{.facts = connection_->points.at(point).point.facts,
              .replicas = 0,
              .interrupted = false,
              .only = std::nullopt,
              .fingerprint = 0,
              .metrics = {}};
  for (const Metric& metric : metrics_of(out.facts)) out.metrics.push_back({metric.name, {}});
  bool any = false;
  for (rows.bind(1, number); rows.step(); any = true) {
    out.replicas = rows.count(0);
    out.fingerprint = fingerprint_of(rows.text(1)).value_or(0);
    NamedStatistics read = read_metric(rows);
    for (NamedStatistics& metric : out.metrics)
      if (metric.name == read.name) metric.statistics = read.statistics;
  }
  // As the statistics have it: the table has it once, in the row of gave_up.
  const auto gave_up =
      static_cast<std::uint64_t>(std::llround(out.mean("gave_up").value_or(0) * out.replicas));
  for (NamedStatistics& metric : out.metrics)
    if (run_value_of(metric.name) == RunValue::whole_run && metric.statistics.n > 0)
      metric.statistics.gave_up = gave_up;
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace gauntlet
