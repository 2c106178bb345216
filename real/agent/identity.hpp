// Which machine an agent runs on.
#pragma once

#include "real/stream/messages.hpp"

#include <string>

namespace gauntlet {

/// Of this process: $POD_IP and $POD_NAME, as pods are told of themselves
/// (https://kubernetes.io/docs/concepts/workloads/pods/downward-api/); else `address`, where the agent listens, and the
/// machine's name, which in a pod is the pod's. What could not be written in one word is passed over.
HostIdentity own_identity(const std::string& address);

}  // namespace gauntlet
