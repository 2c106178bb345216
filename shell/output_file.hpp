// A file that a command writes beside what it prints: it is complete, or as it was before.
#pragma once

#include "core/problem.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// Why nothing can be written there, asked before the work is done. What is there is replaced only where it is empty or
/// begins as the new file will: with `begins`. `kind`: "a trace"; `option`: the one that named the file.
std::optional<Problem> problem_of_output(const std::string& path, std::string_view begins,
                                         std::string_view kind, std::string_view option);

/// An output option, such as "--trace", and its path.
struct NamedOutput {
  std::string_view option;
  std::string_view path;  // empty: the option was not given
};
/// A problem where two options name the same file, however they spell it. Each output replaces the whole file, so one of them would be lost.
std::optional<Problem> problem_of_same_outputs(std::span<const NamedOutput> outputs);

/// Writes it as core/files/durable.hpp replaces a file: a power cut after this returned no problem does not take it.
std::optional<Problem> write_output(const std::string& path, std::string_view text);

}  // namespace gauntlet
