#include "real/probes/host/tcp_probes.hpp"

#include "real/probes/link/link_session.hpp"
#include "real/probes/link/shared_secret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kCarriesNothingMs = 5000;  // as long as a LinkSocket waits
constexpr std::size_t kBatches = 10;
// Assumption: two cores that both ends of a connection share are busy for 95% and more of the time while nothing else bounds it.
constexpr double kBoundByCores = 0.9;
// Below this share of the usual rate a link is looked at again: somewhat above the line of the catalogue.
constexpr double kUsualRate = 0.85;
constexpr const char* kCarriesNothing = "the link carried nothing for 5 s";

PartSample part_of(const Neighbour& neighbour, const std::string& part, std::vector<double> values,
                   std::string remark) {
  return {.part = part,
          .kind = "",
          .values = std::move(values),
          .remark = std::move(remark),
          .neighbour = neighbour.host};
}

/// Errors of connect(2) that say something of the link; with others nobody listens there, or nobody can be asked.
bool is_of_the_link(int error) {
  return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH || error == EHOSTDOWN;
}

/// `measure`: the parts of one neighbour, from a client that is connected, or from null and why there is none.
template <class Measure>
ProbeSample of_neighbours(const ProbedHost& host, const Measure& measure) {
  if (host.neighbours.empty()) return unsupported_sample("no neighbour was named; give --pair HOST:PORT");
  ProbeSample sample;
  std::string left_out;
  for (const Neighbour& neighbour : host.neighbours) {
    std::vector<PartSample> parts;
    const auto leave_out = [&](const std::string& why) {
      left_out +=
          fmt::format("{}{}:{}: {}", left_out.empty() ? "" : "; ", neighbour.host, neighbour.port, why);
    };
    Connected connected = connect_to(neighbour);
    if (!connected.socket) {
      if (is_of_the_link(connected.error))
        parts = measure(neighbour, nullptr, "cannot be reached: " + connected.why);
      else
        leave_out(connected.why);
    } else {
      LinkSocket socket(std::move(connected.socket));
      LinkClient client(socket);
      if (prove_secret(socket, LinkRole::client, host.secret))
        parts = measure(neighbour, &client, "");
      else
        leave_out("has another secret, or does not answer");
    }
    std::move(parts.begin(), parts.end(), std::back_inserter(sample.parts));
  }
  if (sample.parts.empty()) return unsupported_sample(left_out);
  if (!left_out.empty()) sample.facts.emplace_back("neighbours that could not be asked", left_out);
  return sample;
}

/// What all cores have done since they started, in ticks.
struct CoreTimes {
  std::uint64_t idle = 0, all = 0;
};

/// Of the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. Nothing where there is none.
CoreTimes core_times(const std::string& root) {
  constexpr std::size_t kIdle = 3, kWaiting = 4, kTimes = 8;
  std::ifstream file(root + "/proc/stat");
  std::string name;
  file >> name;
  CoreTimes times;
  std::uint64_t ticks = 0;
  for (std::size_t i = 0; i < kTimes && file >> ticks; ++i) {
    times.all += ticks;
    if (i == kIdle || i == kWaiting) times.idle += ticks;
  }
  return times;
}

/// A link is as fast as the cores let it be where they had nothing left.
std::string excuse_of(const CoreTimes& before, const CoreTimes& after) {
  const auto all = static_cast<double>(after.all - before.all);
  const double busy = all > 0 ? 1 - static_cast<double>(after.idle - before.idle) / all : 0;
  if (busy < kBoundByCores) return {};
  return fmt::format("the cores were busy {:.0f}% of the time: they may have bounded the rate, not the link",
                     100 * busy);
}

PartSample rates_of(const Neighbour& neighbour, const std::string& direction, LinkRates rates,
                    std::string remark) {
  if (rates.empty()) {
    rates.push_back(0);
    if (remark.empty()) remark = kCarriesNothing;
  }
  return part_of(neighbour, direction + " " + neighbour.host, std::move(rates), std::move(remark));
}

/// The 99th percentile of each batch of round trips.
std::vector<double> tails_of(LinkEchoes echoes) {
  if (!echoes.whole) return {kCarriesNothingMs};
  std::vector<double>& times = echoes.round_trips_ms;
  const std::size_t batches = std::min(kBatches, times.size());
  std::vector<double> tails;
  for (std::size_t i = 0; i < batches; ++i) {
    const auto begin = times.begin() + static_cast<std::ptrdiff_t>(times.size() * i / batches);
    const auto end = times.begin() + static_cast<std::ptrdiff_t>(times.size() * (i + 1) / batches);
    const auto tail = begin + (end - begin - 1) * 99 / 100;
    std::nth_element(begin, tail, end);
    tails.push_back(*tail);
  }
  return tails;
}

/// By a connection of its own to each neighbour.
ProbeSample rates_with_neighbours(const ProbedHost& host) {
  return of_neighbours(host, [&](const Neighbour& neighbour, LinkClient* client, const std::string& why) {
    std::vector<PartSample> parts;
    for (const auto& [direction, measure] :
         {std::pair("to", &LinkClient::upload), std::pair("from", &LinkClient::download)}) {
      const CoreTimes before = core_times(host.root);
      parts.push_back(
          rates_of(neighbour, direction, client == nullptr ? LinkRates{} : (client->*measure)(), why));
      if (client != nullptr) parts.back().excuse = excuse_of(before, core_times(host.root));
    }
    return parts;
  });
}

/// Neighbours whose best rate is well below the usual one, in one direction or both. Those that carry nothing are left out.
std::set<std::string> slow_neighbours(const ProbeSample& sample) {
  std::vector<double> bests;
  for (const PartSample& part : sample.parts) bests.push_back(spread_of(part.values).high);
  if (bests.empty()) return {};
  const double usual = median_of(bests);
  std::set<std::string> slow;
  for (std::size_t i = 0; i < bests.size(); ++i)
    if (bests[i] > 0 && bests[i] < kUsualRate * usual) slow.insert(sample.parts[i].neighbour);
  return slow;
}

/// Whether data passed both ways.
bool carries(const ProbeSample& sample, const std::string& neighbour) {
  int directions = 0;
  for (const PartSample& part : sample.parts)
    if (part.neighbour == neighbour && spread_of(part.values).high > 0) ++directions;
  return directions == 2;
}

}  // namespace

ProbeSample probe_tcp_bandwidth(const ProbedHost& host) {
  ProbeSample sample = rates_with_neighbours(host);
  std::map<std::string, int> slow_connections;  // by neighbour
  ProbedHost again = host;
  for (int look = 0; look < host.looks_again; ++look) {
    const std::set<std::string> slow = slow_neighbours(sample);
    std::erase_if(again.neighbours, [&](const Neighbour& each) { return !slow.contains(each.host); });
    if (again.neighbours.empty()) break;
    for (const Neighbour& each : again.neighbours) ++slow_connections[each.host];
    const ProbeSample more = rates_with_neighbours(again);
    // A neighbour that stopped answering is not measured again. Its earlier rates stay.
    std::erase_if(again.neighbours, [&](const Neighbour& each) { return !carries(more, each.host); });
    ProbeSample further;
    for (const PartSample& part : more.parts)
      if (carries(more, part.neighbour)) further.parts.push_back(part);
    add_repetitions(sample, further);
  }
  for (const std::string& neighbour : slow_neighbours(sample))
    if (const auto last = slow_connections.find(neighbour); last != slow_connections.end()) ++last->second;
  for (const auto& [neighbour, count] : slow_connections)
    sample.facts.emplace_back("connections with " + neighbour + " that were slow", std::to_string(count));
  return sample;
}

ProbeSample probe_tcp_latency(const ProbedHost& host) {
  return of_neighbours(host, [](const Neighbour& neighbour, LinkClient* client, const std::string& why) {
    LinkEchoes echoes = client == nullptr ? LinkEchoes{} : client->echo();
    const std::string remark = why.empty() && !echoes.whole ? kCarriesNothing : why;
    return std::vector{part_of(neighbour, "with " + neighbour.host, tails_of(std::move(echoes)), remark)};
  });
}

ProbeSample probe_tcp_loss(const ProbedHost& host) {
  return of_neighbours(host, [](const Neighbour& neighbour, LinkClient* client, const std::string& why) {
    const LinkEchoes echoes = client == nullptr ? LinkEchoes{} : client->echo();
    const auto trips = static_cast<double>(echoes.round_trips_ms.size());
    const double lost = echoes.whole ? std::min(100.0, 100 * echoes.retransmitted / trips) : 100;
    const std::string counted =
        fmt::format("{} segments were sent again in {} round trips", echoes.retransmitted, trips);
    return std::vector{part_of(neighbour, "with " + neighbour.host, {lost},
                               !why.empty()   ? why
                               : echoes.whole ? counted
                                              : kCarriesNothing)};
  });
}

}  // namespace gauntlet
