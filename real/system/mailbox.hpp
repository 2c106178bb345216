// What other threads leave for one that sleeps in poll().
#pragma once

#include "real/system/descriptor.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace gauntlet {

template <class Message>
class Mailbox {
 public:
  Mailbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
  }

  /// Readable while there is something to take.
  int descriptor() const { return event_.get(); }

  void put(Message message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    const std::uint64_t one = 1;
    static_cast<void>(::write(event_.get(), &one, sizeof one));  // fails only when 2^64 - 2 wait
  }

  std::vector<Message> take() {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    static_cast<void>(::read(event_.get(), &count, sizeof count));  // nothing there: nothing to take
    return std::exchange(messages_, {});
  }

 private:
  Descriptor event_;
  std::mutex mutex_;
  std::vector<Message> messages_;
};

}  // namespace gauntlet
