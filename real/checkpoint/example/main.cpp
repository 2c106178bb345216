// checkpoint-example DIRECTORY STEPS: a job of one rank that saves and goes on. docs/checkpoint-library.md explains it.
#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/host_memory.hpp"
#include "real/checkpoint/newest.hpp"
#include "real/checkpoint/tier.hpp"
#include "real/checkpoint/writer.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace gauntlet;

constexpr std::int64_t kSaveEvery = 5;  // steps

std::string_view bytes_of(const std::vector<double>& state) {
  return {reinterpret_cast<const char*>(state.data()), state.size() * sizeof(double)};
}

/// The step after which the job goes on: that of the newest checkpoint that proves whole.
std::int64_t restore(const CheckpointTier& tier, std::vector<double>& state) {
  const NewestCheckpoint found = load_newest({&tier}, 0);
  if (found.problem) throw std::runtime_error(found.problem->text());
  for (const Problem& each : found.passed_over) std::cerr << "passed over: " << each.text() << '\n';
  if (const auto problem = tier.tidy(tier.survey())) throw std::runtime_error(problem->text());
  if (!found.shard) return 0;
  std::memcpy(state.data(), found.shard->state.data(), state.size() * sizeof(double));
  return found.shard->step;
}

int run(const std::string& directory, std::int64_t steps) {
  std::filesystem::create_directories(directory);
  DirectoryStorage storage(directory);
  const CheckpointTier tier(storage, {.seed = 7}, {.keep = 2, .every = 3});
  std::vector<double> state(1000, 0.0);
  const std::int64_t begin = restore(tier, state);
  std::cout << (begin == 0 ? "begins anew\n" : "goes on after step " + std::to_string(begin) + "\n");

  LockedMemory memory;
  CheckpointWriter writer(
      tier, 0, {.memory = memory, .state_bytes = bytes_of(state).size()}, std::chrono::minutes(1),
      {.saved = [](std::int64_t step) { std::cout << "saved step " << step << '\n'; },
       .failed = [](std::int64_t, const Problem& why) { std::cerr << why.text() << '\n'; },
       .not_removed = [](const Problem& why) { std::cerr << why.text() << '\n'; }});
  for (std::int64_t step = begin + 1; step <= steps; ++step) {
    for (double& value : state) value += static_cast<double>(step);
    if (step % kSaveEvery == 0) writer.write(step, {bytes_of(state)});
  }
  writer.wait_until_idle();
  std::cout << "the state is " << state.front() << '\n';
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3) return run(argv[1], std::stoll(argv[2]));
    std::cerr << "checkpoint-example DIRECTORY STEPS\n";
  } catch (const std::exception& error) {
    std::cerr << "checkpoint-example: " << error.what() << '\n';
  }
  return EXIT_FAILURE;
}
