#include "commands/scale/table.hpp"

#include "report/losses.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet {
namespace {

constexpr int kMostDecimals = 3;  // of a percentage

Shown shown(double mean, const std::optional<Interval>& ci95, const Unit& unit) {
  const double width = half_width(ci95);
  const Unit fine = unit.fine_enough_for(width);
  return {fine.number(mean), ci95 ? fine.number(width) : "-"};
}

Unit hours(double seconds) {
  constexpr double kHour = 3600;
  int decimals = 0;
  for (double size = seconds > 0 ? seconds / kHour : 1000; size < 1000 && decimals < 6; size *= 10)
    ++decimals;
  return {.divisor = kHour, .name = "h", .decimals = decimals};
}

/// "12.3 min +- 0.4", "every step"
std::string interval_text(const std::optional<BestInterval>& best) {
  if (!best) return "-";
  if (best->every_step) return "every step";
  const Unit unit = time_unit(best->seconds);
  return shown(best->seconds, best->ci95, unit).both(unit.name);
}

/// A share with as many digits as its narrowest interval needs, within reason.
Unit share_unit(const ScaleResult& result, std::string_view metric) {
  Unit unit = percent();
  for (const ScaledSize& size : result.sizes) {
    const Statistics* of = size.summary.find(metric);
    if (of != nullptr && of->ci95) unit = unit.fine_enough_for((of->ci95->high - of->ci95->low) / 2);
  }
  unit.decimals = std::min(unit.decimals, kMostDecimals);
  return unit;
}

/// "recomputing 12.34%": the loss that weighs most.
std::string largest_loss(const Summary& summary) {
  const std::vector<Loss> losses = losses_by_phase(summary);
  const double wall = summary.mean("wall_time_s").value_or(0);
  if (losses.empty() || !(wall > 0)) return "-";
  return fmt::format("{} {}%", losses[0].name, percent().number(losses[0].seconds / wall));
}

}  // namespace

std::string Shown::both(std::string_view unit) const {
  const std::string name = unit == "%" ? "%" : fmt::format(" {}", unit);
  if (mean == "-") return "unknown";
  return half_width == "-" ? mean + name : fmt::format("{}{} +- {}", mean, name, half_width);
}

Shown shown(const Summary& summary, std::string_view metric, const Unit& unit) {
  const Statistics* of = summary.find(metric);
  return of != nullptr && of->mean ? shown(*of->mean, of->ci95, unit) : Shown{};
}

Shown mttf_in_hours(const Summary& summary) {
  return shown(summary, "mttf_s", hours(summary.mean("mttf_s").value_or(0)));
}

std::string gpus_text(const ScaledSize& size) { return count_text(size.summary.facts.gpus); }

std::string sizes_table(const ScaleResult& result) {
  TextTable table{
      .header = {"GPUs", "MTTF, h", "+-", "ETTR, %", "+-", "MFU, %", "+-", "best interval", "largest loss"},
      .rows = {}};
  const Unit ettr_unit = share_unit(result, "ettr"), mfu_unit = share_unit(result, "mfu");
  for (const ScaledSize& size : result.sizes) {
    const Shown of_mttf = mttf_in_hours(size.summary), ettr = shown(size.summary, "ettr", ettr_unit),
                mfu = shown(size.summary, "mfu", mfu_unit);
    table.rows.push_back({gpus_text(size), of_mttf.mean, of_mttf.half_width, ettr.mean, ettr.half_width,
                          mfu.mean, mfu.half_width, interval_text(size.best_interval),
                          largest_loss(size.summary)});
  }
  return to_text(table);
}

}  // namespace gauntlet
