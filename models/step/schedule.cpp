#include "models/step/schedule.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kNotDone = -1;

/// One piece of a stage's work, in the order in which the stage does it.
struct Piece {
  std::uint32_t chunk, micro_batch;
  bool backward;
};

/// The forward (backward) passes of a stage, one after the other: micro-batches go in groups of as many as there are stages, each
/// group through every chunk. Without virtual stages a group is all of them.
class PassesInTurn {
 public:
  PassesInTurn(const PipelineShape& shape, bool backward)
      : of_group_(shape.virtual_stages == 1 ? shape.micro_batches : shape.stages),
        last_chunk_(shape.virtual_stages - 1),
        backward_(backward) {}

  Piece piece() const { return {backward_ ? last_chunk_ - turn_ : turn_, group_ + member_, backward_}; }
  void next() {
    ++done_;
    if (++member_ < of_group_) return;
    member_ = 0;
    if (turn_ < last_chunk_) {
      ++turn_;
    } else {
      turn_ = 0;
      group_ += of_group_;
    }
  }
  std::uint32_t done() const { return done_; }

 private:
  std::uint32_t of_group_, last_chunk_;
  bool backward_;
  std::uint32_t done_ = 0;
  std::uint32_t turn_ = 0;    // of the chunks
  std::uint32_t group_ = 0;   // its first micro-batch
  std::uint32_t member_ = 0;  // of the group
};

/// How many forward passes a stage does before its first backward one.
std::uint32_t warm_up(const PipelineShape& shape, std::uint32_t stage) {
  const std::uint32_t all = shape.micro_batches * shape.virtual_stages;
  const std::uint32_t after = shape.stages - 1 - stage;
  if (shape.virtual_stages == 1) return std::min(after, all);
  return std::min(2 * after + (shape.virtual_stages - 1) * shape.stages, all);
}

class Pipeline {
 public:
  Pipeline(const PipelineShape& shape, const ChunkTimes& times, std::span<const StageStall> stalls,
           std::vector<ScheduledPass>* work)
      : shape_(shape),
        times_(times),
        stalls_(stalls),
        work_(work),
        chunks_(shape.stages * shape.virtual_stages),
        passes_(shape.micro_batches * shape.virtual_stages),
        own_times_(times.forward.size() > chunks_),
        forward_(static_cast<std::size_t>(chunks_) * shape.micro_batches, kNotDone),
        backward_(forward_),
        free_(shape.stages, 0) {
    for (std::uint32_t stage = 0; stage < shape.stages; ++stage)
      order_.push_back({.forward = PassesInTurn(shape, false),
                        .backward = PassesInTurn(shape, true),
                        .first = warm_up(shape, stage)});
  }

  std::vector<double> run() {
    for (const StageStall& stall : stalls_)
      if (stall.micro_batch == 0) free_[stall.stage] = std::max(free_[stall.stage], stall.seconds);
    std::vector<std::uint32_t> waiting(shape_.stages);  // stages whose next piece may be ready
    for (std::uint32_t s = 0; s < shape_.stages; ++s) waiting[s] = shape_.stages - 1 - s;
    while (!waiting.empty()) {
      const std::uint32_t stage = waiting.back();
      waiting.pop_back();
      bool moved = false;
      while (advance(stage)) moved = true;
      if (!moved) continue;
      waiting.push_back((stage + 1) % shape_.stages);
      waiting.push_back((stage + shape_.stages - 1) % shape_.stages);
    }
    for (const Order& order : order_)
      ensure(order.backward.done() == passes_, "the schedule runs to its end");
    return free_;
  }

 private:
  /// What a stage does in which order: forward passes until it is warm, then one of each in turns.
  struct Order {
    PassesInTurn forward, backward;
    std::uint32_t first;  // so many forward passes come first
  };

  bool backward_is_next(const Order& order) const {
    return order.forward.done() == passes_ || order.forward.done() > order.first + order.backward.done();
  }

  double& end_of(std::vector<double>& of, std::uint32_t chunk, std::uint32_t micro_batch) {
    return of[static_cast<std::size_t>(chunk) * shape_.micro_batches + micro_batch];
  }

  /// When what a piece needs is there; kNotDone where it is not yet. `chunk` counts over all stages.
  double ready(const Piece& p, std::uint32_t chunk) {
    if (!p.backward) return chunk == 0 ? 0 : end_of(forward_, chunk - 1, p.micro_batch);
    if (chunk + 1 < chunks_) return end_of(backward_, chunk + 1, p.micro_batch);
    return end_of(forward_, chunk, p.micro_batch);
  }

  double stall_before(std::uint32_t stage, const Piece& p) const {
    double seconds = 0;
    if (!p.backward && p.chunk == 0 && p.micro_batch > 0)
      for (const StageStall& stall : stalls_)
        if (stall.stage == stage && stall.micro_batch == p.micro_batch) seconds += stall.seconds;
    return seconds;
  }

  bool advance(std::uint32_t stage) {
    Order& order = order_[stage];
    if (order.backward.done() == passes_) return false;
    PassesInTurn& passes = backward_is_next(order) ? order.backward : order.forward;
    const Piece p = passes.piece();
    const std::uint32_t chunk = p.chunk * shape_.stages + stage;
    const double since = ready(p, chunk);
    if (since == kNotDone) return false;
    const double begin = std::max(since, free_[stage]) + stall_before(stage, p);
    const std::size_t which =
        own_times_ ? static_cast<std::size_t>(chunk) * shape_.micro_batches + p.micro_batch : chunk;
    const double end = begin + (p.backward ? times_.backward : times_.forward)[which];
    end_of(p.backward ? backward_ : forward_, chunk, p.micro_batch) = end;
    free_[stage] = end;
    passes.next();
    if (work_ != nullptr) work_->push_back({stage, p.chunk, p.micro_batch, p.backward, begin, end});
    return true;
  }

  const PipelineShape& shape_;
  const ChunkTimes& times_;
  std::span<const StageStall> stalls_;
  std::vector<ScheduledPass>* work_;
  std::uint32_t chunks_, passes_;
  bool own_times_;                          // each micro-batch has times of its own
  std::vector<double> forward_, backward_;  // end by chunk and micro-batch
  std::vector<Order> order_;                // by stage
  std::vector<double> free_;                // by stage: since when
};

}  // namespace

std::vector<double> pipeline_finish(const PipelineShape& shape, const ChunkTimes& times,
                                    std::span<const StageStall> stalls, std::vector<ScheduledPass>* work) {
  const std::size_t chunks = static_cast<std::size_t>(shape.stages) * shape.virtual_stages;
  expect(times.forward.size() == times.backward.size() &&
             (times.forward.size() == chunks || times.forward.size() == chunks * shape.micro_batches),
         "every chunk has its times");
  expect(shape.virtual_stages == 1 || shape.micro_batches % shape.stages == 0,
         "interleaved stages take micro-batches in groups of as many as there are stages");
  if (work != nullptr) work->clear();
  std::vector<double> finish = Pipeline(shape, times, stalls, work).run();
  if (work != nullptr)
    std::stable_sort(work->begin(), work->end(),
                     [](const ScheduledPass& a, const ScheduledPass& b) { return a.begin < b.begin; });
  return finish;
}

double pipeline_at_least(const PipelineShape& shape, const ChunkTimes& times) {
  expect(times.forward.size() == std::size_t{shape.stages} * shape.virtual_stages,
         "there is one time a chunk");
  double most = 0, before = 0;
  for (std::uint32_t stage = 0; stage < shape.stages; ++stage) {
    double own = 0;
    for (std::size_t chunk = stage; chunk < times.forward.size(); chunk += shape.stages)
      own += times.forward[chunk] + times.backward[chunk];
    most = std::max(most, before + shape.micro_batches * own);
    before += times.forward[stage] + times.backward[stage];
  }
  return most;
}

std::vector<ScheduledPass> critical_path(const PipelineShape& shape, const ChunkTimes& times,
                                         std::span<const StageStall> stalls, std::uint32_t stage) {
  std::vector<ScheduledPass> work;
  pipeline_finish(shape, times, stalls, &work);
  const std::uint32_t chunks = shape.stages * shape.virtual_stages;
  // By direction, chunk along the model, and micro-batch.
  const auto place = [&](bool backward, std::uint32_t chunk, std::uint32_t micro_batch) {
    return (static_cast<std::size_t>(backward ? chunks : 0) + chunk) * shape.micro_batches + micro_batch;
  };
  std::vector<const ScheduledPass*> by_place(2 * static_cast<std::size_t>(chunks) * shape.micro_batches);
  std::vector<const ScheduledPass*> before(by_place.size()),
      of_stage(shape.stages);  // the stage's pass before it
  for (const ScheduledPass& pass : work) {
    const std::size_t at = place(pass.backward, pass.chunk * shape.stages + pass.stage, pass.micro_batch);
    by_place[at] = &pass;
    before[at] = std::exchange(of_stage[pass.stage], &pass);
  }
  std::vector<ScheduledPass> path;
  for (const ScheduledPass* last = of_stage[stage]; last != nullptr;) {
    path.push_back(*last);
    const std::uint32_t chunk = last->chunk * shape.stages + last->stage;
    const ScheduledPass* own = before[place(last->backward, chunk, last->micro_batch)];
    const ScheduledPass* input = nullptr;
    if (last->backward)
      input = by_place[place(chunk + 1 < chunks, std::min(chunk + 1, chunks - 1), last->micro_batch)];
    else if (chunk > 0)
      input = by_place[place(false, chunk - 1, last->micro_batch)];
    last = own != nullptr && (input == nullptr || own->end >= input->end) ? own : input;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace gauntlet
