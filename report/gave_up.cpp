#include "report/gave_up.hpp"

#include "core/giving_up.hpp"
#include "report/losses.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

struct Wait {
  std::string_view phase, what;
};
constexpr std::array kWaits = {
    Wait{"slowdown", "training was too slow to complete a step"},
    Wait{"recomputing", "repeated steps were lost again"},
    Wait{"checkpoint_stall", "no checkpoint was complete"},
    Wait{"undetected", "no policy and no person acted"},
    Wait{"diagnosing", "no culprit was found"},
    Wait{"waiting_for_spare", "no spare host replaced an evicted one"},
    Wait{"restarting", "no start succeeded"},
    Wait{"planned", "an operator wanted the job stopped"},
};

std::string_view what_was_awaited(std::string_view phase) {
  const auto* const found =
      std::find_if(kWaits.begin(), kWaits.end(), [&](const Wait& wait) { return wait.phase == phase; });
  return found == kWaits.end() ? std::string_view{} : found->what;
}

/// Of the time without progress, what went to the largest of the losses at least. All of that time is lost: what the runs
/// lost beyond it was lost elsewhere, and at most that much of the largest loss was.
double proven_share(const std::vector<Loss>& losses, double standstill) {
  const double elsewhere = std::max(total(losses) - standstill, 0.0);
  return std::clamp((losses.front().seconds - elsewhere) / standstill, 0.0, 1.0);
}

constexpr double kMostOfIt = 0.5;  // a smaller share is not a reason

/// "all", "at least 97%"
std::string amount(double share) {
  // Rounded down: it is a bound.
  const double percent = std::floor(100 * share + 1e-6);
  return percent >= 100 ? "all" : fmt::format("at least {:.0f}%", percent);
}

double seconds_of_patience(const Summary& summary) { return to_seconds(summary.facts.give_up_after); }
std::string patience_text(const Summary& summary) { return time_text(seconds_of_patience(summary)); }

/// How long such a run made no progress is not known: of all that was lost, what was lost most.
std::string reason_of_starts(const std::vector<Loss>& phases) {
  if (phases.empty()) return "Each start was in vain at once.";
  return fmt::format("{:.0f}% of the lost time went to `{}`: {}.",
                     100 * phases.front().seconds / total(phases), phases.front().name,
                     what_was_awaited(phases.front().name));
}

/// All runs gave up, and together they are shorter than the time without progress: they made too many starts.
bool ended_by_starts(const Summary& summary) {
  return runs_that_gave_up(summary) == summary.replicas &&
         summary.mean("wall_time_s").value_or(INFINITY) * summary.replicas < seconds_of_patience(summary);
}

}  // namespace

double runs_that_gave_up(const Summary& summary) {
  return std::round(summary.mean("gave_up").value_or(0) * summary.replicas);
}

std::string gave_up_line(const Summary& summary) {
  const double count = runs_that_gave_up(summary);
  if (count == 0) return "";
  const std::string starts = fmt::format("in {} starts in a row", count_text(kMostStartsInVain));
  const std::string why =
      ended_by_starts(summary) ? starts : fmt::format("for {}, or {}", patience_text(summary), starts);
  return fmt::format("{} of {} gave up: no progress {}.", count_text(count), counted(summary.replicas, "run"),
                     why);
}

std::string gave_up_reason(const Summary& summary) {
  const double count = runs_that_gave_up(summary);
  if (count == 0) return "";
  const std::vector<Loss> phases = losses_by_phase(summary), causes = losses_by_cause(summary);
  if (ended_by_starts(summary)) return reason_of_starts(phases);
  // A run's, on average over all runs, as the losses are.
  const double standstill = count / summary.replicas * seconds_of_patience(summary);
  const double share = phases.empty() ? 0 : proven_share(phases, standstill);
  if (share < kMostOfIt && summary.replicas > 1)
    return "To see what one of them waited for, run it alone with --replica N. With --out DIR, replicas.csv "
           "lists "
           "these runs: their `ending` is `gave_up`.";
  if (share < kMostOfIt) return "With --out DIR, the last incident in incidents.csv is what it waited for.";
  std::string text = fmt::format("Of that time {} went to `{}`: {}", amount(share), phases.front().name,
                                 what_was_awaited(phases.front().name));
  const double blamed = causes.empty() ? 0 : proven_share(causes, standstill);
  if (blamed >= kMostOfIt)
    text += fmt::format("; {} is charged to `{}`", amount(blamed), causes.front().name);
  return text + ".";
}

}  // namespace gauntlet
