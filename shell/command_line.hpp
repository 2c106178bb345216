// Commands as a shell reads them.
#pragma once

#include "study/summary/summary.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace gauntlet {

/// The word, in single quotes where a shell would make something else of it.
inline std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The command that runs the replicas of `summary` again, of the same scenario in `file`.
inline std::string repeating_command(std::string_view file, const Summary& summary) {
  const std::string replicas = summary.only ? fmt::format("--replica {}", *summary.only)
                                            : fmt::format("--replicas {}", summary.replicas);
  return fmt::format("gauntlet run {} {} --seed {}", shell_word(file), replicas, summary.facts.seed);
}

}  // namespace gauntlet
