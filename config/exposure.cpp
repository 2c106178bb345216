#include "config/exposure.hpp"

#include "core/random/law.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::array<std::pair<std::string_view, ComponentKind>, 17> kCounted = {{
    {"hosts", ComponentKind::host},
    {"host", ComponentKind::host},
    {"gpus", ComponentKind::gpu},
    {"gpu", ComponentKind::gpu},
    {"nics", ComponentKind::nic},
    {"nic", ComponentKind::nic},
    {"racks", ComponentKind::rack},
    {"rack", ComponentKind::rack},
    {"tors", ComponentKind::tor},
    {"tor", ComponentKind::tor},
    {"aggregations", ComponentKind::aggregation},
    {"aggregation", ComponentKind::aggregation},
    {"spines", ComponentKind::spine},
    {"spine", ComponentKind::spine},
    {"power", ComponentKind::power},
    {"jobs", ComponentKind::job},
    {"job", ComponentKind::job},
}};

constexpr std::string_view kExample = "write for example \"54d x 2048 hosts\"";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Parsed<Exposure> parse_exposure(std::string_view text) {
  const std::size_t times = text.find('x');
  if (times == std::string_view::npos) return {{}, "does not say how many components", std::string(kExample)};
  const auto seconds = parse_seconds(text.substr(0, times));
  if (!seconds.value) return {{}, "has a duration that " + seconds.why, seconds.suggestion};
  if (*seconds.value <= 0) return {{}, "lasts no time", std::string(kExample)};

  const std::string_view rest = trimmed(text.substr(times + 1));
  double components = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), components);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc{} || !(components > 0) || !std::isfinite(components))
    return {{}, "does not count components", std::string(kExample)};

  const std::string_view counted = trimmed(rest.substr(digits));
  const auto found =
      std::find_if(kCounted.begin(), kCounted.end(), [&](const auto& c) { return c.first == counted; });
  if (found == kCounted.end())
    return {{},
            "counts \"" + std::string(counted) + "\"",
            "count hosts, gpus, nics, racks, tors, aggregations, spines, power (domains) or jobs: \"54d x "
            "2048 hosts\""};
  return {Exposure{*seconds.value, components, found->second}, "", ""};
}

double expected_count(double count, double p) {
  return Law::gamma(count + 0.5, count + 0.5).time_at_survival(1 - p);
}

}  // namespace gauntlet
