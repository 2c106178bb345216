#include "commands/tune/table.hpp"

#include "commands/tune/words.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gauntlet {
namespace {

/// Point number k of a field's curve.
std::vector<std::string> row_of(const TuneResult& result, std::size_t axis, std::size_t k) {
  const TunedField& field = result.fields[axis];
  const TunedPoint& point = result.points[field.curve[k]];
  const std::optional<PairedDifference>& than_reference = field.worse[k];
  const Unit unit = objective_unit(result);
  std::vector<std::string> row = {point.values[axis]};
  const bool known = point.objective.mean.has_value();
  row.push_back(point.replicas > 0 ? count_text(point.replicas) : "-");
  row.push_back(known ? unit.number(*point.objective.mean) : "-");
  row.push_back(known && point.objective.ci95
                    ? unit.number(longer_side(*point.objective.ci95, *point.objective.mean))
                    : "-");
  // What runs cost that were given up says nothing about a job that gets done.
  const bool worse = than_reference && than_reference->difference && result.scale > 0 && !point.gives_up_more;
  const Unit share{.divisor = 0.01, .name = "%", .decimals = 1};
  row.push_back(worse ? share.number(*than_reference->difference / result.scale) : "-");
  row.push_back(
      worse && than_reference->ci95
          ? share.number(longer_side(*than_reference->ci95, *than_reference->difference) / result.scale)
          : "-");
  std::vector<std::string> notes;
  if (const std::string name = point.name_along(field.path); !name.empty()) notes.push_back(name);
  if (field.curve[k] == field.lowest) notes.push_back("reference");
  if (point.refused) notes.push_back("refused");
  if (point.gave_up > 0) notes.push_back(fmt::format("{} gave up", share_text(point.gave_up)));
  if (!point.meets) notes.push_back("misses a bound");
  row.push_back(fmt::format("{}", fmt::join(notes, ", ")));
  return row;
}

/// The points along a field, the other fields at their best.
std::string curve_table(const TuneResult& result, std::size_t axis) {
  const TunedField& field = result.fields[axis];
  const Unit unit = objective_unit(result);
  const std::string metric =
      unit.name.empty() ? objective_name(result) : fmt::format("{}, {}", objective_name(result), unit.name);
  TextTable table{.header = {field.path, "replicas", metric, "+-", "extra, %", "+-", ""}, .rows = {}};
  for (std::size_t k = 0; k < field.curve.size(); ++k) table.rows.push_back(row_of(result, axis, k));
  return to_text(table);
}

/// What the reference is: the same for all fields, or by field.
std::string references(const TuneResult& result) {
  std::vector<std::string> names;
  for (const TunedField& field : result.fields) names.push_back(reference_name(result, field));
  if (std::ranges::all_of(names, [&](const std::string& name) { return name == names.front(); }))
    return fmt::format("  reference: {}\n", names.front());
  std::string text;
  for (std::size_t axis = 0; axis < result.fields.size(); ++axis)
    text += fmt::format("  reference of {}: {}\n", result.fields[axis].path, names[axis]);
  return text;
}

/// Where the +- of a table's extra holds for all its rows together.
std::string joint_text(const TuneResult& result) {
  std::vector<std::string> paths;
  for (const TunedField& field : result.fields)
    if (field.joint && std::ranges::any_of(field.worse, [](const auto& each) { return each && each->ci95; }))
      paths.push_back(field.path);
  if (paths.empty()) return "";
  return fmt::format(
      "  +- of the extra{}: 95% confidence in all rows of the table together. A row is told apart from\n"
      "  the reference where its extra is larger than this +-\n",
      paths.size() == result.fields.size() ? "" : fmt::format(" of {}", fmt::join(paths, ", ")));
}

}  // namespace

std::string curve_tables(const TuneResult& result) {
  std::string text;
  for (std::size_t axis = 0; axis < result.fields.size(); ++axis)
    if (const std::string table = curve_table(result, axis); !table.empty()) text += "\n" + table;
  if (text.empty()) return text;
  text += fmt::format(
      "  extra: what this row loses more than the reference in the same replicas, as a share of {}{}\n",
      loss_name(result), result.fields.size() > 1 ? "; the other\n  fields are at their best" : "");
  text += references(result) + joint_text(result);
  if (any_below_reference(result))
    text += fmt::format(
        "  below 0: this row lost less than the reference in these replicas. Chance explains as much as its\n"
        "  +-, and {:.0f}% counts as flat\n",
        100 * kFlat);
  if (std::ranges::any_of(result.points, &TunedPoint::gives_up_more))
    text += "  gave up: such runs never finish, so what they did not spend is not a saving\n";
  return text;
}

}  // namespace gauntlet
