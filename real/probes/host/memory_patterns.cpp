#include "real/probes/host/memory_patterns.hpp"

#include <fmt/format.h>

#include <array>

namespace gauntlet {
namespace {

// https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/mm/memtest.c
constexpr std::array<std::uint64_t, 17> kPatterns = {
    0,
    0xffffffffffffffffULL,
    0x5555555555555555ULL,
    0xaaaaaaaaaaaaaaaaULL,
    0x1111111111111111ULL,
    0x2222222222222222ULL,
    0x4444444444444444ULL,
    0x8888888888888888ULL,
    0x3333333333333333ULL,
    0x6666666666666666ULL,
    0x9999999999999999ULL,
    0xccccccccccccccccULL,
    0x7777777777777777ULL,
    0xbbbbbbbbbbbbbbbbULL,
    0xddddddddddddddddULL,
    0xeeeeeeeeeeeeeeeeULL,
    0x7a6c7258554e494cULL,
};

template <class Wanted>
void check_pattern(std::span<std::uint64_t> memory, const Wanted& wanted,
                   const std::function<void()>& between, BitErrors& errors) {
  // Volatile: each word goes to memory and comes back.
  volatile std::uint64_t* const words = memory.data();
  for (std::size_t i = 0; i < memory.size(); ++i) words[i] = wanted(i);
  if (between) between();
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const std::uint64_t read = words[i];
    if (read == wanted(i)) continue;
    if (errors.words++ == 0) errors = {.words = 1, .first = i, .wrote = wanted(i), .read = read};
  }
}

}  // namespace

BitErrors check_patterns(std::span<std::uint64_t> memory, const std::function<void()>& between) {
  BitErrors errors;
  for (const std::uint64_t pattern : kPatterns)
    check_pattern(
        memory, [&](std::size_t) { return pattern; }, between, errors);
  check_pattern(
      memory, [](std::size_t i) { return static_cast<std::uint64_t>(i); }, between, errors);
  return errors;
}

std::string to_text(const BitErrors& errors) {
  return fmt::format("{} {} read back differently; the first: wrote {:016x}, read {:016x}", errors.words,
                     errors.words == 1 ? "word" : "words", errors.wrote, errors.read);
}

}  // namespace gauntlet
