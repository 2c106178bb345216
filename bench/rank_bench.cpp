// gauntlet_rank.h, which a user's job calls in its training loop. A mark into the recorder may cost a microsecond.
#include "bench/rank_bench.hpp"

#include "real/rank/gauntlet_rank.h"
#include "real/system/descriptor.hpp"

#include <benchmark/benchmark.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace gauntlet {
namespace {

/// A rank whose agent reads everything at once, or nothing.
class Speaker {
 public:
  enum class Agent { reads, sleeps };

  explicit Speaker(Agent agent) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
    rank = {};
    rank.socket = ends[0];
    ear_ = Descriptor(ends[1]);
    rank.recorder = &recorder_;
    if (agent == Agent::reads) reader_ = std::thread([this] { read(); });
  }
  ~Speaker() {
    gauntlet_rank_hang_up(&rank);
    if (reader_.joinable()) reader_.join();
  }
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;

  gauntlet_rank rank;

 private:
  void read() const {
    std::array<char, GAUNTLET_RANK_LONGEST> bytes;
    while (::recv(ear_.get(), bytes.data(), bytes.size(), 0) > 0) {
    }
  }

  Descriptor ear_;
  gauntlet_rank_recorder recorder_{};
  std::thread reader_;
};

void collective(benchmark::State& state) {
  Speaker speaker(Speaker::Agent::sleeps);
  for (auto each : state) {
    const std::uint64_t sequence = gauntlet_rank_enter(&speaker.rank, "all_reduce", "dp");
    gauntlet_rank_leave(&speaker.rank, sequence, "all_reduce", "dp");
  }
  state.SetItemsProcessed(2 * static_cast<std::int64_t>(state.iterations()));
}

void segment(benchmark::State& state) {
  Speaker speaker(Speaker::Agent::sleeps);
  for (auto each : state) gauntlet_rank_segment(&speaker.rank, "forward", gauntlet_rank_now());
}

void step(benchmark::State& state, Speaker::Agent agent) {
  Speaker speaker(agent);
  std::int64_t number = 0;
  for (auto each : state) {
    const std::int64_t began = gauntlet_rank_begin_step(&speaker.rank, ++number);
    gauntlet_rank_end_step(&speaker.rank, number, began);
  }
  state.counters["dropped"] =
      static_cast<double>(speaker.rank.dropped) / static_cast<double>(state.iterations());
}

void orders(benchmark::State& state) {
  Speaker speaker(Speaker::Agent::sleeps);
  for (auto each : state) benchmark::DoNotOptimize(gauntlet_rank_checkpoint_wanted(&speaker.rank, 1));
}

void outside_a_drill(benchmark::State& state) {
  gauntlet_rank rank{};
  rank.socket = -1;
  std::int64_t number = 0;
  for (auto each : state) {
    const std::int64_t began = gauntlet_rank_begin_step(&rank, ++number);
    gauntlet_rank_end_step(&rank, number, began);
    gauntlet_rank_leave(&rank, gauntlet_rank_enter(&rank, "all_reduce", "dp"), "all_reduce", "dp");
  }
}

}  // namespace

void register_rank_benchmarks() {
  benchmark::RegisterBenchmark("rank/collective", collective);
  benchmark::RegisterBenchmark("rank/segment", segment);
  benchmark::RegisterBenchmark("rank/step/agent_reads",
                               [](auto& state) { step(state, Speaker::Agent::reads); });
  benchmark::RegisterBenchmark("rank/step/agent_sleeps",
                               [](auto& state) { step(state, Speaker::Agent::sleeps); });
  benchmark::RegisterBenchmark("rank/orders", orders);
  benchmark::RegisterBenchmark("rank/outside_a_drill", outside_a_drill);
}

}  // namespace gauntlet
