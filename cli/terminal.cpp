#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace gauntlet {

bool print(std::string_view text) {
  // A reader who has seen enough (`| head -1`) closes the pipe. That is no failure, and must not cost the results.
  std::signal(SIGPIPE, SIG_IGN);
  const bool written =
      (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) ||
      errno == EPIPE;
  if (!written) complain(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  return written;
}

void complain(std::string_view message) { fmt::print(stderr, "gauntlet: {}\n", message); }

void print_problems(std::span<const Problem> problems) {
  for (const Problem& problem : problems) fmt::print(stderr, "{}\n", problem.text());
  fmt::print(stderr, "{} problem{}\n", problems.size(), problems.size() == 1 ? "" : "s");
}

void print_warnings(std::span<const Problem> warnings) {
  for (const Problem& warning : warnings) fmt::print(stderr, "warning: {}\n", warning.text());
}

Colour colour_of_output() {
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool plain = (refused != nullptr && *refused != '\0') || terminal == nullptr ||
                     std::string_view(terminal) == "dumb" || ::isatty(STDOUT_FILENO) == 0;
  return plain ? Colour::never : Colour::always;
}

bool shows_progress() { return ::isatty(STDERR_FILENO) != 0; }

}  // namespace gauntlet
