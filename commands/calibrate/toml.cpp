#include "commands/calibrate/toml.hpp"

#include "config/toml/value.hpp"
#include "core/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace gauntlet {
namespace {

/// To four digits: nobody measures more.
std::string duration_text(double seconds) {
  double rounded = 0;
  const std::string text = fmt::format("{:.4g}", seconds);
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return to_text(seconds > 0 ? std::max(from_seconds(rounded), Duration(1)) : Duration::zero());
}

/// What scenarios give a path: a distribution is drawn by its median.
std::string path_of(const CalibratedKey& key) {
  return key.sample.key + (key.value.sigma > 0 ? ".median" : "");
}

std::string value_toml(const CalibratedKey& key) {
  const std::string seconds = quoted_toml(duration_text(key.value.seconds));
  if (key.value.sigma == 0) return seconds;
  return fmt::format("{{ name = \"lognormal\", median = {}, sigma = {:.4g} }}", seconds, key.value.sigma);
}

/// Where the size that the file is for was not measured.
std::string extrapolation_text(const CalibratedKey& key) {
  if (!key.value.extrapolated) return "";
  const std::string where = size_text(key.sample, key.value.size);
  if (key.value.line) return "EXTRAPOLATED to " + where;
  return fmt::format("measured at {} alone, and taken as constant for {}",
                     size_text(key.sample, key.sample.values.front().size), where);
}

std::string measured_text(const CalibratedKey& key) {
  return fmt::format("n = {} in {} run{}, {} to {}", key.value.n, key.value.runs,
                     key.value.runs == 1 ? "" : "s", duration_text(key.value.least),
                     duration_text(key.value.most));
}

std::string interval_text(const CalibratedKey& key) {
  if (key.value.degrees == 0)
    return key.value.n == 1 ? "one measurement: no interval" : "the measurements do not differ";
  return fmt::format("90% interval of the {} {} to {}", key.value.sigma > 0 ? "median" : "mean",
                     duration_text(key.value.value.low), duration_text(key.value.value.high));
}

/// A comment ends with its line.
std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  return text;
}

std::string comments(const CalibratedKey& key) {
  std::string out = "# " + measured_text(key) + "; " + interval_text(key) + "\n";
  for (const std::string& more : {line_text(key), extrapolation_text(key), key.sample.remark})
    if (!more.empty()) out += "# " + more + "\n";
  return out;
}

/// What the value is in one run more: an interval that is as wide as few measurements make it.
std::string uncertain_toml(const CalibratedScenario& of) {
  std::string out;
  for (const CalibratedKey& key : of.keys) {
    const std::string low = duration_text(key.value.one_run.low),
                      high = duration_text(key.value.one_run.high);
    if (key.value.degrees == 0 || low == high) continue;
    // A log-t of few degrees has these ends too, and beyond them times that no scenario can hold.
    out += fmt::format("  {{ path = {}, low = {}, high = {}, shape = \"lognormal\", source = {} }},\n",
                       quoted_toml(path_of(key)), quoted_toml(low), quoted_toml(high),
                       quoted_toml(measured_text(key) + "; " + of.date));
  }
  return out.empty() ? "" : "\nstudy.uncertain = [\n" + out + "]\n";
}

}  // namespace

std::string to_toml(const CalibratedScenario& of) {
  std::string out = fmt::format(
      "{}, in {} recording{} of drills, on {}.\n# Made by: {}\n#\n"
      "# For {:g} host{} and checkpoints of {}. A scenario uses it after the one that was drilled:\n"
      "#   extends = [\"DRILLED.toml\", \"THIS.toml\"]\n\n",
      kCalibrationBegins, of.recordings, of.recordings == 1 ? "" : "s", of.date, in_one_line(of.command),
      of.hosts, of.hosts == 1 ? "" : "s", to_text(Bytes{of.bytes}));
  for (const CalibratedKey& key : of.keys)
    out += comments(key) + key.sample.key + " = " + value_toml(key) + "\n";
  for (const std::string& key : of.zeroed)
    out += "# part of the phases that were measured\n" + key + " = \"0s\"\n";
  for (const CalibratedKey& key : of.without_place)
    out += fmt::format("# Not in the drilled scenario: {} = {}\n{}", key.sample.key, value_toml(key),
                       comments(key));
  if (!of.signals.empty())
    out +=
        "\n# From the host to the driver. A simulation delays by telemetry.delay, and exits by "
        "telemetry.exit_delay.\n";
  for (const CalibratedKey& key : of.signals)
    out +=
        fmt::format("# {}: {}, {}\n", key.sample.key, duration_text(key.value.seconds), measured_text(key));
  return out + uncertain_toml(of);
}

}  // namespace gauntlet
