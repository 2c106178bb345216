// gauntlet watch: a drill or a study that runs, in a terminal.
#include "cli/commands.hpp"
#include "cli/running_drill.hpp"
#include "cli/watch/drill_view.hpp"
#include "cli/watch/screen.hpp"
#include "cli/watch/study_view.hpp"
#include "real/driver/drill_place.hpp"
#include "shell/exit_code.hpp"
#include "shell/interrupt.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

constexpr const char* kClear = "\x1b[H\x1b[2J";
constexpr std::chrono::milliseconds kBetweenLooks(1000), kAsksForInterrupt(50);

struct WatchRequest {
  std::string place;  // empty: the only drill that runs
  bool once = false;
};

/// False where the user ended the command.
bool wait_for_next_look(const std::atomic<bool>& stop) {
  const auto until = std::chrono::steady_clock::now() + kBetweenLooks;
  while (!stop && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kAsksForInterrupt);
  return !stop;
}

/// Of a file that the screen is printed to: nothing is cut off.
constexpr ScreenSize kNoScreen{.columns = 100'000, .rows = 1000};

/// `look`: returns the lines for that many rows. The last screen stays.
template <class Look>
int show(bool once, const Look& look) {
  const std::atomic<bool>& stop = stop_on_interrupt();
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  for (int looks = 0, failures = 0;; ++looks) {
    ScreenSize size = terminal ? screen_size() : kNoScreen;
    --size.rows;  // the cursor stands on the last one
    const auto view = look(size.rows);
    if (view.problem && looks == 0) return wrong_input(*view.problem);
    // A study that ends renames its directory: one look may miss it.
    failures = view.problem ? failures + 1 : 0;
    if (failures > 1) {
      print_problems({&*view.problem, 1});
      return kFailed;
    }
    const bool redraws = terminal && !once;
    if (!view.problem && !print((redraws ? kClear : "") + fitted_lines(view.lines, size))) return kFailed;
    if (!redraws || view.over) return kSuccess;
    if (!wait_for_next_look(stop)) return kSignalBase + interrupting_signal();
  }
}

int watch(WatchRequest request) {
  if (request.place.empty())
    if (const auto problem = find_running_drill(request.place, "as DIR")) return wrong_input(*problem);
  if (is_drill_directory(request.place))
    return show(request.once, [&](std::size_t rows) { return look_at_drill(request.place, rows); });
  StudyWatch study(request.place);
  try {
    return show(request.once, [&](std::size_t rows) { return study.look(rows); });
  } catch (const std::exception& error) {  // a database that broke
    complain(text_of(error));
    return kFailed;
  }
}

void add_watch_options(Command& command) {
  const auto request = std::make_shared<WatchRequest>();
  command
      .value("place", request->place,
             "Directory that --out of a study is writing, or of a drill (default: the only drill that runs)")
      .type_name("DIR");
  command.flag("--once", request->once, "Print one screen, and end");
  command.runs([request] { return watch(*request); });
}

}  // namespace

void add_watch(Program& program) {
  program.command("watch", "Watch a drill or a study that runs, in a terminal",
                  "  gauntlet watch\n"
                  "  gauntlet watch results\n\n"
                  "The screen is drawn anew each second, until the study is complete, the "
                  "drill has ended, or Ctrl-C. Where\n"
                  "standard output is not a terminal, it is printed once.",
                  add_watch_options);
}

}  // namespace gauntlet
