// Ranks within one process: queues between threads, and ranks that can be lost.
#pragma once

#include "study/mpi/ranks.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gauntlet {

class Post {
 public:
  explicit Post(int ranks) : boxes_(static_cast<std::size_t>(ranks)), lost_(boxes_.size()) {}

  int size() const { return static_cast<int>(boxes_.size()); }
  /// What is sent to it and by it goes nowhere from now on.
  void lose(int rank) {
    const std::lock_guard lock(mutex_);
    lost_[static_cast<std::size_t>(rank)] = true;
  }
  void send(int from, int to, std::string bytes) {
    const std::lock_guard lock(mutex_);
    if (!lost_[static_cast<std::size_t>(from)] && !lost_[static_cast<std::size_t>(to)])
      boxes_[static_cast<std::size_t>(to)].push_back({.from = from, .bytes = std::move(bytes)});
  }
  std::optional<Ranks::Received> receive(int rank) {
    const std::lock_guard lock(mutex_);
    auto& box = boxes_[static_cast<std::size_t>(rank)];
    if (box.empty() || lost_[static_cast<std::size_t>(rank)]) return std::nullopt;
    Ranks::Received first = std::move(box.front());
    box.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::vector<std::deque<Ranks::Received>> boxes_;
  std::vector<bool> lost_;
};

class LocalRanks final : public Ranks {
 public:
  /// `see` meets what this rank receives before it does.
  using See = std::function<void(const std::string& bytes)>;
  LocalRanks(Post& post, int rank, See see = {}) : post_(post), rank_(rank), see_(std::move(see)) {}

  int rank() const override { return rank_; }
  int size() const override { return post_.size(); }
  void send(int to, std::string bytes) override { post_.send(rank_, to, std::move(bytes)); }
  std::optional<Received> receive() override {
    auto received = post_.receive(rank_);
    if (received && see_) see_(received->bytes);
    return received;
  }
  void leave(bool, int) override {}

 private:
  Post& post_;
  const int rank_;
  const See see_;
};

}  // namespace gauntlet
