// Rank 0's end of the conversation (messages.hpp): hands jobs to its helpers, takes their answers, and knows who is silent.
#pragma once

#include "study/mpi/messages.hpp"
#include "study/mpi/ranks.hpp"
#include "study/mpi/task_board.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gauntlet {

/// One executor's: what the thread that talks to the ranks shares with the threads that compute and consume.
class SharedStudy {
 public:
  SharedStudy(const StudyTerms& terms, unsigned threads, JobNumber first_job)
      : terms{.terms = terms, .threads = threads}, board(first_job) {}

  const Terms terms;
  TaskBoard board;

  void add(std::shared_ptr<const Point> point);
  std::shared_ptr<const Point> point(PointNumber number) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Point>> points_;
};

/// For people.
using Notice = std::function<void(const std::string& text)>;

class Dispatcher {
 public:
  using Moment = TaskBoard::Moment;

  /// `build`: of this program; helpers of another one are refused, and every study with them.
  Dispatcher(Ranks& ranks, std::string build, Notice notice);

  /// What helpers work for from now on; null: nothing.
  void set_study(std::shared_ptr<SharedStudy> study);
  /// Receives and sends the messages that wait. Returns whether there were any.
  bool step(Moment now);

  /// Ends the conversation: reports what the ranks did, and tells every rank that the study is over.
  void end();
  /// Every rank has left or is silent.
  bool ended() const;
  /// Every rank has left: none is silent.
  bool none_is_lost() const;
  void dismiss();

 private:
  struct Peer {
    bool known = false;    // it said hello, and runs this program
    bool silent = false;   // for so long that it counts as lost until it speaks
    bool waiting = false;  // in waiting_
    bool left = false;
    std::string host;
    TaskBoard::Wait silence{};
    std::size_t jobs = 0;
    std::uint64_t replicas = 0;  // that it ran, for people
    bool has_terms = false;
    std::vector<bool> has_point;
  };

  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  void handle(int rank, Message& message, Moment now);
  void greet(int rank, const Hello& hello);
  void answered(int rank);
  void wait_for_job(int rank);
  void refuse(const std::string& why);
  bool hand_out(Moment now);
  bool hand_to(int rank, Moment now);
  void send_point(int rank, PointNumber number);
  void beat(Moment now);
  void tell(int rank, const Message& message) { ranks_.send(rank, encode(message)); }

  Ranks& ranks_;
  const std::string build_;
  const Notice notice_;
  std::shared_ptr<SharedStudy> study_;
  std::vector<Peer> peers_;  // by rank; that of rank 0 is not used
  std::deque<int> waiting_;  // ranks that have room for a job, the longest waiting first
  std::exception_ptr refusal_;
  Moment next_beat_{}, last_beat_{}, next_look_{};
};

}  // namespace gauntlet
