#include "core/random/population.hpp"

#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "core/math/elementary.hpp"

#include <utility>

namespace gauntlet {

Population::Population(Law law, Ages ages, std::uint64_t count, Stream stream)
    : law_(std::move(law)), ages_(ages), stream_(stream), remaining_(count) {
  draw_next(0, 0);
}

std::uint64_t Population::take() {
  expect(next_time_ < kInfinity, "a component is left to fail");
  meet(next_hazard_);
  const std::uint64_t component = pop(stream_.below(remaining_));
  draw_next(next_hazard_, next_time_);
  return component;
}

void Population::remove(std::uint64_t component, double now) {
  expect(contains(component), "the component is still in the population");
  expect(now >= 0 && now <= next_time_, "the clock does not run backwards or past a failure");
  const double hazard_now = hazard_at(now);
  meet(hazard_now);
  pop(order_.position_of(component));
  draw_next(hazard_now, now);
}

double Population::residual_after(double age_on_clock, Stream& stream) const {
  return ages_ == Ages::fresh ? law_.residual(age_on_clock, stream)
                              : law_.stationary_residual(age_on_clock, stream);
}

/// All that are here have met it.
void Population::meet(double hazard) {
  met_ += static_cast<double>(remaining_) * (hazard - met_to_);
  met_to_ = hazard;
}

/// Takes the component at a position below remaining_ out: the last of those still here fills its place.
std::uint64_t Population::pop(std::uint64_t position) {
  --remaining_;
  order_.swap(position, remaining_);
  return order_.at(remaining_);
}

void Population::draw_next(double hazard_now, double now) {
  if (remaining_ == 0) {
    next_time_ = kInfinity;
    return;
  }
  next_hazard_ = hazard_now - math_log(stream_.uniform()) / static_cast<double>(remaining_);
  const double time = ages_ == Ages::fresh ? law_.time_at_cumulative_hazard(next_hazard_)
                                           : law_.time_at_stationary_cumulative_hazard(next_hazard_, now);
  next_time_ = time < now ? now : time;  // the inversion's last digit must not turn time back
}

double Population::hazard_at(double t) const {
  return ages_ == Ages::fresh ? law_.cumulative_hazard(t) : law_.stationary_cumulative_hazard(t);
}

PoissonPopulation::PoissonPopulation(double mean_life, std::uint64_t count, Stream stream)
    : stream_(stream), count_(count), mean_gap_(mean_life / static_cast<double>(count)) {
  expect(mean_life > 0, "the argument is in its domain: mean_life > 0");
  next_time_ = count_ == 0 ? kInfinity : -mean_gap_ * math_log(stream_.uniform());
}

std::uint64_t PoissonPopulation::take() {
  expect(next_time_ < kInfinity, "a component is left to fail");
  const std::uint64_t component = stream_.below(count_);
  next_time_ -= mean_gap_ * math_log(stream_.uniform());
  return component;
}

}  // namespace gauntlet
