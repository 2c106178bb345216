// checkpoint_bench DIRECTORY [MEGABYTES]: what the stages of a checkpoint cost beside bare loops. Each of 7 alternations runs the bare loop, then
// the library, on files that are not in the page cache; the medians and the best of each are printed.
#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/host_memory.hpp"
#include "real/checkpoint/staged_copy.hpp"
#include "real/checkpoint/tier.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace gauntlet;

constexpr std::size_t kAlternations = 7;
constexpr std::size_t kPiece = 1 << 20;  // of a bare write or read
constexpr JobIdentity kJob{.seed = 1};

void ensure(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

double seconds(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Its bytes are on the disk, and no longer in memory.
void drop_from_cache(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ensure(file >= 0 && ::fsync(file) == 0 && ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, path);
  ::close(file);
}

void write_bare(const std::string& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ensure(file >= 0, path);
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const std::string_view piece = bytes.substr(at, kPiece);
    ensure(::write(file, piece.data(), piece.size()) == static_cast<ssize_t>(piece.size()), path);
  }
  ensure(::fsync(file) == 0, path);
  ::close(file);
}

void read_bare(const std::string& path, std::vector<char>& into) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ensure(file >= 0, path);
  for (std::size_t at = 0; at < into.size(); at += kPiece)
    ensure(::read(file, into.data() + at, std::min(kPiece, into.size() - at)) > 0, path);
  ::close(file);
}

struct Comparison {
  const char* name;
  std::array<double, kAlternations> bare{}, ours{};

  /// Each goes first in turn: who follows on a busy machine has used up its share of a core.
  void alternate(std::size_t i, const std::function<void()>& run_bare,
                 const std::function<void()>& run_ours) {
    if (i % 2 == 0) bare.at(i) = seconds(run_bare);
    ours.at(i) = seconds(run_ours);
    if (i % 2 == 1) bare.at(i) = seconds(run_bare);
  }

  /// The medians say what a run here gets, the shortest times what the two cost where nothing else took the machine away.
  void print(std::size_t bytes) {
    std::sort(bare.begin(), bare.end());
    std::sort(ours.begin(), ours.end());
    print("median", bytes, kAlternations / 2);
    print("best", bytes, 0);
  }
  void print(const char* which, std::size_t bytes, std::size_t i) const {
    const double megabytes = static_cast<double>(bytes) / 1e6;
    fmt::print("{:<10} {:<7} {:>8.0f} MB/s bare {:>8.0f} MB/s here  {:>6.1f}% of bare\n", name, which,
               megabytes / bare.at(i), megabytes / ours.at(i), 100 * bare.at(i) / ours.at(i));
  }
};

void run(const std::string& directory, std::size_t bytes) {
  const std::string bare_file = directory + "/bare";
  const std::string state(bytes, 's');
  std::vector<char> copy(bytes), read(bytes);
  std::string restored(bytes + 1000, '\0');  // memory that is there, as the bare loop has it
  LockedMemory memory;
  StagedCopy staged({.memory = memory, .state_bytes = bytes});
  if (const auto& problem = staged.memory_problem()) fmt::print(stderr, "warning: {}\n", problem->text());
  DirectoryStorage storage(directory);
  const CheckpointTier tier(storage, kJob, {.keep = 1});

  Comparison one{.name = "stage one"}, two{.name = "stage two"}, restore{.name = "restore"};
  for (std::size_t i = 0; i < kAlternations; ++i) {
    const auto step = static_cast<std::int64_t>(i + 1);
    one.alternate(
        i, [&] { std::memcpy(copy.data(), state.data(), bytes); },
        [&] { staged.stage(kJob, 0, step, {state}); });
    ::unlink(bare_file.c_str());
    two.alternate(
        i, [&] { write_bare(bare_file, state); },
        [&] {
          const std::string_view shard = staged.sealed();
          ensure(!tier.write(step, 0, shard), "the shard cannot be written");
          ensure(!tier.commit(step, {{0, {.bytes = shard.size(), .checksum = checksum_at_end(shard)}}}),
                 "the checkpoint cannot be completed");
        });
    ensure(!tier.prune(step), "an older checkpoint cannot be removed");

    drop_from_cache(bare_file);
    drop_from_cache(directory + "/gauntlet-step-" + std::to_string(step) + "/rank-0.shard");
    restore.alternate(
        i, [&] { read_bare(bare_file, read); },
        [&] {
          CheckpointTier::Loaded loaded = tier.load(step, 0, std::move(restored));
          ensure(loaded.shard.has_value(), "not loaded");
          restored = std::move(loaded.shard->state);
        });
  }
  for (Comparison* each : {&one, &two, &restore}) each->print(bytes);
  ::unlink(bare_file.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2 && argc != 3) throw std::runtime_error("checkpoint_bench DIRECTORY [MEGABYTES]");
    run(argv[1], static_cast<std::size_t>(argc == 3 ? std::stoul(argv[2]) : 1000) * 1'000'000);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "checkpoint_bench: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
