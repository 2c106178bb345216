#include "study/store/directory/not_as_written.hpp"
#include "study/store/directory/result_check_private.hpp"
#include "study/store/directory/result_directory.hpp"
#include "study/store/export/csv.hpp"
#include "study/store/export/export.hpp"
#include "study/summary/fingerprint_text.hpp"
#include "study/summary/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

void check_points(const FoundResults& results) {
  const fs::path file = results.directory / kPointsFile;
  const auto text = text_of(file);
  if (!text) found(file, "cannot be read");
  const std::string wanted_text = points_csv(*results.store);
  if (*text == wanted_text) return;
  std::string_view is = *text, wanted = wanted_text;
  const std::vector<std::string> names = csv_fields(wanted.substr(0, wanted.find('\n')));
  for (std::uint32_t line = 1; !is.empty() && !wanted.empty(); ++line) {
    const auto fields = csv_fields(take_line(is)), right = csv_fields(take_line(wanted));
    if (fields == right) continue;
    if (line == 1 || fields.size() != names.size())
      found(file, "the columns are not those of this study's results", line);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (fields[i] != right[i])
        found(file,
              fmt::format("{} = \"{}\", where {} has \"{}\"", names[i], fields[i], kDatabaseFile, right[i]),
              line);
  }
  found(file, fmt::format("has not the points of {}", kDatabaseFile));
}

/// Whether this is {"ettr": {"mean", ..., "n"}, ...}.
bool are_statistics(const Json& metrics) {
  return metrics.is_object() && !metrics.empty() && metrics.front().is_object() &&
         metrics.front().contains("n") && metrics.front().contains("mean");
}

std::optional<std::uint64_t> unsigned_of(const Json& json) {
  return json.is_number_unsigned() ? std::optional(json.get<std::uint64_t>()) : std::nullopt;
}

/// The first statistic of an object's "metrics" that is not that of the store: `metrics.ettr.mean = 0.5, where ...`.
std::string difference(const Json& summary, const Summary& stored) {
  const Json& metrics = summary["metrics"];
  for (const NamedStatistics& metric : stored.metrics) {
    if (!metrics.contains(metric.name)) return fmt::format("metrics.{} is missing", metric.name);
    const Json wanted = json_of(metric.statistics);
    for (const auto& [statistic, value] : wanted.items())
      if (const Json is = metrics.at(metric.name).value(statistic, Json()); is != value)
        return fmt::format("metrics.{}.{} = {}, where {} has {}", metric.name, statistic, is.dump(),
                           kDatabaseFile, value.dump());
  }
  if (metrics.size() != stored.metrics.size()) return "metrics has some that the store does not have";
  const bool other = summary.contains("detection") && summary["detection"] != detection_json(stored);
  return other ? "detection is not what metrics say" : "";
}

/// Holds every summary in a result.json to the statistics of some point.
class JsonCheck {
 public:
  JsonCheck(const FoundResults& results, const Json& all)
      : file_(results.directory / kResultFile), interrupted_(all.contains("interrupted")) {
    if (all.value("command", Json()) == "compare" && all.contains("replicas"))
      replicas_of_each_ = unsigned_of(all["replicas"]);
    if (all.value("command", Json()) == "tune" && all.contains("common_replicas"))
      compared_ = unsigned_of(all["common_replicas"]).value_or(0);
    for (std::uint32_t point = 0; point < results.store->points(); ++point)
      if (auto summary = results.store->summary(point)) stored_.push_back(std::move(*summary));
  }

  void walk(const Json& json, const std::string& path) {
    if (json.is_array())
      for (std::size_t i = 0; i < json.size(); ++i) walk(json[i], fmt::format("{}[{}]", path, i));
    if (!json.is_object()) return;
    if (json.contains("metrics") && are_statistics(json["metrics"])) check_summary(json, path);
    for (const auto& [key, value] : json.items())
      if (value.is_structured()) walk(value, path.empty() ? key : path + "." + key);
  }

 private:
  void check_summary(const Json& json, const std::string& path) {
    const std::optional<std::uint64_t> replicas =
        json.contains("replicas") ? unsigned_of(json["replicas"]) : replicas_of_each_;
    const std::string at = path.empty() ? "" : path + ".";
    if (!json.contains("fingerprint")) {
      for (const Summary& stored : stored_)
        if ((!replicas || *replicas == stored.replicas) && difference(json, stored).empty()) return;
      if (interrupted_ || may_be_of_fewer(json["metrics"])) return;
      found(file_, fmt::format("{}metrics are those of no point in {}", at, kDatabaseFile));
    }
    const std::string print = json["fingerprint"].is_string() ? json["fingerprint"].get<std::string>() : "";
    std::string what;
    for (const Summary& stored : stored_) {
      if (print != fingerprint_text(stored.fingerprint)) continue;
      what = replicas == stored.replicas ? difference(json, stored)
                                         : fmt::format("replicas = {}, where {} has {}", replicas.value_or(0),
                                                       kDatabaseFile, stored.replicas);
      if (what.empty()) return;
    }
    if (!what.empty()) found(file_, at + what);
    if (interrupted_) return;
    found(file_, fmt::format("{}fingerprint = \"{}\" is that of no point in {}", at, print, kDatabaseFile));
  }

  /// Whether statistics may be of fewer replicas than any point with that many has: tune compares points by the replicas that all of
  /// them have, and the store has statistics of all replicas of a point. The digest of the file still holds them.
  bool may_be_of_fewer(const Json& metrics) const {
    const std::uint64_t count = unsigned_of(metrics.front()["n"]).value_or(0);
    return count == compared_ &&
           std::ranges::any_of(stored_, [&](const Summary& stored) { return stored.replicas > compared_; });
  }

  fs::path file_;
  bool interrupted_;                               // figures may then be of fewer replicas than the point has
  std::optional<std::uint64_t> replicas_of_each_;  // where the document says it once
  std::uint64_t compared_ = 0;                     // by which tune compares points
  std::vector<Summary> stored_;
};

void check_json(const FoundResults& results) {
  const fs::path file = results.directory / kResultFile;
  const auto text = text_of(file);
  if (!text) found(file, "cannot be read");
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) found(file, "is damaged");
  const StudyIdentity& study = results.store->study();
  if (json.value("seed", Json()) != Json(study.seed))
    found(file, fmt::format("seed is not that of {}, {}", kDatabaseFile, study.seed));
  JsonCheck(results, json).walk(json, "");
}

}  // namespace

void check_figures(const FoundResults& results) {
  if (!is_single(*results.store)) check_points(results);
  check_json(results);
}

}  // namespace gauntlet
