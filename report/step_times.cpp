#include "report/step_times.hpp"

#include "core/infinity.hpp"
#include "core/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace gauntlet {
namespace {

struct Span {
  Time begin{}, end = kNever;
};

/// When faults disturbed the job.
std::vector<Span> disturbances(const TruthLog& truth) {
  std::vector<Span> spans;
  std::vector<const Truth*> whose;  // of each span, what began it
  for (const Truth& each : truth) {
    if (each.what == TruthKind::onset || each.what == TruthKind::returned) {
      if (!each.disturbs) continue;
      spans.push_back({.begin = each.at});
      whose.push_back(&each);
    } else if (each.what == TruthKind::ended) {
      for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans[i].end == kNever && whose[i]->kind == each.kind && whose[i]->component == each.component)
          spans[i].end = each.at;
      }
    }
  }
  return spans;
}

/// The value that this share of the values is not above.
double quantile(std::vector<double> values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

}  // namespace

std::vector<StepTime> undisturbed_steps(const ProgressLog& progress, const TruthLog& truth) {
  const std::vector<Span> spans = disturbances(truth);
  std::vector<StepTime> steps;
  bool follows = false;
  Time last = kStart;
  for (const Stretch& stretch : progress.stretches) {
    if (stretch.begin != last) follows = false;
    last = stretch.end;
    const bool checkpoint = stretch.cadence.first != kNoCheckpoint;
    if (checkpoint) continue;
    const bool disturbed = std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
      return span.begin < stretch.end && stretch.begin < span.end;
    });
    const bool complete = stretch.end - stretch.origin >= stretch.step;
    if (!complete || disturbed) {
      follows = false;
      continue;
    }
    steps.push_back({.end = stretch.end, .seconds = to_seconds(stretch.step), .follows = follows});
    follows = true;
  }
  return steps;
}

/// A decline begins with a step that is longer than the bound, and ends with one that is not. So the bound is below the shortest of
/// the steps from the first to the last before the time is over.
std::optional<double> lasting_decline(const std::vector<StepTime>& steps, Duration lasting) {
  std::optional<double> bound;
  double best = kInfinity;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    best = std::min(best, steps[i].seconds);
    double shortest = steps[i].seconds;
    for (std::size_t j = i + 1; j < steps.size() && steps[j].follows; ++j) {
      if (steps[j].end - steps[i].end > lasting) {
        bound = std::max(bound.value_or(0), shortest);
        break;
      }
      shortest = std::min(shortest, steps[j].seconds);
    }
  }
  return bound ? std::optional(1 - best / *bound) : std::nullopt;
}

std::string step_times_section(const std::vector<StepTime>& steps, Duration lasting) {
  if (steps.empty()) return "";
  std::vector<double> seconds;
  for (const StepTime& step : steps) seconds.push_back(step.seconds);
  constexpr double kMedian = 0.5, kHigh = 0.95, kPercent = 100;
  std::string text = fmt::format(
      "\nStep times\n"
      "  {} steps without a fault: best {:.3f} s, median {:.3f} s, 95% below {:.3f} s, longest {:.3f} s.\n",
      steps.size(), quantile(seconds, 0), quantile(seconds, kMedian), quantile(seconds, kHigh),
      quantile(seconds, 1));
  const std::optional<double> decline = lasting_decline(steps, lasting);
  if (!decline)
    return text + fmt::format(
                      "  Together they are shorter than {} (detection.mfu.lasting), so no decline could be "
                      "judged.\n",
                      to_text(lasting));
  return text + fmt::format(
                    "  For {} they were {:.1f}% below the best MFU: a smaller detection.mfu.decline is a "
                    "false alert.\n",
                    to_text(lasting), kPercent * *decline);
}

}  // namespace gauntlet
