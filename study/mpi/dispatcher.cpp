#include "study/mpi/dispatcher.hpp"

#include "core/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

// In flight for each thread of a helper: one that it runs and one that is there when it is done.
constexpr std::size_t kJobsPerThread = 2;
// Messages taken before jobs are given out and the clock is looked at.
constexpr int kMessagesAtOnce = 256;
// How often tasks that are out for long are looked for.
constexpr std::chrono::milliseconds kLookForLost{100};
constexpr std::chrono::seconds kBeat{2};
// 15 beats: a helper that loads a large scenario on a loaded machine is not lost.
constexpr std::chrono::seconds kSilenceOfRank{30};

}  // namespace

void SharedStudy::add(std::shared_ptr<const Point> point) {
  expect(!point->scenario.policies.custom, "ranks know a point by its text, which holds no custom policy");
  const std::lock_guard lock(mutex_);
  points_.push_back(std::move(point));
}

std::shared_ptr<const Point> SharedStudy::point(PointNumber number) const {
  const std::lock_guard lock(mutex_);
  return points_.at(number);
}

Dispatcher::Dispatcher(Ranks& ranks, std::string build, Notice notice)
    : ranks_(ranks),
      build_(std::move(build)),
      notice_(std::move(notice)),
      peers_(static_cast<std::size_t>(ranks.size())) {}

void Dispatcher::set_study(std::shared_ptr<SharedStudy> study) {
  study_ = std::move(study);
  if (!study_) return;
  if (refusal_) study_->board.fail_for_good(refusal_);
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    peer(rank).has_terms = false;
    peer(rank).has_point.clear();
    wait_for_job(rank);
  }
}

bool Dispatcher::step(Moment now) {
  bool busy = false;
  for (int i = 0; i < kMessagesAtOnce; ++i) {
    const auto received = ranks_.receive();
    if (!received) break;
    busy = true;
    if (auto message = decode(received->bytes)) {
      handle(received->from, *message, now);
    } else {
      refuse(fmt::format(
          "rank {} says what this program does not understand: install the same gauntlet everywhere",
          received->from));
    }
  }
  busy |= hand_out(now);
  beat(now);
  return busy;
}

void Dispatcher::handle(int rank, Message& message, Moment now) {
  Peer& from = peer(rank);
  from.silence = {};
  if (std::exchange(from.silent, false)) {
    notice_(fmt::format("rank {} on {} answers again", rank, from.host));
    wait_for_job(rank);
  }
  if (const auto* hello = std::get_if<Hello>(&message)) {
    greet(rank, *hello);
  } else if (auto* done = std::get_if<Done>(&message)) {
    from.replicas += done->figures.size();
    if (study_) study_->board.put(done->number, std::move(done->figures), now);
    answered(rank);
  } else if (const auto* failed = std::get_if<Failed>(&message)) {
    if (study_)
      study_->board.fail(failed->number, std::make_exception_ptr(std::runtime_error(fmt::format(
                                             "{} (rank {} on {})", failed->why, rank, from.host))));
    answered(rank);
  } else if (std::holds_alternative<Bye>(message)) {
    from.left = true;
  }
}

void Dispatcher::greet(int rank, const Hello& hello) {
  peer(rank).host = hello.host;
  peer(rank).known = hello.build == build_;
  if (peer(rank).known) {
    wait_for_job(rank);
  } else {
    refuse(fmt::format("rank {} on {} runs gauntlet {}, rank 0 runs {}: install the same one everywhere",
                       rank, hello.host, hello.build, build_));
  }
}

void Dispatcher::refuse(const std::string& why) {
  if (!refusal_) refusal_ = std::make_exception_ptr(std::runtime_error(why));
  if (study_) study_->board.fail_for_good(refusal_);
}

void Dispatcher::answered(int rank) {
  if (peer(rank).jobs > 0) --peer(rank).jobs;
  wait_for_job(rank);
}

void Dispatcher::wait_for_job(int rank) {
  Peer& who = peer(rank);
  if (!study_ || !who.known || who.silent || who.waiting ||
      who.jobs >= kJobsPerThread * study_->terms.threads)
    return;
  who.waiting = true;
  waiting_.push_back(rank);
}

// A rank for which there is nothing means that there is nothing new for any. What is out for long may be for one and not
// for another, who has it; so then all are asked.
bool Dispatcher::hand_out(Moment now) {
  bool any = false;
  while (!waiting_.empty() && hand_to(waiting_.front(), now)) any = true;
  if (waiting_.empty() || now < next_look_) return any;
  next_look_ = now + kLookForLost;
  for (std::size_t i = waiting_.size(); i > 0 && !waiting_.empty(); --i) {
    const int rank = waiting_.front();
    if (hand_to(rank, now)) {
      any = true;
    } else {
      waiting_.push_back(rank);
      waiting_.pop_front();
    }
  }
  return any;
}

// To the first of those who wait.
bool Dispatcher::hand_to(int rank, Moment now) {
  Peer& who = peer(rank);
  const auto leave_the_queue = [&] {
    waiting_.pop_front();
    who.waiting = false;
  };
  if (!study_ || who.silent) {
    leave_the_queue();
    return true;
  }
  const auto job = study_->board.take(rank, now);
  if (!job) return false;
  leave_the_queue();
  if (!std::exchange(who.has_terms, true)) tell(rank, study_->terms);
  send_point(rank, job->task.point);
  tell(rank, *job);
  ++who.jobs;
  wait_for_job(rank);
  return true;
}

void Dispatcher::send_point(int rank, PointNumber number) {
  std::vector<bool>& has = peer(rank).has_point;
  if (has.size() <= number) has.resize(number + 1);
  if (has[number]) return;
  has[number] = true;
  const Point& point = *study_->point(number);
  tell(rank, PointText{.point = number, .text = point.text, .tilt = point.tilt});
}

void Dispatcher::beat(Moment now) {
  if (now < next_beat_) return;
  // A program that was suspended, and its helpers with it, slept: no more than a beat counts.
  const auto passed = std::min<TaskBoard::Wait>(now - last_beat_, kBeat);
  last_beat_ = now;
  next_beat_ = now + kBeat;
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    Peer& who = peer(rank);
    if (who.silent || who.left) continue;
    who.silence += passed;
    if (who.silence > kSilenceOfRank) {
      who.silent = true;
      notice_(fmt::format("rank {} on {} has been silent for {} s: others do its work", rank,
                          who.host.empty() ? "an unknown host" : who.host,
                          std::chrono::duration_cast<std::chrono::seconds>(kSilenceOfRank).count()));
    } else {
      tell(rank, Alive{});
    }
  }
}

void Dispatcher::end() {
  set_study(nullptr);
  if (ranks_.size() > 1) {
    const auto [fewest, most] =
        std::minmax_element(peers_.begin() + 1, peers_.end(),
                            [](const Peer& a, const Peer& b) { return a.replicas < b.replicas; });
    notice_(fmt::format("{} ranks; all but rank 0 ran {} to {} replicas each", ranks_.size(),
                        fewest->replicas, most->replicas));
  }
  for (int rank = 1; rank < ranks_.size(); ++rank) tell(rank, End{});
}

bool Dispatcher::ended() const {
  return std::all_of(peers_.begin() + 1, peers_.end(),
                     [](const Peer& each) { return each.left || each.silent; });
}

bool Dispatcher::none_is_lost() const {
  return std::all_of(peers_.begin() + 1, peers_.end(), [](const Peer& each) { return each.left; });
}

void Dispatcher::dismiss() {
  for (int rank = 1; rank < ranks_.size(); ++rank)
    if (peer(rank).left) tell(rank, Leave{.together = none_is_lost()});
}

}  // namespace gauntlet
