// The GPUs of a host, for people.
#pragma once

#include "real/stream/messages.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// "8 GPUs, 41 to 63 C, 2100 W, 97% busy". Empty where there are none.
std::string gpus_text(const std::vector<GpuVitals>& gpus);

}  // namespace gauntlet
