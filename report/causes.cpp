#include "report/causes.hpp"

#include "core/component.hpp"
#include "core/record/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace gauntlet {
namespace {

/// The watch that an order is about; nothing where it is about none.
std::optional<WatchId> watch_of_order(const Action& action) {
  if (const auto* watch = std::get_if<Watch>(&action)) return watch->id;
  if (const auto* unwatch = std::get_if<Unwatch>(&action)) return unwatch->watch;
  return std::nullopt;
}

std::string name_of_signal(const Watch& watch) {
  return std::string(kSignalNames[static_cast<std::size_t>(watch.signal)]);
}

}  // namespace

Causes::Causes(const Record& record) : record_(record) {
  for (std::size_t i = 0; i < record.orders.size(); ++i) {
    order_of_[record.orders[i].order.id] = i;
    if (const auto watch = watch_of_order(record.orders[i].order.what)) about_[*watch].push_back(i);
  }
  for (std::size_t i = 0; i < record.observations.size(); ++i) {
    if (const auto* outcome = std::get_if<Outcome>(&record.observations[i].what))
      took_[outcome->order] = outcome->took;
    kinds_.push_back(kind_of_new(i));
  }
}

std::size_t Causes::origin_of(std::size_t order) const {
  for (;;) {
    const std::size_t answered = record_.orders[order].observations - 1;
    const auto* outcome = std::get_if<Outcome>(&record_.observations[answered].what);
    const auto earlier = outcome == nullptr ? order_of_.end() : order_of_.find(outcome->order);
    if (earlier == order_of_.end() || earlier->second >= order) return answered;
    order = earlier->second;
  }
}

/// As it was ordered last before the observation.
const Watch* Causes::watch_of(const Seen& seen, std::size_t observation) const {
  const Watch* found = nullptr;
  const auto orders = about_.find(seen.watch);
  if (orders == about_.end()) return found;
  for (const std::size_t order : orders->second) {
    if (record_.orders[order].observations > observation) break;
    if (const auto* watch = std::get_if<Watch>(&record_.orders[order].order.what)) found = watch;
  }
  return found;
}

std::string Causes::kind_of_new(std::size_t observation) const {
  const Observation& what = record_.observations[observation].what;
  const auto* seen = std::get_if<Seen>(&what);
  if (seen == nullptr) {
    const std::string text = to_text(record_.observations[observation]);
    return text.substr(0, text.find('{'));
  }
  const Watch* watch = watch_of(*seen, observation);
  if (watch == nullptr) return "report of a probe";
  const bool began = seen->edge == Edge::began;
  if (std::holds_alternative<Silence>(watch->until))
    return (began ? "no " : "again ") + name_of_signal(*watch);
  if (std::holds_alternative<Outside>(watch->until) && seen->edge != Edge::sample)
    return name_of_signal(*watch) + (began ? " outside its bounds" : " within its bounds again");
  return name_of_signal(*watch);
}

std::size_t Causes::count(const std::string& kind) const {
  return static_cast<std::size_t>(std::count(kinds_.begin(), kinds_.end(), kind));
}

bool Causes::measures(std::size_t observation) const {
  const auto* seen = std::get_if<Seen>(&record_.observations[observation].what);
  const Watch* watch = seen == nullptr ? nullptr : watch_of(*seen, observation);
  return watch != nullptr && std::holds_alternative<Sample>(watch->until);
}

std::optional<MeasuredRange> Causes::range_of(const std::string& kind) const {
  std::optional<MeasuredRange> range;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const auto* seen = std::get_if<Seen>(&record_.observations[i].what);
    if (seen == nullptr || kinds_[i] != kind) continue;
    if (!range) range = MeasuredRange{seen->value, seen->value};
    range = MeasuredRange{std::min(range->lowest, seen->value), std::max(range->highest, seen->value)};
  }
  return range;
}

std::string Causes::text_of(std::size_t observation) const {
  const Observed& observed = record_.observations[observation];
  const auto* seen = std::get_if<Seen>(&observed.what);
  std::string text = kinds_[observation];
  if (seen != nullptr) {
    text += " (" + name_of(seen->who);
    const Watch* watch = watch_of(*seen, observation);
    const auto* bounds = watch == nullptr ? nullptr : std::get_if<Outside>(&watch->until);
    if (measures(observation)) text += fmt::format(": {:.4g}", seen->value);
    if (bounds != nullptr)
      text += fmt::format(": {:.4g}, bounds {:.4g} to {:.4g}", seen->value, bounds->low, bounds->high);
    text += ")";
  }
  return text + fmt::format(" at {:.3f} s", to_seconds(observed.at - kStart));
}

std::optional<std::size_t> Causes::goes_on_with(std::size_t order) const {
  const Action& action = record_.orders[order].order.what;
  if (const auto* cancel = std::get_if<Cancel>(&action)) {
    const auto found = order_of_.find(cancel->order);
    return found == order_of_.end() ? std::nullopt : std::optional(found->second);
  }
  const auto watch = watch_of_order(action);
  if (!watch) return std::nullopt;
  const std::vector<std::size_t>& about = about_.at(*watch);
  const auto place = std::lower_bound(about.begin(), about.end(), order);
  return place == about.begin() ? std::nullopt : std::optional(*(place - 1));
}

std::optional<Duration> Causes::took(std::size_t order) const {
  const auto found = took_.find(record_.orders[order].order.id);
  return found == took_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace gauntlet
