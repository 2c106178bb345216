// What the command says, where it says it, and in which dress.
#pragma once

#include "core/problem.hpp"
#include "report/text.hpp"

#include <span>
#include <string_view>

namespace gauntlet {

/// To standard output, at once. False, and said on standard error, where that cannot be written (a full disk).
[[nodiscard]] bool print(std::string_view text);

/// A line on standard error, after "gauntlet: ".
void complain(std::string_view message);

/// Every problem on a line of standard error, then how many they are.
void print_problems(std::span<const Problem> problems);

/// Every warning on a line of standard error.
void print_warnings(std::span<const Problem> warnings);

/// Colour where standard output is a terminal that can show it, unless NO_COLOR is set (https://no-color.org).
Colour colour_of_output();

/// Whether standard error is a terminal: only there a progress bar makes sense.
bool shows_progress();

}  // namespace gauntlet
