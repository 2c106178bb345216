// gauntlet-device-trainer: one rank of a small, real training job on GPUs.
#include "real/device_trainer/train.hpp"
#include "real/rank/lines.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>

namespace gauntlet::cuda {
namespace {

constexpr int kMostRows = 1 << 20, kMostWidth = 1 << 15,
              kEight = 8;        // cuBLAS has its fast products for multiples of 8
constexpr int kMostRanks = 127;  // whose gradients the fixed point has room for: model.cu
constexpr std::int64_t kMostSteps = 1'000'000'000'000, kMostRowsOfStep = 1 << 24;  // model.hpp

const CLI::Validator& multiple_of_eight() {
  static const CLI::Validator validator(
      [](const std::string& text) {
        return std::stoll(text) % kEight == 0 ? "" : text + " is not a multiple of 8";
      },
      "MULTIPLE OF 8");
  return validator;
}

/// CLI::Range lets what is not a number pass.
const CLI::Validator& a_number() {
  static const CLI::Validator validator(
      [](const std::string& text) { return std::isnan(std::stod(text)) ? "is not a number" : ""; }, "");
  return validator;
}

int run(int argc, char** argv) {
  DeviceTrainerOptions options;
  options.checkpoints = "checkpoints";
  bool confirmed = false;
  double timeout = std::chrono::duration<double>(options.timeout).count();
  CLI::App app(
      "One rank of a small, real and deterministic training job on GPUs: data-parallel, with NCCL. Ranks "
      "have the variables that torchrun sets; "
      "in a drill, also those of real/rank/PROTOCOL.md.",
      "gauntlet-device-trainer");
  app.footer(
      "Examples:\n"
      "  RANK=0 WORLD_SIZE=1 gauntlet-device-trainer --steps 20 --checkpoints checkpoints --save-every 5\n"
      "  gauntlet drill scenarios/drills/device/train.toml --hosts 2\n\n"
      "Exit codes: 0 finished or stopped, 1 a device, a library or a file failed, 2 the arguments are wrong, "
      "134 waited for another rank\n"
      "longer than the timeout, or lost it.");
  const auto layers = CLI::Range(1, 1024);
  app.add_option("--width", options.shape.width, "Columns of a layer")
      ->capture_default_str()
      ->check(CLI::Range(kEight, kMostWidth))
      ->check(multiple_of_eight());
  app.add_option("--layers", options.shape.layers, "Layers")->capture_default_str()->check(layers);
  app.add_option("--rows", options.shape.rows, "Rows of a micro-batch")
      ->capture_default_str()
      ->check(CLI::Range(kEight, kMostRows))
      ->check(multiple_of_eight());
  app.add_option("--micro-batches", options.micro_batches, "Micro-batches of a rank and step")
      ->capture_default_str()
      ->check(CLI::Range(1, 16));
  app.add_option("--steps", options.steps, "Steps of the whole job")
      ->envname("GAUNTLET_STEPS")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, kMostSteps));
  app.add_option("--seed", options.seed, "Seed of the initial weights and the data")
      ->envname("GAUNTLET_SEED")
      ->capture_default_str();
  app.add_option("--checkpoints", options.checkpoints,
                 "Where the job's checkpoints are: a directory that all ranks see")
      ->envname("GAUNTLET_CHECKPOINT_DIRECTORY")
      ->capture_default_str();
  app.add_option("--save-every", options.save_every,
                 "Steps between checkpoints outside a drill; 0 writes none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, kMostSteps));
  app.add_option("--timeout", timeout, "Seconds that a rank waits for another one")
      ->envname("GAUNTLET_COLLECTIVE_TIMEOUT")
      ->capture_default_str()
      ->check(CLI::Range(1e-3, 1e6))
      ->check(a_number());
  CLI::Option* const flip =
      app.add_option("--flip-before", options.flip_before,
                     "Before this step, flip a bit of a weight of this rank: silent data corruption")
          ->check(CLI::Range(std::int64_t{1}, kMostSteps));
  app.add_option("--flipped-bit", options.flipped_bit,
                 "That bit: 0 to 22 mantissa, 23 to 30 exponent, 31 sign")
      ->capture_default_str()
      ->check(CLI::Range(0, 31))
      ->needs(flip);
  flip->needs(app.add_flag("--inject", confirmed,
                           "Confirm: the parameters of the job become wrong, and go into its checkpoints"));
  app.add_flag("--share-gpu", options.shared,
               "All ranks use the first GPU of their host; else each uses that of its LOCAL_RANK");
  const auto number = [&app](const char* name, auto& value, const char* what) {
    app.add_option(std::string("--") + name, value, what)->capture_default_str();
  };
  number("rank", options.rank, "This rank, from 0");
  number("ranks", options.ranks, "Ranks of the job");
  number("device", options.device, "The GPU");
  app.get_option("--rank")->envname("RANK")->check(CLI::NonNegativeNumber);
  app.get_option("--ranks")->envname("WORLD_SIZE")->check(CLI::Range(1, kMostRanks));
  app.get_option("--device")->envname("LOCAL_RANK")->check(CLI::NonNegativeNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitFinished : kExitUsage;  // 0: help was asked for
  }
  if (options.rank >= options.ranks) {
    std::fprintf(stderr, "gauntlet-device-trainer: rank %d: the job has %d ranks, and they count from 0\n",
                 options.rank, options.ranks);
    return kExitUsage;
  }
  if (static_cast<std::int64_t>(options.shape.rows) * options.micro_batches * options.ranks >
      kMostRowsOfStep) {
    std::fprintf(stderr,
                 "gauntlet-device-trainer: a step has more than %lld rows: lower --rows or --micro-batches\n",
                 static_cast<long long>(kMostRowsOfStep));
    return kExitUsage;
  }
  if (options.shared) options.device = 0;
  options.timeout =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(timeout));
  if (const char* const start = std::getenv("GAUNTLET_RUN"))
    options.start = std::strtoull(start, nullptr, 10);
  for (const int signal : {SIGPIPE, SIGXFSZ})
    std::signal(signal, SIG_IGN);  // each is an error of the call that meets it
  if (::setenv("RANK", std::to_string(options.rank).c_str(), 1) != 0) return kExitFailed;
  return train(options);
}

}  // namespace
}  // namespace gauntlet::cuda

int main(int argc, char** argv) {
  try {
    return gauntlet::cuda::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gauntlet-device-trainer: %s\n", error.what());
    return gauntlet::kExitFailed;
  }
}
