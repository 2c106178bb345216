#include "real/trainer/output.hpp"

#include "real/clock.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace gauntlet {

void RankOutput::say(RankLine line) {
  const std::lock_guard lock(mutex_);
  line.at_ns = monotonic_ns();
  const std::string text = to_line(line) + "\n";
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) end_without_reader();
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

void RankOutput::log(std::string pattern, std::string text) {
  say({.kind = RankLine::Kind::log, .pattern = std::move(pattern), .text = std::move(text)});
}

// Without the destructors: another thread may be writing to a slow disk, and nothing here needs an orderly end.
void end_without_reader() { std::_Exit(kExitFailed); }

}  // namespace gauntlet
