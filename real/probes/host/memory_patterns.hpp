// Whether memory holds what is written to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace gauntlet {

struct BitErrors {
  std::uint64_t words = 0;  // that read back differently
  std::size_t first = 0;    // the index of the first of them
  std::uint64_t wrote = 0, read = 0;
};

/// Writes each pattern to all of `memory`, calls `between`, and reads it back. The patterns are those of Linux's memory test
/// (mm/memtest.c), and the index of each word, which shows address lines that stick.
BitErrors check_patterns(std::span<std::uint64_t> memory, const std::function<void()>& between = {});

std::string to_text(const BitErrors& errors);

}  // namespace gauntlet
