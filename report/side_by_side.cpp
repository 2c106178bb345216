#include "report/side_by_side.hpp"

#include "core/record/codec.hpp"
#include "report/causes.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

/// The bounds of a watch, which policies may have measured; nothing where it has none.
const Outside* bounds_of(const Action& action) {
  const auto* watch = std::get_if<Watch>(&action);
  return watch == nullptr ? nullptr : std::get_if<Outside>(&watch->until);
}

/// What makes two orders the same: an order to watch is the same whatever was measured before.
std::string meaning_of(const Action& action) {
  if (bounds_of(action) == nullptr) return order_text(action);
  Watch watch = std::get<Watch>(action);
  watch.until = Outside{};
  return order_text(watch);
}

std::vector<std::string> meanings_of(const Record& record) {
  std::vector<std::string> meanings;
  for (const RecordedOrder& each : record.orders) meanings.push_back(meaning_of(each.order.what));
  return meanings;
}

std::string name_of(Cause cause, const std::vector<std::string>& fault_names) {
  if (!is_fault(cause)) return std::string(kCauseNames[cause.value]);
  return fault_names[fault_of(cause).value];
}

std::string seconds(Duration time) { return fmt::format("{:9.3f}", to_seconds(time)); }

/// One side with the causes of its orders.
struct Told {
  const Side& side;
  Causes causes;
  std::vector<bool> paired;  // by order: at its place in the sequence
  explicit Told(const Side& of) : side(of), causes(*of.record), paired(of.record->orders.size(), false) {}
  const RecordedOrder& order(std::size_t i) const { return side.record->orders[i]; }
  double seconds_of(std::size_t i) const { return to_seconds(order(i).at - kStart); }
};

/// What ended the silence of an incident: what the first stop since its beginning answers, and how long after the beginning that is. Empty
/// where nothing stopped the job.
std::string found_by(const Told& told, const Incident& incident) {
  const std::vector<RecordedOrder>& orders = told.side.record->orders;
  for (std::size_t i = 0; i < orders.size() && orders[i].at <= incident.closed; ++i) {
    if (orders[i].at < incident.opened || !std::holds_alternative<Stop>(orders[i].order.what)) continue;
    return fmt::format("{} stopped by {}", told.side.name, told.causes.text_of(told.causes.origin_of(i)));
  }
  return "";
}

std::string repeated(const Told& told, const Incident& incident) {
  if (incident.steps_lost == 0) return fmt::format("{} repeats no step", told.side.name);
  const double each =
      to_seconds(at(incident.lost, Phase::recomputing)) / static_cast<double>(incident.steps_lost);
  return fmt::format("{} repeats {} of {:.3f} s", told.side.name,
                     counted(static_cast<double>(incident.steps_lost), "step"), each);
}

std::string times(const Told& here, const Told& there, const std::vector<std::string>& fault_names) {
  const Side &left = here.side, &right = there.side;
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
    std::string found;
    if (i < a.size()) found = found_by(here, x);
    if (const std::string other = i < b.size() ? found_by(there, y) : ""; !other.empty())
      found += (found.empty() ? "" : ", ") + other;
    if (!found.empty()) out += "    " + found + "\n";
    if (x.steps_lost + y.steps_lost > 0 && i < a.size() && i < b.size())
      out += "    " + repeated(here, x) + ", " + repeated(there, y) + "\n";
  }
  out += "whole run\n";
  for (std::size_t p = 0; p < kPhases; ++p) {
    row("  " + std::string(kPhaseNames[p]), left.figures->phases[p], right.figures->phases[p]);
  }
  row("  wall time", left.figures->wall, right.figures->wall);
  return out;
}

/// Two orders of the same meaning that answer observations of different kinds.
std::string answers_text(const Told& left, std::size_t i, const Told& right, std::size_t j) {
  const std::size_t a = left.causes.origin_of(i), b = right.causes.origin_of(j);
  if (left.causes.kind_of(a) == right.causes.kind_of(b)) return "";
  return fmt::format("    answers {}, {} {}\n", left.causes.text_of(a), right.side.name,
                     right.causes.text_of(b));
}

/// How long the world needed for what both were asked to do. A timer is as long as policies ask for, and a watch takes no time.
std::string took_text(const Told& left, std::size_t i, const Told& right, std::size_t j) {
  const Action& action = left.order(i).order.what;
  const bool at_once = std::holds_alternative<Wake>(action) || std::holds_alternative<Cancel>(action) ||
                       std::holds_alternative<Watch>(action) || std::holds_alternative<Unwatch>(action) ||
                       std::holds_alternative<CheckpointEvery>(action) ||
                       std::holds_alternative<Alert>(action);
  const auto a = left.causes.took(i), b = right.causes.took(j);
  if (at_once || !a || !b || *a == *b) return "";
  return fmt::format("    took {:.3f} s, {} {:.3f} s\n", to_seconds(*a), right.side.name, to_seconds(*b));
}

/// Those that are alone, on both sides, in the order of time: what one world met and the other did not.
struct Alone {
  std::vector<std::size_t> left, right;
};

/// Orders without a partner at their place, of which both sides have as many, were given at another place.
std::string moved(const Told& left, const Told& right, Alone& alone) {
  std::string out;
  const std::vector<std::string> a = meanings_of(*left.side.record), b = meanings_of(*right.side.record);
  std::erase_if(alone.left, [&](std::size_t i) {
    const auto partner =
        std::find_if(alone.right.begin(), alone.right.end(), [&](std::size_t j) { return a[i] == b[j]; });
    if (partner == alone.right.end()) return false;
    out += fmt::format("  {:9.3f} s {:9.3f} s  {}\n", left.seconds_of(i), right.seconds_of(*partner),
                       order_text(left.order(i).order.what));
    const std::string answers = answers_text(left, i, right, *partner);
    out +=
        answers.empty()
            ? fmt::format("    answers {}, {} {:.3f} s {}\n", left.causes.text_of(left.causes.origin_of(i)),
                          right.side.name, std::abs(left.seconds_of(i) - right.seconds_of(*partner)),
                          left.seconds_of(i) > right.seconds_of(*partner) ? "earlier" : "later")
            : answers;
    alone.right.erase(partner);
    return true;
  });
  return out;
}

/// Why one side alone gave an order; nothing where its record does not show it. It goes on with an order that the other side did not give
/// there, or it answers what the other side observed less often, or measured otherwise.
std::string cause_text(const Told& here, std::size_t order, const Told& there) {
  const std::size_t origin = here.causes.origin_of(order);
  const std::string& kind = here.causes.kind_of(origin);
  const std::size_t times = here.causes.count(kind), others = there.causes.count(kind);
  if (times > others)
    return fmt::format("answers {}: {} in the {} run, {} in the {} one", here.causes.text_of(origin),
                       counted(static_cast<double>(times), "time"), here.side.name, others, there.side.name);
  const auto range = here.causes.range_of(kind), other = there.causes.range_of(kind);
  if (here.causes.measures(origin) && range && other && *range != *other)
    return fmt::format("answers {}: measured {:.4g} to {:.4g} in the {} run, {:.4g} to {:.4g} in the {} one",
                       here.causes.text_of(origin), range->lowest, range->highest, here.side.name,
                       other->lowest, other->highest, there.side.name);
  if (const auto earlier = here.causes.goes_on_with(order); earlier && !here.paired[*earlier])
    return fmt::format("goes on with the order at {:.3f} s", here.seconds_of(*earlier));
  return "";
}

/// Orders of one meaning that answer the same kind of observation, as the timers of a noisy detector do.
struct Alike {
  std::size_t first = 0, last = 0, count = 0;
  std::string cause;  // of the first
};

/// Adds to `unexplained` those whose cause is not shown.
std::string alone_text(const Told& here, const std::vector<std::size_t>& orders, const Told& there,
                       std::size_t& unexplained) {
  std::map<std::string, std::size_t> known;
  std::vector<Alike> groups;
  for (const std::size_t i : orders) {
    std::string cause = cause_text(here, i, there);
    const std::size_t origin = here.causes.origin_of(i);
    const bool explained = !cause.empty();
    if (!explained) {
      ++unexplained;
      cause = "not explained: answers " + here.causes.text_of(origin) + ", which both runs observed as often";
    }
    const std::string key = order_text(here.order(i).order.what) + "\n" + here.causes.kind_of(origin) +
                            (explained ? "" : "\nnot explained");
    const auto [found, is_new] = known.emplace(key, groups.size());
    if (is_new) groups.push_back({.first = i, .last = i, .count = 0, .cause = cause});
    groups[found->second].last = i;
    ++groups[found->second].count;
  }
  std::string out;
  for (const Alike& each : groups) {
    out += fmt::format("  {:9.3f} s  {}", here.seconds_of(each.first),
                       order_text(here.order(each.first).order.what));
    if (each.count > 1)
      out += fmt::format(", {} times until {:.3f} s; the first", each.count, here.seconds_of(each.last));
    out += "\n    " + each.cause + "\n";
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

std::string order_text(const Action& action) {
  if (std::holds_alternative<Wake>(action)) return "Wake";
  if (std::holds_alternative<Cancel>(action)) return "Cancel";
  return to_text(Order{OrderId{}, action});
}

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
  Told a(left), b(right);
  std::string out = times(a, b, fault_names);
  out += fmt::format("\norders, {} and {}\n", left.name, right.name);
  Alone alone;
  std::size_t paired = 0;
  bool bounds_differ = false;
  for (const OrderPair& pair : pair_orders(*left.record, *right.record)) {
    if (!pair.right) alone.left.push_back(*pair.left);
    if (!pair.left) alone.right.push_back(*pair.right);
    if (!pair.left || !pair.right) continue;
    const std::size_t i = *pair.left, j = *pair.right;
    a.paired[i] = b.paired[j] = true;
    const std::string bounds = bounds_text(a.order(i).order.what, right, b.order(j).order.what);
    out += fmt::format("  {:9.3f} s {:9.3f} s  {}\n{}{}{}", a.seconds_of(i), b.seconds_of(j),
                       order_text(a.order(i).order.what), bounds, answers_text(a, i, b, j),
                       took_text(a, i, b, j));
    bounds_differ = bounds_differ || !bounds.empty();
    ++paired;
  }
  const std::string count = counted(static_cast<double>(paired), "order");
  if (alone.left.empty() && alone.right.empty()) {
    return out + fmt::format("The sequences are the same: {}{}.\n", count,
                             bounds_differ ? ", but for bounds that were measured" : "");
  }
  out += fmt::format("The same on both sides: {}.\n", count);
  if (const std::string elsewhere = moved(a, b, alone); !elsewhere.empty())
    out += "at another place in the sequence\n" + elsewhere;
  std::size_t unexplained = 0;
  if (!alone.left.empty()) out += left.name + " alone\n" + alone_text(a, alone.left, b, unexplained);
  if (!alone.right.empty()) out += right.name + " alone\n" + alone_text(b, alone.right, a, unexplained);
  const auto differing = static_cast<double>(alone.left.size() + alone.right.size());
  if (unexplained > 0)
    return out + fmt::format("Not explained by the records: {} of {}.\n", unexplained,
                             counted(differing, "difference"));
  return out + "The records explain every difference.\n";
}

}  // namespace gauntlet
