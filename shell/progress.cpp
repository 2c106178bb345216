#include "shell/progress.hpp"

#include "report/units.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gauntlet {

Progress::Progress() : began_(std::chrono::steady_clock::now()), drawn_at_(began_) {}

Progress::~Progress() {
  if (drawn_) say("\r\x1b[K");
}

void Progress::add(std::uint64_t done, std::uint64_t left) {
  if (count_.left == 0) count_.done = 0;  // others were asked for
  count_.done += done;
  count_.left = left;
  count_.in_all += done;
  const auto now = std::chrono::steady_clock::now();
  if (now - drawn_at_ < std::chrono::milliseconds(100)) return;
  drawn_at_ = now;
  drawn_ = true;
  say(fmt::format("\r{}\x1b[K", progress_text(count_, std::chrono::duration<double>(now - began_).count())));
}

std::string progress_text(const ProgressCount& count, double seconds) {
  constexpr std::uint64_t kWidth = 24;
  const std::uint64_t total = count.done + count.left;
  const double rate = seconds > 0 ? static_cast<double>(count.in_all) / seconds : 0;
  const auto filled = total > 0 ? static_cast<std::size_t>(kWidth * count.done / total) : 0;
  std::string text = fmt::format("[{:<{}}] {:>{}}/{} replicas", std::string(filled, '#'), kWidth, count.done,
                                 std::to_string(total).size(), total);
  if (rate > 0)
    text += fmt::format(", {:.0f}/s, {} left", rate,
                        time_text(std::ceil(static_cast<double>(count.left) / rate)));
  if (count.in_all > count.done) text += fmt::format(", {} done in all", count.in_all);
  return text;
}

}  // namespace gauntlet
