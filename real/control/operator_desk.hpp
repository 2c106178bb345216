// Where requests of operators wait for the driver's thread.
#pragma once

#include "core/id.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

enum class OperatorVerb : std::uint8_t { status, hosts, evict, readmit, maintenance, answer, stop, disarm };
inline constexpr std::size_t kOperatorVerbs = 8;
inline constexpr std::size_t kMostReasonBytes = 1024;

/// Why terminals and logs cannot show this reason; empty where they can.
inline std::string problem_of_reason(std::string_view reason) {
  constexpr unsigned char kSpace = 0x20, kDelete = 0x7f;
  if (reason.size() > kMostReasonBytes) return "has more than 1024 bytes";
  const bool one_line = std::all_of(reason.begin(), reason.end(), [](char each) {
    const auto byte = static_cast<unsigned char>(each);
    return byte >= kSpace && byte != kDelete;
  });
  return one_line ? "" : "has control characters; write one line of text";
}

struct OperatorRequest {
  OperatorVerb verb = OperatorVerb::status;
  std::optional<HostId> host = {};
  std::string reason = {};  // for people
};

struct OperatorReply {
  bool done = false;  // else it is refused, and `text` says why
  std::string text = {};
  std::vector<std::vector<std::string>> rows = {};  // status: labels and values; hosts: a table with its head
};

/// Thread-safe. The driver takes requests, and answers each exactly once, at the latest with close().
class OperatorDesk {
 public:
  using Answer = std::function<void(const OperatorReply&)>;
  struct Waiting {
    OperatorRequest request;
    Answer answer;
  };
  static constexpr std::size_t kMostWaiting = 64;

  ~OperatorDesk() { close(); }

  /// `answer` may be called at once, or on the driver's thread.
  void post(OperatorRequest request, Answer answer) {
    {
      const std::lock_guard lock(mutex_);
      if (!closed_ && waiting_.size() < kMostWaiting) {
        waiting_.push_back({std::move(request), std::move(answer)});
        return wake_();
      }
    }
    answer({.done = false, .text = "the drill is over, or too many requests wait"});
  }
  /// `wake` is called for each request from now on. It must not call the desk.
  void open(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    closed_ = false;
    wake_ = std::move(wake);
  }
  std::deque<Waiting> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }
  /// Refuses what waits and what comes.
  void close() {
    std::deque<Waiting> refused;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      wake_ = nullptr;
      refused.swap(waiting_);
    }
    for (const Waiting& each : refused) each.answer({.done = false, .text = "the drill is over"});
  }

 private:
  std::mutex mutex_;
  std::deque<Waiting> waiting_;
  std::function<void()> wake_;
  bool closed_ = true;
};

}  // namespace gauntlet
