#include "study/store/export/over_time.hpp"

#include "core/contract.hpp"
#include "study/store/export/csv.hpp"

#include <algorithm>
#include <string_view>

namespace gauntlet {
namespace {

Metric metric_of(const ScenarioFacts& facts, std::string_view name) {
  const std::vector<Metric> all = metrics_of(facts);
  const auto found = std::ranges::find(all, name, &Metric::name);
  expect(found != all.end(), "there is a metric of that name");
  return *found;
}

/// The commas of append_csv, the last one as the end of the line.
void append_line(const Row& row, std::string& text) {
  append_csv(text, row);
  text.back() = '\n';
}

}  // namespace

std::vector<Column> over_time_columns() {
  constexpr std::string_view kInteger = "INTEGER", kReal = "REAL";
  std::vector<Column> columns = {{"replica", kInteger}, {"bucket", kInteger}, {"start_ns", kInteger},
                                 {"end_ns", kInteger},  {"ettr", kReal},      {"mfu", kReal},
                                 {"steps", kInteger},   {"tokens", kReal}};
  for (const std::string_view phase : kPhaseNames) columns.push_back({std::string(phase) + "_ns", kInteger});
  return columns;
}

OverTimeRows::OverTimeRows(const ScenarioFacts& facts)
    : tokens_per_step_(facts.tokens_per_step),
      ettr_(metric_of(facts, "ettr")),
      mfu_(metric_of(facts, "mfu")) {}

std::string OverTimeRows::header() {
  const std::vector<Column> columns = over_time_columns();
  Row row;
  for (const Column& column : columns) row.push_back(std::string_view(column.name));
  std::string text;
  append_line(row, text);
  return text;
}

void OverTimeRows::append(std::uint32_t replica, std::size_t number, const TimeBucket& of, Duration bucket,
                          Duration wall, std::string& text) {
  const Duration start = static_cast<std::int64_t>(number) * bucket, end = std::min(start + bucket, wall);
  expect(start < end, "a part of the wall time has a length");
  part_.wall = end - start;
  part_.phases = of.phases;
  part_.steps = of.steps;
  row_ = {cell(replica),
          static_cast<std::int64_t>(number),
          cell(start),
          cell(end),
          cell(ettr_.of(part_).value()),
          cell(mfu_.of(part_).value()),
          cell(of.steps),
          static_cast<double>(of.steps) * tokens_per_step_};
  for (const Duration phase : of.phases) row_.push_back(cell(phase));
  append_line(row_, text);
}

}  // namespace gauntlet
