// Tasks on threads, handed over in their order.
#pragma once

#include "study/executor.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace gauntlet {

/// Runs one task on a thread of its own: replaces `figures` by those of its replicas, of the first ones alone where it was
/// abandoned because `stop` was set.
using TaskWorker = std::function<void(const Task& task, std::vector<Figures>& figures)>;

/// Executor::run on a thread for each worker; with one worker, or one task, on the caller's thread alone. Tasks are taken
/// up by whichever thread is free; a window of finished ones waits for its turn, so that memory does not grow with the
/// number of tasks.
std::size_t run_in_order(std::span<const Task> tasks, std::span<const TaskWorker> workers,
                         const Executor::Consume& consume, const std::atomic<bool>* stop);

}  // namespace gauntlet
