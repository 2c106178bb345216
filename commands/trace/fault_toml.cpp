#include "commands/trace/fault_toml.hpp"

#include "commands/trace/records/components.hpp"
#include "commands/trace/records/date.hpp"
#include "config/toml/value.hpp"
#include "core/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace gauntlet {
namespace {

/// How many bytes the character takes that `text` begins with; 0 where it is not UTF-8 (RFC 3629, sec. 4).
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || !follows(1)) return 0;
  if (first < 0xe0) return 2;
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  if (overlong || beyond || !follows(2)) return 0;
  if (first < 0xf0) return 3;
  return follows(3) ? 4 : 0;
}

/// What a line of TOML may hold of a text: no control characters, and in the place of each byte that is not UTF-8 a mark.
std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = character_at(text);
    if (size == 0) {
      out += "\xef\xbf\xbd";  // U+FFFD
    } else if (size > 1 || (static_cast<unsigned char>(text[0]) >= ' ' && text[0] != '\x7f')) {
      out += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(1, size));
  }
  return out;
}

/// Words as comment lines.
std::string comment(std::string_view words) {
  std::string out;
  std::istringstream lines{std::string(words)};
  for (std::string line; std::getline(lines, line);) {
    line = printable(line);
    out += line.empty() ? "#\n" : "# " + line + "\n";
  }
  return out;
}

/// A string of TOML; what no line may hold is left out.
std::string string_toml(std::string_view text) { return quoted_toml(printable(text)); }

double parameter(const FittedLaw& fit, std::string_view name) {
  return std::ranges::find(fit.parameters, name, &FittedParameter::name)->value;
}

/// To the millisecond, or the nanosecond of what is shorter than a second: no fit is as good as that.
std::string time_toml(double seconds) {
  const double step = seconds >= 1 ? 1e-3 : 1e-9;
  const Duration rounded =
      from_seconds(static_cast<double>(static_cast<std::int64_t>(seconds / step + 0.5)) * step);
  return string_toml(to_text(std::max(rounded, Duration(1))));
}

std::vector<Duration> known_repairs(const FailureTrace& trace, std::uint32_t cause) {
  std::vector<Duration> out;
  for (const FailureRecord& record : trace.records)
    if (record.cause == cause && record.node != kNoNode && record.repair && *record.repair > Duration::zero())
      out.push_back(*record.repair);
  return out;
}

/// A list over several lines.
std::string list_toml(const std::vector<std::string>& items, std::size_t a_line) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    out += i % a_line == 0 ? "\n  " : " ";
    out += items[i] + ",";
  }
  return out + "\n]";
}

constexpr const char* kNodeIsDown =
    "component = \"host\"\neffect = \"crash\"\nheartbeat_lost = true\nremedy = \"repair\"\n";

}  // namespace

std::string law_toml(const FittedLaw& fit, bool with_mean) {
  const std::string_view name = fit.law.name();
  const auto number = [&](const char* of) { return fmt::format("{:.4g}", parameter(fit, of)); };
  const auto time = [&](const char* of) { return time_toml(parameter(fit, of)); };
  std::string out = fmt::format("{{ name = \"{}\"", name);
  if (name == "weibull") {
    out += ", shape = " + number("shape");
    if (with_mean) out += ", scale = " + time("scale_s");
  } else if (name == "lognormal") {
    out += ", sigma = " + number("sigma");
    if (with_mean) out += ", median = " + time("median_s");
  } else if (name == "gamma") {
    out += ", shape = " + number("shape");
    if (with_mean) out += ", mean = " + time("mean_s");
  } else if (name == "hyperexponential") {
    const double weight = parameter(fit, "weight");
    out += fmt::format(", weights = [{:.4g}, {:.4g}], means = [{}, {}]", weight, 1 - weight,
                       time("first_mean_s"), time("second_mean_s"));
  } else if (with_mean) {
    out += ", mean = " + time("mean_s");
  }
  return out + " }";
}

std::string fault_trace_toml(const FailureTrace& trace, const TraceText& text) {
  const ComponentNumbers numbers = component_numbers(trace);
  std::string out = std::string(kFaultTraceBegins) + "\n" + comment(text.about);
  out += comment(fmt::format("Times are counted from {} by the trace's clock. A scenario needs {} hosts:",
                             iso_text(text.origin), numbers.count));
  for (const std::string& words : numbers.words) out += comment("  " + words);
  for (std::uint32_t cause = 0; cause < trace.causes.size(); ++cause) {
    std::vector<std::pair<Duration, std::uint32_t>> onsets;
    for (const FailureRecord& record : trace.records)
      if (record.cause == cause && record.node != kNoNode)
        onsets.emplace_back(record.start - text.origin, numbers.of[record.system][record.node]);
    if (onsets.empty()) continue;
    std::ranges::sort(onsets);
    std::vector<std::string> items, repairs;
    for (const auto& [at, component] : onsets)
      items.push_back(fmt::format("{{ at = \"{}\", component = {} }}", to_text(at), component));
    for (const Duration repair : known_repairs(trace, cause)) repairs.push_back(string_toml(to_text(repair)));
    out += fmt::format("\n[faults.{}]\n{}source = {}\n", trace.causes[cause], kNodeIsDown,
                       string_toml(text.source + ", the records of this cause"));
    if (!repairs.empty()) {
      out += "# Drawn anew for each onset: a trace has no place for the repair time of its own.\n";
      out += "heals_after = { name = \"empirical\", values = " + list_toml(repairs, 12) + " }\n";
    }
    out += "trace = " + list_toml(items, 3) + "\n";
  }
  return out;
}

TraceLosses trace_losses(const FailureTrace& trace) {
  TraceLosses out;
  for (const FailureRecord& record : trace.records) {
    if (record.node == kNoNode)
      ++out.without_node;
    else if (record.repair && *record.repair == Duration::zero())
      ++out.zero_repairs;
  }
  return out;
}

std::string fault_profile_toml(const std::vector<ProfiledFault>& faults, const TraceText& text) {
  std::string out = std::string(kFaultProfileBegins) + "\n" + comment(text.about);
  for (const ProfiledFault& fault : faults) {
    out += fmt::format("\n[faults.{}]\n{}", fault.cause, kNodeIsDown);
    out += fmt::format("rate = {{ count = {}, over = \"{} x {} hosts\" }}\n", fault.count,
                       to_text(fault.watched), fault.nodes);
    out += comment(fault.why_life);
    out += "law = " + (fault.life ? law_toml(*fault.life, false) : std::string("\"exponential\"")) + "\n";
    out += comment(fault.why_repair);
    if (fault.repair) out += "heals_after = " + law_toml(*fault.repair, true) + "\n";
    out += "source = " + string_toml(text.source) + "\n";
  }
  return out;
}

}  // namespace gauntlet
