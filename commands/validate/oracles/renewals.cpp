// Ageing components, as sim/faults/fault_arrivals draws them: the first failure of new ones, and how far counts of failures scatter.
#include "commands/validate/oracles/closed_forms.hpp"
#include "commands/validate/oracles/worlds.hpp"
#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "sim/faults/fault_arrivals.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace gauntlet {
namespace {

constexpr const char* kConventions = "clock always, every component powered; {}";

World ageing_world(std::uint32_t hosts, Law life, bool stationary) {
  World world = one_fault_world(hosts, std::move(life));
  world.faults[0].stationary_ages = stationary;
  return world;
}

Oracle first_failure_oracle(double shape) {
  constexpr std::uint32_t kHosts = 512;
  constexpr double kScale = 1e5;  // hours
  return {
      .name = fmt::format("first failure of {} new components, Weibull of shape {:g}, scale 1e5 h", kHosts,
                          shape),
      .conventions = fmt::format(kConventions, "all new at the start"),
      .figures = {{.what = "mean time",
                   .expected = kScale * math_pow(kHosts, -1 / shape) * gamma_function(1 + 1 / shape),
                   .source = "scale n^(-1/shape) Gamma(1 + 1/shape)",
                   .unit = "h"}},
      .few = 100'000,
      .many = 2'000'000,
      .sampler =
          [=] {
            const auto world = std::make_shared<const World>(
                ageing_world(kHosts, Law::weibull(kScale * 3600, shape), false));
            return [world](Seed seed, std::span<Fraction> out) {
              out[0] = {.numerator = FaultArrivals(*world, seed).next_time(FaultClock::always) / 3600};
            };
          },
  };
}

/// Renewals of each component by the end of so many lives, as the mean and the squared distance from `mean` of a component.
void count_renewals(const World& world, double lives, double mean, Seed seed, std::span<Fraction> out) {
  const double end = lives * world.faults[0].life.mean();
  FaultArrivals arrivals(world, seed);
  std::vector<std::uint32_t> counts(world.inventory.job_hosts, 0);
  for (double now; (now = arrivals.next_time(FaultClock::always)) <= end;) {
    const Strike strike = arrivals.take(FaultClock::always);
    ++counts[strike.component.index];
    arrivals.renew(strike.kind, strike.component.index, now);
  }
  out[0] = out[1] = {.numerator = 0, .denominator = static_cast<double>(counts.size())};
  for (const std::uint32_t count : counts) {
    out[0].numerator += count;
    out[1].numerator += (count - mean) * (count - mean);
  }
}

Oracle counts_oracle(const std::string& name, const std::string& ages, Law life, bool stationary,
                     double lives, CountMoments exact, const std::string& source) {
  constexpr std::uint32_t kHosts = 64;
  return {
      .name = name,
      .conventions = fmt::format(kConventions, ages + "; a failed one is new at once"),
      .figures = {{.what = "mean count of failures", .expected = exact.mean, .source = source},
                  {.what = "variance of the count", .expected = exact.variance, .source = source}},
      .few = 200,
      .many = 10'000,
      .sampler =
          [=] {
            const auto world = std::make_shared<const World>(ageing_world(kHosts, life, stationary));
            return [=](Seed seed, std::span<Fraction> out) {
              count_renewals(*world, lives, exact.mean, seed, out);
            };
          },
  };
}

}  // namespace

std::vector<Oracle> renewal_oracles() {
  constexpr double kLife = 1000 * 3600, kShortLives = 3, kLongLives = 50;
  std::vector<Oracle> out = {first_failure_oracle(0.7), first_failure_oracle(1.5)};
  out.push_back(
      counts_oracle(fmt::format("failures within {:g} mean lives, gamma law of shape 2", kShortLives),
                    "all new at the start", Law::gamma(kLife, 2), false, kShortLives,
                    erlang2_counts(kShortLives), "exact: every second event of a Poisson process"));
  for (const double shape : {0.7, 1.5})
    out.push_back(counts_oracle(
        fmt::format("failures within {:g} mean lives, Weibull of shape {:g}", kLongLives, shape),
        "stationary ages", Law::weibull_with_mean(kLife, shape), true, kLongLives,
        {.mean = kLongLives, .variance = weibull_count_variance(shape, kLongLives)},
        "CV^2 t / mean + 1/6 + CV^4/2 - m3/3: Cox, Renewal Theory, 1962, sec. 4.5"));
  return out;
}

}  // namespace gauntlet
