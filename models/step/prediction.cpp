#include "models/step/prediction.hpp"

#include "core/contract.hpp"
#include "models/step/step.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kTera = 1e12;

/// What may be tried for a number that was not published.
std::vector<std::uint32_t> micro_batches(const PublishedStep& row) {
  if (row.micro_batch > 0) return {row.micro_batch};
  std::vector<std::uint32_t> out;
  for (const std::uint32_t size : {1u, 2u, 4u, 8u, 16u})
    if (row.global_batch % (row.layout.dp * size) == 0) out.push_back(size);
  return out;
}

std::vector<std::uint32_t> virtual_stages(const PublishedStep& row) {
  if (row.layout.virtual_stages > 0) return {row.layout.virtual_stages};
  std::vector<std::uint32_t> out = {1};
  if (row.layout.pp == 1) return out;
  for (std::uint32_t v = 2; v * row.layout.pp <= row.model.layers; ++v)
    if (row.model.layers % (v * row.layout.pp) == 0) out.push_back(v);
  return out;
}

struct Candidate {
  World world;
  std::unique_ptr<StepModel> model;
  Duration at_least;  // of its step
};

Candidate candidate(const World& world) {
  auto model = std::make_unique<StepModel>(world);
  const Duration at_least = model->healthy_at_least();
  return {world, std::move(model), at_least};
}

}  // namespace

PublishedJob job_of(const PublishedStep& row, const Hardware& hardware, const Calibration& stack) {
  World world;
  world.hardware = hardware;
  if (row.nics_per_host > 0) world.hardware.nics_per_host = row.nics_per_host;
  if (row.nic.value > 0) world.hardware.nic = row.nic;
  world.job.model = row.model;
  world.job.training = row.training;
  world.job.layout = row.layout;
  world.job.calibration = stack;
  world.job.global_batch = row.global_batch;
  PublishedJob best;
  std::vector<Candidate> candidates;
  for (const std::uint32_t micro_batch : micro_batches(row))
    for (const std::uint32_t stages : virtual_stages(row)) {
      world.job.micro_batch = micro_batch;
      world.job.layout.virtual_stages = stages;
      const auto no =
          misfit(row.model, row.training, world.job.layout, row.global_batch, micro_batch, hardware.memory);
      if (no)
        best.why = no->what + " " + no->why + "; " + no->suggestion;
      else
        candidates.push_back(candidate(world));
    }
  // The fastest is among the first, and then no other one needs a schedule.
  std::ranges::stable_sort(candidates, {}, &Candidate::at_least);
  for (const Candidate& each : candidates) {
    if (best.world && each.at_least >= best.step_time) break;
    const Duration time = each.model->healthy();
    if (best.world && time >= best.step_time) continue;
    best = {.world = each.world, .step_time = time, .why = ""};
  }
  return best;
}

Flops counted_flops(const PublishedStep& row) {
  const double tokens = static_cast<double>(row.global_batch) * row.model.sequence;
  return model_flops_per_token(row.model, row.count) * tokens;
}

double published_seconds(const PublishedStep& row, const Hardware& hardware) {
  if (row.unit == FigureUnit::seconds) return row.value;
  return figure_of(row.value, row, hardware);  // rates are their own inverse
}

double figure_of(double seconds, const PublishedStep& row, const Hardware& hardware) {
  expect(seconds > 0, "a step takes time");
  const double rate = counted_flops(row).value / seconds / row.layout.ranks();
  switch (row.unit) {
    case FigureUnit::seconds:
      return seconds;
    case FigureUnit::tflops:
      return rate / kTera;
    case FigureUnit::mfu:
      return 100 * rate / hardware.peak.value;
  }
  return 0;
}

}  // namespace gauntlet
