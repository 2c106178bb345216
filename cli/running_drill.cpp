#include "cli/running_drill.hpp"

#include "real/control/control_client.hpp"
#include "real/driver/drill_place.hpp"

#include <fmt/format.h>

#include <vector>

namespace gauntlet {

std::optional<Problem> find_running_drill(std::string& directory, std::string_view how) {
  const std::vector<std::string> running = running_drills(drill_base(), is_drill_directory);
  if (running.size() == 1) {
    directory = running.front();
    return std::nullopt;
  }
  if (running.empty())
    return Problem{
        .file = drill_base(),
        .why = "holds no drill of this user that runs",
        .suggestion = fmt::format("start one with `gauntlet drill`, or name its directory {}", how)};
  std::string all;
  for (const std::string& each : running) all += (all.empty() ? "" : ", ") + each;
  return Problem{.file = drill_base(),
                 .why = fmt::format("holds {} drills that run: {}", running.size(), all),
                 .suggestion = fmt::format("name one of them {}", how)};
}

}  // namespace gauntlet
