#include "shell/terminal.hpp"

#include "shell/caller.hpp"
#include "shell/exit_code.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace gauntlet {
namespace {

/// Writes all of it: 0, or the errno of the write that failed. Waits for a descriptor that is set not to block.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void ignore_signals_of_writes() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool print(std::string_view text) {
  if (Caller* const caller = gauntlet::caller()) {
    caller->print(text);
    return true;
  }
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return true;
  complain(fmt::format("standard output cannot be written: {}", std::strerror(error)));
  return false;
}

bool print_answer(const CommandAnswer& answer, bool as_json) {
  if (Caller* const caller = gauntlet::caller()) {
    caller->answer(answer);
    return true;
  }
  const bool coloured = !answer.coloured.empty() && colour_of_output() == Colour::always;
  return print(as_json ? answer.json : coloured ? answer.coloured : answer.report);
}

void say(std::string_view text) {
  if (Caller* const caller = gauntlet::caller()) return caller->say(text);
  static_cast<void>(write_all(STDERR_FILENO, text));  // there is nobody else to tell
}

void complain(std::string_view message) {
  if (Caller* const caller = gauntlet::caller()) return caller->complain(message);
  say(fmt::format("gauntlet: {}\n", message));
}

std::string text_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) == nullptr) return error.what();
  return "memory is exhausted; fewer --threads need less of it, and so does a run that ends sooner "
         "(job.give_up_after)";
}

void print_problems(std::span<const Problem> problems) {
  if (Caller* const caller = gauntlet::caller()) return caller->problems(problems);
  std::string text;
  for (const Problem& problem : problems) text += problem.text() + '\n';
  say(text + fmt::format("{} problem{}\n", problems.size(), problems.size() == 1 ? "" : "s"));
}

int wrong_input(std::span<const Problem> problems) {
  print_problems(problems);
  return kWrongInput;
}

int wrong_input(const Problem& problem) { return wrong_input({&problem, 1}); }

void print_warnings(std::span<const Problem> warnings) {
  if (Caller* const caller = gauntlet::caller()) return caller->warnings(warnings);
  for (const Problem& warning : warnings) say(fmt::format("warning: {}\n", warning.text()));
}

Colour colour_of_output() {
  if (caller() != nullptr) return Colour::never;
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool plain = (refused != nullptr && *refused != '\0') || terminal == nullptr ||
                     std::string_view(terminal) == "dumb" || ::isatty(STDOUT_FILENO) == 0;
  return plain ? Colour::never : Colour::always;
}

bool shows_progress() { return caller() == nullptr && ::isatty(STDERR_FILENO) != 0; }

}  // namespace gauntlet
