#include "real/trainer/peers.hpp"

#include "core/problem.hpp"
#include "core/quantity.hpp"
#include "real/system/clock.hpp"
#include "real/trainer/failure.hpp"
#include "real/trainer/output.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

// Of a broadcast: small beside the state of a rank, so that a chain of replicas takes hardly longer than one link, and large beside what a
// system call costs.
constexpr std::size_t kPiece = 1 << 20;

}  // namespace

/// The first word of whoever connects, and the answer to it. The challenges in it are those that rank 0 has passed on.
struct Peers::Knock {
  std::uint32_t from = 0, to = 0;
  Proof proof{};
};

Peers::Peers(const TrainerOptions& options, RankOutput& output, const Listen& listen)
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

  if (layout_.ranks() > 1) connect_all(monotonic_ns() + options_.collective_timeout.count(), listen);
}

// Everybody first knocks at the later ones, then opens to the earlier ones, then waits for the doors: no circle of waits, because knocking needs
// only that the other listens.
void Peers::connect_all(std::int64_t until_ns, const Listen& listen) {
  static_assert(std::has_unique_object_representations_v<Knock>, "it travels without gaps");
  Rendezvous rendezvous(options_, output_.descriptor(), until_ns);
  Door door(sizeof(Knock));
  RankPlace own{.rank = options_.rank, .host = options_.host, .challenge = new_challenge()};
  own.interfaces = static_cast<std::uint32_t>(rendezvous.own_addresses().size());
  for (std::uint32_t i = 0; i < own.interfaces; ++i) {
    own.listens.at(i) = rendezvous.own_addresses()[i];
    door.open(own.listens.at(i));
  }
  if (listen) own.checkpointer = listen(rendezvous.own_addresses().front());
  places_ = rendezvous.exchange(own);
  for (Neighbour* next : later()) knock_at(*next, until_ns);
  while (!earlier().empty()) open_to_one(door, until_ns);
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

void Peers::knock_at(Neighbour& next, std::int64_t until_ns) const {
  const RankPlace &own = places_[options_.rank], &theirs = places_[next.rank];
  const auto interface =
      next.interface == Interface::pipeline ? std::min(own.interfaces, theirs.interfaces) - 1 : 0;
  const Knock ours = knock("knock", options_.rank, next.rank);
  while (true) {
    if (auto link = connect_to(theirs.listens.at(interface), own.listens.at(interface), patience(until_ns))) {
      next.link = std::move(*link);
      const auto sent = std::as_bytes(std::span(&ours, 1));
      if (transfer({&next.link, sent}, {}, patience(until_ns, OnClose::tell)) == TransferEnd::complete)
        return;
    }
    if (monotonic_ns() >= until_ns) time_out("rank " + std::to_string(next.rank) + " to listen");
    pause_before_retry(output_.descriptor());
  }
}

void Peers::open_to_one(Door& door, std::int64_t until_ns) {
  auto guest = door.next(patience(until_ns));
  if (!guest) time_out("rank " + std::to_string(earlier().front()->rank) + " to connect");
  Knock theirs;
  std::memcpy(&theirs, guest->said.data(), sizeof theirs);
  const std::vector<Neighbour*> awaited = earlier();
  const auto from = std::find_if(awaited.begin(), awaited.end(),
                                 [&](const Neighbour* each) { return each->rank == theirs.from; });
  if (from == awaited.end() || !same(theirs.proof, knock("knock", theirs.from, options_.rank).proof))
    return door.refuse(*guest,
                       "no neighbour of rank " + std::to_string(options_.rank) + " proves to be that");
  const Knock answer = knock("answer", options_.rank, theirs.from);
  // One that knocked and died does not count: its successor will knock.
  if (transfer({&guest->link, std::as_bytes(std::span(&answer, 1))}, {}, patience(until_ns, OnClose::tell)) ==
      TransferEnd::complete)
    (*from)->link = std::move(guest->link);
}

void Peers::await_answer(Neighbour& next, std::int64_t until_ns) const {
  while (true) {
    Knock theirs;
    switch (transfer({}, {&next.link, std::as_writable_bytes(std::span(&theirs, 1))},
                     patience(until_ns, OnClose::tell))) {
      case TransferEnd::complete:
        if (same(theirs.proof, knock("answer", next.rank, options_.rank).proof)) return;
        throw Failure({.what = places_[next.rank].listens.front().text(),
                       .why = "answers and does not know the secret of this start",
                       .suggestion = {}});
      case TransferEnd::timed_out:
        time_out("rank " + std::to_string(next.rank) + " to answer");
      case TransferEnd::closed:
        pause_before_retry(output_.descriptor());
        knock_at(next, until_ns);  // it died with our knock unheard
    }
  }
}

Peers::Knock Peers::knock(const char* what, std::uint32_t from, std::uint32_t to) const {
  Knock made{.from = from, .to = to};
  const auto numbers = std::to_array({from, to});
  made.proof =
      prove(options_.meeting.secret, what,
            {places_.at(from).challenge, places_.at(to).challenge, std::as_bytes(std::span(numbers))});
  return made;
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

std::int64_t Peers::sum_over_all(std::int64_t number) {
  sum_over_parts(std::span(&number, 1));
  sum_over_replicas(std::span(&number, 1));
  // Each stage adds its own and passes the sum down; the last stage passes the whole sum up again.
  const char* what = "the sum over all ranks";
  const auto bytes = [](std::int64_t& value) { return std::as_writable_bytes(std::span(&value, 1)); };
  if (!first_stage()) {
    std::int64_t before = 0;
    move(nullptr, {}, &previous_stage_, bytes(before), what);
    number += before;
  }
  if (!last_stage()) {
    move(&next_stage_, bytes(number), nullptr, {}, what);
    move(nullptr, {}, &next_stage_, bytes(number), what);
  }
  if (!first_stage()) move(&previous_stage_, bytes(number), nullptr, {}, what);
  return number;
}

/// Down the chain of replicas in pieces: each sends one piece while it receives the next.
void Peers::broadcast_over_replicas(std::span<std::byte> bytes) {
  const bool receives = replicas_.own > 0, sends = replicas_.own + 1 < replicas_.size;
  const auto piece = [&](std::size_t number) {
    const std::size_t begin = std::min(number * kPiece, bytes.size());
    return bytes.subspan(begin, std::min(kPiece, bytes.size() - begin));
  };
  const std::size_t pieces = (bytes.size() + kPiece - 1) / kPiece;
  if (!receives && !sends) return;
  for (std::size_t i = 0; i <= pieces; ++i) {
    const std::span<std::byte> in = receives ? piece(i) : std::span<std::byte>{};
    const std::span<std::byte> out = !sends     ? std::span<std::byte>{}
                                     : receives ? (i > 0 ? piece(i - 1) : std::span<std::byte>{})
                                                : piece(i);
    if (in.empty() && out.empty()) continue;
    move(out.empty() ? nullptr : &replicas_.next, out, in.empty() ? nullptr : &replicas_.previous, in,
         "the state of the first replica");
  }
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
