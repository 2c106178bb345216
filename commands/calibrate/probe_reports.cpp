#include "commands/calibrate/probe_reports.hpp"

#include "config/toml/files.hpp"
#include "config/toml/value.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace gauntlet {
namespace {

struct ProbeRun {
  std::string name, verdict;
  double seconds = 0;
};

/// It is written into a comment: no line of a report ends that.
bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Nothing where the text is not a report of a host.
std::optional<std::vector<ProbeRun>> probes_of(const std::string& json) {
  try {
    std::vector<ProbeRun> out;
    const auto report = nlohmann::json::parse(json);
    for (const auto& each : report.at("probes")) {
      out.push_back({each.at("probe").get<std::string>(), each.at("verdict").get<std::string>(),
                     each.at("seconds").get<double>()});
      if (!is_word(out.back().verdict) || !std::isfinite(out.back().seconds) || out.back().seconds < 0)
        return std::nullopt;
    }
    return out;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Problem> add_probe_reports(const std::vector<std::string>& files,
                                         std::map<std::string, KeySample>& samples) {
  std::map<std::string, std::map<std::string, std::uint32_t>> verdicts;  // by key, by verdict
  std::uint32_t run = 0;  // each report is one, and none is a recording
  for (const auto& [key, sample] : samples)
    for (const MeasuredDuration& each : sample.values) run = std::max(run, each.run + 1);
  std::map<std::string, std::string> read;  // texts, and the file that each is from
  for (const std::string& path : files) {
    FileText file = read_file(path);
    if (!file.text) {
      file.problem.file = path;
      return std::move(file.problem);
    }
    // Two examinations take different times.
    if (const auto [first, fresh] = read.try_emplace(*file.text, path); !fresh)
      return Problem{.file = path,
                     .why = path == first->second ? "is given twice" : "is a copy of " + first->second,
                     .suggestion = "give each report once"};
    const auto probes = probes_of(*file.text);
    if (!probes)
      return Problem{.file = path,
                     .why = "is not a report of a host",
                     .suggestion = "write it with gauntlet probe --json"};
    for (const ProbeRun& each : *probes) {
      const std::string key = "probes." + key_to_toml(each.name) + ".time";
      samples.try_emplace(key, KeySample{.key = key})
          .first->second.values.push_back({.seconds = each.seconds, .size = 0, .run = run});
      ++verdicts[key][each.verdict];
    }
    ++run;
  }
  for (const auto& [key, counts] : verdicts) {
    std::string remark;
    for (const auto& [verdict, count] : counts)
      remark += fmt::format("{}{} {}", remark.empty() ? "verdicts: " : ", ", verdict, count);
    samples.at(key).remark = remark;
  }
  return std::nullopt;
}

}  // namespace gauntlet
