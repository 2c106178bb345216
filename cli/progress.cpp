#include "cli/progress.hpp"

#include "report/units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace gauntlet {

Progress::Progress(std::uint32_t total, Visible visible)
    : total_(total), visible_(visible), began_(std::chrono::steady_clock::now()), drawn_at_(began_) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

void Progress::one_more() {
  ++done_;
  if (visible_ == Visible::no) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - drawn_at_ < std::chrono::milliseconds(100)) return;
  drawn_at_ = now;
  drawn_ = true;
  fmt::print(stderr, "\r{}\x1b[K",
             progress_text(done_, total_, std::chrono::duration<double>(now - began_).count()));
  std::fflush(stderr);
}

std::string progress_text(std::uint32_t done, std::uint32_t total, double seconds) {
  constexpr std::uint64_t kWidth = 24;
  const double rate = seconds > 0 ? done / seconds : 0;
  const auto filled = total > 0 ? static_cast<std::size_t>(kWidth * done / total) : 0;
  std::string text = fmt::format("[{:<{}}] {:>{}}/{} replicas", std::string(filled, '#'), kWidth, done,
                                 std::to_string(total).size(), total);
  if (rate > 0) text += fmt::format(", {:.0f}/s, {} left", rate, time_text(std::ceil((total - done) / rate)));
  return text;
}

}  // namespace gauntlet
