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

}  // namespace

/// Says who connects, and holds both to the same job.
struct Peers::Hello {
  std::uint64_t magic = 0x32676e69'72746e67;  // "gntring2"
  std::uint64_t seed = 0;
  std::int64_t steps = 0;
  std::uint32_t tp = 0, pp = 0, dp = 0, batch = 0, rank = 0, to = 0;
};

Peers::Peers(const TrainerOptions& options, RankOutput& output)
    : options_(options),
      layout_(options.layout()),
      place_(layout_.coordinates(options.rank)),
      output_(output),
      replicas_{.group = "dp", .size = layout_.dp, .own = place_.dp},
      parts_{.group = "tp", .size = layout_.tp, .own = place_.tp} {
  const auto rank_at = [&](std::uint32_t tp, std::uint32_t dp, std::uint32_t pp) {
    return layout_.rank({.tp = tp % layout_.tp, .dp = dp % layout_.dp, .pp = pp});
  };
  if (!first_stage()) previous_stage_.rank = rank_at(place_.tp, place_.dp, place_.pp - 1);
  if (!last_stage()) next_stage_.rank = rank_at(place_.tp, place_.dp, place_.pp + 1);
  replicas_.previous.rank = rank_at(place_.tp, place_.dp + layout_.dp - 1, place_.pp);
  replicas_.next.rank = rank_at(place_.tp, place_.dp + 1, place_.pp);
  parts_.previous.rank = rank_at(place_.tp + layout_.tp - 1, place_.dp, place_.pp);
  parts_.next.rank = rank_at(place_.tp + 1, place_.dp, place_.pp);

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
  for (Neighbour* next : later()) greet(*next, until_ns);
  while (!earlier().empty()) accept_one(listener, until_ns);
  for (Neighbour* next : later()) await_answer(*next, until_ns);
}

/// Those who knock here, and have not yet.
std::vector<Peers::Neighbour*> Peers::earlier() {
  std::vector<Neighbour*> all;
  if (!first_stage()) all.push_back(&previous_stage_);
  for (Ring* ring : {&replicas_, &parts_})
    if (ring->size > 1) all.push_back(&ring->previous);
  std::erase_if(all, [](const Neighbour* each) { return static_cast<bool>(each->link); });
  return all;
}

/// At whom this rank knocks.
std::vector<Peers::Neighbour*> Peers::later() {
  std::vector<Neighbour*> all;
  if (!last_stage()) all.push_back(&next_stage_);
  for (Ring* ring : {&replicas_, &parts_})
    if (ring->size > 1) all.push_back(&ring->next);
  return all;
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
    pollfd reader{.fd = output_.descriptor(), .events = 0, .revents = 0};
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
      const std::vector<Neighbour*> awaited = earlier();
      const auto from = std::find_if(awaited.begin(), awaited.end(),
                                     [&](const Neighbour* each) { return each->rank == theirs.rank; });
      if (from == awaited.end()) continue;
      Hello ours = hello();
      ours.to = theirs.rank;
      if (transfer({&link, std::as_bytes(std::span(&ours, 1))}, {}, patience(until_ns, OnClose::tell)) !=
          TransferEnd::complete)
        continue;
      (*from)->link = std::move(link);
      return;
    }
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
      throw Failure(file_problem(options_.run_directory + "/" + socket_name(options_.rank),
                                 "cannot be listened on", errno));
    const std::int64_t left_ns = until_ns - monotonic_ns();
    if (left_ns <= 0) {
      time_out("rank " + std::to_string(earlier().front()->rank) + " to connect");
    }
    std::array<pollfd, 2> waits{pollfd{.fd = listener, .events = POLLIN, .revents = 0},
                                pollfd{.fd = output_.descriptor(), .events = 0, .revents = 0}};
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
          .tp = layout_.tp,
          .pp = layout_.pp,
          .dp = layout_.dp,
          .batch = options_.global_batch,
          .rank = options_.rank};
}

void Peers::check(const Hello& other) const {
  const Hello ours = hello();
  if (other.magic == ours.magic && other.seed == ours.seed && other.steps == ours.steps &&
      other.tp == ours.tp && other.pp == ours.pp && other.dp == ours.dp && other.batch == ours.batch &&
      other.to == ours.rank)
    return;
  throw Failure({.file = options_.run_directory,
                 .what = "rank " + std::to_string(other.rank),
                 .why = "is of another job: seed, steps, batch, tp, pp or dp differ",
                 .suggestion = "start all ranks of a run directory with the same arguments"});
}

Patience Peers::patience(std::int64_t until_ns, OnClose on_close) const {
  return {.until_ns = until_ns, .reader = output_.descriptor(), .on_close = on_close};
}

void Peers::time_out(const std::string& what) const {
  throw CollectiveTimedOut("waited " + to_text(options_.collective_timeout) + " for " + what);
}

void Peers::move(const Neighbour* to, std::span<const std::byte> sent, const Neighbour* from,
                 std::span<std::byte> received, const char* what) const {
  const std::int64_t until_ns = monotonic_ns() + options_.collective_timeout.count();
  const Sending sending{to != nullptr ? &to->link : nullptr, sent};
  const Receiving receiving{from != nullptr ? &from->link : nullptr, received};
  if (transfer(sending, receiving, patience(until_ns)) == TransferEnd::complete) {
    output_.sent(sent.size());
    return;
  }
  std::string who;
  if (from != nullptr) who = "rank " + std::to_string(from->rank);
  if (to != nullptr && (from == nullptr || to->rank != from->rank))
    who += (who.empty() ? "rank " : " or rank ") + std::to_string(to->rank);
  time_out(who + " in " + what + (step_ > 0 ? " of step " + std::to_string(step_) : ""));
}

void Peers::exchange_with_next_stage(std::span<const double> sent, std::span<double> received) {
  const RankOutput::Collective mark(output_, "send_recv", "pp");
  move(sent.empty() ? nullptr : &next_stage_, std::as_bytes(sent), received.empty() ? nullptr : &next_stage_,
       std::as_writable_bytes(received), received.empty() ? "the activations" : "the gradients");
}

void Peers::exchange_with_previous_stage(std::span<const double> sent, std::span<double> received) {
  const RankOutput::Collective mark(output_, "send_recv", "pp");
  move(sent.empty() ? nullptr : &previous_stage_, std::as_bytes(sent),
       received.empty() ? nullptr : &previous_stage_, std::as_writable_bytes(received),
       received.empty() ? "the gradients" : "the activations");
}

void Peers::sum_over(Ring& ring, std::span<Fixed> values) {
  const std::size_t size = ring.size, own = ring.own;
  if (size == 1) return;
  const RankOutput::Collective mark(output_, "all_reduce", ring.group);
  // Parts are numbered modulo the ranks; `own + size - k` keeps the number from going below zero.
  const auto part = [&](std::size_t number) {
    const std::size_t index = number % size, begin = values.size() * index / size;
    return values.subspan(begin, values.size() * (index + 1) / size - begin);
  };
  std::vector<Fixed> received(values.size() / size + 1);
  for (std::size_t k = 0; k + 1 < size; ++k) {
    const std::span<Fixed> sum = part(own + 2 * size - k - 1);
    const std::span<Fixed> theirs = std::span(received).first(sum.size());
    move(&ring.next, std::as_bytes(part(own + size - k)), &ring.previous, std::as_writable_bytes(theirs),
         "the reduce-scatter");
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += theirs[i];
  }
  for (std::size_t k = 0; k + 1 < size; ++k)
    move(&ring.next, std::as_bytes(part(own + size + 1 - k)), &ring.previous,
         std::as_writable_bytes(part(own + size - k)), "the all-gather");
}

std::int64_t Peers::told_by_rank_0(std::int64_t number) {
  const auto out = std::as_bytes(std::span(&number, 1));
  const auto in = std::as_writable_bytes(std::span(&number, 1));
  const char* what = "the word of rank 0";
  if (!first_stage())
    move(nullptr, {}, &previous_stage_, in, what);
  else if (replicas_.own > 0)
    move(nullptr, {}, &replicas_.previous, in, what);
  else if (parts_.own > 0)
    move(nullptr, {}, &parts_.previous, in, what);
  // Along the parts of the first replica, from each of them along its replicas, and from each of these down the stages.
  if (first_stage() && replicas_.own == 0 && parts_.own + 1 < parts_.size)
    move(&parts_.next, out, nullptr, {}, what);
  if (first_stage() && replicas_.own + 1 < replicas_.size) move(&replicas_.next, out, nullptr, {}, what);
  if (!last_stage()) move(&next_stage_, out, nullptr, {}, what);
  return number;
}

}  // namespace gauntlet
