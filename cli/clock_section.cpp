#include "cli/clock_section.hpp"

#include "core/time.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gauntlet {
namespace {

/// Rounded up to two digits: it is a bound.
std::string bound_text(Duration error) {
  constexpr double kLeastMilliseconds = 0.001;
  constexpr double kMillisecondsPerSecond = 1e3;
  const double milliseconds = std::max(to_seconds(error) * kMillisecondsPerSecond, kLeastMilliseconds);
  const double unit = std::pow(10.0, std::floor(std::log10(milliseconds)) - 1);
  const double rounded = std::ceil(milliseconds / unit) * unit;
  if (rounded < kMillisecondsPerSecond) return fmt::format("{:.2g} ms", rounded);
  return fmt::format("{:.3g} s", rounded / kMillisecondsPerSecond);
}

}  // namespace

std::string clock_section(const ClockAccuracy& clocks) {
  std::string text = "\nClocks\n";
  if (clocks.one_clock) {
    return text +
           "  Detection times carry no error of clocks, because the driver and all agents read one clock.\n";
  }
  text += fmt::format(
      "  Detection times carry an error of up to {}, because the hosts' clocks are mapped to the driver's.\n"
      "  Each lease measures this error: half of its round trip, and the drift of the clocks since.\n",
      bound_text(clocks.largest_error));
  if (clocks.jumps > 0)
    text += fmt::format(
        "  A host's clock jumped {}, as when the host is suspended. Times just before a jump are wrong by "
        "the jump.\n",
        clocks.jumps == 1 ? "once" : fmt::format("{} times", clocks.jumps));
  return text;
}

}  // namespace gauntlet
