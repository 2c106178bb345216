#include "real/probes/host/nccl_job.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>

namespace gauntlet {
namespace {

// Assumption: no healthy step has ranks that wait 10 s for another one.
constexpr int kLooks = 10;
constexpr std::chrono::seconds kBetweenLooks(1);
constexpr std::size_t kNamed = 8;  // bad ranks of a message

using Counts = std::map<std::string, std::uint64_t>;

/// A process and a GPU of it: a rank of the job, whatever its number in a communicator.
using Place = std::tuple<std::string, std::int64_t, std::int64_t>;
Place place_of(const RasRank& rank) { return {rank.host, rank.pid, rank.gpu}; }

Counts most_of(const RasCommunicator& communicator) {
  Counts most;
  for (const RasRank& rank : communicator.ranks)
    for (const auto& [operation, count] : rank.counts) most[operation] = std::max(most[operation], count);
  return most;
}

bool is_behind(const RasRank& rank, const Counts& most) {
  return !rank.missing && std::any_of(most.begin(), most.end(), [&](const auto& each) {
    const auto own = rank.counts.find(each.first);
    return (own == rank.counts.end() ? 0 : own->second) < each.second;
  });
}

bool is_uneven(const RasCommunicator& communicator) {
  const auto most = most_of(communicator);
  return std::any_of(communicator.ranks.begin(), communicator.ranks.end(),
                     [&](const RasRank& rank) { return is_behind(rank, most); });
}

/// Whether no rank entered a collective between both looks.
bool stood(const RasStatus& first, const RasCommunicator& now) {
  const auto before = std::find_if(first.communicators.begin(), first.communicators.end(),
                                   [&](const RasCommunicator& each) { return each.name == now.name; });
  if (before == first.communicators.end() || before->ranks.size() != now.ranks.size()) return false;
  std::map<std::int64_t, const RasRank*> by_rank;  // a job may have 100,000
  for (const RasRank& rank : before->ranks) by_rank.emplace(rank.rank, &rank);
  return std::all_of(now.ranks.begin(), now.ranks.end(), [&](const RasRank& rank) {
    const auto found = by_rank.find(rank.rank);
    return found != by_rank.end() && found->second->missing == rank.missing &&
           found->second->counts == rank.counts;
  });
}

/// Ranks that are behind in a communicator in which nothing moves, and ranks that wait there.
struct Standing {
  std::map<Place, std::string> behind;  // with the communicator
  std::set<Place> wait;
};

/// Ranks that entered a collective between both looks, in any communicator.
std::set<Place> moving_ranks(const RasStatus& first, const RasStatus& last) {
  std::map<std::string, std::map<Place, const Counts*>> before;
  for (const RasCommunicator& communicator : first.communicators)
    for (const RasRank& rank : communicator.ranks) before[communicator.name][place_of(rank)] = &rank.counts;
  std::set<Place> moving;
  for (const RasCommunicator& communicator : last.communicators) {
    const auto& of_communicator = before[communicator.name];
    for (const RasRank& rank : communicator.ranks)
      if (const auto found = of_communicator.find(place_of(rank));
          found != of_communicator.end() && *found->second != rank.counts)
        moving.insert(place_of(rank));
  }
  return moving;
}

Standing standing_of(const RasStatus& first, const RasStatus& last) {
  const std::set<Place> moving = moving_ranks(first, last);
  Standing standing;
  for (const RasCommunicator& communicator : last.communicators) {
    if (!is_uneven(communicator) || !stood(first, communicator)) continue;
    const auto most = most_of(communicator);
    for (const RasRank& rank : communicator.ranks) {
      if (!is_behind(rank, most)) {
        if (!rank.missing) standing.wait.insert(place_of(rank));
      } else if (!moving.contains(place_of(rank))) {
        standing.behind.emplace(place_of(rank),
                                fmt::format("rank {} of communicator {}", rank.rank, communicator.name));
      }
    }
  }
  return standing;
}

/// Ranks with what is wrong with each.
using BadRanks = std::map<Place, std::string>;

BadRanks bad_ranks(const RasStatus& last, const Standing& standing) {
  BadRanks bad;
  for (const RasCommunicator& communicator : last.communicators)
    for (const RasRank& rank : communicator.ranks) {
      if (rank.missing) bad.emplace(place_of(rank), "does not answer");
      if (!rank.error.empty()) bad.emplace(place_of(rank), rank.error);
    }
  for (const auto& [place, where] : standing.behind)
    if (!standing.wait.contains(place)) bad.emplace(place, "holds up the others as " + where);
  return bad;
}

std::string text_of(const BadRanks& bad) {
  std::string text;
  std::size_t named = 0;
  for (const auto& [place, what] : bad) {
    if (++named > kNamed) return text + fmt::format("; and {} more", bad.size() - kNamed);
    text += fmt::format("{}process {} with GPU {} on {} {}", text.empty() ? "" : "; ", std::get<1>(place),
                        std::get<2>(place), std::get<0>(place), what);
  }
  return text;
}

std::set<std::string> own_addresses() {
  std::set<std::string> addresses;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return addresses;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(all, ::freeifaddrs);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr) continue;
    const int family = each->ifa_addr->sa_family;
    const void* const address =
        family == AF_INET
            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr)
        : family == AF_INET6 ? &reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr
                             : nullptr;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address != nullptr && ::inet_ntop(family, address, text.data(), text.size()) != nullptr)
      addresses.insert(text.data());
  }
  return addresses;
}

}  // namespace

bool is_held_up(const RasStatus& first, const RasStatus& now) {
  return std::any_of(now.communicators.begin(), now.communicators.end(),
                     [&](const RasCommunicator& each) { return is_uneven(each) && stood(first, each); });
}

ProbeSample sample_of_job(const RasStatus& first, const RasStatus& last, const std::set<std::string>& own) {
  const Standing standing = standing_of(first, last);
  BadRanks bad = bad_ranks(last, standing), others;
  std::map<std::string, std::set<Place>> hosts;
  for (const RasCommunicator& communicator : last.communicators)
    for (const RasRank& rank : communicator.ranks) hosts[rank.host].insert(place_of(rank));
  for (auto each = bad.begin(); each != bad.end();) {
    const auto next = std::next(each);
    if (!own.contains(std::get<0>(each->first))) others.insert(bad.extract(each));
    each = next;
  }
  ProbeSample sample;
  if (std::any_of(hosts.begin(), hosts.end(), [&](const auto& each) { return own.contains(each.first); }))
    sample.parts.push_back(
        {.part = "", .kind = "", .values = {static_cast<double>(bad.size())}, .remark = text_of(bad)});
  else if (!hosts.empty())
    sample.inconclusive = "no rank of the job has an address of this host";
  if (!others.empty())
    sample.inconclusive = "of other hosts: " + text_of(others);
  else if (!standing.behind.empty() && bad.empty())
    sample.inconclusive = "ranks wait for each other: they entered collectives in different orders";
  if (hosts.empty()) sample.unsupported = "the job has no communicator of NCCL yet";
  for (const auto& [address, ranks] : hosts)
    sample.facts.emplace_back("ranks of the job on " + address, std::to_string(ranks.size()));
  sample.facts.emplace_back("NCCL of the job", last.nccl);
  sample.facts.emplace_back("communicators", std::to_string(last.communicators.size()));
  return sample;
}

ProbeSample watch_job(const std::function<RasAnswer()>& ask, const std::function<void()>& pause,
                      const std::set<std::string>& own) {
  const RasAnswer first = ask();
  if (!first.status) return unsupported_sample(first.why_not);
  RasAnswer last = first;
  for (int look = 0; look < kLooks && is_held_up(*first.status, *last.status); ++look) {
    pause();
    last = ask();
    if (last.status) continue;
    ProbeSample sample;
    sample.inconclusive = "the job stopped answering while ranks were held up: " + last.why_not;
    return sample;
  }
  return sample_of_job(*first.status, *last.status, own);
}

ProbeSample probe_nccl_job(const ProbedHost& host) {
  return watch_job([&] { return ask_ras(host.nccl_ras); }, [] { std::this_thread::sleep_for(kBetweenLooks); },
                   own_addresses());
}

}  // namespace gauntlet
