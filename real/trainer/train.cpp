#include "real/trainer/train.hpp"

#include "core/problem.hpp"
#include "real/checkpoint/directory.hpp"
#include "real/checkpoint/writer.hpp"
#include "real/clock.hpp"
#include "real/trainer/batch.hpp"
#include "real/trainer/failure.hpp"
#include "real/trainer/peers.hpp"
#include "real/trainer/stage.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using Kind = RankLine::Kind;

void sleep_until(std::int64_t at_ns) {
  const timespec at{.tv_sec = at_ns / 1'000'000'000, .tv_nsec = at_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

class Training {
 public:
  Training(const TrainerOptions& options, RankOutput& output)
      : options_(options),
        output_(output),
        checkpoints_(options.checkpoint_directory,
                     {.seed = options.seed, .pp = options.pp, .dp = options.dp}),
        stage_(options.seed, options.layout().coordinates(options.rank).pp, options.pp) {}

  /// Throws Failure and CollectiveTimedOut.
  void run() {
    if (writes()) {
      if (const auto problem = checkpoints_.probe(options_.rank, shard_bytes(shard_at(0)).size()))
        throw Failure(*problem);
    }
    peers_.emplace(options_, output_.descriptor());
    const std::int64_t start = restore();
    if (writes()) start_writer();
    output_.say({.kind = Kind::up, .step = start});
    for (std::int64_t step = start + 1; step <= options_.steps; ++step) {
      peers_->at_step(step);
      const std::int64_t began = monotonic_ns();
      do_step(step);
      sleep_until(began + options_.step_time.count());
      output_.say({.kind = Kind::step, .step = step, .took_ns = monotonic_ns() - began});
      if (writes() && step % options_.checkpoint_every == 0 && step < options_.steps) checkpoint(step);
    }
    if (writer_) writer_->wait_until_idle();
    output_.say({.kind = Kind::finished, .step = options_.steps, .hash = stage_.hash()});
  }

 private:
  bool writes() const { return options_.checkpoint_every > 0; }

  /// The step after which training goes on.
  std::int64_t restore() {
    const std::int64_t step = peers_->told_by_rank_0(options_.rank == 0 ? choose() : 0);
    if (step == 0) return 0;
    CheckpointDirectory::Loaded loaded = checkpoints_.load(step, options_.rank);
    if (!loaded.shard) throw Failure(loaded.problem);
    if (loaded.shard->parameters.size() != stage_.parameters().size() ||
        loaded.shard->momentum.size() != stage_.momentum().size())
      throw Failure({.file = options_.checkpoint_directory,
                     .what = "holds a model of another shape",
                     .why = {},
                     .suggestion = "name another checkpoint directory"});
    stage_.restore(std::move(loaded.shard->parameters), std::move(loaded.shard->momentum));
    return step;
  }

  /// At rank 0: the newest whole checkpoint, and a directory in order.
  std::int64_t choose() {
    const CheckpointDirectory::Survey survey = checkpoints_.survey();
    if (survey.problem) throw Failure(*survey.problem);
    if (survey.newest() > options_.steps)
      throw Failure({.file = options_.checkpoint_directory,
                     .what = "holds step " + std::to_string(survey.newest()),
                     .why = "where training is to end at step " + std::to_string(options_.steps),
                     .suggestion = "name another checkpoint directory, or more --steps"});
    const std::string next =
        survey.whole.empty() ? "from the beginning" : "after step " + std::to_string(survey.newest());
    for (const auto& [step, problem] : survey.damaged)
      warn(kCheckpointDamaged, "the checkpoint of step " + std::to_string(step) + " is damaged and is " +
                                   (writes() ? "set aside" : "passed over") + ", training goes on " + next +
                                   ": " + problem.text());
    if (writes())
      if (const auto problem = checkpoints_.tidy(survey)) throw Failure(*problem);
    return survey.newest();
  }

  /// To whoever supervises, and into the rank's own log. From any thread.
  void warn(std::string_view pattern, const std::string& text) {
    output_.log(std::string(pattern), text);
    std::cerr << "gauntlet-trainer: warning: " + text + "\n" << std::flush;
  }

  void start_writer() {
    const auto saved = [this](std::int64_t step) { output_.say({.kind = Kind::saved, .step = step}); };
    const auto failed = [this](std::int64_t step, const Problem& problem) {
      warn(kCheckpointFailed,
           "there is no checkpoint of step " + std::to_string(step) + ": " + problem.text());
    };
    const auto not_removed = [this](const Problem& problem) {
      warn(kCheckpointNotRemoved, "an old checkpoint stays: " + problem.text());
    };
    // Half the timeout: rank 0 may stand still for so long before its next copy, and the others then wait for it.
    writer_.emplace(checkpoints_, options_.rank, options_.collective_timeout / 2,
                    CheckpointWriter::Listener{.saved = saved, .failed = failed, .not_removed = not_removed});
  }

  Shard shard_at(std::int64_t step) const {
    return {.job = checkpoints_.job(),
            .rank = options_.rank,
            .step = step,
            .parameters = stage_.parameters(),
            .momentum = stage_.momentum()};
  }

  void checkpoint(std::int64_t step) {
    const std::int64_t began = monotonic_ns();
    writer_->wait_until_idle();
    writer_->write(shard_at(step));
    output_.say({.kind = Kind::stall, .step = step, .took_ns = monotonic_ns() - began});
  }

  /// All micro-batches forward, then all backward (GPipe: Huang et al., NeurIPS 2019, fig. 2c), then the sum.
  void do_step(std::int64_t step) {
    std::vector<Stage::Pass> passes(kMicroBatches);
    std::vector<std::vector<double>> errors(kMicroBatches);  // of the outputs, on the last stage
    for (std::uint32_t m = 0; m < kMicroBatches; ++m) errors[m] = forward(step, m, passes[m]);

    std::vector<double> gradient(stage_.parameters().size(), 0.0);
    for (std::uint32_t m = 0; m < kMicroBatches; ++m) {
      if (!peers_->last_stage()) {
        errors[m].resize(kSamples * stage_.outputs());
        peers_->receive_from_next_stage(errors[m]);
      }
      const std::vector<double> input_gradient = stage_.backward(passes[m], errors[m], gradient);
      if (!peers_->first_stage()) peers_->send_to_previous_stage(input_gradient);
    }

    peers_->sum_over_replicas(gradient);
    const double samples = static_cast<double>(kSamples * kMicroBatches) * options_.dp;
    for (double& slope : gradient) slope /= samples;
    stage_.update(gradient);
  }

  /// The gradient of half the squared error with respect to the outputs, on the last stage; else nothing.
  std::vector<double> forward(std::int64_t step, std::uint32_t micro_batch, Stage::Pass& pass) const {
    MicroBatch batch = make_batch(options_.seed, peers_->replica(), step, micro_batch);
    std::vector<double> inputs = std::move(batch.inputs);
    if (!peers_->first_stage()) {
      inputs.resize(kSamples * stage_.inputs());
      peers_->receive_from_previous_stage(inputs);
    }
    std::vector<double> outputs = stage_.forward(std::move(inputs), pass);
    if (!peers_->last_stage()) {
      peers_->send_to_next_stage(outputs);
      return {};
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] -= batch.targets[i];
    return outputs;
  }

  const TrainerOptions& options_;
  RankOutput& output_;
  CheckpointDirectory checkpoints_;
  Stage stage_;
  std::optional<Peers> peers_;
  std::optional<CheckpointWriter> writer_;  // last: it ends first
};

}  // namespace

int train(const TrainerOptions& options, RankOutput& output) {
  // A peer, a reader or a disk quota that goes is an error of the call that meets it.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  Training training(options, output);
  try {
    training.run();
    return kExitFinished;
  } catch (const CollectiveTimedOut& timeout) {
    output.log("collective_timeout", timeout.what());
    // At once: a writer on a slow disk would keep the rank alive, and what it leaves behind is made for that.
    std::_Exit(kExitCollectiveTimeout);
  } catch (const Failure& failure) {
    std::cerr << "gauntlet-trainer: " << failure.what() << std::endl;
    return kExitFailed;
  }
}

}  // namespace gauntlet
