// Hosts that fail whenever they are up: while they carry the job, stand by, or wait with a job that stands still. Each is repaired
// from the moment at which it failed, whatever the job waits for, so that hosts in repair are a birth-death chain.
#include "commands/validate/oracles/closed_forms.hpp"
#include "commands/validate/oracles/worlds.hpp"
#include "policies/spares/sizing.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {
namespace {

/// `hosts` carry the job and fail every 100 h each, as do the spares; repairs take `repair` in the mean. Nothing else takes time, and
/// no work is lost.
struct MachinesPoint {
  std::uint32_t hosts = 12, spares = 0, crews = 0;
  Law life = Law::exponential(100 * kHour);
  Law repair = Law::exponential(7.5 * kHour);

  std::uint32_t machines() const { return hosts + spares; }
  double up() const { return life.mean() / (life.mean() + repair.mean()); }
};

World machines_world(const MachinesPoint& point) {
  World world = one_fault_world(point.hosts, point.life);
  world.inventory.spares = point.spares;
  world.repair.time = point.repair;
  world.repair.crew = point.crews;
  // A checkpoint after each second: a failure that finds a spare is over at once.
  world.job.step_time = std::chrono::seconds(1);
  // All hosts are up at the start, which outlasts a repair or two: a small part of the whole.
  world.job.window = from_seconds(4000 * point.repair.mean());
  return world;
}

Oracle machines_oracle(std::string name, const World& world, const PolicyConstants& policies,
                       OracleFigure figure, const ReadFigures& read) {
  return {.name = std::move(name),
          .conventions =
              "every host fails whenever it is up (clock always, spares too); starts free, no work lost",
          .figures = {std::move(figure)},
          .few = 8,
          .many = 200,
          .sampler = [=] { return simulated(world, policies, read); }};
}

void read_wait(const Figures& figures, std::span<Fraction> out) {
  out[0] = {.numerator = to_seconds(at(figures.phases, Phase::waiting_for_spare)),
            .denominator = to_seconds(figures.wall)};
}

Oracle wait_oracle(std::string name, const World& world, double expected, std::string source) {
  return machines_oracle(
      std::move(name), world, instant_policies(std::chrono::seconds(1)),
      {.what = "share of the time that waits for a spare", .expected = expected, .source = std::move(source)},
      read_wait);
}

Oracle warm_oracle(const MachinesPoint& point, const char* laws) {
  return wait_oracle(
      fmt::format("all at risk, S = {}, {}", point.spares, laws), machines_world(point),
      1 - at_least_k_of_n(point.hosts, point.machines(), point.up()),
      fmt::format("1 - sum over i >= {} of C({}, i) q^i (1 - q)^({} - i), q = MTTF / (MTTF + MTTR) = {:.4f}",
                  point.hosts, point.machines(), point.machines(), point.up()));
}

Oracle crew_oracle() {
  const MachinesPoint point{.spares = 2, .crews = 1};
  const std::vector<double> out =
      machines_out(point.machines(), point.crews, 1 / point.life.mean(), 1 / point.repair.mean());
  double waits = 1;
  for (std::uint32_t k = 0; k <= point.spares; ++k) waits -= out[k];
  return wait_oracle("all at risk, S = 2, one technician", machines_world(point), waits,
                     "birth and death: Cox and Smith, Queues, 1961, sec. 2.9");
}

/// The spare is idle, or serves another job: it takes time from when it is wanted.
Oracle idle_oracle(const char* name, bool pooled) {
  const MachinesPoint point{.spares = 1};
  const Law setup = Law::exponential(2 * kHour);
  World world = machines_world(point);
  world.spares.cold_time = setup;
  world.spares.preemption = setup;
  (pooled ? world.spares.pool : world.spares.cold) = 1;
  return wait_oracle(
      fmt::format("all at risk, S = 1, {}", name), world,
      stall_with_an_idle_spare(point.hosts, 1 / point.life.mean(), 1 / point.repair.mean(), 1 / setup.mean()),
      "birth and death with an idle host, two states for each number of hosts in repair");
}

/// Eight hosts of a replica each; with fewer than six of them the job waits.
Oracle smaller_oracle() {
  const MachinesPoint point{.hosts = 8, .repair = Law::exponential(20 * kHour)};
  PolicyConstants policies = instant_policies(std::chrono::seconds(1));
  policies.recovery.wait_for_spare = Duration::zero();
  policies.recovery.least_replicas = 6;
  const std::vector<double> out =
      machines_out(point.machines(), point.machines(), 1 / point.life.mean(), 1 / point.repair.mean());
  double effective = 0;
  for (std::uint32_t k = 0; k <= 2; ++k) effective += out[k] * (8 - k) / 8;
  return machines_oracle("all at risk, 6 to 8 replicas", machines_world(point), policies,
                         {.what = "share of the time that is effective",
                          .expected = effective,
                          .source = "sum over i = 6, 7, 8 of p(i hosts up) i / 8"},
                         [](const Figures& figures, std::span<Fraction> out) {
                           out[0] = {.numerator = to_seconds(at(figures.phases, Phase::effective)),
                                     .denominator = to_seconds(figures.wall)};
                         });
}

}  // namespace

std::vector<Oracle> birth_death_oracles() {
  std::vector<Oracle> out;
  for (const std::uint32_t spares : {0U, 1U, 3U})
    out.push_back(warm_oracle({.spares = spares}, "exponential"));
  out.push_back(warm_oracle(
      {.spares = 1, .life = Law::weibull_with_mean(100 * kHour, 0.7), .repair = Law::constant(7.5 * kHour)},
      "Weibull lives, fixed repair"));
  out.push_back(crew_oracle());
  out.push_back(idle_oracle("set up when wanted", false));
  out.push_back(idle_oracle("from the pool", true));
  out.push_back(smaller_oracle());
  return out;
}

}  // namespace gauntlet
