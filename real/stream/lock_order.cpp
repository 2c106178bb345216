#include "real/stream/lock_order_private.hpp"

#include <absl/synchronization/mutex.h>

namespace gauntlet {

void ignore_lock_order() { absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore); }

}  // namespace gauntlet
