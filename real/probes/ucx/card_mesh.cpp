#include "real/probes/ucx/card_mesh.hpp"

#include "core/quantity.hpp"
#include "core/time.hpp"
#include "real/probes/host/cores.hpp"
#include "real/probes/host/network_cards.hpp"
#include "real/probes/mesh.hpp"
#include "real/probes/ucx/ucx_path.hpp"
#include "real/system/clock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gauntlet::ucx {
namespace {

// Long beside the latency of any card: 16 MiB take 0.3 ms at 400 Gbit/s.
constexpr std::size_t kBytes = std::size_t{16} << 20;
constexpr int kRepetitions = 4;
constexpr timespec kPause{
    .tv_sec = 0, .tv_nsec = 3'000'000};  // between two of them: other work of a moment slows one alone
// Assumption: cards that reach each other connect in milliseconds.
constexpr Duration kConnectsWithin = std::chrono::seconds(1), kEndsWithin = std::chrono::seconds(5);
constexpr Duration kMeasuresFor = std::chrono::seconds(20);  // less than the 30 s that a drill gives a probe
constexpr std::size_t kMostCards = 32;                       // a thousand paths from each memory node
constexpr double kSlow = 0.75;         // of a path that nothing explains: the catalogue's line for links
constexpr std::size_t kMostNamed = 3;  // in one text

/// Fresh memory, which lies on the node of the thread that touches it first.
class NodeMemory {
 public:
  NodeMemory() : bytes_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (bytes_ == MAP_FAILED) throw std::runtime_error("no memory for a transfer");
  }
  ~NodeMemory() {
    if (!kept_) ::munmap(bytes_, kBytes);
  }
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  std::span<char> bytes() const { return {static_cast<char*>(bytes_), kBytes}; }
  /// Until this process ends.
  void keep() { kept_ = true; }

 private:
  void* const bytes_;
  bool kept_ = false;
};

/// A core of each memory node.
std::map<int, MachineCore> cores_of_nodes(const std::string& root) {
  std::map<int, MachineCore> cores;
  for (const MachineCore& core : cores_of(root, allowed_cpus())) cores.emplace(core.node, core);
  return cores;
}

/// "a; b; c (5 more)".
std::string few_of(const std::vector<std::string>& all) {
  const std::size_t named = std::min(all.size(), kMostNamed);
  return fmt::format("{}{}", fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(named), "; "),
                     all.size() > named ? fmt::format(" ({} more)", all.size() - named) : "");
}

class CardMesh {
 public:
  CardMesh(const std::vector<NetworkCard>& cards, const std::map<int, MachineCore>& nodes)
      : cards_(cards), nodes_(nodes) {}

  /// Every path, with data of this memory node. On a thread that runs there.
  void measure(int node) {
    NodeMemory sent, received;
    for (std::size_t i = 0; i < kBytes; ++i) sent.bytes()[i] = static_cast<char>(i * 31 + i / 4096);
    std::vector<std::unique_ptr<UcxCard>> senders, receivers;
    for (const NetworkCard& card : cards_) {
      senders.push_back(use(card));
      receivers.push_back(senders.back() ? use(card) : nullptr);
    }
    for (std::size_t from = 0; from < cards_.size(); ++from)
      for (std::size_t to = 0; to < cards_.size(); ++to) {
        if (!senders[from] || !receivers[to] || apart_.contains({from, to})) continue;
        if (Duration(monotonic_ns() - began_) > kMeasuresFor) {
          ++left_out_;
          continue;
        }
        try {
          measure_path(from, to, node, *senders[from], *receivers[to], sent.bytes(), received.bytes());
        } catch (const StuckTransfer& stuck) {
          unconnected_.push_back(name_of(from, to, node) + ": " + stuck.what());
          apart_.insert({from, to});
          // UCX may still use that memory and both workers, so neither is released. This node measures no further path from the first card or
          // to the second.
          static_cast<void>(senders[from].release());
          static_cast<void>(receivers[to].release());
          sent.keep();
          received.keep();
        }
      }
  }

  ProbeSample result() const {
    if (paths_.empty() && errors_.empty()) {
      const std::vector<std::string> unusable(unusable_.begin(), unusable_.end());
      return unsupported_sample("no card can be used: " + few_of(unusable.empty() ? unconnected_ : unusable));
    }
    const std::string rates = rates_text();
    if (!cards_.front().rdma && errors_.empty())
      return unsupported_sample("this host has no RDMA device, and its cores bound TCP within it: " + rates);
    ProbeSample sample;
    sample.errors = errors_;
    sample.facts.emplace_back("rates", rates);
    const auto fact = [&](const char* name, const std::vector<std::string>& texts) {
      if (!texts.empty()) sample.facts.emplace_back(name, few_of(texts));
    };
    fact("cards that UCX cannot use", {unusable_.begin(), unusable_.end()});
    fact("paths without a connection", unconnected_);
    for (const auto& [part, speed] : speeds_of_parts(paths_))
      sample.parts.push_back({.part = part, .kind = "", .values = {100 * speed}, .remark = ""});
    std::vector<std::string> unexplained;
    for (const std::size_t path : unexplained_paths(paths_, kSlow))
      unexplained.push_back(fmt::format("{}: {:.3g} GB/s", names_[path], paths_[path].rate));
    fact("slow paths that no card explains", unexplained);
    const std::vector<std::string> alone = cards_that_reach_nobody();
    if (!alone.empty())
      sample.inconclusive = "no transfer over " + few_of(alone) + " works";
    else if (left_out_ > 0)
      sample.inconclusive = fmt::format("{} paths were left out after {}", left_out_, to_text(kMeasuresFor));
    else if (sample.parts.empty())
      sample.inconclusive = "no card has a like one beside it";
    return sample;
  }

 private:
  std::unique_ptr<UcxCard> use(const NetworkCard& card) {
    try {
      return std::make_unique<UcxCard>(card);
    } catch (const std::runtime_error& error) {
      unusable_.insert(card.name + ": " + error.what());
      return nullptr;
    }
  }

  std::string name_of(std::size_t from, std::size_t to, int node) const {
    return fmt::format("{} to {}, node {}", cards_[from].name, cards_[to].name, node);
  }

  void measure_path(std::size_t from, std::size_t to, int node, UcxCard& sender, UcxCard& receiver,
                    std::span<const char> sent, std::span<char> received) {
    const std::string name = name_of(from, to, node);
    std::unique_ptr<UcxPath> path;
    std::ranges::fill(received, '\0');
    try {
      path = std::make_unique<UcxPath>(sender, receiver);
      path->transfer(sent, received, kConnectsWithin);
    } catch (const StuckTransfer&) {
      throw;
    } catch (const std::runtime_error& error) {
      unconnected_.push_back(name + ": " +
                             error.what());  // cards of separate networks do not reach each other
      apart_.insert({from, to});
      return;
    }
    if (!std::ranges::equal(sent, received))
      return errors_.push_back(name + ": the data that arrive are not those that were sent");
    double best = 0;
    try {
      for (int i = 0; i < kRepetitions; ++i) {
        ::nanosleep(&kPause, nullptr);
        best =
            std::max(best, 1e-9 * static_cast<double>(kBytes) / path->transfer(sent, received, kEndsWithin));
      }
    } catch (const StuckTransfer&) {
      throw;
    } catch (const std::runtime_error& error) {
      return errors_.push_back(name + ": " + error.what());
    }
    MeshPath measured{.kind = kind_of(from, to, node), .rate = best, .parts = {cards_[from].name}};
    if (from != to) measured.parts.push_back(cards_[to].name);
    if (cards_[from].node >= 0 && cards_[to].node >= 0)
      measured.parts.push_back(fmt::format("memory node {}", node));
    paths_.push_back(std::move(measured));
    names_.push_back(name);
  }

  /// How far a card is from a memory node. Of a card whose place the kernel does not say, each node is a distance of its own.
  std::string distance(const NetworkCard& card, int node) const {
    if (card.node < 0) return fmt::format("node {}", node);
    if (card.node == node) return "same node";
    const auto theirs = nodes_.find(card.node), ours = nodes_.find(node);
    const bool one_socket =
        theirs != nodes_.end() && ours != nodes_.end() && theirs->second.socket == ours->second.socket;
    return one_socket ? "same socket" : "other socket";
  }

  /// Cards of unlike speed, paths within one card, and paths to memory further away are not held against others.
  std::string kind_of(std::size_t from, std::size_t to, int node) const {
    return fmt::format("{} ({}) to {} ({}){}", cards_[from].speed, distance(cards_[from], node),
                       cards_[to].speed, distance(cards_[to], node), from == to ? " itself" : "");
  }

  std::string rates_text() const {
    if (paths_.empty()) return "no path was measured";
    const auto [slowest, fastest] = std::minmax_element(
        paths_.begin(), paths_.end(), [](const MeshPath& a, const MeshPath& b) { return a.rate < b.rate; });
    return fmt::format("{:.3g} to {:.3g} GB/s on {} paths, of which {} is the slowest", slowest->rate,
                       fastest->rate, paths_.size(),
                       names_[static_cast<std::size_t>(slowest - paths_.begin())]);
  }

  std::vector<std::string> cards_that_reach_nobody() const {
    std::vector<std::string> alone;
    for (const NetworkCard& card : cards_)
      if (std::none_of(paths_.begin(), paths_.end(), [&](const MeshPath& path) {
            return std::find(path.parts.begin(), path.parts.end(), card.name) != path.parts.end();
          }))
        alone.push_back(card.name);
    return alone;
  }

  const std::vector<NetworkCard>& cards_;
  const std::map<int, MachineCore>& nodes_;
  const std::int64_t began_ = monotonic_ns();
  std::vector<std::string> errors_, unconnected_;
  std::set<std::string> unusable_;
  std::set<std::pair<std::size_t, std::size_t>> apart_;  // cards that do not reach each other
  std::size_t left_out_ = 0;                             // paths, for want of time
  std::vector<MeshPath> paths_;
  std::vector<std::string> names_;  // of the paths
};

}  // namespace

ProbeSample card_mesh(const std::string& root) {
  const NetworkCards cards = network_cards(root);
  const std::string down = few_of(cards.down);
  if (cards.up.empty())
    return unsupported_sample(down.empty() ? "no network card is up" : "no RDMA port is active: " + down);
  if (cards.up.size() > kMostCards)
    return unsupported_sample(
        fmt::format("{} network cards are up; at most {} are measured", cards.up.size(), kMostCards));
  const std::map<int, MachineCore> nodes = cores_of_nodes(root);
  if (nodes.empty()) return unsupported_sample("this process may run on no core");
  CardMesh mesh(cards.up, nodes);
  std::string wrong;
  for (const auto& [node, core] : nodes)
    std::jthread([&, node = node, cpu = core.cpu] {
      if (!pin_this_thread(cpu)) {
        if (wrong.empty()) wrong = fmt::format("a thread may not be kept on processor {}", cpu);
        return;
      }
      try {
        mesh.measure(node);
      } catch (const std::exception& error) {
        if (wrong.empty()) wrong = error.what();
      }
    }).join();
  ProbeSample sample = mesh.result();
  // What one memory node found counts, although another one could not be measured.
  if (!wrong.empty() && sample.errors.empty()) return unsupported_sample(wrong);
  if (!sample.unsupported.empty()) return sample;
  if (!down.empty()) sample.facts.emplace_back("RDMA ports that are not active", down);
  try {
    sample.facts.emplace_back("UCX sends memory of", memory_reached());
  } catch (const std::runtime_error&) {
    sample.facts.emplace_back("UCX sends memory of", "what it does not say");
  }
  sample.facts.emplace_back("UCX", ucx_version());
  return sample;
}

}  // namespace gauntlet::ucx
