#include "real/trainer/peers.hpp"

#include "core/contract.hpp"
#include "core/problem.hpp"
#include "core/quantity.hpp"
#include "real/checkpoint/file_problem.hpp"
#include "real/clock.hpp"
#include "real/peer_user.hpp"
#include "real/trainer/failure.hpp"
#include "real/trainer/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

// How often a neighbour that does not listen yet is tried again.
constexpr int kRetryMilliseconds = 5;
constexpr int kWaitingConnections = 16;

std::string socket_name(std::uint32_t rank) { return "rank-" + std::to_string(rank) + ".sock"; }

/// Through the open directory, because a socket's path has at most 107 bytes (unix(7)).
sockaddr_un address_of(int directory, std::uint32_t rank) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(directory) + "/" + socket_name(rank);
  expect(path.size() < sizeof(address.sun_path), "numbers are short");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

int new_socket() {
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw Failure(file_problem({}, "cannot make a socket", errno));
  return descriptor;
}

int open_directory(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw Failure(file_problem(path, "is no place for sockets", errno));
  return descriptor;
}

/// A lock that lasts as long as the process, whatever ends it.
int take_name(int directory, const TrainerOptions& options) {
  const std::string name = "rank-" + std::to_string(options.rank) + ".lock";
  const std::string path = options.run_directory + "/" + name;
  const int descriptor = ::openat(directory, name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) throw Failure(file_problem(path, "cannot be created", errno));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const int error = errno;
  ::close(descriptor);
  if (error != EWOULDBLOCK) throw Failure(file_problem(path, "cannot be locked", error));
  throw Failure({.file = path,
                 .what = "is in use",
                 .why = "(rank " + std::to_string(options.rank) + " of this run directory is alive)",
                 .suggestion = "end it, or name another run directory"});
}

PeerLink listen_as(int directory, const TrainerOptions& options) {
  const std::string path = options.run_directory + "/" + socket_name(options.rank);
  // Of an earlier start: the name is ours.
  if (::unlinkat(directory, socket_name(options.rank).c_str(), 0) != 0 && errno != ENOENT)
    throw Failure(file_problem(path, "cannot be removed", errno));
  PeerLink listener(new_socket());
  const sockaddr_un address = address_of(directory, options.rank);
  if (::bind(listener.descriptor(), generic(address), sizeof(address)) != 0 ||
      ::listen(listener.descriptor(), kWaitingConnections) != 0)
    throw Failure(file_problem(path, "cannot be listened on", errno));
  return listener;
}

template <class T>
std::span<const std::byte> bytes_of(std::span<const T> values) {
  return std::as_bytes(values);
}

}  // namespace

/// Says who connects, and holds both to the same job.
struct Peers::Hello {
  std::uint64_t magic = 0x31676e69'72746e67;  // "gntring1"
  std::uint64_t seed = 0;
  std::int64_t steps = 0;
  std::uint32_t pp = 0, dp = 0, rank = 0, to = 0;
};

Peers::Peers(const TrainerOptions& options, int reader)
    : options_(options),
      layout_(options.layout()),
      place_(layout_.coordinates(options.rank)),
      reader_(reader) {
  const auto rank_at = [&](std::uint32_t dp, std::uint32_t pp) {
    return layout_.rank({.tp = 0, .dp = dp, .pp = pp});
  };
  if (!first_stage()) previous_stage_.rank = rank_at(place_.dp, place_.pp - 1);
  if (!last_stage()) next_stage_.rank = rank_at(place_.dp, place_.pp + 1);
  previous_replica_.rank = rank_at((place_.dp + layout_.dp - 1) % layout_.dp, place_.pp);
  next_replica_.rank = rank_at((place_.dp + 1) % layout_.dp, place_.pp);

  const std::int64_t until_ns = monotonic_ns() + options_.collective_timeout.count();
  directory_ = open_directory(options_.run_directory);
  name_ = take_name(directory_, options_);
  const PeerLink listener = listen_as(directory_, options_);
  connect_all(listener.descriptor(), until_ns);
}

Peers::~Peers() {
  ::close(name_);
  ::close(directory_);
}

// Everybody first knocks at the later ones, then opens to the earlier ones, then waits for the doors: no circle of waits,
// because knocking needs only that the other listens.
void Peers::connect_all(int listener, std::int64_t until_ns) {
  const bool ring = layout_.dp > 1;
  if (!last_stage()) greet(next_stage_, until_ns);
  if (ring) greet(next_replica_, until_ns);
  while ((!first_stage() && !previous_stage_.link) || (ring && !previous_replica_.link))
    accept_one(listener, until_ns);
  if (!last_stage()) await_answer(next_stage_, until_ns);
  if (ring) await_answer(next_replica_, until_ns);
}

void Peers::greet(Neighbour& next, std::int64_t until_ns) const {
  while (true) {
    PeerLink link(new_socket());
    const sockaddr_un address = address_of(directory_, next.rank);
    if (::connect(link.descriptor(), generic(address), sizeof(address)) == 0) {
      Hello ours = hello();
      ours.to = next.rank;
      next.link = std::move(link);
      const auto sent = std::as_bytes(std::span(&ours, 1));
      const TransferEnd done = transfer({&next.link, sent}, {}, patience(until_ns, OnClose::tell));
      if (done == TransferEnd::complete) return;
    } else if (errno != ENOENT && errno != ECONNREFUSED && errno != EAGAIN && errno != EINTR) {
      throw Failure(file_problem(options_.run_directory + "/" + socket_name(next.rank),
                                 "cannot be connected to", errno));
    }
    if (monotonic_ns() >= until_ns) time_out("rank " + std::to_string(next.rank) + " to listen");
    pollfd reader{.fd = reader_, .events = 0, .revents = 0};
    ::poll(&reader, 1, kRetryMilliseconds);
    if ((reader.revents & (POLLERR | POLLHUP)) != 0) end_without_reader();
  }
}

void Peers::accept_one(int listener, std::int64_t until_ns) {
  while (true) {
    PeerLink link(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (link) {
      const auto user = user_at_other_end(link.descriptor());
      if (!user || !may_command(*user, ::geteuid())) continue;  // a process of somebody else, and no rank
      Hello theirs;
      const auto received = std::as_writable_bytes(std::span(&theirs, 1));
      // One that knocked and died does not count: its successor will knock.
      if (transfer({}, {&link, received}, patience(until_ns, OnClose::tell)) != TransferEnd::complete)
        continue;
      check(theirs);
      Neighbour& from =
          !first_stage() && theirs.rank == previous_stage_.rank ? previous_stage_ : previous_replica_;
      Hello ours = hello();
      ours.to = theirs.rank;
      if (transfer({&link, std::as_bytes(std::span(&ours, 1))}, {}, patience(until_ns, OnClose::tell)) !=
          TransferEnd::complete)
        continue;
      from.link = std::move(link);
      return;
    }
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
      throw Failure(file_problem(options_.run_directory + "/" + socket_name(options_.rank),
                                 "cannot be listened on", errno));
    const std::int64_t left_ns = until_ns - monotonic_ns();
    if (left_ns <= 0) {
      const Neighbour& missing =
          !first_stage() && !previous_stage_.link ? previous_stage_ : previous_replica_;
      time_out("rank " + std::to_string(missing.rank) + " to connect");
    }
    std::array<pollfd, 2> waits{pollfd{.fd = listener, .events = POLLIN, .revents = 0},
                                pollfd{.fd = reader_, .events = 0, .revents = 0}};
    ::poll(waits.data(), waits.size(),
           static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000)));
    if ((waits[1].revents & (POLLERR | POLLHUP)) != 0) end_without_reader();
  }
}

void Peers::await_answer(Neighbour& next, std::int64_t until_ns) const {
  while (true) {
    Hello theirs;
    const auto received = std::as_writable_bytes(std::span(&theirs, 1));
    switch (transfer({}, {&next.link, received}, patience(until_ns, OnClose::tell))) {
      case TransferEnd::complete:
        return check(theirs);
      case TransferEnd::timed_out:
        time_out("rank " + std::to_string(next.rank) + " to answer");
      case TransferEnd::closed:
        greet(next, until_ns);  // it died with our knock unheard
    }
  }
}

Peers::Hello Peers::hello() const {
  return {.seed = options_.seed,
          .steps = options_.steps,
          .pp = layout_.pp,
          .dp = layout_.dp,
          .rank = options_.rank};
}

void Peers::check(const Hello& other) const {
  const Hello ours = hello();
  if (other.magic == ours.magic && other.seed == ours.seed && other.steps == ours.steps &&
      other.pp == ours.pp && other.dp == ours.dp && other.to == ours.rank)
    return;
  throw Failure({.file = options_.run_directory,
                 .what = "rank " + std::to_string(other.rank),
                 .why = "is of another job: seed, steps, pp or dp differ",
                 .suggestion = "start all ranks of a run directory with the same arguments"});
}

Patience Peers::patience(std::int64_t until_ns, OnClose on_close) const {
  return {.until_ns = until_ns, .reader = reader_, .on_close = on_close};
}

void Peers::time_out(const std::string& what) const {
  throw CollectiveTimedOut("waited " + to_text(options_.collective_timeout) + " for " + what);
}

void Peers::move(const Neighbour* to, std::span<const std::byte> sent, const Neighbour* from,
                 std::span<std::byte> received, const char* what) const {
  const std::int64_t until_ns = monotonic_ns() + options_.collective_timeout.count();
  const Sending sending{to != nullptr ? &to->link : nullptr, sent};
  const Receiving receiving{from != nullptr ? &from->link : nullptr, received};
  if (transfer(sending, receiving, patience(until_ns)) == TransferEnd::complete) return;
  std::string who;
  if (from != nullptr) who = "rank " + std::to_string(from->rank);
  if (to != nullptr && (from == nullptr || to->rank != from->rank))
    who += (who.empty() ? "rank " : " or rank ") + std::to_string(to->rank);
  time_out(who + " in " + what + (step_ > 0 ? " of step " + std::to_string(step_) : ""));
}

void Peers::send_to_next_stage(std::span<const double> values) const {
  move(&next_stage_, std::as_bytes(values), nullptr, {}, "the activations");
}

void Peers::receive_from_next_stage(std::span<double> values) const {
  move(nullptr, {}, &next_stage_, std::as_writable_bytes(values), "the gradients");
}

void Peers::send_to_previous_stage(std::span<const double> values) const {
  move(&previous_stage_, std::as_bytes(values), nullptr, {}, "the gradients");
}

void Peers::receive_from_previous_stage(std::span<double> values) const {
  move(nullptr, {}, &previous_stage_, std::as_writable_bytes(values), "the activations");
}

void Peers::sum_over_replicas(std::span<double> values) const {
  const std::size_t replicas = layout_.dp, own = place_.dp;
  // Parts are numbered modulo the replicas; `own + replicas - k` keeps the number from going below zero.
  const auto part = [&](std::size_t number) {
    const std::size_t index = number % replicas, begin = values.size() * index / replicas;
    return values.subspan(begin, values.size() * (index + 1) / replicas - begin);
  };
  std::vector<double> received(values.size() / replicas + 1);
  for (std::size_t k = 0; k + 1 < replicas; ++k) {
    const std::span<double> sum = part(own + 2 * replicas - k - 1);
    const std::span<double> theirs = std::span(received).first(sum.size());
    move(&next_replica_, std::as_bytes(part(own + replicas - k)), &previous_replica_,
         std::as_writable_bytes(theirs), "the reduce-scatter");
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = theirs[i] + sum[i];
  }
  for (std::size_t k = 0; k + 1 < replicas; ++k)
    move(&next_replica_, std::as_bytes(part(own + replicas + 1 - k)), &previous_replica_,
         std::as_writable_bytes(part(own + replicas - k)), "the all-gather");
}

std::int64_t Peers::told_by_rank_0(std::int64_t number) const {
  const auto out = std::as_bytes(std::span(&number, 1));
  const auto in = std::as_writable_bytes(std::span(&number, 1));
  const char* what = "the choice of a checkpoint";
  if (!first_stage())
    move(nullptr, {}, &previous_stage_, in, what);
  else if (place_.dp > 0)
    move(nullptr, {}, &previous_replica_, in, what);
  if (first_stage() && place_.dp + 1 < layout_.dp) move(&next_replica_, out, nullptr, {}, what);
  if (!last_stage()) move(&next_stage_, out, nullptr, {}, what);
  return number;
}

}  // namespace gauntlet
