#include "study/levers/fault_levers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kHalf = 0.5;
/// The mean life of what never strikes by itself is hundreds of digits beyond every window (config/fields/fault_rates.cpp).
constexpr double kNeverSeconds = 1e299;

std::string number_text(double value) { return fmt::format("{}", value); }

double rate_factor(const Value& resolved, const std::string& fault) {
  const Value* value = resolved.find(fault + ".rate_factor");
  if (value == nullptr) return 1;
  if (const auto* whole = std::get_if<std::int64_t>(&value->data)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&value->data);
  return number != nullptr ? *number : 1;
}

/// The trace without its first onset, its third, and so on.
std::string every_second(const FaultKind& kind) {
  std::string list;
  for (std::size_t i = 1; i < kind.trace.size(); i += 2)
    list += fmt::format("{}{{ at = \"{}\", component = {} }}", list.empty() ? "" : ", ",
                        to_text(kind.trace[i].first - kStart), kind.trace[i].second);
  return "[" + list + "]";
}

void add_own(const FaultKind& kind, const Value& resolved, const std::string& path, Lever& lever) {
  if (kind.clock == FaultClock::start) {
    if (kind.chance.value > 0)
      lever.settings.push_back({path + ".chance", number_text(kHalf * kind.chance.value)});
  } else if (!kind.trace.empty()) {
    lever.settings.push_back({path + ".trace", every_second(kind)});
    lever.change = fmt::format("{} to {} onsets", kind.trace.size(), kind.trace.size() / 2);
  } else if (kind.life.mean() < kNeverSeconds) {
    lever.settings.push_back({path + ".rate_factor", number_text(kHalf * rate_factor(resolved, path))});
  }
  if (kind.prevalence.value > 0)
    lever.settings.push_back({path + ".prevalence", number_text(kHalf * kind.prevalence.value)});
}

}  // namespace

std::vector<Lever> fault_levers(const World& world, const Value& resolved) {
  std::vector<Lever> levers;
  for (std::size_t k = 0; k < world.faults.size(); ++k) {
    const FaultKind& kind = world.faults[k];
    const std::string path = "faults." + kind.name;
    Lever lever{.path = path, .change = "half as often", .settings = {}};
    add_own(kind, resolved, path, lever);
    for (const FaultKind& before : world.faults)
      if (before.followed_by && before.followed_by->kind.value == k)
        lever.settings.push_back({"faults." + before.name + ".followed_by.probability",
                                  number_text(kHalf * before.followed_by->probability.value)});
    levers.push_back(std::move(lever));
  }
  return levers;
}

bool has_events(const World& world) {
  // What follows a fault, such as a probe that finds what is not there, needs one that strikes.
  const auto strikes = [](const FaultKind& kind) {
    if (kind.prevalence.value > 0 || !kind.trace.empty()) return true;
    return kind.clock == FaultClock::start ? kind.chance.value > 0 : kind.life.mean() < kNeverSeconds;
  };
  return world.telemetry.gap_mtbf > Duration::zero() || world.telemetry.blip_mtbf > Duration::zero() ||
         std::ranges::any_of(world.faults, strikes);
}

}  // namespace gauntlet
