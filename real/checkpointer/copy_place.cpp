#include "real/checkpointer/copy_place.hpp"

#include "real/trainer/failure.hpp"

namespace gauntlet {

std::uint16_t CopyPlace::serve(const RankHello& hello) {
  if (hello.address.empty()) return 0;
  const std::lock_guard lock(mutex_);
  if (server_) return server_->port();
  try {
    copies_.emplace(hello.copies);
    return server_.emplace(*copies_, hello.address, hello.secret, hello.longest_wait).port();
  } catch (const Failure&) {
    return 0;
  }
}

}  // namespace gauntlet
