#include "commands/new/layout.hpp"

#include "models/calibration/calibration.hpp"
#include "models/step/step.hpp"
#include "models/world/world.hpp"
#include "study/option_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Share of a GPU's memory that a layout may take: the rest is left to the framework and to fragments (assumption).
constexpr double kShareOfMemory = 0.9;
/// How far the global batch may be from the one wanted, where some layout can be so near.
constexpr double kNearBatch = 0.05;
/// Where the search ends (assumption). Of the layouts in models/calibration/published.csv none has more stages; a few have more
/// virtual stages, or larger micro-batches.
constexpr std::uint32_t kMostStages = 64;
constexpr std::uint32_t kMostVirtual = 8;
constexpr std::uint32_t kMostMicroBatch = 4;

struct Candidate {
  Layout layout;
  std::uint32_t global_batch = 1, micro_batch = 1;
  double off = 0;  // of the batch from the one wanted, as a share
};

std::vector<std::uint32_t> divisors(std::uint32_t whole, std::uint32_t most) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t d = 1; d <= std::min(whole, most); ++d)
    if (whole % d == 0) out.push_back(d);
  return out;
}

std::vector<std::uint32_t> only(std::optional<std::uint32_t> given, std::vector<std::uint32_t> otherwise) {
  return given ? std::vector{*given} : std::move(otherwise);
}

/// A batch of whole micro-batches for each replica, and for each round of an interleaved schedule, near the one wanted.
std::optional<std::uint32_t> batch_near(double wanted, std::uint64_t group) {
  constexpr double kMost = 1e9;  // as config/ has it
  const double groups = std::max(1.0, std::round(wanted / static_cast<double>(group)));
  const double batch = groups * static_cast<double>(group);
  return batch <= kMost ? std::optional(static_cast<std::uint32_t>(batch)) : std::nullopt;
}

void add_candidates(std::vector<Candidate>& out, const Facts& facts, const Layout& layout, double wanted) {
  for (std::uint32_t micro = 1; micro <= kMostMicroBatch; micro *= 2) {
    const std::uint64_t rounds = layout.virtual_stages > 1 ? layout.pp : 1;
    const auto batch = batch_near(wanted, std::uint64_t{layout.dp} * micro * rounds);
    // Without a bound on memory: what divides nothing is left out, what does not fit is told later.
    if (!batch || misfit(facts.model, {}, layout, *batch, micro, {})) continue;
    out.push_back({layout, *batch, micro, std::abs(*batch - wanted) / wanted});
  }
}

std::vector<std::uint32_t> expert_ranks(const Transformer& model, std::uint32_t dp) {
  constexpr std::uint32_t kMostExpertRanks = 256;
  return model.experts == 0 ? std::vector{1U} : divisors(std::gcd(model.experts, dp), kMostExpertRanks);
}

std::vector<Candidate> candidates(const Facts& facts, double wanted) {
  std::vector<Candidate> out;
  for (const std::uint32_t tp : only(facts.tp, divisors(facts.hardware.gpus_per_host, facts.gpus)))
    for (const std::uint32_t pp : only(facts.pp, divisors(facts.gpus / std::gcd(tp, facts.gpus),
                                                          std::min(kMostStages, facts.model.layers)))) {
      const std::uint64_t replica = std::uint64_t{tp} * pp;
      if (facts.gpus % replica != 0) continue;
      Layout layout;
      layout.tp = tp;
      layout.pp = pp;
      layout.dp = static_cast<std::uint32_t>(facts.gpus / replica);
      for (layout.virtual_stages = 1; layout.virtual_stages <= (pp > 1 ? kMostVirtual : 1);
           ++layout.virtual_stages)
        for (const std::uint32_t ep : expert_ranks(facts.model, layout.dp)) {
          layout.ep = ep;
          add_candidates(out, facts, layout, wanted);
        }
    }
  return out;
}

/// What the step model needs of a world; the rest is as a scenario has it by default.
World world_for(const Facts& facts, const Candidate& candidate, Recompute recompute) {
  World world;
  world.hardware = facts.hardware;
  world.inventory.job_hosts = facts.hosts;
  world.inventory.gpus_per_host = facts.hardware.gpus_per_host;
  world.inventory.layout = candidate.layout;
  world.job.model = facts.model;
  world.job.training.recompute = recompute;
  world.job.calibration = *find_calibration(Calibration{}.stack);
  world.job.layout = candidate.layout;
  world.job.global_batch = candidate.global_batch;
  world.job.micro_batch = candidate.micro_batch;
  return world;
}

Bytes memory_of(const Facts& facts, const Candidate& candidate, Recompute recompute) {
  Training training;
  training.recompute = recompute;
  return memory_use(facts.model, training, candidate.layout, candidate.micro_batch).total();
}

std::optional<ChosenLayout> fastest(const Facts& facts, const std::vector<Candidate>& all,
                                    Recompute recompute, Bytes room) {
  std::vector<Candidate> fit;
  std::ranges::copy_if(all, std::back_inserter(fit),
                       [&](const Candidate& each) { return memory_of(facts, each, recompute) <= room; });
  if (fit.empty()) return {};
  const double nearest = std::ranges::min(fit, {}, &Candidate::off).off;
  std::erase_if(fit, [&](const Candidate& each) { return each.off > std::max(nearest, kNearBatch); });
  std::optional<ChosenLayout> best;
  double best_rate = 0;
  for (const Candidate& each : fit) {
    const StepModel model(world_for(facts, each, recompute));
    if (!model.is_computable()) continue;
    const Duration step = model.healthy();
    const double rate = each.global_batch / to_seconds(step);
    if (!(rate > best_rate)) continue;
    best_rate = rate;
    best = ChosenLayout{.layout = each.layout,
                        .global_batch = each.global_batch,
                        .micro_batch = each.micro_batch,
                        .recompute = recompute,
                        .step = step};
  }
  if (best) best->tried = static_cast<std::uint32_t>(fit.size());
  return best;
}

std::string how(const Facts& facts) {
  std::string text;
  if (facts.tp) text += fmt::format(" with --tp {}", *facts.tp);
  if (facts.pp) text += fmt::format("{} --pp {}", facts.tp ? "" : " with", *facts.pp);
  return text;
}

Problem no_layout(const Facts& facts, const std::vector<Candidate>& all) {
  const std::string least =
      facts.tp || facts.pp ? "leave --tp and --pp out, or give more GPUs" : "give more GPUs";
  if (all.empty())
    return option_problem(facts.tp   ? "--tp"
                          : facts.pp ? "--pp"
                                     : "--gpus",
                          "",
                          fmt::format("no layout of {} on {} GPUs{} divides its layers and heads",
                                      facts.model_name, facts.gpus, how(facts)),
                          facts.tp || facts.pp ? "leave --tp and --pp out" : "give another number of GPUs");
  Bytes smallest = memory_of(facts, all.front(), Recompute::full);
  for (const Candidate& each : all) smallest = std::min(smallest, memory_of(facts, each, Recompute::full));
  return option_problem(
      "--gpus", fmt::format("\"{}\"", facts.gpus),
      fmt::format("are too few for {}{}: the smallest of {} layouts needs {:.0f} GB of the {:.0f} GB "
                  "of a GPU",
                  facts.model_name, how(facts), all.size(), smallest.value / 1e9,
                  facts.hardware.memory.value / 1e9),
      least);
}

}  // namespace

LayoutChoice choose_layout(const Facts& facts) {
  const double wanted = std::max(1.0, facts.batch.value_or(kUsualBatch) / facts.model.sequence);
  const std::vector<Candidate> all = candidates(facts, wanted);
  for (const double share : {kShareOfMemory, 1.0})
    for (const Recompute recompute : {Recompute::selective, Recompute::full})
      if (auto chosen = fastest(facts, all, recompute, facts.hardware.memory * share)) {
        chosen->memory_share = share;
        return {chosen, {}};
      }
  return {{}, no_layout(facts, all)};
}

LayoutChoice layout_of_stand_in(const Facts& facts) {
  ChosenLayout chosen;
  chosen.layout.tp = facts.tp.value_or(std::gcd(facts.hardware.gpus_per_host, facts.model.kv_heads));
  chosen.layout.pp = facts.pp.value_or(1);
  const std::uint64_t replica = std::uint64_t{chosen.layout.tp} * chosen.layout.pp;
  if (facts.gpus % replica != 0)
    return {{},
            option_problem("--gpus", fmt::format("\"{}\"", facts.gpus),
                           fmt::format("is not divisible by tp x pp = {}", replica), "give --tp or --pp")};
  chosen.layout.dp = static_cast<std::uint32_t>(facts.gpus / replica);
  chosen.global_batch = chosen.layout.dp;
  chosen.step = *parse_duration(*facts.step_time).value;
  return {chosen, {}};
}

}  // namespace gauntlet
