#include "report/tails.hpp"

#include "report/metric_unit.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kGaveUp = "gave up";

/// `fewest`: runs that the figure needs.
std::string cell(const std::optional<double>& value, const Statistics& of, std::uint64_t fewest,
                 const Unit& unit) {
  if (value) return unit.number(*value);
  return std::string(of.gave_up > 0 && of.n >= fewest ? kGaveUp : "-");
}

/// With the digits of the row that has most of those with the same figure.
std::vector<std::string> row_of(const TailRow& row, const std::vector<TailRow>& rows) {
  Unit unit = row.unit;
  for (const TailRow& other : rows)
    if (other.figure == row.figure) unit.decimals = std::max(unit.decimals, other.unit.decimals);
  return {row.name, row.figure, cell(row.of.p1, row.of, kFewestForP1, unit),
          cell(row.of.p99, row.of, kFewestForP1, unit),
          cell(row.of.worst_5_mean, row.of, kFewestForWorst5, unit)};
}

/// "3 of 200 runs", or with the names of the rows where they differ: "A 3 of 200 runs, B 1 of 200 runs".
std::string runs_that_gave_up(const std::vector<TailRow>& rows) {
  std::vector<std::string> counts, named;
  for (const TailRow& row : rows) {
    if (row.of.gave_up == 0) continue;
    counts.push_back(fmt::format("{} of {} runs", row.of.gave_up, row.of.n));
    named.push_back(row.name + " " + counts.back());
  }
  const bool all_alike = std::ranges::adjacent_find(counts, std::not_equal_to<>()) == counts.end();
  return all_alike ? counts.front() : fmt::format("{}", fmt::join(named, ", "));
}

bool shows_gave_up(const TextTable& table) {
  return std::ranges::any_of(table.rows, [](const std::vector<std::string>& row) {
    return std::ranges::find(row, kGaveUp) != row.end();
  });
}

}  // namespace

std::string missed_by_few(const ScenarioFacts& facts, std::uint64_t runs) {
  const bool by_chance = facts.faults.size() > facts.replayed.size();
  if (!by_chance || runs < kFewestForInterval || runs >= kFewestForP1) return "";
  // (1 - 1/k)^runs is at most 5%: the rule of three, k = runs / 3 + 1/2, rounded down (Hanley and Lippman-Hand, JAMA 249(13), 1983, pp. 1743-1745).
  const std::uint64_t one_in = (2 * runs + 3) / 6;
  return fmt::format("{} runs may all miss what happens in one run in {}, and no interval here includes that",
                     runs, one_in);
}

std::string tails_need(std::uint64_t replicas) {
  if (replicas >= kFewestForP1) return "";
  const std::string percentiles = fmt::format("p1 and p99 need {} replicas", kFewestForP1);
  if (replicas >= kFewestForWorst5) return percentiles;
  return fmt::format("{}, the mean of the worst 5% needs {}", percentiles, kFewestForWorst5);
}

void add_tails(std::vector<TailRow>& rows, const Summary& summary, std::string_view metric, std::string name,
               std::string_view figure) {
  const Statistics* of = summary.find(metric);
  if (of == nullptr || !of->mean || of->n < kFewestForInterval) return;
  if (of->sd.value_or(0) == 0 && of->gave_up == 0) return;
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
  std::string text = to_text(table) + (line.empty() ? "" : "  -: " + line + "\n");
  if (shows_gave_up(table))
    text +=
        fmt::format("  gave up: {}. They never came to their end, so they count as worse than all others.\n",
                    runs_that_gave_up(rows));
  return text;
}

}  // namespace gauntlet
