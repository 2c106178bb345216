// The words and units that everything printed of a plan shares.
#pragma once

#include "commands/plan/result.hpp"
#include "report/units.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// "200 runs per variant", or "1,000 runs of each plan in the table, 200 of every other variant".
std::string runs_text(const PlanResult& result);

/// Of a plan that was interrupted.
inline constexpr std::string_view kInterrupted =
    "Interrupted: parts of the plan are missing, and what is here may be of few runs.";

/// What all intervals of a report cover.
std::string what_intervals_cover(const PlanResult& result);

/// The unit of finishing times.
Unit date_unit(const PlanResult& result);

/// Whether the time limit is the end of a day of the calendar. Precondition: there is a limit.
bool has_last_day(const PlanResult& result);
/// The time limit, "60 days"; or its last day, "2027-03-15". Precondition: there is one.
std::string deadline_text(const PlanResult& result);

/// "97.0%"
std::string percent_text(double share);
/// "97.0% (93.6 to 98.9)"
std::string share_text(const std::optional<double>& share, const std::optional<Interval>& ci95);
std::string share_text(const ShareOfRuns& share);

/// "5% after 22.3 h, half after 25.1 h, fewer than 95% ever"
std::string finish_text(const FinishTimes& of, const Unit& unit);

/// "12 of 20 runs never complete the work: no progress for 6 h (job.give_up_after)"; empty where all complete it.
std::string never_text(std::uint64_t never, std::uint64_t gave_up, std::uint64_t runs,
                       Duration give_up_after);

/// Whether the runs tell when so many percent of them are done. Fewer than kFewestForP1 say nothing of 1% and 99%.
bool is_known(const FinishTimes& of, std::size_t percent);
/// The same where it is known and not never.
std::optional<double> known_at(const FinishTimes& of, std::size_t percent);

/// "-0.41 +- 0.12"; enough digits for the interval to show.
std::string change_text(const Change& change, const Unit& unit);

/// "11T tokens"
std::string tokens_text(double tokens);

/// "14,080 GPUs and 9 spare hosts"
std::string size_text(const PlanSize& size);
/// "14,080 GPUs, 9 spare hosts, a repair crew of 12 and 1.30GB/s to write to storage": crew and bandwidth where they are not those of `given`.
std::string size_text(const PlanSize& size, const PlanSize& given);

/// A source of the uncertainty of the finish: a parameter, or one of the two that are none.
struct RankedSource {
  std::string name;                     // the path; "scatter of the runs"; "curvature and interactions"
  const UncertainParameter* parameter;  // null of the latter two
  double share;
  std::optional<Interval> ci95;
};
/// The largest share first. Precondition: `of` has shares, and outlives what is returned.
std::vector<RankedSource> ranked_sources(const Uncertainty& of);

/// Null where no parameter was drawn: then the figures are of the parameters as given.
const Uncertainty* drawn(const std::optional<Uncertainty>& of);

}  // namespace gauntlet
