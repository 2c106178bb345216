// Contracts catch our own mistakes: `expect` what a function needs, `ensure` what it promises.
//
// They stay on in optimised builds. User input is never checked with them (see core/problem.hpp), and what the
// environment does is returned as a status. The place comes from the compilers' builtins, because clang 14 has no
// std::source_location with libstdc++ 12.
#pragma once

namespace gauntlet {

/// Prints the broken contract with its place and aborts.
[[noreturn]] void contract_broken(const char* kind, const char* what, const char* file, unsigned line,
                                  const char* function);

/// A caller's duty: `expect(step > 0, "steps are counted from one")`.
constexpr void expect(bool holds, const char* what, const char* file = __builtin_FILE(),
                      unsigned line = static_cast<unsigned>(__builtin_LINE()),
                      const char* function = __builtin_FUNCTION()) {
  if (!holds) [[unlikely]]
    contract_broken("expect", what, file, line, function);
}

/// A promise kept: `ensure(sum == wall, "every nanosecond has a phase")`.
constexpr void ensure(bool holds, const char* what, const char* file = __builtin_FILE(),
                      unsigned line = static_cast<unsigned>(__builtin_LINE()),
                      const char* function = __builtin_FUNCTION()) {
  if (!holds) [[unlikely]]
    contract_broken("ensure", what, file, line, function);
}

}  // namespace gauntlet
