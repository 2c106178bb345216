#include "core/random/law.hpp"

#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "core/math/special.hpp"

#include <array>
#include <utility>

namespace gauntlet {
namespace {

/// The names of all alternatives of the variant, in its order.
template <class... Kinds>
constexpr std::array<std::string_view, sizeof...(Kinds)> names_of(const std::variant<Kinds...>*) {
  return {Kinds::name()...};
}

constexpr auto kLawNames = names_of(static_cast<const detail::LawKind*>(nullptr));

}  // namespace

std::span<const std::string_view> law_names() { return kLawNames; }

Law Law::exponential(double mean) { return Law(detail::Exponential(mean)); }

Law Law::weibull(double scale, double shape) { return Law(detail::Weibull(scale, shape)); }

Law Law::weibull_with_mean(double mean, double shape) {
  return weibull(mean / gamma_function(1 + 1 / shape), shape);
}

Law Law::lognormal(double median, double sigma) { return Law(detail::Lognormal(median, sigma)); }

Law Law::lognormal_with_mean(double mean, double sigma) {
  return lognormal(mean * math_exp(-0.5 * sigma * sigma), sigma);
}

Law Law::gamma(double mean, double shape) { return Law(detail::Gamma(mean, shape)); }

Law Law::pareto(double minimum, double alpha) { return Law(detail::Pareto(minimum, alpha)); }

Law Law::pareto_with_mean(double mean, double alpha) {
  expect(alpha > 1, "the argument is in its domain: alpha > 1");
  return pareto(mean * (alpha - 1) / alpha, alpha);
}

Law Law::hyperexponential(std::span<const double> weights, std::span<const double> means) {
  expect(weights.size() == means.size(), "as many weights as means");
  detail::Hyperexponential::Phases phases;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    phases.push_back({.weight = weights[i], .stationary_weight = 0, .mean = means[i]});
  }
  return Law(detail::Hyperexponential(std::move(phases)));
}

Law Law::uniform(double low, double high) { return Law(detail::Uniform(low, high)); }

Law Law::constant(double value) { return Law(detail::Constant(value)); }

Law Law::empirical(std::vector<double> values) { return Law(detail::Empirical(std::move(values))); }

std::string_view Law::name() const { return kLawNames[kind_.index()]; }

std::vector<std::pair<std::string_view, double>> Law::parameters() const {
  using namespace detail;
  if (const auto* law = std::get_if<Exponential>(&kind_)) return {{"mean", law->mean_life}};
  if (const auto* law = std::get_if<Weibull>(&kind_)) return {{"scale", law->scale}, {"shape", law->shape}};
  if (const auto* law = std::get_if<Lognormal>(&kind_))
    return {{"median", law->median}, {"sigma", law->sigma}};
  if (const auto* law = std::get_if<Gamma>(&kind_)) return {{"mean", law->mean_life}, {"shape", law->shape}};
  if (const auto* law = std::get_if<Pareto>(&kind_))
    return {{"minimum", law->minimum}, {"alpha", law->alpha}};
  if (const auto* law = std::get_if<Uniform>(&kind_)) return {{"low", law->low}, {"high", law->high}};
  if (const auto* law = std::get_if<Constant>(&kind_)) return {{"value", law->value}};
  return {};
}

double Law::survival(double t) const {
  return std::visit([t](const auto& kind) { return kind.survival(t); }, kind_);
}

double Law::cumulative_hazard(double t) const {
  return std::visit([t](const auto& kind) { return kind.cumulative_hazard(t); }, kind_);
}

bool Law::has_density() const {
  return !std::holds_alternative<detail::Constant>(kind_) &&
         !std::holds_alternative<detail::Empirical>(kind_);
}

double Law::mean() const {
  return std::visit([](const auto& kind) { return kind.mean(); }, kind_);
}

double Law::variance() const {
  return std::visit([](const auto& kind) { return kind.variance(); }, kind_);
}

double Law::time_at_survival(double s) const {
  expect(s >= 0 && s <= 1, "the argument is in its domain: s >= 0 && s <= 1");
  return std::visit([s](const auto& kind) { return kind.time_at_survival(s); }, kind_);
}

double Law::time_at_cumulative_hazard(double h) const {
  expect(h >= 0, "the argument is in its domain: h >= 0");
  return std::visit([h](const auto& kind) { return kind.time_at_cumulative_hazard(h); }, kind_);
}

double Law::residual(double age, Stream& stream) const {
  expect(age >= 0, "the argument is in its domain: age >= 0");
  const double u = stream.uniform();
  return std::visit([age, u](const auto& kind) { return kind.residual(age, u); }, kind_);
}

double Law::stationary_survival(double t) const {
  return std::visit([t](const auto& kind) { return kind.stationary_survival(t); }, kind_);
}

double Law::stationary_cumulative_hazard(double t) const {
  return std::visit([t](const auto& kind) { return kind.stationary_cumulative_hazard(t); }, kind_);
}

double Law::time_at_stationary_cumulative_hazard(double h, double guess) const {
  expect(h >= 0, "the argument is in its domain: h >= 0");
  return std::visit(
      [h, guess](const auto& kind) { return kind.time_at_stationary_cumulative_hazard(h, guess); }, kind_);
}

double Law::stationary_residual(double elapsed, Stream& stream) const {
  expect(elapsed >= 0, "the argument is in its domain: elapsed >= 0");
  const double u = stream.uniform();
  const double hazard = stationary_cumulative_hazard(elapsed);
  if (hazard == kInfinity) {
    // Nothing reaches that far, or S_e underflows: then it falls off as S itself does.
    return std::visit([elapsed, u](const auto& kind) { return kind.residual(elapsed, u); }, kind_);
  }
  const double time = time_at_stationary_cumulative_hazard(hazard - math_log(u), elapsed);
  return time > elapsed ? time - elapsed : 0;
}

Law Law::scaled(double factor) const {
  expect(factor > 0, "the argument is in its domain: factor > 0");
  return std::visit([factor](const auto& kind) { return Law(kind.scaled(factor)); }, kind_);
}

}  // namespace gauntlet
