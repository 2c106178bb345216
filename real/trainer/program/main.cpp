// gauntlet-trainer: one rank of a small, real training job.
#include "core/quantity.hpp"
#include "real/rank/lines.hpp"
#include "real/trainer/model/stage.hpp"
#include "real/trainer/options.hpp"
#include "real/trainer/train.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

enum class Zero : std::uint8_t { allowed, refused };

void add_duration(CLI::App& app, const char* name, Duration& value, Zero zero, const char* what) {
  app.add_option_function<std::string>(
         name,
         [name, zero, &value](const std::string& text) {
           const Parsed<Duration> parsed = parse_duration(text);
           if (!parsed.value)
             throw CLI::ValidationError(name, "\"" + text + "\" " + parsed.why + "; " + parsed.suggestion);
           if (zero == Zero::refused && *parsed.value == Duration::zero())
             throw CLI::ValidationError(name, "must be above zero");
           value = *parsed.value;
         },
         what)
      ->type_name("TIME")
      ->required();
}

int main_program(int argc, char** argv) {
  constexpr std::int64_t kMostSteps = 1'000'000'000'000;
  constexpr std::uint32_t kMostSamples = 1'000'000;
  TrainerOptions options;
  CLI::App app(
      "One rank of a small, real and deterministic training job. It tells its progress as "
      "real/rank/PROTOCOL.md says.",
      "gauntlet-trainer");
  app.footer(
      "Ranks meet over TCP. Rank 0 listens at MASTER_ADDR, MASTER_PORT; all of them know GAUNTLET_SECRET, at "
      "least\n"
      "32 characters; GAUNTLET_DATA_ADDRESSES names one or two addresses of this host, separated by a comma, "
      "that the\n"
      "rank uses. Without it, the rank uses the address from which it reaches rank 0.\n\n"
      "Exit codes: " +
      std::to_string(kExitFinished) + " finished, " + std::to_string(kExitFailed) +
      " sockets or files failed, " + std::to_string(kExitUsage) + " the arguments are wrong, " +
      std::to_string(kExitCollectiveTimeout) +
      " waited for another\nrank longer than the collective timeout.");
  const auto parts = CLI::Range(1U, kMostRanks);
  app.add_option("--rank", options.rank,
                 "Which rank, from 0: tensor parallel fastest, then data, then pipeline")
      ->required();
  app.add_option("--tp", options.tp, "Tensor-parallel ranks of a stage")
      ->capture_default_str()
      ->check(CLI::Range(1U, kHidden));
  app.add_option("--pp", options.pp, "Pipeline stages")->required()->check(parts);
  app.add_option("--dp", options.dp, "Data-parallel replicas")->required()->check(parts);
  const auto samples = CLI::Range(1U, kMostSamples);
  app.add_option("--global-batch", options.global_batch, "Samples of a step")
      ->capture_default_str()
      ->check(samples);
  app.add_option("--micro-batch", options.micro_batch, "Samples that pass through a stage at once")
      ->capture_default_str()
      ->check(samples);
  app.add_option("--seed", options.seed, "Of the initial parameters and the data")->required();
  app.add_option("--steps", options.steps, "Steps of the whole job")
      ->required()
      ->check(CLI::Range(std::int64_t{1}, kMostSteps));
  app.add_option("--checkpoint-directory", options.checkpoint_directory, "Where the job's checkpoints are")
      ->required();
  app.add_option("--checkpoint-every", options.checkpoint_every, "Steps between checkpoints; 0 writes none")
      ->required()
      ->check(CLI::Range(std::int64_t{0}, kMostSteps));
  app.add_option("--memory-every", options.memory_every,
                 "Steps between checkpoints in the memory of this host; 0 makes none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, kMostSteps));
  app.add_option("--peers-every", options.peers_every,
                 "Steps between checkpoints in the memory of other hosts; 0 makes none")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, kMostSteps));
  app.add_option("--copies", options.copies, "Hosts that hold each of those, this one counted")
      ->capture_default_str()
      ->check(CLI::Range(2U, std::numeric_limits<std::uint32_t>::max()));
  app.add_flag("--must-save", options.must_save,
               "End where a checkpoint cannot be written (default: train on)");
  app.add_option("--keep", options.retention.keep, "Newest checkpoints to keep")
      ->capture_default_str()
      ->check(CLI::Range(1U, std::numeric_limits<std::uint32_t>::max()));
  app.add_option("--keep-every", options.retention.every, "Keep every N-th checkpoint forever; 0: none")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--restore",
         [&options](const std::string& name) {
           options.restore = name == kRestoreNames[1] ? Restore::every_rank : Restore::one_reader;
         },
         "Who reads a checkpoint: one rank of each data-parallel group, which broadcasts it, or every rank")
      ->check(CLI::IsMember(std::vector<std::string>(kRestoreNames.begin(), kRestoreNames.end())))
      ->default_str(std::string(kRestoreNames[0]));
  add_duration(app, "--step-time", options.step_time, Zero::allowed,
               "An undisturbed step takes so long: in part the work of a core, in part waiting");
  add_duration(app, "--collective-timeout", options.collective_timeout, Zero::refused,
               "The longest wait for another rank");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitFinished : kExitUsage;  // 0: help was asked for
  }
  auto problem = check(options);
  if (!problem && options.layout().ranks() > 1) problem = read_meeting(options.meeting);
  options.staged = read_staged_place();
  options.host = read_host();
  if (problem) {
    std::cerr << "gauntlet-trainer: " << problem->text() << std::endl;
    return kExitUsage;
  }
  // A peer, a reader or a disk quota that goes is an error of the call that meets it.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  // Whoever supervises knows this rank by the same number.
  if (::setenv("RANK", std::to_string(options.rank).c_str(), 1) != 0) return kExitFailed;
  RankOutput output;
  return train(options, output);
}

}  // namespace
}  // namespace gauntlet

int main(int argc, char** argv) {
  try {
    return gauntlet::main_program(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "gauntlet-trainer: " << error.what() << std::endl;
    return gauntlet::kExitFailed;
  }
}
