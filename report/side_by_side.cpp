#include "report/side_by_side.hpp"

#include "core/record/codec.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet {
namespace {

/// What an order does to what, without its id and without any time that is its own.
std::string kind_and_target(const Action& action) {
  if (std::holds_alternative<Wake>(action)) return "Wake";
  if (std::holds_alternative<Cancel>(action)) return "Cancel";
  return to_text(Order{OrderId{}, action});
}

std::string answering(const Record& record, std::size_t order) {
  if (record.observations.empty()) return "";
  const std::size_t seen =
      order < record.orders.size() ? record.orders[order].observations : record.observations.size();
  const Observed& observed = record.observations[seen - 1];
  return fmt::format("{} at {:.3f} s", to_text(observed), to_seconds(observed.at - kStart));
}

std::string name_of(Cause cause, const std::vector<std::string>& fault_names) {
  if (!is_fault(cause)) return std::string(kCauseNames[cause.value]);
  return fault_names[fault_of(cause).value];
}

std::string seconds(Duration time) { return fmt::format("{:9.3f}", to_seconds(time)); }

std::string times(const Side& left, const Side& right, const std::vector<std::string>& fault_names) {
  std::string out =
      fmt::format("{:<34} {:>9} {:>9} {:>11}\n", "seconds", left.name, right.name, "difference");
  const auto row = [&](const std::string& what, Duration a, Duration b) {
    if (a == Duration::zero() && b == Duration::zero()) return;
    out += fmt::format("{:<34} {} {}   {}\n", what, seconds(a), seconds(b), seconds(a - b));
  };
  const std::vector<Incident>& a = left.figures->incidents;
  const std::vector<Incident>& b = right.figures->incidents;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const Incident none{};
    const Incident& x = i < a.size() ? a[i] : none;
    const Incident& y = i < b.size() ? b[i] : none;
    const Incident& named = i < a.size() ? x : y;
    out += fmt::format("incident {}: {}{}\n", i + 1, name_of(named.cause, fault_names),
                       i >= a.size()   ? ", " + right.name + " alone"
                       : i >= b.size() ? ", " + left.name + " alone"
                                       : "");
    row("  opened at", x.opened - kStart, y.opened - kStart);
    for (std::size_t p = 0; p < kPhases; ++p) row("  " + std::string(kPhaseNames[p]), x.lost[p], y.lost[p]);
    row("  until progress is regained", x.closed - x.opened, y.closed - y.opened);
  }
  out += "whole run\n";
  for (std::size_t p = 0; p < kPhases; ++p) {
    row("  " + std::string(kPhaseNames[p]), left.figures->phases[p], right.figures->phases[p]);
  }
  row("  wall time", left.figures->wall, right.figures->wall);
  return out;
}

}  // namespace

std::optional<Parting> where_orders_part(const Record& left, const Record& right) {
  for (std::size_t i = 0; i < std::max(left.orders.size(), right.orders.size()); ++i) {
    const std::string a = i < left.orders.size() ? kind_and_target(left.orders[i].order.what) : "";
    const std::string b = i < right.orders.size() ? kind_and_target(right.orders[i].order.what) : "";
    if (a != b) return Parting{i, a, b, answering(left, i), answering(right, i)};
  }
  return std::nullopt;
}

std::string side_by_side(const Side& left, const Side& right, const std::vector<std::string>& fault_names) {
  std::string out = times(left, right, fault_names);
  const std::optional<Parting> parting = where_orders_part(*left.record, *right.record);
  const std::size_t same = parting ? parting->order : left.record->orders.size();
  out += fmt::format("\norders, {} and {}\n", left.name, right.name);
  for (std::size_t i = 0; i < same; ++i) {
    out += fmt::format("  {:9.3f} s {:9.3f} s  {}\n", to_seconds(left.record->orders[i].at - kStart),
                       to_seconds(right.record->orders[i].at - kStart),
                       kind_and_target(left.record->orders[i].order.what));
  }
  if (!parting)
    return out +
           fmt::format("The sequences are the same: {}.\n", counted(static_cast<double>(same), "order"));
  const auto side = [&](const std::string& name, const std::string& order, const std::string& seen) {
    out += fmt::format("  {}: {}\n    answering {}\n", name, order.empty() ? "no more orders" : order, seen);
  };
  out += fmt::format("After {} the sequences differ:\n", counted(static_cast<double>(same), "order"));
  side(left.name, parting->left, parting->left_answering);
  side(right.name, parting->right, parting->right_answering);
  return out;
}

}  // namespace gauntlet
