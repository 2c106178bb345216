#include "commands/plan/words.hpp"

#include "report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kSecondsOfDay = 86'400;

}  // namespace

std::string runs_text(const PlanResult& result) {
  const std::uint32_t counted_runs = result.as_given.by_date.runs;
  if (counted_runs <= result.replicas) return counted(result.replicas, "run") + " per variant";
  return fmt::format("{} of each plan in the table, {} of every other variant", counted(counted_runs, "run"),
                     count_text(result.replicas));
}

bool has_last_day(const PlanResult& result) {
  return result.start && std::fmod(*result.finish_by_s, kSecondsOfDay) == 0;
}

std::string deadline_text(const PlanResult& result) {
  const double limit = *result.finish_by_s;
  return has_last_day(result) ? to_text(day_after(*result.start, limit - kSecondsOfDay)) : time_text(limit);
}

std::string percent_text(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string share_text(const std::optional<double>& share, const std::optional<Interval>& ci95) {
  if (!share) return "unknown";
  if (!ci95) return percent_text(*share);
  // As many digits as the interval has one of.
  const double width = 100 * (ci95->high - ci95->low);
  const int digits = width > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(width))) + 1, 1, 5) : 1;
  return fmt::format("{:.{}f}% ({:.{}f} to {:.{}f})", 100 * *share, digits, 100 * ci95->low, digits,
                     100 * ci95->high, digits);
}

std::string share_text(const ShareOfRuns& share) { return share_text(share.value(), share.ci95); }

std::string finish_text(const FinishTimes& of, const Unit& unit) {
  std::vector<std::string> parts;
  for (const auto& [share, percent] : {std::pair("5%", 5), std::pair("half", 50), std::pair("95%", 95)}) {
    const std::optional<double> at = of.at(static_cast<std::size_t>(percent));
    parts.push_back(at ? fmt::format("{} after {} {}", share, unit.number(*at), unit.name)
                       : fmt::format("fewer than {} ever", share));
    if (!at) break;
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string never_text(std::uint64_t never, std::uint64_t gave_up, std::uint64_t runs,
                       Duration give_up_after) {
  if (never == 0) return "";
  const auto count = [](std::uint64_t value) { return count_text(static_cast<double>(value)); };
  const std::string after =
      fmt::format("no progress for {} (job.give_up_after)", time_text(to_seconds(give_up_after)));
  std::string text = fmt::format("{} of {} never complete{} the work", count(never),
                                 counted(static_cast<double>(runs), "run"), never == 1 ? "s" : "");
  if (gave_up == never) return text + ": " + after;
  if (gave_up > 0) text += fmt::format(": {} gave up, {}; the others ran out of time", count(gave_up), after);
  return text;
}

bool is_known(const FinishTimes& of, std::size_t percent) {
  return of.runs > 0 && ((percent != 1 && percent != 99) || of.runs >= kFewestForP1);
}

std::optional<double> known_at(const FinishTimes& of, std::size_t percent) {
  return is_known(of, percent) ? of.at(percent) : std::nullopt;
}

Unit date_unit(const PlanResult& result) {
  const Unit days{.divisor = 86'400, .name = "days", .decimals = 1};
  const auto of = [](const FinishTimes& finish) {
    const std::optional<double> half = finish.at(50);
    return half || finish.percentiles.empty() ? half : std::optional(finish.percentiles.back());
  };
  std::optional<double> about = result.as_given.finish.at(50);
  if (!about) about = result.finish_by_s;
  if (!about) about = of(result.as_given.finish);
  if (!about && result.uncertainty) about = of(result.uncertainty->finish);
  return about ? time_unit(*about) : days;
}

std::string change_text(const Change& change, const Unit& unit) {
  if (!change.by) return "unknown";
  constexpr double kRounding = 1e-9;  // what is left where nothing is to chance
  double error = change.ci95 ? longer_side(*change.ci95, *change.by) : 0;
  if (error < kRounding * std::abs(*change.by)) error = 0;
  if (error == 0 && *change.by == 0) return "0";
  const Unit shown = unit.fine_enough_for(error > 0 ? error : std::abs(*change.by));
  std::string text = signed_number(shown, *change.by);
  if (error > 0) text += " +- " + shown.number(error);
  return text;
}

std::string tokens_text(double tokens) {
  const Unit unit = amount_unit(tokens, "");
  std::string number = unit.number(tokens);
  while (number.find('.') != std::string::npos && (number.ends_with('0') || number.ends_with('.')))
    number.pop_back();
  return number + (unit.name == "G" ? "B" : unit.name) +
         (number == "1" && unit.name.empty() ? " token" : " tokens");
}

std::vector<RankedSource> ranked_sources(const Uncertainty& of) {
  const VarianceShares& shares = *of.finish_variance;
  std::vector<RankedSource> all;
  for (std::size_t i = 0; i < of.parameters.size(); ++i) {
    const VarianceShare& share = shares.unknowns[i];
    all.push_back({of.parameters[i].path, &of.parameters[i], share.value, share.ci95});
  }
  all.push_back({"scatter of the runs", nullptr, shares.runs.value, shares.runs.ci95});
  all.push_back({"curvature and interactions", nullptr, shares.joint, std::nullopt});
  std::stable_sort(all.begin(), all.end(),
                   [](const RankedSource& a, const RankedSource& b) { return a.share > b.share; });
  return all;
}

const Uncertainty* drawn(const std::optional<Uncertainty>& of) {
  return of && of->draws > 0 ? &*of : nullptr;
}

std::string what_intervals_cover(const PlanResult& result) {
  if (drawn(result.uncertainty) != nullptr)
    return "Intervals are 95%. Those of shares and times with parameter uncertainty cover the scatter of "
           "draws and runs.";
  return fmt::format("Intervals are 95%, {}: the rates and times of the scenario count as known.",
                     kIntervalCovers);
}

std::string size_text(const PlanSize& size) { return size_text(size, size); }

std::string size_text(const PlanSize& size, const PlanSize& given) {
  std::vector<std::string> parts = {counted(static_cast<double>(size.gpus), "GPU"),
                                    counted(size.spares, "spare host")};
  if (size.crew != given.crew) parts.push_back(fmt::format("a repair crew of {}", count_text(size.crew)));
  if (size.storage_write != given.storage_write) parts.push_back(size.storage_write + " to write to storage");
  if (size.storage_read != given.storage_read) parts.push_back(size.storage_read + " to read from storage");
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

}  // namespace gauntlet
