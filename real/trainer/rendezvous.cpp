#include "real/trainer/rendezvous.hpp"

#include "core/problem.hpp"
#include "core/quantity.hpp"
#include "real/system/clock.hpp"
#include "real/trainer/failure.hpp"
#include "real/trainer/output.hpp"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace gauntlet {
namespace {

constexpr int kRetryMilliseconds = 5;

template <class Value>
std::span<const std::byte> bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

/// What the ranks of a start have in common.
struct Rendezvous::Job {
  std::uint64_t magic = 0x33676e69'72746e67;  // "gntring3"
  std::uint64_t seed = 0;
  std::int64_t steps = 0;
  std::uint32_t tp = 0, pp = 0, dp = 0, batch = 0;
  friend bool operator==(const Job&, const Job&) = default;
};

/// What a rank tells rank 0.
struct Rendezvous::Joining {
  Job job;
  RankPlace place;
  Proof proof{};
};

Rendezvous::Rendezvous(const TrainerOptions& options, int reader, std::int64_t until_ns)
    : options_(options),
      patience_{.until_ns = until_ns, .reader = reader, .on_close = OnClose::tell},
      at_(tcp_address(options.meeting.address, options.meeting.port)) {
  static_assert(std::has_unique_object_representations_v<Joining>, "it travels without gaps");
  for (const std::string& each : options.meeting.own) own_.push_back(tcp_address(each, 0));
  if (options.rank == 0) {
    const Job ours = job();
    const auto bytes = bytes_of(ours);
    door_.emplace(sizeof(Joining), std::vector<std::byte>(bytes.begin(), bytes.end()));
    door_->open(at_);
    if (own_.empty()) own_.push_back({.address = at_.address, .port = 0});
  } else {
    connect();
    if (own_.empty()) own_.push_back(own_address(link_));
  }
}

void Rendezvous::connect() {
  while (monotonic_ns() < patience_.until_ns) {
    if (auto link = connect_to(at_, own_.empty() ? TcpAddress{} : own_.front(), patience_)) {
      link_ = std::move(*link);
      return;
    }
    pause_before_retry(patience_.reader);
  }
  time_out("rank 0 to " + (has_hung_up_ ? "take this rank in; it hung up before" : "listen at " + at_.text()));
}

std::vector<RankPlace> Rendezvous::exchange(const RankPlace& own) {
  if (options_.rank == 0) return gather(own);
  while (true) {
    if (auto table = join(own)) return std::move(*table);
    pause_before_retry(patience_.reader);
    connect();
  }
}

/// At rank 0.
std::vector<RankPlace> Rendezvous::gather(const RankPlace& own) {
  std::vector<RankPlace> table(options_.layout().ranks());
  std::vector<PeerLink> links(table.size());
  table[0] = own;
  for (std::size_t first = 1; first < table.size();) {
    auto guest = door_->next(patience_);
    if (!guest) time_out("rank " + std::to_string(first) + " to come");
    Joining said;
    std::memcpy(&said, guest->said.data(), sizeof said);
    const std::uint32_t rank = said.place.rank;
    if (!same(said.proof, proof_of(said, guest->challenge))) {
      door_->refuse(*guest, "it does not know the secret of this start");
      continue;
    }
    check(said.job, rank);
    // One that came and died does not count: its successor will come.
    if (rank == 0 || rank >= table.size() || (links[rank] && !is_closed(links[rank]))) {
      door_->refuse(*guest, "rank " + std::to_string(rank) + " is here already");
      continue;
    }
    table[rank] = said.place;
    links[rank] = std::move(guest->link);
    while (first < table.size() && links[first]) ++first;
  }
  for (std::size_t rank = 1; rank < table.size(); ++rank) {
    const Proof proof = proof_of(table, table[rank].challenge);
    // Whoever has died meanwhile is waited for by its neighbours.
    if (transfer({&links[rank], std::as_bytes(std::span(table))}, {}, patience_) == TransferEnd::complete)
      transfer({&links[rank], bytes_of(proof)}, {}, patience_);
  }
  return table;
}

/// At another rank. Nothing where rank 0 hangs up.
std::optional<std::vector<RankPlace>> Rendezvous::join(const RankPlace& own) {
  struct {
    Job job;
    Challenge challenge{};
  } greeting;
  const auto receive = [&](std::span<std::byte> bytes) {
    const TransferEnd end = transfer({}, {&link_, bytes}, patience_);
    if (end == TransferEnd::timed_out) time_out(has_hung_up_ ? "rank 0 to take this rank in; it hung up before" : "rank 0 to gather all ranks");
    return end == TransferEnd::complete;
  };
  if (!receive(std::as_writable_bytes(std::span(&greeting, 1)))) return std::nullopt;
  Joining joining{.job = job(), .place = own};
  joining.proof = proof_of(joining, greeting.challenge);
  if (transfer({&link_, bytes_of(joining)}, {}, patience_) != TransferEnd::complete) return std::nullopt;
  check(greeting.job, 0);
  std::vector<RankPlace> table(options_.layout().ranks());
  Proof proof{};
  if (!receive(std::as_writable_bytes(std::span(table))) ||
      !receive(std::as_writable_bytes(std::span(&proof, 1)))) {
    has_hung_up_ = true;
    return std::nullopt;
  }
  if (same(proof, proof_of(table, own.challenge))) return table;
  throw Failure({.what = at_.text(),
                 .why = "is listened at by a process that does not know the secret of this start",
                 .suggestion = "take another MASTER_PORT"});
}

Proof Rendezvous::proof_of(const Joining& said, const Challenge& challenge) const {
  return prove(options_.meeting.secret, "join", {challenge, bytes_of(said.job), bytes_of(said.place)});
}

Proof Rendezvous::proof_of(const std::vector<RankPlace>& table, const Challenge& challenge) const {
  return prove(options_.meeting.secret, "table", {challenge, std::as_bytes(std::span(table))});
}

Rendezvous::Job Rendezvous::job() const {
  return {.seed = options_.seed,
          .steps = options_.steps,
          .tp = options_.tp,
          .pp = options_.pp,
          .dp = options_.dp,
          .batch = options_.global_batch};
}

void Rendezvous::check(const Job& other, std::uint32_t rank) const {
  if (other == job()) return;
  throw Failure({.what = "rank " + std::to_string(rank),
                 .why = "is of another job: seed, steps, batch, tp, pp or dp differ",
                 .suggestion = "start all ranks that meet at " + at_.text() + " with the same arguments"});
}

void Rendezvous::time_out(const std::string& what) const {
  throw CollectiveTimedOut("waited " + to_text(options_.collective_timeout) + " for " + what);
}

void pause_before_retry(int reader) {
  pollfd wait{.fd = reader, .events = 0, .revents = 0};
  ::poll(&wait, 1, kRetryMilliseconds);
  if ((wait.revents & (POLLERR | POLLHUP)) != 0) end_without_reader();
}

}  // namespace gauntlet
