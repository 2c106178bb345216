#include "flow/pipeline.hpp"

#include "core/contract.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

/// A pass over one chunk; chunks are counted along the model.
struct Pass {
  std::uint32_t chunk, micro_batch;
  bool backward;
};

/// The passes of one stage in order: forward ones until as many are in flight as the schedule warms up with, then one forward
/// and one backward in turn, then the backward ones that are left.
std::vector<Pass> passes_of(const PipelineShape& shape, std::uint32_t stage) {
  const std::uint32_t p = shape.stages, v = shape.virtual_stages, m = shape.micro_batches;
  std::vector<Pass> forward, backward;
  const std::uint32_t together =
      v == 1 ? m : p;  // micro-batches that pass a chunk before the next chunk's turn
  for (std::uint32_t first = 0; first < m; first += together)
    for (std::uint32_t c = 0; c < v; ++c)
      for (std::uint32_t i = first; i < std::min(first + together, m); ++i) {
        forward.push_back({c * p + stage, i, false});
        backward.push_back({(v - 1 - c) * p + stage, i, true});
      }
  const std::size_t after = p - 1 - stage;
  const std::size_t ahead = std::min<std::size_t>(v == 1 ? after : 2 * after + (v - 1) * p, forward.size());
  std::vector<Pass> out(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(ahead));
  for (std::size_t i = 0; i < backward.size(); ++i) {
    if (ahead + i < forward.size()) out.push_back(forward[ahead + i]);
    out.push_back(backward[i]);
  }
  return out;
}

class Writer {
 public:
  Writer(const FabricNetwork& fabric, const PipelineStep& step)
      : fabric_(fabric),
        step_(step),
        chunks_(step.shape.stages * step.shape.virtual_stages),
        width_(fabric.layout().tp * fabric.layout().cp) {}

  /// An actor for each rank, stage by stage.
  FlowPhase phase() const {
    FlowPhase out;
    for (std::uint32_t stage = 0; stage < step_.shape.stages; ++stage) {
      const std::vector<Pass> passes = passes_of(step_.shape, stage);
      for (std::uint32_t place = 0; place < width_; ++place)
        out.actors.push_back(actor(stage, place, passes));
    }
    return out;
  }

 private:
  Actor actor(std::uint32_t stage, std::uint32_t place, std::span<const Pass> passes) const {
    Actor out;
    std::uint32_t meeting = stage * static_cast<std::uint32_t>(passes.size());
    for (const Pass& pass : passes) {
      const double seconds = stall(stage, pass);
      if (seconds > 0 && pass.micro_batch == 0) compute(out, seconds);  // from the start of the step
      receive(out, pass, place);
      if (seconds > 0 && pass.micro_batch > 0) compute(out, seconds);
      compute(out, seconds_of(pass));
      if (width_ > 1)
        out.push_back({.kind = Instruction::Kind::meet, .seconds = 0, .number = meeting++, .transfer = {}});
      send(out, pass, stage, place);
    }
    return out;
  }

  static void compute(Actor& to, double seconds) {
    to.push_back({.kind = Instruction::Kind::compute, .seconds = seconds, .number = 0, .transfer = {}});
  }

  double seconds_of(const Pass& pass) const {
    const std::vector<double>& times = pass.backward ? step_.compute.backward : step_.compute.forward;
    return times.size() == chunks_ ? times[pass.chunk]
                                   : times[pass.chunk * step_.shape.micro_batches + pass.micro_batch];
  }

  double stall(std::uint32_t stage, const Pass& pass) const {
    double seconds = 0;
    for (const StageStall& s : step_.stalls)
      if (!pass.backward && pass.chunk == stage && s.stage == stage && s.micro_batch == pass.micro_batch)
        seconds += s.seconds;
    return seconds;
  }

  /// What a pass over `chunk` sends on, as a number.
  std::uint32_t message(std::uint32_t chunk, const Pass& pass, std::uint32_t place) const {
    const std::uint32_t which = (pass.backward ? chunks_ : 0) + chunk;
    return (which * step_.shape.micro_batches + pass.micro_batch) * width_ + place;
  }

  void receive(Actor& to, const Pass& pass, std::uint32_t place) const {
    const std::uint32_t last = pass.backward ? chunks_ - 1 : 0;
    if (pass.chunk == last || step_.shape.stages == 1) return;
    to.push_back({.kind = Instruction::Kind::receive,
                  .seconds = 0,
                  .number = message(pass.backward ? pass.chunk + 1 : pass.chunk - 1, pass, place),
                  .transfer = {}});
  }

  void send(Actor& to, const Pass& pass, std::uint32_t stage, std::uint32_t place) const {
    const std::uint32_t last = pass.backward ? 0 : chunks_ - 1, p = step_.shape.stages;
    if (pass.chunk == last || p == 1) return;
    const std::uint32_t from = rank(stage, place),
                        next = rank((stage + (pass.backward ? p - 1 : 1)) % p, place);
    const FabricShape& shape = fabric_.links().topology().shape();
    to.push_back({.kind = Instruction::Kind::send,
                  .seconds = 0,
                  .number = message(pass.chunk, pass, place),
                  .transfer = {.bytes = step_.message.value,
                               .links = fabric_.links().path(
                                   from, next, shape.host().first_nic(from % shape.gpus_per_host))}});
  }

  std::uint32_t rank(std::uint32_t stage, std::uint32_t place) const {
    const Layout& layout = fabric_.layout();
    return layout.rank({.tp = place % layout.tp, .cp = place / layout.tp, .dp = step_.replica, .pp = stage});
  }

  const FabricNetwork& fabric_;
  const PipelineStep& step_;
  std::uint32_t chunks_, width_;  // ranks of a stage
};

}  // namespace

std::vector<double> simgrid_pipeline(const FabricNetwork& fabric, const PipelineStep& step,
                                     const NetworkState& state, const FlowProgram& program) {
  expect(step.shape.stages == fabric.layout().pp, "the layout has these stages");
  expect(step.shape.virtual_stages == 1 || step.shape.micro_batches % step.shape.stages == 0,
         "interleaved stages take micro-batches in groups of as many as there are stages");
  FlowProblem problem;
  for (const double capacity : fabric.links().capacities(state))
    problem.links.push_back({.bandwidth = capacity, .latency = 0});
  problem.phases.push_back(Writer(fabric, step).phase());
  const FlowTimes times = solve(program, problem).front();
  std::vector<double> finish(step.shape.stages, 0);
  const std::size_t width = times.actors.size() / finish.size();
  for (std::size_t i = 0; i < times.actors.size(); ++i)
    finish[i / width] = std::max(finish[i / width], times.actors[i]);
  return finish;
}

}  // namespace gauntlet
