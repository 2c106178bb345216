#include "real/probes/host/cpu_probes.hpp"

#include "core/time.hpp"
#include "real/system/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <map>
#include <thread>

namespace gauntlet {
namespace {

// A repetition takes about 40 ms: several time slices of the scheduler (12 ms of CFS on 8 CPUs or more, with one competitor), so
// that no repetition on a core with a competitor escapes it.
constexpr std::uint64_t kChainSteps = 30'000'000;
constexpr std::size_t kCpuRepetitions = 8;
// A third of a second each, twice as much with a competitor.
constexpr std::size_t kMostTurns = 3;
// Below it, cores show what else runs. NVIDIA's resiliency extension calls a rank a straggler from there on.
constexpr double kLeastShare = 0.75;

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A chain in which each step waits for the one before: the rate is that of the core's clock. Knuth's MMIX constants.
std::uint64_t chain(std::uint64_t x, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}

void run_on_core(CoreRun& run, std::atomic<std::size_t>& waiting, std::atomic<std::uint64_t>& sink) {
  const bool pinned = pin_this_thread(run.core.cpu);
  --waiting;
  if (!pinned) return;
  while (waiting > 0) std::this_thread::yield();
  for (std::size_t i = 0; i < kCpuRepetitions; ++i) {
    const std::int64_t began = monotonic_ns();
    const double used = thread_seconds();
    sink ^= chain(static_cast<std::uint64_t>(began), kChainSteps);  // the compiler cannot leave it out
    const double seconds = to_seconds(Duration(monotonic_ns() - began));
    run.rates.push_back(static_cast<double>(kChainSteps) / seconds / 1e6);
    run.shares.push_back(std::min(1.0, (thread_seconds() - used) / seconds));
  }
}

std::string remark_of(const CoreRun& run) {
  const double taken = 1 - median_of(run.shares);
  return taken > 1 - kLeastShare ? fmt::format("other programs took {:.0f}% of its time", 100 * taken)
                                 : "the core itself is slow: it had its time for itself";
}

/// Where most cores never had their time for themselves, comparing them says nothing about any.
std::string why_busy(const std::vector<CoreRun>& runs) {
  std::vector<double> shares;
  for (const CoreRun& run : runs) shares.push_back(median_of(run.shares));
  const auto busy = std::count_if(runs.begin(), runs.end(), [](const CoreRun& run) {
    return *std::max_element(run.shares.begin(), run.shares.end()) < kLeastShare;
  });
  if (2 * static_cast<std::size_t>(busy) <= runs.size()) return {};
  return fmt::format("other programs took {:.0f}% of the cores' time; repeat it while nothing else runs",
                     100 * (1 - median_of(shares)));
}

/// Something else ran on a core for some of the time.
bool is_disturbed(const CoreRun& run) {
  const auto [low, high] = std::minmax_element(run.rates.begin(), run.rates.end());
  return *low < kLeastShare * *high;
}

/// Where a core is disturbed, further turns: the best repetition of a healthy core comes sooner or later, that of a core with a
/// steady competitor never does.
std::vector<CoreRun> run_until_steady(const std::vector<MachineCore>& cores) {
  std::vector<CoreRun> runs = run_on_cores(cores);
  for (std::size_t turn = 1; turn < kMostTurns && std::any_of(runs.begin(), runs.end(), is_disturbed);
       ++turn) {
    const std::vector<CoreRun> more = run_on_cores(cores);
    for (std::size_t i = 0; i < runs.size() && more.size() == runs.size(); ++i) {
      runs[i].rates.insert(runs[i].rates.end(), more[i].rates.begin(), more[i].rates.end());
      runs[i].shares.insert(runs[i].shares.end(), more[i].shares.begin(), more[i].shares.end());
    }
  }
  return runs;
}

}  // namespace

std::vector<CoreRun> run_on_cores(const std::vector<MachineCore>& cores) {
  std::vector<CoreRun> runs;
  for (const MachineCore& core : cores) runs.push_back({.core = core, .rates = {}, .shares = {}});
  std::atomic<std::size_t> waiting = runs.size();
  std::atomic<std::uint64_t> sink = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(runs.size());
    for (CoreRun& run : runs) threads.emplace_back([&] { run_on_core(run, waiting, sink); });
  }
  std::erase_if(runs, [](const CoreRun& run) { return run.rates.empty(); });
  return runs;
}

ProbeSample cores_sample(const std::vector<CoreRun>& runs) {
  if (runs.empty()) return unsupported_sample("no thread can be pinned to a core");
  ProbeSample sample;
  for (const CoreRun& run : runs)
    sample.parts.push_back({.part = fmt::format("core {}", run.core.cpu),
                            .kind = run.core.capacity,
                            .values = run.rates,
                            .remark = remark_of(run)});
  sample.inconclusive = why_busy(runs);
  return sample;
}

ProbeSample sockets_sample(const std::vector<CoreRun>& runs) {
  if (runs.empty()) return unsupported_sample("no thread can be pinned to a core");
  std::map<int, std::vector<double>> sums;
  for (const CoreRun& run : runs) {
    std::vector<double>& sum = sums[run.core.socket];
    sum.resize(run.rates.size());
    for (std::size_t i = 0; i < run.rates.size(); ++i) sum[i] += run.rates[i];
  }
  ProbeSample sample;
  for (auto& [socket, sum] : sums)
    sample.parts.push_back(
        {.part = fmt::format("socket {}", socket), .kind = "", .values = std::move(sum), .remark = ""});
  sample.inconclusive = why_busy(runs);
  return sample;
}

ProbeSample probe_cpu_cores(const ProbedHost& host) {
  return cores_sample(run_until_steady(cores_of(host.root, allowed_cpus())));
}

ProbeSample probe_cpu_sockets(const ProbedHost& host) {
  return sockets_sample(run_until_steady(cores_of(host.root, allowed_cpus())));
}

}  // namespace gauntlet
