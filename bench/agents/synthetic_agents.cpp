#include "bench/agents/synthetic_agents.hpp"

#include "real/certs/host_certificates.hpp"
#include "real/certs/peer_trust.hpp"
#include "real/rank/lines.hpp"
#include "real/stream/listening.hpp"
#include "real/stream/refusals.hpp"
#include "real/stream/server.hpp"
#include "real/system/clock.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint32_t kRanks = 8;  // and GPUs, and NICs for them
constexpr std::uint64_t kGibi = std::uint64_t{1} << 30;

void say(const std::string& line) { std::fprintf(stderr, "synthetic agent: %s\n", line.c_str()); }

/// As full as a host of eight GPUs makes it.
HostReport report_of(std::uint32_t host, const std::string& address, std::uint64_t number) {
  HostReport report{.identity = {.address = address, .pod = "trainer-" + std::to_string(host)},
                    .hardware = {.cpu = "AMD EPYC 9654 96-Core Processor",
                                 .cores = 192,
                                 .memory_bytes = 2048 * kGibi,
                                 .gpus = {}},
                    .nics = {},
                    .ranks = {},
                    .free_disk_bytes = 900 * kGibi - number * kGibi};
  report.nics.push_back({"eth0", number << 20, number << 20});
  for (std::uint32_t i = 0; i < kRanks; ++i) {
    report.hardware.gpus.push_back("NVIDIA H100 80GB HBM3 at 0000:" + std::to_string(i) + "b:00.0");
    report.nics.push_back({"mlx5_" + std::to_string(i), number << 35, number << 35});
    report.ranks.push_back({.rank = host * kRanks + i,
                            .pid = static_cast<std::int32_t>(100'000 + i),
                            .state = 'R',
                            .cpu_ns = static_cast<std::int64_t>(number) * 10'000'000'000,
                            .memory_bytes = 40 * kGibi + number,
                            .silent_ns = 50'000'000});
  }
  return report;
}

/// Answers its driver as an agent does whose ranks are well.
class SyntheticAgent {
 public:
  SyntheticAgent(std::uint32_t host, std::shared_ptr<PeerTrust> trust) : host_(host) {
    Listening listening;
    if (const auto problem = listen_at(HostPort{"127.0.0.1", 0}, listening))
      throw std::runtime_error(problem->text());
    address_ = listening.address;
    server_ =
        std::make_unique<AgentServer>(std::move(listening), std::move(trust), std::make_shared<Refusals>(say),
                                      [this](const FromStream& from) { hear(from); });
  }

  const std::string& address() const { return address_; }

  void beat() {
    const StreamId stream = stream_;
    if (stream == 0) return;
    ++heartbeats_;
    server_->send(stream, AgentHeartbeat{.number = heartbeats_,
                                         .at_ns = monotonic_ns(),
                                         .ranks_alive = kRanks,
                                         .report = report_of(host_, address_, heartbeats_)});
  }

 private:
  void hear(const FromStream& from) {
    if (const auto* message = std::get_if<DriverMessage>(&from.what)) {
      std::visit([&](const auto& said) { on(from.stream, said); }, *message);
    } else {
      stream_ = 0;
    }
  }

  void on(StreamId stream, const DriverHello& hello) {
    stream_ = stream;
    server_->send(stream, AgentAttending{.epoch = hello.epoch,
                                         .run = 0,
                                         .ranks = {},
                                         .identity = {.address = address_, .pod = "trainer"},
                                         .clock = {.asked_ns = hello.sent_ns, .at_ns = monotonic_ns()}});
  }
  void on(StreamId stream, const DriverLease& lease) {
    server_->send(stream, AgentClockReading{.asked_ns = lease.sent_ns, .at_ns = monotonic_ns()});
  }
  void on(StreamId stream, const DriverStartRanks& start) {
    done(stream, start.order);
    for (const std::uint32_t rank : start.ranks)
      server_->send(stream,
                    AgentRankLine{.run = start.run,
                                  .rank = rank,
                                  .line = to_line({.at_ns = monotonic_ns(), .kind = RankLine::Kind::up})});
  }
  void on(StreamId stream, const DriverStopRanks& stop) { done(stream, stop.order); }
  void on(StreamId stream, const DriverRunProbe& probe) {
    server_->send(stream, AgentProbed{.order = probe.order.value, .sample = {}});
  }
  void on(StreamId stream, const DriverQuit&) { server_->end(stream, ""); }
  void on(StreamId, const auto&) {}

  void done(StreamId stream, OrderId order) {
    server_->send(stream, AgentDone{.order = order.value, .ok = true, .why = {}});
  }

  const std::uint32_t host_;
  std::string address_;
  std::unique_ptr<AgentServer> server_;
  std::atomic<StreamId> stream_{0};
  std::uint64_t heartbeats_ = 0;
};

}  // namespace

std::string host_of_process(std::uint32_t process) { return "agents-" + std::to_string(process); }

void serve(const SyntheticAgents& agents) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  HostCertificates own;
  if (const auto problem = load_host_certificates(
          agents.authority + "/agent-" + host_of_process(agents.process), PeerRole::agent, now, own))
    throw std::runtime_error(problem->text());
  // Shared, because 10,000 threads that look at a list of revoked certificates every 2 s would take the core from the servers.
  const auto trust = std::make_shared<PeerTrust>(std::move(own), say);
  std::deque<SyntheticAgent> all;
  for (std::uint32_t i = 0; i < agents.count; ++i) {
    all.emplace_back(agents.first + i, trust);
    std::printf("%s\n", all.back().address().c_str());
  }
  std::fflush(stdout);
  auto due = std::chrono::steady_clock::now();
  while (true) {
    for (SyntheticAgent& each : all) {
      each.beat();
      due += agents.period / agents.count;
      std::this_thread::sleep_until(due);
    }
  }
}

}  // namespace gauntlet
