#include "config/fields/exposure.hpp"
#include "core/currency.hpp"
#include "core/math/elementary.hpp"
#include "core/math/log_t.hpp"
#include "core/math/special.hpp"
#include "core/random/stream.hpp"
#include "models/step/possible.hpp"
#include "study/uncertainty/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kTail = 0.05;  // outside each of low and high
constexpr double kAboveRounding = 1 + 1e-9;

double deviates() { return normal_quantile(1 - kTail); }  // from the middle to an end: 1.645

/// Of a normal law with these 5% and 95% values.
struct Normal {
  double mean, sd;
  Normal(double low, double high) : mean((low + high) / 2), sd((high - low) / (2 * deviates())) {}
  double at(double p) const { return mean + sd * normal_quantile(p); }
  double below(double x) const { return 1 - normal_survival((x - mean) / sd); }
};

/// What of the law lies below zero and is cut off.
double cut_off(const Unknown& unknown) {
  if (!(unknown.low > 0)) return 0;
  if (unknown.shape == Unknown::Shape::normal) return Normal(unknown.low, unknown.high).below(0);
  if (unknown.shape != Unknown::Shape::uniform) return 0;
  return std::max(0.0, kTail - (1 - 2 * kTail) * unknown.low / (unknown.high - unknown.low));
}

std::string text_of(double value, FieldKind kind, const std::string& currency) {
  constexpr double kYear = 365 * 86'400.0, kLongest = 200 * kYear;  // a Duration holds 292 years
  switch (kind) {
    case FieldKind::duration:
      return value < kLongest ? to_text(from_seconds(value)) : fmt::format("{:.6f}y", value / kYear);
    case FieldKind::bytes:
      return to_text(Bytes{value});
    case FieldKind::bandwidth:
      return to_text(Bandwidth{value});
    case FieldKind::flop_rate:
      return to_text(FlopRate{value});
    case FieldKind::money:
      return to_text(Price{{value}, currency});
    case FieldKind::text:
    case FieldKind::number:
      break;
  }
  return fmt::format("{}", value);
}

std::string given_text(const Value& value) {
  return value.string() != nullptr ? *value.string() : to_toml(value);
}

void show(Unknown& unknown, std::string given, std::string distribution) {
  const auto rounded = [&](double p) {
    return unknown.shape == Unknown::Shape::posterior ? fmt::format("{:.4g}", unknown.value_at(p))
                                                      : unknown.text_at(p);
  };
  unknown.shown = {.path = unknown.path,
                   .given = std::move(given),
                   .low = rounded(kTail),
                   .high = rounded(1 - kTail),
                   .distribution = std::move(distribution)};
}

/// The kind of values that the ends are; config has checked that they fit the field.
FieldKind kind_of(const UncertainField& field) {
  for (const FieldKind kind : {FieldKind::number, FieldKind::duration, FieldKind::bytes, FieldKind::bandwidth,
                               FieldKind::flop_rate, FieldKind::money})
    if (number_of(field.low, kind) && number_of(field.high, kind)) return kind;
  return FieldKind::text;
}

std::string log_t_text(double degrees) {
  return fmt::format("log-t, {:g} degree{} of freedom", degrees, degrees == 1 ? "" : "s");
}

Unknown unknown_of(const UncertainField& field, const Value& resolved) {
  constexpr std::string_view kNames[] = {"lognormal", "normal", "uniform", "log-t"};
  const auto shape = static_cast<std::size_t>(field.shape);
  Unknown unknown;
  unknown.path = field.path;
  unknown.shape = static_cast<Unknown::Shape>(shape + 1);
  unknown.kind = kind_of(field);
  if (unknown.kind == FieldKind::money) unknown.currency = parse_price(field.high).value->currency;
  unknown.low = number_of(field.low, unknown.kind).value_or(0);
  unknown.high = number_of(field.high, unknown.kind).value_or(0);
  const Value* held = resolved.find(field.path);
  // A count of failures is a whole number in most scenarios, and need not be.
  unknown.whole = held != nullptr && std::holds_alternative<std::int64_t>(held->data) &&
                  unknown.low == std::nearbyint(unknown.low) &&
                  unknown.high == std::nearbyint(unknown.high) && !field.path.ends_with(".rate.count");
  unknown.degrees = field.degrees;
  show(unknown, held != nullptr ? given_text(*held) : "",
       unknown.shape == Unknown::Shape::log_t ? log_t_text(field.degrees) : std::string(kNames[shape]));
  unknown.shown.low = field.low;
  unknown.shown.high = field.high;
  return unknown;
}

bool says_step_error(const UncertainField& field) {
  return field.path == kStepTimeFactor || field.path == kStepTime ||
         field.path.starts_with("job.calibration.");
}

bool is_drawn(const std::vector<UncertainField>& said, std::string_view path) {
  return std::any_of(said.begin(), said.end(),
                     [&](const UncertainField& field) { return field.path == path; });
}

/// No draw of the factor makes a step faster than the GPUs' peak rate.
void cut_at_peak(Unknown& factor, const World& world, bool by_default) {
  factor.least = least_step_time_factor(world, StepModel(world)) * kAboveRounding;
  constexpr double kSmallest = 0.001;  // its log-t ends there
  if (factor.least <= factor.value_at(kSmallest)) return;
  factor.shown.cut =
      fmt::format("no draw is below {:.4g}, where the MFU is {:.0f}%, the most that the GPUs can",
                  factor.least, 100 * highest_mfu(world));
  if (!by_default) return;  // its ends are shown as they were written
  factor.shown.low = fmt::format("{:.4g}", factor.used_at(kTail));
  factor.shown.high = fmt::format("{:.4g}", factor.used_at(1 - kTail));
}

/// The error of the step model. Of a scenario that gives a factor of its own, which is its best guess, only the width: the factor is in
/// the middle.
Unknown unknown_of(const StepTimeError& error, double given) {
  const double shift = given == JobModel{}.step_time_factor ? 1 : given / error.median();
  Unknown unknown;
  unknown.path = kStepTimeFactor;
  unknown.shape = Unknown::Shape::log_t;
  unknown.degrees = error.degrees;
  unknown.low = error.low * shift;
  unknown.high = error.high * shift;
  show(unknown, fmt::format("{}", given),
       fmt::format("{}: errors of the step model ({}) on published steps", log_t_text(error.degrees),
                   error.stack));
  unknown.shown.low = fmt::format("{:.4g}", unknown.low);
  unknown.shown.high = fmt::format("{:.4g}", unknown.high);
  return unknown;
}

/// In a draw: the probability of a smaller value.
double chance_of(const Unknown& unknown, std::uint64_t seed, std::uint32_t number) {
  return uniform_at({.study = seed, .replica = number}, stream_name("study.unknown." + unknown.path), 0, 0);
}

std::optional<double> number_in(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* whole = std::get_if<std::int64_t>(&value->data)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value->data)) return *number;
  return std::nullopt;
}

}  // namespace

double Unknown::value_at(double p) const {
  if (shape == Shape::posterior) return expected_count(low, p);
  const double cut = cut_off(*this);
  p = cut + p * (1 - cut);
  switch (shape) {
    case Shape::lognormal:
      return math_exp(Normal(math_log(low), math_log(high)).at(p));
    case Shape::normal:
      return Normal(low, high).at(p);
    case Shape::log_t:
      return LogT{.low = low, .high = high, .degrees = degrees}.at(p);
    default:
      return low + (p - kTail) / (1 - 2 * kTail) * (high - low);
  }
}

double Unknown::used_at(double p) const {
  const double value = std::max(value_at(p), least);
  return whole ? std::nearbyint(value) : value;
}

std::string Unknown::text_at(double p) const {
  const double value = used_at(p);
  return whole ? fmt::format("{:.0f}", value) : text_of(value, kind, currency);
}

std::optional<StepTimeError> drawn_step_error(const Scenario& scenario) {
  const std::vector<UncertainField>& said = scenario.study.uncertain;
  if (!scenario.study.step_time_error || std::any_of(said.begin(), said.end(), says_step_error))
    return std::nullopt;
  return step_time_error(scenario.world);
}

std::vector<Unknown> unknowns_of(const Scenario& scenario, const Value& resolved) {
  std::vector<Unknown> unknowns;
  for (const UncertainField& field : scenario.study.uncertain)
    unknowns.push_back(unknown_of(field, resolved));
  for (const FaultKind& fault : scenario.world.faults) {
    Unknown unknown;
    unknown.path = "faults." + fault.name + ".rate.count";
    const bool marked = std::any_of(unknowns.begin(), unknowns.end(),
                                    [&](const Unknown& other) { return other.path == unknown.path; });
    const Value* const count = resolved.find(unknown.path);
    const Value* const over = resolved.find("faults." + fault.name + ".rate.over");
    const auto seen = number_in(count);
    if (marked || !seen || over == nullptr || over->string() == nullptr) continue;
    unknown.low = unknown.high = *seen;
    show(unknown, given_text(*count),
         fmt::format("posterior of {} over {}", given_text(*count), *over->string()));
    unknowns.push_back(std::move(unknown));
  }
  if (const auto error = drawn_step_error(scenario))
    unknowns.push_back(unknown_of(*error, scenario.world.job.step_time_factor));
  if (scenario.world.job.step_time == Duration::zero()) {
    const std::vector<UncertainField>& said = scenario.study.uncertain;
    // A drawn step time takes the place of the model, whose factor is then not in use.
    if (is_drawn(said, kStepTime))
      std::erase_if(unknowns, [](const Unknown& unknown) { return unknown.path == kStepTimeFactor; });
    for (Unknown& unknown : unknowns) {
      if (unknown.path == kStepTimeFactor)
        cut_at_peak(unknown, scenario.world, !is_drawn(said, kStepTimeFactor));
      if (unknown.path == kStepTime)
        unknown.shown.given =
            fmt::format("{:.3g}s (modelled)", to_seconds(StepModel(scenario.world).healthy()));
    }
  }
  std::sort(unknowns.begin(), unknowns.end(),
            [](const Unknown& a, const Unknown& b) { return a.path < b.path; });
  return unknowns;
}

Settings draw_of(std::span<const Unknown> unknowns, std::uint64_t seed, std::uint32_t number) {
  Settings settings;
  for (const Unknown& unknown : unknowns)
    settings.push_back({unknown.path, unknown.text_at(chance_of(unknown, seed, number))});
  return settings;
}

std::vector<double> values_of(std::span<const Unknown> unknowns, std::uint64_t seed, std::uint32_t number) {
  std::vector<double> values;
  for (const Unknown& unknown : unknowns) values.push_back(unknown.used_at(chance_of(unknown, seed, number)));
  return values;
}

}  // namespace gauntlet
