// Replicas on threads, handed over in their order.
#pragma once

#include "score/figures.hpp"

#include <atomic>
#include <cstdint>
#include <functional>

namespace gauntlet {

struct ReplicaRange {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
};

/// Runs one replica. What it refers to stays valid until its next call.
using ReplicaWorker = std::function<const Figures&(std::uint32_t replica)>;

struct InOrder {
  /// Called once on every thread: each has a worker of its own.
  std::function<ReplicaWorker()> make_worker;
  /// Called for one replica after the other, in their order, on the thread of run_in_order.
  std::function<void(std::uint32_t replica, const Figures& figures)> consume;
  /// Set from anywhere (also from a signal handler): no further replica begins, those under way are completed.
  const std::atomic<bool>* stop = nullptr;
};

/// Replicas are taken up by whichever thread is free; a window of finished ones waits for its turn, so that memory does
/// not grow with the range. Returns how many were consumed: all of them, or the first so many where it was stopped.
/// The first exception of a worker or of `consume` ends the run and is thrown here.
std::uint32_t run_in_order(ReplicaRange range, unsigned threads, const InOrder& work);

}  // namespace gauntlet
