#include "commands/sweep/table.hpp"

#include "report/metric_unit.hpp"
#include "report/table.hpp"
#include "report/words.hpp"
#include "score/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace gauntlet {
namespace {

constexpr std::size_t kMostRows = 60;  // longer tables are for points.csv
constexpr std::size_t kLosses = 3;
constexpr double kBar = 20;

double mean_of(const SweepResult& result, const SweptPoint& point) {
  return point.summary.mean(result.objective).value_or(0);
}

double share_lost(const Summary& summary, std::size_t phase) {
  const double wall = summary.mean("wall_time_s").value_or(0);
  const double lost = summary.mean("lost_s." + std::string(kPhaseNames[phase])).value_or(0);
  return wall > 0 ? lost / wall : 0;
}

/// The phases whose shares of the wall time are largest at some point.
std::vector<std::size_t> largest_losses(const SweepResult& result) {
  std::array<double, kPhases> largest{};
  for (const SweptPoint& point : result.points)
    for (std::size_t phase = 1; phase < kPhases; ++phase)
      largest[phase] = std::max(largest[phase], share_lost(point.summary, phase));
  std::vector<std::size_t> phases(kPhases - 1);
  std::iota(phases.begin(), phases.end(), std::size_t{1});
  std::ranges::stable_sort(phases, std::greater{}, [&](std::size_t phase) { return largest[phase]; });
  std::erase_if(phases, [&](std::size_t phase) { return largest[phase] <= 0; });
  if (phases.size() > kLosses) phases.resize(kLosses);
  return phases;
}

/// From the worst point, which has none, to the best.
std::string bar(const SweepResult& result, const SweptPoint& point) {
  double worst = mean_of(result, point), best = worst;
  for (const SweptPoint& each : result.points) {
    const double mean = mean_of(result, each);
    worst = result.smallest ? std::max(worst, mean) : std::min(worst, mean);
    best = result.smallest ? std::min(best, mean) : std::max(best, mean);
  }
  const double range = std::abs(best - worst);
  if (!(range > 0)) return "";
  return std::string(
      static_cast<std::size_t>(std::lround(kBar * std::abs(mean_of(result, point) - worst) / range)), '#');
}

bool has_bars(const SweepResult& result) { return result.fields.size() == 1 && !result.nothing_changes(); }

std::string standing(const SweepResult& result, std::size_t point) {
  if (result.nothing_changes()) return "the same";
  if (point == result.best) return "best";
  if (result.points[point].all_gave_up()) return "gave up";
  return result.points[point].may_be_best ? "may be best" : "";
}

std::vector<std::string> header_of(const SweepResult& result, const std::vector<std::size_t>& losses) {
  std::vector<std::string> header;
  for (const SweptField& field : result.fields) header.push_back(field.path);
  const Unit unit = objective_unit(result);
  header.insert(header.end(), {"replicas",
                               result.smallest ? "cost per effective GPU-hour, " + currency_of(result)
                                               : "ETTR, " + unit.name,
                               "+-", "trails by", "+-"});
  for (const std::size_t phase : losses) header.push_back(std::string(kPhaseNames[phase]) + ", %");
  header.push_back("");
  if (has_bars(result)) header.push_back("worst to best");
  return header;
}

std::vector<std::string> row_of(const SweepResult& result, std::size_t number,
                                const std::vector<std::size_t>& losses) {
  const SweptPoint& point = result.points[number];
  const Unit unit = objective_unit(result);
  std::vector<std::string> row;
  for (std::size_t i = 0; i < result.fields.size(); ++i) row.push_back(result.fields[i].values[point.at[i]]);
  row.push_back(count_text(point.summary.replicas));
  const Statistics* of = point.summary.find(result.objective);
  const bool known = of != nullptr && of->mean;
  row.push_back(known ? unit.number(*of->mean) : "-");
  // Runs that gave up complete no work, so that a cost per work has no interval.
  const bool interval = !(result.smallest && point.all_gave_up());
  row.push_back(known && of->ci95 && interval ? unit.number(half_width(of->ci95)) : "-");
  const bool behind = point.behind && point.behind->difference;
  row.push_back(behind ? unit.number(*point.behind->difference) : "-");
  row.push_back(behind && point.behind->ci95 && interval ? unit.number(half_width(point.behind->ci95)) : "-");
  for (const std::size_t phase : losses) row.push_back(percent().number(share_lost(point.summary, phase)));
  row.push_back(standing(result, number));
  if (has_bars(result)) row.push_back(bar(result, point));
  return row;
}

}  // namespace

std::string objective_name(const SweepResult& result) {
  return result.smallest ? "cost per effective GPU-hour" : "ETTR";
}

Unit objective_unit(const SweepResult& result) {
  const Statistics* of = result.best ? result.points[*result.best].summary.find(result.objective) : nullptr;
  const Unit unit = metric_unit(result.objective, of && of->mean ? *of->mean : 0, currency_of(result));
  return of ? unit.fine_enough_for(half_width(of->ci95)) : unit;
}

std::string value_text(const Statistics& of, const Unit& unit) {
  if (!of.mean) return "-";
  const std::string gap = unit.name == "%" ? "" : " ";
  const std::string mean = unit.number(*of.mean) + gap + unit.name;
  return of.ci95 ? fmt::format("{} +- {}", mean, unit.number(half_width(of.ci95))) : mean;
}

std::vector<std::size_t> listed_points(const SweepResult& result) {
  std::vector<std::size_t> order(result.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto badness = [&](std::size_t i) {
    return (result.smallest ? 1 : -1) * mean_of(result, result.points[i]);
  };
  if (result.design != "grid" || order.size() > kMostRows) std::ranges::stable_sort(order, {}, badness);
  if (order.size() > kMostRows) order.resize(kMostRows);
  return order;
}

std::string points_table(const SweepResult& result) {
  const std::vector<std::size_t> losses = largest_losses(result), listed = listed_points(result);
  TextTable table{.header = header_of(result, losses), .rows = {}};
  for (const std::size_t point : listed) table.rows.push_back(row_of(result, point, losses));
  std::string text = to_text(table);
  if (listed.size() < result.points.size())
    text += fmt::format("  the best {} of {} points; points.csv of --out has them all\n", listed.size(),
                        count_text(static_cast<double>(result.points.size())));
  return text;
}

}  // namespace gauntlet
