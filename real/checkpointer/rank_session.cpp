#include "real/checkpointer/rank_session.hpp"

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

RankSession::RankSession(Descriptor socket) : socket_(std::move(socket)) {
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
      if (!message) break;
      if (const auto* hello = std::get_if<RankHello>(&*message))
        meet(*hello);
      else if (rank_)
        carry_out(std::get<WriteOrder>(*message));
      else
        break;
    }
  } catch (const std::exception&) {
    // No memory, or a copy that is gone: the rank finds its connection closed, and writes itself.
  }
  ::shutdown(socket_.get(), SHUT_RDWR);
  over_ = true;
}

void RankSession::meet(const RankHello& hello) {
  const CheckpointListener listener = {
      .saved = [this](std::int64_t step) { say({.kind = Kind::saved, .step = step}); },
      .failed = [this](std::int64_t step,
                       const Problem& why) { say({.kind = Kind::failed, .step = step, .why = why.text()}); },
      .not_removed = [this](const Problem& why) { say({.kind = Kind::not_removed, .why = why.text()}); }};
  const std::lock_guard lock(mutex_);
  rank_.emplace(hello, listener);
  if (ending_) rank_->stage_two.end();
}

void RankSession::carry_out(const WriteOrder& order) {
  rank_->stage_two.write(order.step, rank_->copy_in(order.copy), order.reach);
  say({.kind = Kind::done, .step = order.step});
}

/// To a rank that may be gone by now.
void RankSession::say(const FromCheckpointer& message) const {
  static_cast<void>(send_message(socket_.get(), to_text(message)));
}

}  // namespace gauntlet
