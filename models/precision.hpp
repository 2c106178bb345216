// In how many bits a model is trained.
#pragma once

#include <cstdint>

namespace gauntlet {

/// Of the linear layers; attention stays in 16 bits under fp8.
enum class Precision : std::uint8_t { fp16, bf16, fp8 };

}  // namespace gauntlet
