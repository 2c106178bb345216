#include "cli/drill/kept_drill.hpp"

#include "core/record/recording.hpp"
#include "study/store/directory/result_files.hpp"
#include "study/store/same_study.hpp"
#include "study/store/store.hpp"

#include <fmt/format.h>

#include <system_error>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

Problem problem_of_kept(const fs::path& path, std::string why) {
  return {.file = path.string(),
          .what = "",
          .why = std::move(why),
          .suggestion = "choose another --out, or remove this drill to repeat it"};
}

}  // namespace

fs::path results_of_kept(const fs::path& out, std::uint32_t number) {
  return out / kDrillsDirectory / fmt::format("{}", number);
}

std::optional<Problem> open_kept(const fs::path& out) {
  std::error_code error;
  const auto refused = [&](const std::string& why, const std::string& suggestion) {
    return Problem{.what = "--out " + out.string(), .why = why, .suggestion = suggestion};
  };
  if (fs::exists(out, error) && !fs::is_directory(out, error))
    return refused("is not a directory", "choose another --out");
  if (fs::is_directory(out, error) && !fs::is_empty(out, error) &&
      !fs::is_directory(out / kDrillsDirectory, error))
    return refused("holds other files than drills", "choose another --out");
  const fs::path above = fs::absolute(out, error).lexically_normal().parent_path();
  if (!fs::is_directory(out, error) && !fs::is_directory(above, error))
    return refused("cannot be made: " + above.string() + " is not there",
                   "make that directory, or choose another --out");
  fs::create_directories(out / kDrillsDirectory, error);
  if (error) return refused("cannot be made: " + error.message(), "choose another --out");
  return std::nullopt;
}

KeptAnswer read_kept(const fs::path& out, std::uint32_t number, const DrillTask& task) {
  const fs::path results = results_of_kept(out, number);
  std::error_code error;
  if (!fs::exists(results, error)) return {};
  const auto opened = Store::open_to_read(results / kDatabaseFile);
  if (!opened.store) return {.drill = {}, .problem = opened.problem};
  const StudyIdentity then = opened.store->study();
  const StudyIdentity now = {.command = "drill",
                             .arguments = command_of(task.request, task.seed()),
                             .version = GAUNTLET_VERSION,
                             .seed = task.seed(),
                             .scenario = task.scenario.world.name,
                             .text = task.resolved.values};
  if (const StudyDifference other = difference(then, now, {.most = 1, .all = 1}); !other.what.empty())
    return {.drill = {}, .problem = problem_of_kept(results, other.what)};
  const fs::path file = recording_of_drill(out, number);
  ReadRecording read = read_recording(file.string());
  if (!read.recording) return {.drill = {}, .problem = read.problem};
  if (auto problem = problem_of_end(file.string(), *read.recording))
    return {.drill = {}, .problem = std::move(problem)};
  KeptDrill kept;
  kept.record = std::move(read.recording->record);
  opened.store->read(0, 0, 1, [&](std::uint32_t, const Figures& figures) { kept.figures = figures; });
  opened.store->read_incidents(
      0, [&](std::uint32_t, std::size_t, const Incident& each) { kept.figures.incidents.push_back(each); });
  return {.drill = std::move(kept), .problem = {}};
}

}  // namespace gauntlet
