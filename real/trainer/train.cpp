#include "real/trainer/train.hpp"

#include "core/problem.hpp"
#include "models/storage/peer_memory.hpp"
#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/host_memory.hpp"
#include "real/checkpoint/host_stage_two.hpp"
#include "real/checkpoint/stage_two.hpp"
#include "real/checkpoint/tier.hpp"
#include "real/checkpoint/writer.hpp"
#include "real/system/clock.hpp"
#include "real/trainer/failure.hpp"
#include "real/trainer/model/batch.hpp"
#include "real/trainer/model/stage.hpp"
#include "real/trainer/peers.hpp"
#include "real/trainer/restore.hpp"
#include "real/trainer/schedule.hpp"
#include "real/trainer/segment_work.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

void sleep_until(std::int64_t at_ns) {
  const timespec at{.tv_sec = at_ns / 1'000'000'000, .tv_nsec = at_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

/// What of a step's time is segments; the rest is communication, the update and whatever disturbs: a step waits for its end.
constexpr double kSegments = 0.8;
constexpr double kForward = 1.0 / 3;  // of a micro-batch's segments: the backward pass computes two gradients

// What rank 0 tells the others at a step boundary.
constexpr std::int64_t kCheckpoint = 1, kStop = 2, kToMemory = 4, kToPeers = 8;

class Training {
 public:
  Training(const TrainerOptions& options, RankOutput& output)
      : options_(options),
        output_(output),
        storage_(options.checkpoint_directory),
        checkpoints_(storage_, {.seed = options.seed, .pp = options.pp, .dp = options.dp, .tp = options.tp},
                     options.retention),
        stage_(options.seed, place_of(options)),
        work_(options.step_time > Duration::zero()
                  ? SegmentWork(work_share(options.layout().ranks(), usable_cores()))
                  : SegmentWork()) {}

  /// Throws Failure and CollectiveTimedOut.
  void run() {
    output_.phase("process_start");
    if (writes()) {
      if (const auto problem = checkpoints_.probe(options_.rank, state_bytes())) throw Failure(*problem);
    }
    if (options_.peers_every > 0 && !options_.staged.checkpointer.empty())
      host_stage_two_ = make_host_stage_two();
    peers_.emplace(options_, output_, [this](const TcpAddress& own) { return listen(own); });
    if (host_stage_two_) host_stage_two_->share_with(peer_hosts());
    output_.phase("communicator_init");
    std::int64_t step = restore_state();
    if (writes() || options_.keeps_in_memory()) start_writer();
    // What was loaded is in memory again, on every host and its peers.
    if (writer_ && step > 0 && options_.keeps_in_memory())
      writer_->write(step, state(), options_.peers_every > 0 ? Tier::peers : Tier::memory);
    output_.checkpoint_every(options_.checkpoint_every);
    output_.up(step);
    for (bool stop = false; step < options_.steps && !stop;) {
      peers_->at_step(++step);
      const std::int64_t began = output_.begin_step(step);
      do_step(step);
      sleep_until(began + options_.step_time.count());
      output_.end_step(step, began);
      if (cannot_save_)
        throw Failure({.what = "a checkpoint", .why = "could not be written, and --must-save is given"});
      if (step == options_.steps) break;
      const std::int64_t told = peers_->told_by_rank_0(options_.rank == 0 ? wanted(step) : 0);
      if (const auto reach = reach_of(told)) checkpoint(step, *reach);
      stop = (told & kStop) != 0;
    }
    if (writer_) writer_->wait_until_idle();
    output_.finished(step, stage_.hash());
  }

 private:
  static StagePlace place_of(const TrainerOptions& options) {
    const Coordinates at = options.layout().coordinates(options.rank);
    return {.stage = at.pp, .stages = options.pp, .part = at.tp, .parts = options.tp};
  }

  bool writes() const { return options_.checkpoint_every > 0; }

  static bool is_due(std::int64_t step, std::int64_t every) { return every > 0 && step % every == 0; }

  /// How far the checkpoint goes that was told of, if one was.
  static std::optional<Tier> reach_of(std::int64_t told) {
    if ((told & kCheckpoint) != 0) return Tier::storage;
    if ((told & kToPeers) != 0) return Tier::peers;
    return (told & kToMemory) != 0 ? std::optional(Tier::memory) : std::nullopt;
  }

  /// At rank 0, after this step.
  std::int64_t wanted(std::int64_t step) {
    return (output_.checkpoint_wanted(step) ? kCheckpoint : 0) |
           (is_due(step, options_.memory_every) ? kToMemory : 0) |
           (is_due(step, options_.peers_every) ? kToPeers : 0) | (output_.stop_wanted() ? kStop : 0);
  }

  /// The step after which training goes on.
  std::int64_t restore_state() {
    const std::size_t values = stage_.parameters().size();
    const RestoredState restored =
        restore(options_, checkpoints_, *peers_, state_bytes(),
                [this](std::string_view pattern, const std::string& text) { warn(pattern, text); });
    if (restored.step == 0) return 0;
    std::vector<double> parameters(values), momentum(values);
    std::memcpy(parameters.data(), restored.state.data(), values * sizeof(double));
    std::memcpy(momentum.data(), restored.state.data() + values * sizeof(double), values * sizeof(double));
    stage_.restore(std::move(parameters), std::move(momentum));
    return restored.step;
  }

  /// To whoever supervises, and into the rank's own log. From any thread.
  void warn(std::string_view pattern, const std::string& text) {
    output_.log(std::string(pattern), text);
    std::cerr << "gauntlet-trainer: warning: " + text + "\n" << std::flush;
  }

  void start_writer() {
    writer_.emplace(stage_two(), checkpoints_.job(), options_.rank, copies());
    if (const auto& problem = writer_->memory_problem())
      std::cerr << "gauntlet-trainer: warning: " + problem->text() + "\n" << std::flush;
  }

  std::vector<StagedCopy::Settings> copies() {
    std::vector<std::string> files = files_of_copies(options_);
    if (files.empty()) files.emplace_back();  // memory that ends with this rank
    std::vector<StagedCopy::Settings> copies;
    memories_.clear();
    for (const std::string& file : files)
      copies.push_back({.memory = memories_.emplace_back(file),
                        .state_bytes = state_bytes(),
                        .start = options_.staged.start});
    return copies;
  }

  CheckpointListener listener() {
    const auto saved = [this](std::int64_t step) { output_.saved(step); };
    const auto failed = [this](std::int64_t step, const Problem& problem) {
      warn(kCheckpointFailed,
           "there is no checkpoint of step " + std::to_string(step) + ": " + problem.text());
      cannot_save_ = options_.must_save;
    };
    const auto not_removed = [this](const Problem& problem) {
      warn(kCheckpointNotRemoved, "an old checkpoint stays: " + problem.text());
    };
    return {.saved = saved, .failed = failed, .not_removed = not_removed};
  }

  // Half the timeout: rank 0 may stand still for so long before its next copy, and the others then wait for it.
  Duration longest_wait() const { return options_.collective_timeout / 2; }

  std::unique_ptr<StageTwo> own_stage_two() {
    return std::make_unique<OwnStageTwo>(
        checkpoints_, OwnStageTwo::Settings{.rank = options_.rank, .longest_wait = longest_wait()},
        listener());
  }

  std::unique_ptr<HostStageTwo> make_host_stage_two() {
    return std::make_unique<HostStageTwo>(
        HostStageTwo::Settings{
            .socket = options_.staged.checkpointer,
            .copies = files_of_copies(options_),
            .hello = {.rank = options_.rank,
                      .start = options_.staged.start,
                      .state_bytes = state_bytes(),
                      .job = checkpoints_.job(),
                      .directory = std::filesystem::absolute(options_.checkpoint_directory),
                      .retention = options_.retention,
                      .longest_wait = longest_wait(),
                      .copies = options_.staged.prefix,
                      .address = {},
                      .secret = options_.meeting.secret}},
        own_stage_two(), listener());
  }

  std::unique_ptr<StageTwo> stage_two() {
    if (host_stage_two_) return std::move(host_stage_two_);
    if (options_.staged.checkpointer.empty()) return own_stage_two();
    return make_host_stage_two();
  }

  /// Where other hosts reach the checkpointer of this one.
  TcpAddress listen(const TcpAddress& own) {
    TcpAddress place = own;
    place.port = host_stage_two_ ? host_stage_two_->meet(own.address.data(), options_.collective_timeout) : 0;
    return place;
  }

  /// The hosts that hold what this one holds.
  PeerHosts peer_hosts() const {
    std::map<std::uint64_t, TcpAddress> hosts;
    for (const RankPlace& each : peers_->places()) hosts[each.host] = each.checkpointer;
    const std::uint32_t groups = peer_groups(static_cast<std::uint32_t>(hosts.size()), options_.copies);
    PeerHosts peers;
    for (const auto& [host, at] : hosts)
      if (host != options_.host && host % groups == options_.host % groups && at.port != 0)
        peers.push_back({at.address.data(), at.port});
    return peers;
  }

  /// The parameters, then the momentum.
  std::vector<std::string_view> state() const {
    std::vector<std::string_view> parts;
    for (const std::vector<double>* each : {&stage_.parameters(), &stage_.momentum()})
      parts.emplace_back(reinterpret_cast<const char*>(each->data()), each->size() * sizeof(double));
    return parts;
  }
  std::size_t state_bytes() const { return 2 * stage_.parameters().size() * sizeof(double); }

  void checkpoint(std::int64_t step, Tier reach) {
    const std::int64_t began = monotonic_ns();
    if (!writer_) start_writer();  // none was due when this rank was started
    writer_->write(step, state(), reach);
    output_.stall(step, began);
  }

  /// One forward, one backward (real/trainer/schedule.hpp), then the sum.
  void do_step(std::int64_t step) {
    const std::uint32_t count = options_.micro_batches(),
                        ahead = warm_up(stage_.place().stage, options_.pp, count);
    const std::size_t values = options_.micro_batch * kRows * kWidth;
    std::vector<double> activations(peers_->first_stage() ? 0 : values),
        slopes(peers_->last_stage() ? 0 : values);
    std::deque<Stage::Pass> passes;
    std::deque<std::vector<double>> errors;                       // of the outputs, on the last stage
    std::vector<Fixed> gradient(stage_.parameters().size() + 1);  // and the loss

    const auto receive_activations = [&](std::span<const double> sent) {
      if (!peers_->first_stage()) peers_->exchange_with_previous_stage(sent, activations);
    };
    const auto forwarded = [&](std::uint32_t m) {
      return forward(step, m, activations, passes.emplace_back(), errors, gradient.back());
    };
    const auto backwarded = [&] {
      std::vector<double> input_gradient =
          backward(passes.front(), peers_->last_stage() ? errors.front() : slopes,
                   std::span(gradient).first(stage_.parameters().size()));
      passes.pop_front();
      if (peers_->last_stage()) errors.pop_front();
      return input_gradient;
    };

    for (std::uint32_t m = 0; m < ahead; ++m) {
      receive_activations({});
      peers_->exchange_with_next_stage(forwarded(m), {});  // the last stage runs none ahead
    }
    if (ahead < count) receive_activations({});
    for (std::uint32_t m = ahead; m < count; ++m) {
      const std::vector<double> outputs = forwarded(m);
      if (!peers_->last_stage()) peers_->exchange_with_next_stage(outputs, slopes);
      const std::vector<double> input_gradient = backwarded();
      if (peers_->first_stage()) continue;
      if (m + 1 < count)
        receive_activations(input_gradient);
      else
        peers_->exchange_with_previous_stage(input_gradient, {});
    }
    for (std::uint32_t m = 0; m < ahead; ++m) {
      peers_->exchange_with_next_stage({}, slopes);
      const std::vector<double> input_gradient = backwarded();
      if (!peers_->first_stage()) peers_->exchange_with_previous_stage(input_gradient, {});
    }

    peers_->sum_over_replicas(gradient);
    const std::size_t rows = options_.global_batch * kRows;
    stage_.update(std::span(gradient).first(stage_.parameters().size()), rows);
    const Coordinates& at = peers_->place();
    if (peers_->last_stage() && at.dp == 0 && at.tp == 0)
      output_.loss(step, from_fixed(gradient.back()) / static_cast<double>(rows));
  }

  /// Of all micro-batches on the way, the time that each segment of this one takes.
  Duration segment_time(double share) const {
    const double step = static_cast<double>(options_.step_time.count());
    return Duration(static_cast<std::int64_t>(step * kSegments * share *
                                              micro_batch_share(options_.pp, options_.micro_batches())));
  }

  /// Sums over the ranks that share the stage, and how long that took.
  Stage::Sum summing(std::int64_t& waited_ns) {
    return [this, &waited_ns](std::span<Fixed> values) {
      const std::int64_t began = monotonic_ns();
      peers_->sum_over_parts(values);
      waited_ns += monotonic_ns() - began;
    };
  }

  /// What goes to the next stage. On the last one, the gradient of half the squared error with respect to the outputs is kept.
  std::vector<double> forward(std::int64_t step, std::uint32_t micro_batch,
                              const std::vector<double>& activations, Stage::Pass& pass,
                              std::deque<std::vector<double>>& errors, Fixed& loss) {
    const std::uint32_t first =
        (peers_->place().dp * options_.micro_batches() + micro_batch) * options_.micro_batch;
    Samples samples;
    if (peers_->first_stage() || peers_->last_stage())
      samples = make_samples(options_.seed, step, options_.global_batch, first, options_.micro_batch);
    const std::int64_t began = monotonic_ns();
    std::int64_t waited = 0;
    work_.take(segment_time(kForward));
    std::vector<double> outputs = stage_.forward(
        peers_->first_stage() ? std::move(samples.inputs) : activations, pass, summing(waited));
    output_.segment("forward", began, waited);
    if (!peers_->last_stage()) return outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i] -= samples.targets[i];
      loss += to_fixed(outputs[i] * outputs[i] / 2);
    }
    errors.push_back(std::move(outputs));
    return {};
  }

  std::vector<double> backward(const Stage::Pass& pass, std::span<const double> output_gradient,
                               std::span<Fixed> gradient) {
    const std::int64_t began = monotonic_ns();
    std::int64_t waited = 0;
    work_.take(segment_time(1 - kForward));
    std::vector<double> input_gradient = stage_.backward(pass, output_gradient, gradient, summing(waited));
    output_.segment("backward", began, waited);
    return input_gradient;
  }

  const TrainerOptions& options_;
  RankOutput& output_;
  DirectoryStorage storage_;
  CheckpointTier checkpoints_;
  std::deque<LockedMemory> memories_;  // of each copy
  Stage stage_;
  SegmentWork work_;
  std::optional<Peers> peers_;
  std::atomic<bool> cannot_save_{false};          // set by the thread of the writer
  std::unique_ptr<HostStageTwo> host_stage_two_;  // until the writer has it
  std::optional<CheckpointWriter> writer_;        // last: it ends first
};

}  // namespace

int train(const TrainerOptions& options, RankOutput& output) {
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
