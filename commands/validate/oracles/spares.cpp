// Spares and repair: how often, and how long, a job finds no host to go on with.
#include "commands/validate/oracles/closed_forms.hpp"
#include "commands/validate/oracles/worlds.hpp"
#include "core/math/special.hpp"
#include "policies/spares/sizing.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {
namespace {

constexpr double kDay = 24 * kHour;

/// Hosts that fail every `life`, `spares` beside them, repairs of a law; nothing else takes time, and no work is lost.
struct SparesPoint {
  std::uint32_t hosts = 512, spares = 16, crews = 0;
  double life = 66 * kDay;
  Law repair = Law::exponential(2 * kDay);
  FaultClock clock = FaultClock::training;
  double settle = 40, look = 400;  // mean repairs: what is not looked at, and what is

  double load() const { return hosts * repair.mean() / life; }
};

World spares_world(const SparesPoint& point) {
  World world = one_fault_world(point.hosts, Law::exponential(point.life));
  world.faults[0].clock = point.clock;
  world.inventory.spares = point.spares;
  world.repair.time = point.repair;
  world.repair.crew = point.crews;
  // A checkpoint after each second: a failure that finds a spare is over at once.
  world.job.step_time = std::chrono::seconds(1);
  world.job.window = from_seconds((point.settle + point.look) * point.repair.mean());
  return world;
}

/// Of what opened once the shop was as busy as ever: time that waited for a spare, and incidents that had to.
void read_waits(const SparesPoint& point, const Figures& figures, std::span<Fraction> out) {
  const Time from = kStart + from_seconds(point.settle * point.repair.mean());
  out[0] = {.numerator = 0, .denominator = to_seconds(figures.wall - (from - kStart))};
  out[1] = {.numerator = 0, .denominator = 0};
  for (const Incident& incident : figures.incidents) {
    if (incident.opened < from) continue;
    const Duration waited = at(incident.lost, Phase::waiting_for_spare);
    out[0].numerator += to_seconds(waited);
    out[1].denominator += 1;
    if (waited > Duration::zero()) out[1].numerator += 1;
  }
}

Oracle spares_oracle(const SparesPoint& point, const std::string& name, const std::string& conventions,
                     std::vector<OracleFigure> figures) {
  return {.name = name,
          .conventions = conventions,
          .figures = std::move(figures),
          .few = 24,
          .many = 1000,
          .sampler = [=] {
            return simulated(spares_world(point), instant_policies(std::chrono::seconds(1)),
                             [=](const Figures& of, std::span<Fraction> out) { read_waits(point, of, out); });
          }};
}

constexpr const char* kTimeShare = "share of the time that waits for a spare";
constexpr const char* kFailureShare = "share of the failures that wait for one";

/// With hosts that fail while the job trains alone, the hosts in repair are the calls of Erlang's loss system with S + 1 lines:
/// where all are taken the job stands, and nothing fails. A failure finds the system as it is while the job trains.
Oracle erlang_oracle(std::uint32_t spares, const char* law, Law repair) {
  SparesPoint point;
  point.spares = spares;
  point.repair = std::move(repair);
  const std::string source = "Erlang 1917; insensitive to the law of repair (B. A. Sevastyanov, 1957)";
  return spares_oracle(
      point, fmt::format("spares, S = {}, {} repair", spares, law),
      "clock training, spares immune, as many technicians as needed; starts free, no work lost",
      {{.what = kTimeShare,
        .expected = erlang_b(spares + 1, point.load()),
        .source = fmt::format("ErlangB({}, N MTTR / MTTF = {:.4f}): {}", spares + 1, point.load(), source)},
       {.what = kFailureShare,
        .expected = erlang_b(spares, point.load()),
        .source = fmt::format("ErlangB({}, {:.4f}): {}", spares, point.load(), source)}});
}

Oracle crews_oracle() {
  SparesPoint point;
  point.crews = 16;
  const double stall =
      stall_with_crews(point.hosts, point.spares, point.crews, 1 / point.life, 1 / point.repair.mean());
  return spares_oracle(
      point, fmt::format("spares, S = {}, {} technicians", point.spares, point.crews),
      "clock training, spares immune, exponential repair; starts free, no work lost",
      {{.what = kTimeShare,
        .expected = stall,
        .source = "birth and death: Cox and Smith, Queues, 1961, sec. 2.9"},
       {.what = kFailureShare,
        .expected = stall * point.crews / point.repair.mean() / (1 - stall) / (point.hosts / point.life),
        .source = "failures that stop the job are as many as repairs that free it"}});
}

/// Closed form alone, at sizes at which a simulation would take long; birth_death.cpp simulates the same at small ones.
Oracle k_of_n_oracle() {
  constexpr std::uint32_t kHosts = 4096;
  const double up = kHosts / (kHosts + SparesPoint().load());
  const std::string source = "sum over i >= k of C(n, i) q^i (1 - q)^(n - i)";
  return {
      .name = "k of n hosts up",
      .conventions = "each up or down by itself (clock always, faults on spares too); closed form alone",
      .figures =
          {{"130 of 144, each up 0.9347 of the time", 0.95, source, "", {PolicyJudge::absolute, 5e-4}},
           {"fewer than 4,096 of 4,112 up, load 15.515", 0.39, source, "", {PolicyJudge::absolute, 5e-3}},
           {"fewer than 4,096 of 4,120 up, load 15.515", 0.016, source, "", {PolicyJudge::absolute, 5e-4}}},
      .sampler = [=] {
        return [=](Seed, std::span<Fraction> out) {
          out[0] = {.numerator = at_least_k_of_n(130, 144, 0.9347)};
          out[1] = {.numerator = 1 - at_least_k_of_n(kHosts, kHosts + 16, up)};
          out[2] = {.numerator = 1 - at_least_k_of_n(kHosts, kHosts + 24, up)};
        };
      }};
}

}  // namespace

std::vector<Oracle> spares_oracles() {
  std::vector<Oracle> out;
  for (const std::uint32_t spares : {16U, 24U}) {
    out.push_back(erlang_oracle(spares, "exponential", Law::exponential(2 * kDay)));
    out.push_back(erlang_oracle(spares, "fixed", Law::constant(2 * kDay)));
    out.push_back(erlang_oracle(spares, "lognormal", Law::lognormal_with_mean(2 * kDay, 1)));
  }
  out.push_back(crews_oracle());
  out.push_back(k_of_n_oracle());
  return out;
}

}  // namespace gauntlet
