#include "report/tails.hpp"

#include "report/metric_unit.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

std::string cell(const std::optional<double>& value, const Unit& unit) {
  return value ? unit.number(*value) : "-";
}

/// With the digits of the row that has most of those with the same figure.
std::vector<std::string> row_of(const TailRow& row, const std::vector<TailRow>& rows) {
  Unit unit = row.unit;
  for (const TailRow& other : rows)
    if (other.figure == row.figure) unit.decimals = std::max(unit.decimals, other.unit.decimals);
  return {row.name, row.figure, cell(row.of.p1, unit), cell(row.of.p99, unit),
          cell(row.of.worst_5_mean, unit)};
}

}  // namespace

std::string tails_need(std::uint64_t replicas) {
  if (replicas >= kFewestForP1) return "";
  const std::string percentiles = fmt::format("p1 and p99 need {} replicas", kFewestForP1);
  if (replicas >= kFewestForWorst5) return percentiles;
  return fmt::format("{}, the mean of the worst 5% needs {}", percentiles, kFewestForWorst5);
}

void add_tails(std::vector<TailRow>& rows, const Summary& summary, std::string_view metric, std::string name,
               std::string_view figure) {
  const Statistics* of = summary.find(metric);
  if (of == nullptr || !of->mean || of->n < kFewestForInterval || of->sd.value_or(0) == 0) return;
  const Unit unit =
      metric_unit(metric, *of->mean, summary.facts.currency).fine_enough_for(half_width(of->ci95));
  const std::string_view comma = figure.empty() || unit.name.empty() ? "" : ", ";
  rows.push_back({std::move(name), fmt::format("{}{}{}", figure, comma, unit.name), *of, unit});
}

std::string tails_table(const std::vector<TailRow>& rows) {
  if (rows.empty()) return "";
  const std::uint64_t fewest = std::ranges::min(rows, {}, [](const TailRow& row) { return row.of.n; }).of.n;
  const std::string line = tails_need(fewest);
  TextTable table{.header = {"Tails of single runs", "", "p1", "p99", "worst 5%"}, .rows = {}};
  for (const TailRow& row : rows)
    if (row.of.n >= kFewestForWorst5) table.rows.push_back(row_of(row, rows));
  if (table.rows.empty()) return "Tails of single runs: " + line + ".\n";
  return to_text(table) + (line.empty() ? "" : "  -: " + line + "\n");
}

}  // namespace gauntlet
