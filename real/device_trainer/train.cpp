#include "real/device_trainer/train.hpp"

#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/tier.hpp"
#include "real/checkpoint/writer.hpp"
#include "real/cuda/event_ring.hpp"
#include "real/device_trainer/device_state.hpp"
#include "real/device_trainer/gang.hpp"
#include "real/rank/gauntlet_rank.h"
#include "real/rank/lines.hpp"

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace gauntlet::cuda {
namespace {

// What rank 0 tells the others at a step boundary.
constexpr std::int64_t kCheckpoint = 1, kStop = 2;
constexpr Retention kRetention{.keep = 2, .every = 0};

/// What the agent is told, from any thread: the header serves one.
class Output {
 public:
  Output() { gauntlet_rank_open(&rank_); }
  ~Output() { gauntlet_rank_close(&rank_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  template <class Say>
  auto say(const Say& say) {
    const std::lock_guard lock(mutex_);
    return say(&rank_);
  }

 private:
  std::mutex mutex_;
  gauntlet_rank rank_{};
};

class Training {
 public:
  explicit Training(const DeviceTrainerOptions& options)
      : options_(options),
        storage_(options.checkpoints),
        tier_(storage_,
              {.seed = options.seed, .pp = 1, .dp = static_cast<std::uint32_t>(options.ranks), .tp = 1},
              kRetention),
        watch_(options.timeout) {}

  int run() {
    check(cudaSetDevice(options_.device), "cudaSetDevice");
    computing_.emplace();
    model_.emplace(options_.shape, options_.seed, *computing_);
    computing_->wait();
    phase("process_start");
    gang_.emplace(Gang::Settings{options_.rank, options_.ranks, options_.shared}, watch_);
    phase("communicator_init");
    std::int64_t step = restore();
    state_.emplace(*model_, *computing_, options_.device);
    writer_.emplace(tier_, rank(),
                    StagedCopy::Settings{
                        .memory = memory_, .state_bytes = model_->state_bytes(), .start = options_.start},
                    options_.timeout / 2, listener());
    if (const auto& problem = writer_->memory_problem()) warn("checkpoint_memory", problem->text());
    output_.say([&](gauntlet_rank* to) { gauntlet_rank_resumed(to, step); });
    std::printf("resumed from step %lld\n", static_cast<long long>(step));
    for (bool stop = false; step < options_.steps && !stop;) {
      const std::int64_t told = do_step(++step);
      if (step == options_.steps) break;
      if ((told & kCheckpoint) != 0) checkpoint(step);
      stop = (told & kStop) != 0;
    }
    writer_->wait_until_idle();
    if (step == options_.steps) finish();
    return kExitFinished;
  }

 private:
  std::uint32_t rank() const { return static_cast<std::uint32_t>(options_.rank); }
  std::int64_t rows_of_rank() const {
    return static_cast<std::int64_t>(options_.micro_batches) * options_.shape.rows;
  }
  std::int64_t rows() const { return rows_of_rank() * options_.ranks; }

  void phase(const char* name) {
    output_.say([&](gauntlet_rank* to) { gauntlet_rank_phase(to, name); });
  }
  void warn(const std::string& pattern, const std::string& text) {
    output_.say([&](gauntlet_rank* to) { gauntlet_rank_log(to, pattern.c_str(), text.c_str()); });
    std::fprintf(stderr, "gauntlet-device-trainer: warning: %s\n", text.c_str());
  }

  CheckpointListener listener() {
    return {.saved =
                [this](std::int64_t step) {
                  output_.say([&](gauntlet_rank* to) { gauntlet_rank_saved(to, step); });
                  std::printf("saved step %lld\n", static_cast<long long>(step));
                },
            .failed =
                [this](std::int64_t step, const Problem& problem) {
                  warn(std::string(kCheckpointFailed),
                       "there is no checkpoint of step " + std::to_string(step) + ": " + problem.text());
                },
            .not_removed =
                [this](const Problem& problem) {
                  warn(std::string(kCheckpointNotRemoved), "an old checkpoint stays: " + problem.text());
                }};
  }

  /// The step after which training goes on: of the newest checkpoint that rank 0 finds whole.
  std::int64_t restore() {
    std::int64_t newest = 0;
    if (options_.rank == 0) {
      const CheckpointTier::Survey survey = tier_.survey();
      if (survey.problem) throw std::runtime_error(survey.problem->text());
      if (const auto problem = tier_.tidy(survey)) throw std::runtime_error(problem->text());
      newest = survey.newest();
    }
    newest = sum_of_ranks(newest);
    if (newest == 0) return 0;
    CheckpointTier::Loaded loaded = tier_.load(newest, rank());
    if (!loaded.shard) throw std::runtime_error(loaded.flaw.problem.text());
    if (loaded.shard->state.size() != model_->state_bytes())
      throw std::runtime_error("the checkpoint of step " + std::to_string(newest) +
                               " is of a model of another size");
    model_->restore(reinterpret_cast<const std::byte*>(loaded.shard->state.data()));
    phase("load");
    return newest;
  }

  std::int64_t sum_of_ranks(std::int64_t number) {
    const DeviceMemory<std::int64_t> word = device_memory<std::int64_t>(1);
    check(cudaMemcpy(word.get(), &number, sizeof number, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const Watch::Wait wait(watch_, "the step of the newest checkpoint");
    gang_->sum(word.get(), 1, *computing_);
    computing_->wait();
    check(cudaMemcpy(&number, word.get(), sizeof number, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return number;
  }

  template <class Work>
  void timed(std::int64_t step, const char* name, const Work& work) {
    ring_.begin(step, name, *computing_);
    work();
    ring_.end(*computing_);
  }

  std::int64_t wanted(std::int64_t step) {
    if (options_.rank != 0) return 0;
    return output_.say([&](gauntlet_rank* to) -> std::int64_t {
      const bool due = to->socket >= 0 ? gauntlet_rank_checkpoint_wanted(to, step) != 0
                                       : options_.save_every > 0 && step % options_.save_every == 0;
      return (due ? kCheckpoint : 0) | (gauntlet_rank_stop_wanted(to) != 0 ? kStop : 0);
    });
  }

  /// Returns what rank 0 told.
  std::int64_t do_step(std::int64_t step) {
    const std::int64_t began =
        output_.say([&](gauntlet_rank* to) { return gauntlet_rank_begin_step(to, step); });
    if (step == options_.flip_before) flip();
    model_->clear_gradient();
    for (int each = 0; each < options_.micro_batches; ++each) {
      const std::int64_t row =
          options_.rank * rows_of_rank() + static_cast<std::int64_t>(each) * options_.shape.rows;
      timed(step, "forward", [&] { model_->forward(step, row); });
      timed(step, "backward", [&] { model_->backward(); });
    }
    tell_segments(step);  // of earlier steps: the device has work meanwhile
    model_->gather(wanted(step));
    const Model::Told told = sum_and_update(step);
    output_.say([&](gauntlet_rank* to) {
      gauntlet_rank_end_step(to, step, began);
      if (options_.rank == 0) gauntlet_rank_loss(to, step, told.loss);
    });
    if (options_.rank == 0) {
      std::printf("step %lld loss %.9f\n", static_cast<long long>(step), told.loss);
    }
    return told.told;
  }

  void flip() {
    state_->hold_back();  // the checkpoint of the step before is not to have it
    model_->flip_bit(options_.flipped_bit);
    std::printf("flipped bit %d of a weight before step %lld\n", options_.flipped_bit,
                static_cast<long long>(options_.flip_before));
  }

  void tell_segments(std::int64_t before) {
    for (const DeviceSegment& each : ring_.collect(before))
      output_.say([&](gauntlet_rank* to) {
        gauntlet_rank_device_segment(to, each.step, each.name.c_str(), each.took_ns);
      });
  }

  Model::Told sum_and_update(std::int64_t step) {
    computing_->wait();  // a rank whose device hangs before the collective has not entered it
    const std::uint64_t sequence =
        output_.say([&](gauntlet_rank* to) { return gauntlet_rank_enter(to, "all_reduce", "dp"); });
    const Watch::Wait wait(watch_, "all_reduce in step " + std::to_string(step));
    gang_->sum(model_->gathered(), model_->gathered_count(), *computing_);
    const Model::Told told = model_->read_told(rows());
    output_.say([&](gauntlet_rank* to) { gauntlet_rank_leave(to, sequence, "all_reduce", "dp"); });
    state_->hold_back();
    model_->update(rows());
    return told;
  }

  void checkpoint(std::int64_t step) {
    const std::int64_t began = gauntlet_rank_now();
    writer_->write(step, *state_);
    output_.say([&](gauntlet_rank* to) { gauntlet_rank_stall(to, step, began); });
  }

  void finish() {
    tell_segments(options_.steps + 1);
    const std::uint64_t hash = model_->hash();
    output_.say([&](gauntlet_rank* to) { gauntlet_rank_finished(to, options_.steps, hash); });
    std::printf("final state %016llx\n", static_cast<unsigned long long>(hash));
  }

  const DeviceTrainerOptions& options_;
  Output output_;
  DirectoryStorage storage_;
  CheckpointTier tier_;
  Watch watch_;
  DeviceHostMemory memory_;
  EventRing ring_;
  std::optional<Stream> computing_;
  std::optional<Model> model_;
  std::optional<Gang> gang_;
  std::optional<DeviceState> state_;
  std::optional<CheckpointWriter> writer_;
};

}  // namespace

int train(const DeviceTrainerOptions& options) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // who reads it from a pipe sees each line at once
  std::filesystem::create_directories(options.checkpoints);
  return Training(options).run();
}

}  // namespace gauntlet::cuda
