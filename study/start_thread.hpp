// Starts a thread, or says in the words of a user why there is none.
#pragma once

#include <cstddef>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace gauntlet {

struct ThreadPlace {
  std::size_t number = 1;  // from 1
  std::size_t wanted = 1;  // in all
};

/// Throws std::runtime_error: what failed, and what to try.
[[noreturn]] void throw_no_thread(ThreadPlace place, const std::error_code& why);

/// Throws std::runtime_error where the system has no thread left for this process.
template <class Thread = std::thread, class Run>
Thread start_thread(ThreadPlace place, Run&& run) {
  try {
    return Thread(std::forward<Run>(run));
  } catch (const std::system_error& error) {
    throw_no_thread(place, error.code());
  }
}

}  // namespace gauntlet
