#include "report/side_by_side.hpp"

#include "core/record/codec.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace gauntlet {
namespace {

/// What an order does to what, without its id and without any time that is its own.
std::string kind_and_target(const Action& action) {
  if (std::holds_alternative<Wake>(action)) return "Wake";
  if (std::holds_alternative<Cancel>(action)) return "Cancel";
  return to_text(Order{OrderId{}, action});
}

/// The bounds of a watch, which policies may have measured; nothing where it has none.
const Outside* bounds_of(const Action& action) {
  const auto* watch = std::get_if<Watch>(&action);
  return watch == nullptr ? nullptr : std::get_if<Outside>(&watch->until);
}

/// What makes two orders the same: an order to watch is the same whatever was measured before.
std::string meaning_of(const Action& action) {
  if (bounds_of(action) == nullptr) return kind_and_target(action);
  Watch watch = std::get<Watch>(action);
  watch.until = Outside{};
  return kind_and_target(watch);
}

std::vector<std::string> meanings_of(const Record& record) {
  std::vector<std::string> meanings;
  for (const RecordedOrder& each : record.orders) meanings.push_back(meaning_of(each.order.what));
  return meanings;
}

std::string answering(const Record& record, std::size_t order) {
  const Observed& observed = record.observations[record.orders[order].observations - 1];
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

/// Those that are alone, on both sides, in the order of time: what one world met and the other did not.
struct Alone {
  std::vector<std::size_t> left, right;
};

/// Orders without a partner at their place, of which both sides have as many, were given at another place.
std::string moved(const Side& left, const Side& right, Alone& alone) {
  std::string out;
  const std::vector<std::string> a = meanings_of(*left.record), b = meanings_of(*right.record);
  std::erase_if(alone.left, [&](std::size_t i) {
    const auto partner =
        std::find_if(alone.right.begin(), alone.right.end(), [&](std::size_t j) { return a[i] == b[j]; });
    if (partner == alone.right.end()) return false;
    out += fmt::format("  {:9.3f} s {:9.3f} s  {}\n", to_seconds(left.record->orders[i].at - kStart),
                       to_seconds(right.record->orders[*partner].at - kStart),
                       kind_and_target(left.record->orders[i].order.what));
    alone.right.erase(partner);
    return true;
  });
  return out;
}

std::string alone_text(const Side& side, const std::vector<std::size_t>& orders) {
  std::string out;
  for (const std::size_t i : orders) {
    out += fmt::format("  {:9.3f} s  {}\n    answering {}\n", to_seconds(side.record->orders[i].at - kStart),
                       kind_and_target(side.record->orders[i].order.what), answering(*side.record, i));
  }
  return out;
}

std::string bounds_text(const Action& left, const Side& right, const Action& other) {
  const Outside *a = bounds_of(left), *b = bounds_of(other);
  if (a == nullptr || (a->low == b->low && a->high == b->high)) return "";
  return fmt::format("    bounds measured: {:.3f} to {:.3f}, {} {:.3f} to {:.3f}\n", a->low, a->high,
                     right.name, b->low, b->high);
}

}  // namespace

/// A longest common subsequence, by the table of its lengths from each place on.
std::vector<OrderPair> pair_orders(const Record& left, const Record& right) {
  const std::vector<std::string> a = meanings_of(left), b = meanings_of(right);
  std::vector<std::vector<std::uint32_t>> common(a.size() + 1, std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<OrderPair> pairs;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      pairs.push_back({i++, j++});
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      pairs.push_back({i++, std::nullopt});
    } else {
      pairs.push_back({std::nullopt, j++});
    }
  }
  return pairs;
}

std::string side_by_side(const Side& left, const Side& right, const std::vector<std::string>& fault_names) {
  std::string out = times(left, right, fault_names);
  out += fmt::format("\norders, {} and {}\n", left.name, right.name);
  Alone alone;
  std::size_t paired = 0;
  bool bounds_differ = false;
  for (const OrderPair& pair : pair_orders(*left.record, *right.record)) {
    if (!pair.right) alone.left.push_back(*pair.left);
    if (!pair.left) alone.right.push_back(*pair.right);
    if (!pair.left || !pair.right) continue;
    const RecordedOrder &a = left.record->orders[*pair.left], &b = right.record->orders[*pair.right];
    const std::string bounds = bounds_text(a.order.what, right, b.order.what);
    out += fmt::format("  {:9.3f} s {:9.3f} s  {}\n{}", to_seconds(a.at - kStart), to_seconds(b.at - kStart),
                       kind_and_target(a.order.what), bounds);
    bounds_differ = bounds_differ || !bounds.empty();
    ++paired;
  }
  const std::string count = counted(static_cast<double>(paired), "order");
  if (alone.left.empty() && alone.right.empty()) {
    return out + fmt::format("The sequences are the same: {}{}.\n", count,
                             bounds_differ ? ", but for bounds that were measured" : "");
  }
  out += fmt::format("The same on both sides: {}.\n", count);
  if (const std::string elsewhere = moved(left, right, alone); !elsewhere.empty())
    out += "at another place in the sequence\n" + elsewhere;
  for (const auto& [side, orders] : {std::pair(&left, &alone.left), std::pair(&right, &alone.right)}) {
    if (!orders->empty()) out += side->name + " alone\n" + alone_text(*side, *orders);
  }
  return out;
}

}  // namespace gauntlet
