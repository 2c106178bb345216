#include "study/published/step_error.hpp"

#include "core/math/elementary.hpp"
#include "core/math/log_t.hpp"
#include "core/math/special.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kTail = 0.05;  // outside each of low and high

/// Logarithms of ratios over publications, each of which counts once.
struct Sources {
  std::uint32_t steps = 0;
  double count = 0;
  double mean = 0;
  double squares = 0;  // around the mean: by publication, the mean over its steps
};

/// Of those that `counts` says.
Sources sources_of(std::span<const HeldOutStep> steps,
                   const std::function<bool(const HeldOutStep&)>& counts) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> by_source;
  for (const HeldOutStep& step : steps)
    if (counts(step)) by_source[{step.stack, step.source}].push_back(step.log_ratio);
  Sources out;
  out.count = static_cast<double>(by_source.size());
  for (const auto& [source, ratios] : by_source) {
    out.steps += static_cast<std::uint32_t>(ratios.size());
    for (const double ratio : ratios) out.mean += ratio / static_cast<double>(ratios.size()) / out.count;
  }
  for (const auto& [source, ratios] : by_source)
    for (const double ratio : ratios)
      out.squares += (ratio - out.mean) * (ratio - out.mean) / static_cast<double>(ratios.size());
  return out;
}

bool has_constants_of_stack(const Calibration& given) {
  const Calibration* stack = find_calibration(given.stack);
  return stack != nullptr && given.gemm_efficiency == stack->gemm_efficiency &&
         given.memory_efficiency == stack->memory_efficiency &&
         given.tensor_exposed == stack->tensor_exposed &&
         given.tensor_overlapped == stack->tensor_overlapped && given.data_exposed == stack->data_exposed &&
         given.misaligned == stack->misaligned;
}

/// What none of the steps has in common with the job.
std::vector<std::string> beyond(std::span<const HeldOutStep> steps, const World& world) {
  const auto none = [&](const std::function<bool(const HeldOutStep&)>& alike) {
    return std::none_of(steps.begin(), steps.end(), alike);
  };
  const JobModel& job = world.job;
  std::vector<std::string> out;
  if (none([&](const HeldOutStep& step) { return step.hardware == world.hardware.name; }))
    out.push_back("ran on " + world.hardware.name);
  const bool experts = job.model.experts > 0, fp8 = job.training.precision == Precision::fp8;
  if (none([&](const HeldOutStep& step) { return step.experts == experts; }))
    out.emplace_back(experts ? "was of a mixture of experts" : "was of a dense model");
  if (none([&](const HeldOutStep& step) { return (step.precision == Precision::fp8) == fp8; }))
    out.emplace_back(fp8 ? "was in fp8" : "was in 16 bits");
  if (none([&](const HeldOutStep& step) { return step.gpus >= job.layout.ranks(); }))
    out.emplace_back("used as many GPUs");
  if (!has_constants_of_stack(job.calibration))
    out.emplace_back("was modelled with the constants of this scenario");
  return out;
}

/// " None of them ran on H200 or was in fp8."
std::string beyond_text(const StepTimeError& error) {
  std::string text;
  for (std::size_t i = 0; i < error.beyond.size(); ++i)
    text += (i == 0 ? " None of them " : i + 1 == error.beyond.size() ? " or " : ", ") + error.beyond[i];
  return text.empty() ? text : text + ".";
}

}  // namespace

double StepTimeError::median() const { return std::sqrt(low * high); }

double StepTimeError::at(double p) const { return LogT{.low = low, .high = high, .degrees = degrees}.at(p); }

std::optional<StepTimeError> step_time_error(std::span<const HeldOutStep> steps, const std::string& stack) {
  const Sources own = sources_of(steps, [&](const HeldOutStep& step) { return step.stack == stack; });
  const Sources others = sources_of(steps, [&](const HeldOutStep& step) { return step.stack != stack; });
  if (others.count < 2) return std::nullopt;
  // As in the book: kappa_0 = nu_0 = kPriorSources, kappa_n = nu_n = `worth`.
  const double worth = kPriorSources + own.count;
  const double apart = own.mean - others.mean;
  const double mean = (kPriorSources * others.mean + own.count * own.mean) / worth;
  const double squares = kPriorSources * others.squares / (others.count - 1) + own.squares +
                         kPriorSources * own.count / worth * apart * apart;
  const double reach = student_t_quantile(1 - kTail, worth) * std::sqrt(squares / worth * (1 + 1 / worth));
  return StepTimeError{.stack = stack,
                       .steps = own.steps,
                       .sources = static_cast<std::uint32_t>(own.count),
                       .other_steps = others.steps,
                       .other_sources = static_cast<std::uint32_t>(others.count),
                       .low = math_exp(mean - reach),
                       .high = math_exp(mean + reach),
                       .degrees = worth,
                       .beyond = {}};
}

std::optional<StepTimeError> step_time_error(const World& world) {
  if (world.job.step_time > Duration::zero()) return std::nullopt;
  std::optional<StepTimeError> error = step_time_error(held_out_steps(), world.job.calibration.stack);
  if (error) error->beyond = beyond(held_out_steps(), world);
  return error;
}

std::string text_of(const StepTimeError& error) {
  const auto counted = [](std::uint32_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  };
  const auto published = [&](std::uint32_t steps, std::uint32_t sources) {
    return counted(steps, "step") + " of " + counted(sources, "publication");
  };
  const std::string text = fmt::format(
      "Published steps that no constant was fitted on took {:.2f} times the modelled time, {:.2f} to {:.2f} "
      "times with 90% "
      "probability ({} with {}, {} with other stacks).",
      error.median(), error.low, error.high, published(error.steps, error.sources), error.stack,
      published(error.other_steps, error.other_sources));
  return text + beyond_text(error);
}

std::string line_of(const StepTimeError& error) {
  return fmt::format(
      "The step time is modelled. Published steps took {:.2f} times as long as modelled, {:.2f} to {:.2f} "
      "times with 90% "
      "probability; no interval here includes that.{}",
      error.median(), error.low, error.high, beyond_text(error));
}

}  // namespace gauntlet
