#include "study/mpi/mpi.hpp"

#include "core/contract.hpp"
#include "core/record/fingerprint.hpp"
#include "study/mpi/helper.hpp"
#include "study/mpi/hub.hpp"
#include "study/mpi/ranks.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace gauntlet {
namespace {

// What mpirun, and srun --mpi=pmix, tell a process of its rank.
constexpr const char* kRankOfMpirun = "OMPI_COMM_WORLD_RANK";
constexpr const char* kRankOfPmix = "PMIX_RANK";

constexpr int kFailed = 1;

Hub* the_hub = nullptr;

// The version, and a hash of the program: results are the same only where the code is.
std::string build() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  Fingerprint hash;
  std::vector<char> block(1 << 20);
  while (program) {
    program.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto got = static_cast<std::size_t>(program.gcount());
    for (std::size_t i = 0; i < got; i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, block.data() + i, std::min(sizeof word, got - i));
      hash.add(word);
    }
    hash.add(std::uint64_t{got});
  }
  return fmt::format("{} (build {:08x})", GAUNTLET_VERSION, hash.value() >> 32);
}

std::string host() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "an unknown host";
  // Slurm's name of it, where several nodes share a host.
  const char* node = std::getenv("SLURMD_NODENAME");
  return node != nullptr ? node : name.data();
}

bool is_rank_0() {
  const char* rank = std::getenv(kRankOfMpirun);
  if (rank == nullptr) rank = std::getenv(kRankOfPmix);
  return rank != nullptr && std::string_view(rank) == "0";
}

// Without what the C library and libraries of MPI do at the end of a process, which may wait for ranks that are lost.
[[noreturn]] void end_now(int exit_code) {
  std::fflush(nullptr);
  std::_Exit(exit_code);
}

[[noreturn]] void help(const Notice& notice) {
  // Ctrl-C and the end of a job's time are for rank 0 to answer: it completes what is under way.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  const pid_t parent = ::getppid();
  const auto ranks = open_mpi_ranks();
  Helper helper(*ranks, {.build = build(), .host = host()}, [parent] { return ::getppid() != parent; });
  const bool told_to_end = helper.run();
  if (!told_to_end)
    notice(
        fmt::format("rank {} ends: rank 0, which writes the results, is lost or silent. No results were "
                    "written; the same command "
                    "with --resume goes on with what is stored",
                    ranks->rank()));
  end_now(told_to_end ? 0 : kFailed);  // threads may be in the middle of what nobody waits for
}

int lead(const std::function<int()>& program, const Notice& notice) {
  Hub hub(open_mpi_ranks, build(), notice);
  // A process that this one starts is not a rank.
  for (const char* name : {kRankOfMpirun, "OMPI_COMM_WORLD_SIZE", kRankOfPmix}) ::unsetenv(name);
  the_hub = &hub;
  const int exit_code = program();
  the_hub = nullptr;
  std::fflush(nullptr);
  if (!hub.leave(exit_code)) end_now(exit_code);
  return exit_code;
}

}  // namespace

bool started_by_mpi() { return std::getenv(kRankOfMpirun) != nullptr || std::getenv(kRankOfPmix) != nullptr; }

int with_ranks(const std::function<int()>& program, const Notice& notice) {
  try {
    if (!is_rank_0()) help(notice);
    return lead(program, notice);
  } catch (const std::runtime_error& error) {
    notice(error.what());
    return kFailed;
  }
}

std::unique_ptr<Executor> make_mpi_executor(const StudyTerms& terms, unsigned threads) {
  expect(the_hub != nullptr, "the ranks are here");
  return the_hub->make_executor(terms, threads);
}

int mpi_ranks() { return the_hub == nullptr ? 1 : the_hub->ranks(); }

}  // namespace gauntlet
