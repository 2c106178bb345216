#include "real/probes/host/nccl_ras.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

using Json = nlohmann::json;

constexpr int kSucceeded = 0, kInProgress = 7;  // ncclResult_t of nccl.h
constexpr std::chrono::seconds kPatience(10), kPatienceForStatus(30);
// Seconds in which RAS asks the other processes: its default, by the page in nccl_ras.hpp.
constexpr const char* kCollectFor = "TIMEOUT 5";
constexpr std::size_t kLongestLine = 1000;
// A rank has about 500 bytes in what NCCL 2.28.9 answers, so that 100,000 ranks have 50 MB. A rank is in several communicators.
constexpr std::size_t kLongestAnswer = std::size_t{1} << 28;

/// Adds the comma that NCCL 2.28 leaves out between a value and the next member or element.
std::string with_commas(const std::string& json) {
  std::string out, last;
  std::istringstream lines(json);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    const bool opens = line[begin] == '"' || line[begin] == '{' || line[begin] == '[';
    const std::size_t end = last.find_last_not_of(" \t\r");
    if (opens && end != std::string::npos &&
        std::string_view("{[,:").find(last[end]) == std::string_view::npos)
      last += ',';
    out += last + '\n';
    last = line;
  }
  return out + last;
}

std::string error_of(const Json& status) {
  if (const int error = status.value("async_error", kSucceeded); error != kSucceeded && error != kInProgress)
    return fmt::format("has error {} of NCCL", error);
  return status.value("abort_flag", false) ? "was aborted" : "";
}

RasRank rank_of(const Json& json, bool missing) {
  RasRank rank{.rank = json.at("rank").get<std::int64_t>(),
               .host = json.at("host").get<std::string>(),
               .pid = json.at("pid").get<std::int64_t>(),
               .gpu = json.at("nvml_dev").get<std::int64_t>(),
               .missing = missing,
               .error = {},
               .counts = {}};
  if (missing) return rank;
  rank.error = error_of(json.at("status"));
  rank.counts = json.at("collective_counts").get<std::map<std::string, std::uint64_t>>();
  return rank;
}

class RasSocket {
 public:
  explicit RasSocket(Descriptor socket) : socket_(std::move(socket)) {}
  bool send(std::string line) const {
    line += '\n';
    return ::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
  }
  /// A line without its end; what came before the other end closed, or the time was over.
  std::string line() const {
    const Clock::time_point until = Clock::now() + kPatience;
    std::string text;
    for (char each = 0; text.size() < kLongestLine && receive({&each, 1}, until) == 1 && each != '\n';)
      text += each;
    return text;
  }
  /// Until the other end closes; nothing where it does not in time, or is too long.
  std::optional<std::string> rest() const {
    const Clock::time_point until = Clock::now() + kPatienceForStatus;
    std::string text;
    std::array<char, std::size_t{1} << 16> room;
    while (text.size() < kLongestAnswer) {
      const ssize_t got = receive(room, until);
      if (got == 0) return text;
      if (got < 0) return std::nullopt;
      text.append(room.data(), static_cast<std::size_t>(got));
    }
    return std::nullopt;
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// As recv(2); -1 once the time is over.
  ssize_t receive(std::span<char> room, Clock::time_point until) const {
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
      pollfd polled{.fd = socket_.get(), .events = POLLIN, .revents = 0};
      const int ready = left.count() > 0 ? ::poll(&polled, 1, static_cast<int>(left.count())) : 0;
      if (ready == 0) return -1;
      const ssize_t got = ready < 0 ? -1 : ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
      if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
    }
  }

  Descriptor socket_;
};

RasAnswer none(std::string why) { return {.status = {}, .why_not = std::move(why)}; }

}  // namespace

RasAnswer parse_ras_status(const std::string& json) {
  try {
    const Json all = Json::parse(with_commas(json));
    RasStatus status{.nccl = all.value("nccl_version", "not said"), .communicators = {}};
    for (const Json& each : all.at("communicators")) {
      RasCommunicator communicator{.name = each.at("hash").get<std::string>(), .ranks = {}};
      if (const std::string more = each.value("secondary_hash", ""); !more.empty())
        communicator.name += ":" + more;
      for (const Json& rank : each.at("ranks")) communicator.ranks.push_back(rank_of(rank, false));
      for (const Json& rank : each.at("missing_ranks")) communicator.ranks.push_back(rank_of(rank, true));
      status.communicators.push_back(std::move(communicator));
    }
    return {.status = std::move(status), .why_not = {}};
  } catch (const Json::exception& error) {
    return none(std::string("NCCL's RAS gave an answer that is not understood: ") + error.what());
  }
}

RasAnswer ask_ras(const Neighbour& where) {
  const std::string place = fmt::format("{}:{}", where.host, where.port);
  Connected connected = open_at(where, 0, ::connect);
  if (!connected.socket)
    return none(
        fmt::format("no job with NCCL 2.24 or later answers at {}: {}; if the job sets NCCL_RAS_ADDR, give "
                    "it with --nccl-ras",
                    place, connected.why));
  const RasSocket socket(std::move(connected.socket));
  const auto answer = [&](const char* line) { return socket.send(line) ? socket.line() : std::string(); };
  const std::string greeting = answer("CLIENT PROTOCOL 2");
  if (!greeting.empty() && !greeting.starts_with("SERVER PROTOCOL"))
    return none(fmt::format("what listens at {} is not NCCL's RAS", place));
  const std::string format = greeting.empty() ? "" : answer("SET FORMAT json");
  if (!format.empty() && format != "OK")
    return none(fmt::format("the job's NCCL does not answer in JSON, as NCCL 2.28 and later do: {}", format));
  const std::string timeout = format.empty() ? "" : answer(kCollectFor);
  if (!timeout.empty() && timeout != "OK")
    return none(fmt::format("NCCL's RAS refused {}: {}", kCollectFor, timeout));
  if (timeout.empty() || !socket.send("VERBOSE STATUS"))
    return none(fmt::format("what listens at {} stopped answering", place));
  const std::optional<std::string> status = socket.rest();
  if (!status) return none(fmt::format("NCCL's RAS at {} did not end its answer", place));
  return parse_ras_status(*status);
}

}  // namespace gauntlet
