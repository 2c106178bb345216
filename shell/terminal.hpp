// Output of a command: streams, colours, messages.
//
// Standard output holds the answer: where it cannot be written, the command fails. A reader who has seen enough and closed the
// pipe (`| head -1`) is not a failure; the rest is not printed, and results are written as ever. Standard error holds what is
// said beside: where it cannot be written, it is not said, and the command ends as it would have. A stream that is closed stays
// so: no file that is opened takes its place.
#pragma once

#include "core/problem.hpp"
#include "report/report_options.hpp"
#include "shell/caller.hpp"

#include <exception>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// For the start of the program: writing to a closed pipe, or beyond the limit on the size of files (`ulimit -f`), is an error
/// of that write and does not end the program.
void ignore_signals_of_writes();

/// To standard output, at once. False, and said on standard error, where that cannot be written (a full disk).
[[nodiscard]] bool print(std::string_view text);

/// The same of an answer: its JSON, or else its report, in colours where the terminal shows them.
[[nodiscard]] bool print_answer(const CommandAnswer& answer, bool as_json);

/// To standard error, at once, where that can be written.
void say(std::string_view text);

/// A line on standard error, after "gauntlet: ".
void complain(std::string_view message);

/// What an exception says; where memory is exhausted, what needs less of it.
std::string text_of(const std::exception& error);

/// Every problem on a line of standard error, then how many they are.
void print_problems(std::span<const Problem> problems);

/// Prints what is wrong with what the user gave. Gives the exit code of that.
int wrong_input(std::span<const Problem> problems);
int wrong_input(const Problem& problem);

/// Every warning on a line of standard error.
void print_warnings(std::span<const Problem> warnings);

/// Colour where standard output is a terminal that can show it, unless NO_COLOR is set (https://no-color.org).
Colour colour_of_output();

/// Whether standard error is a terminal: only there a progress bar makes sense.
bool shows_progress();

}  // namespace gauntlet
