// Checkpoints in peers' memory: how often some hosts are left of every group when several are lost at once.
#include "commands/validate/oracles/closed_forms.hpp"
#include "commands/validate/oracles/worlds.hpp"
#include "study/replica.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace gauntlet {
namespace {

constexpr std::uint32_t kHosts = 16, kCopies = 2, kLost = 3;
constexpr double kCorollary = 0.8;      // GEMINI's corollary 1 at this point, where it is exact
constexpr std::uint32_t kLosses = 100;  // of a replica
constexpr const char* kSource =
    "1 - n C(n - m, k - m) / (m C(n, k)): GEMINI, corollary 1, https://doi.org/10.1145/3600006.3613145";

/// `lost` of `hosts`, each set of so many as likely as any other; in rising order.
std::vector<std::uint32_t> any_of(std::uint32_t hosts, std::uint32_t lost, Stream& stream) {
  std::vector<std::uint32_t> all(hosts);
  std::iota(all.begin(), all.end(), 0);
  for (std::uint32_t i = 0; i < lost; ++i) std::swap(all[i], all[i + stream.below(hosts - i)]);
  all.resize(lost);
  std::ranges::sort(all);
  return all;
}

Oracle closed_form() {
  return {.name = fmt::format("peers' memory, {} hosts, {} copies, {} lost", kHosts, kCopies, kLost),
          .conventions = "groups of neighbours in slot order; lost at once; closed form alone",
          .figures = {{"probability that every group has a host left",
                       kCorollary,
                       kSource,
                       "",
                       {PolicyJudge::relative, 1e-12}}},
          .sampler = [] {
            return [](Seed, std::span<Fraction> out) {
              out[0] = {.numerator = peer_recovery_probability(kHosts, kCopies, kLost)};
            };
          }};
}

/// A loss every 90 minutes, in the middle of a step. Peers hold a copy of each step, and give it back in no time; what has to come
/// from storage takes a while to load.
constexpr double kApart = 90.5, kStored = 60, kStep = 1, kLoad = 10;  // minutes

World losing_world(Seed seed) {
  World world = one_fault_world(kHosts, Law::exponential(1));
  world.faults[0].symptoms.heartbeat_lost = true;  // and with it what it held in memory
  world.storage.copies = kCopies;
  world.storage.load = from_minutes(kLoad);
  world.job.step_time = from_minutes(kStep);
  world.job.window = from_minutes(kApart * (kLosses + 1));
  Stream stream(seed, stream_name("oracle.lost"));
  for (std::uint32_t i = 1; i <= kLosses; ++i)
    for (const std::uint32_t host : any_of(kHosts, kLost, stream))
      world.faults[0].trace.emplace_back(kStart + from_minutes(kApart * i), host);
  return world;
}

Oracle through_the_simulator() {
  return {
      .name = fmt::format("peers' memory, {} hosts, {} copies, {} lost, simulated", kHosts, kCopies, kLost),
      .conventions =
          "a trace of hosts that crash at once and lose their memory; replaced at once; only loading from "
          "storage takes time",
      .figures = {{.what = "losses after which the job goes on from peers",
                   .expected = kCorollary,
                   .source = kSource}},
      .few = 20,
      .many = 1000,
      .sampler = [] {
        return [](Seed seed, std::span<Fraction> out) {
          const World world = losing_world(seed);
          PolicyConstants policies = instant_policies(from_minutes(kStored));
          policies.checkpoint.peers_interval = from_minutes(kStep);
          Simulation simulation(world, policies);
          const Figures& figures = simulation.run({.seed = seed.study, .replica = seed.replica});
          out[0] = {.numerator = 0, .denominator = static_cast<double>(figures.incidents.size())};
          for (const Incident& incident : figures.incidents)
            if (at(incident.lost, Phase::restarting) == Duration::zero()) out[0].numerator += 1;
        };
      }};
}

}  // namespace

std::vector<Oracle> peer_memory_oracles() { return {closed_form(), through_the_simulator()}; }

}  // namespace gauntlet
