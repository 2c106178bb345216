#include "config/fields/exposure.hpp"

#include "core/component.hpp"
#include "core/random/law.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kAdvice = "write for example \"54d x 2048 hosts\"";

/// `write "365d x 1024 hosts"` for "365 x 1024 hosts": an exposure is counted in days. Empty where more than the unit is missing.
std::string with_days(std::string_view time, std::string_view rest) {
  double number = 0;
  const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), number);
  if (error != std::errc{} || end != time.data() + time.size()) return "";
  return "write \"" + std::string(time) + "d " + std::string(rest) + "\"";
}

}  // namespace

Parsed<Exposure> parse_exposure(std::string_view text) {
  const std::size_t times = text.find('x');
  if (times == std::string_view::npos) return {{}, "does not say how many components", std::string(kAdvice)};
  const auto seconds = parse_seconds(text.substr(0, times));
  if (!seconds.value) {
    std::string suggestion = with_days(trimmed(text.substr(0, times)), text.substr(times));
    if (suggestion.empty()) suggestion = seconds.suggestion;
    return {{}, "has a duration that " + seconds.why, std::move(suggestion)};
  }
  if (*seconds.value <= 0) return {{}, "lasts no time", std::string(kAdvice)};

  const std::string_view rest = trimmed(text.substr(times + 1));
  double components = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), components);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc{} || !(components > 0) || !std::isfinite(components))
    return {{}, "does not count components", std::string(kAdvice)};

  const std::string_view counted = trimmed(rest.substr(digits));
  const std::string_view one = counted.substr(0, counted.size() - (counted.ends_with('s') ? 1 : 0));
  const auto found = std::find(kComponentNames.begin(), kComponentNames.end(), one);
  if (found == kComponentNames.end() || counted == "powers")
    return {{},
            "counts \"" + std::string(counted) + "\"",
            "count hosts, gpus, nics, racks, tors, aggregations, spines, power (domains) or jobs: \"54d x "
            "2048 hosts\""};
  return {Exposure{*seconds.value, components, static_cast<ComponentKind>(found - kComponentNames.begin())},
          "", ""};
}

double expected_count(double count, double p) {
  return Law::gamma(count + 0.5, count + 0.5).time_at_survival(1 - p);
}

}  // namespace gauntlet
