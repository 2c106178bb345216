// How a check of results ends early.
#pragma once

#include "core/problem.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace gauntlet {

inline constexpr const char* kNotAsWritten = "bring the results back from a copy, or run the study again";

/// Thrown where the first thing does not hold: the check ends there.
struct Found {
  Problem problem;
};
[[noreturn]] void found(const std::filesystem::path& file, std::string why, std::uint32_t line = 0);

}  // namespace gauntlet
