#include "real/checkpointer/rank_session.hpp"

#include "core/quantity.hpp"
#include "real/trainer/peer_copies.hpp"

#include <sys/socket.h>

#include <exception>
#include <utility>

namespace gauntlet {

using Kind = FromCheckpointer::Kind;

RankSession::Rank::Rank(const RankHello& from, const CheckpointListener& listener)
    : hello(from),
      storage(from.directory),
      tier(storage, from.job, from.retention),
      stage_two(tier, {.rank = from.rank, .longest_wait = from.longest_wait}, listener) {}

StagedCopy& RankSession::Rank::copy_in(const std::string& file) {
  LockedMemory& memory = memories.try_emplace(file, file).first->second;
  return copies
      .try_emplace(
          file,
          StagedCopy::Settings{.memory = memory, .state_bytes = hello.state_bytes, .start = hello.start})
      .first->second;
}

RankSession::RankSession(Descriptor socket, CopyPlace& place) : socket_(std::move(socket)), place_(place) {
  thread_ = std::thread([this] { run(); });
}

RankSession::~RankSession() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (rank_) rank_->stage_two.end();
  }
  ::shutdown(socket_.get(), SHUT_RD);  // orders that have come are still received
  thread_.join();
}

void RankSession::run() {
  try {
    while (const auto text = receive_message(socket_.get())) {
      const auto message = parse_to_checkpointer(*text);
      if (!message || (!rank_ && !std::holds_alternative<RankHello>(*message))) break;
      std::visit([this](const auto& each) { on(each); }, *message);
    }
  } catch (const std::exception&) {
    // No memory, or a copy that is gone: the rank finds its connection closed, and writes itself.
  }
  ::shutdown(socket_.get(), SHUT_RDWR);
  over_ = true;
}

void RankSession::on(const RankHello& hello) {
  const CheckpointListener listener = {
      .saved = [this](std::int64_t step) { say({.kind = Kind::saved, .step = step}); },
      .failed = [this](std::int64_t step,
                       const Problem& why) { say({.kind = Kind::failed, .step = step, .why = why.text()}); },
      .not_removed = [this](const Problem& why) { say({.kind = Kind::not_removed, .why = why.text()}); }};
  {
    const std::lock_guard lock(mutex_);
    rank_.emplace(hello, listener);
    if (ending_) rank_->stage_two.end();
  }
  say({.kind = Kind::listens, .step = place_.serve(hello)});
}

void RankSession::on(const PeerHosts& peers) { rank_->peers = peers; }

void RankSession::on(const WriteOrder& order) {
  StagedCopy& copy = rank_->copy_in(order.copy);
  share(order, copy);
  rank_->stage_two.write(order.step, copy, order.reach);
  say({.kind = Kind::done, .step = order.step});
}

/// With the hosts that hold this rank's copies too: memory before storage, which is slower.
void RankSession::share(const WriteOrder& order, StagedCopy& copy) const {
  const std::optional<CopyKey> key = copy.key();
  if (rank_->peers.empty() || !key) return;
  const RankHello& hello = rank_->hello;
  const PeerCopies others(hello.secret, hello.longest_wait);
  const std::string_view shard = copy.sealed();
  for (const HostAddress& peer : rank_->peers) {
    const TcpAddress at = tcp_address(peer.address, peer.port);
    if (others.put(at, hello.rank, *key, shard)) continue;
    say({.kind = Kind::failed,
         .step = order.step,
         .why =
             "its copy did not reach the host at " + at.text() + " within " + to_text(hello.longest_wait)});
  }
}

/// To a rank that may be gone by now.
void RankSession::say(const FromCheckpointer& message) const {
  static_cast<void>(send_message(socket_.get(), to_text(message)));
}

}  // namespace gauntlet
