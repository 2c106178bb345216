// held-out-steps FILE: writes the source that defines held_out_steps(). Part of the build (study/published/CMakeLists.txt).
#include "config/catalogue_hardware.hpp"
#include "core/math/elementary.hpp"
#include "models/calibration/published.hpp"
#include "models/step/prediction.hpp"
#include "study/published/held_out.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

std::vector<HeldOutStep> predict_held_out() {
  std::map<std::string, Hardware> catalogue;
  std::vector<HeldOutStep> out;
  for (const PublishedStep& row : parse_published(published_csv(), "published.csv").rows) {
    if (row.use != RowUse::held_out) continue;
    auto [known, fresh] = catalogue.try_emplace(row.hardware);
    if (fresh) {
      LoadedHardware loaded = catalogue_hardware(row.hardware);
      if (!loaded.hardware) throw std::runtime_error(row.id + ": " + loaded.problems.front().text());
      known->second = std::move(*loaded.hardware);
    }
    const Hardware& hardware = known->second;
    const PublishedJob job = job_of(row, hardware, *find_calibration(row.stack));
    if (!job.world) continue;
    const double modelled = to_seconds(job.step_time);
    out.push_back({.id = row.id,
                   .stack = row.stack,
                   .source = row.address,
                   .hardware = hardware.name,
                   .precision = row.training.precision,
                   .experts = row.model.experts > 0,
                   .gpus = row.layout.ranks(),
                   .log_ratio = math_log(published_seconds(row, hardware) / modelled)});
  }
  return out;
}

std::string source_of(const std::vector<HeldOutStep>& steps) {
  std::string text =
      "#include \"study/published/held_out.hpp\"\n\n"
      "namespace gauntlet {\n\n"
      "const std::vector<HeldOutStep>& held_out_steps() {\n"
      "  static const std::vector<HeldOutStep> steps = {\n";
  for (const HeldOutStep& each : steps)
    text +=
        fmt::format("      {{R\"({})\", R\"({})\", R\"({})\", R\"({})\", Precision{{{}}}, {}, {}, {:a}}},\n",
                    each.id, each.stack, each.source, each.hardware, static_cast<int>(each.precision),
                    each.experts, each.gpus, each.log_ratio);
  return text + "  };\n  return steps;\n}\n\n}  // namespace gauntlet\n";
}

/// Leaves a file alone that has it already, so that nothing is compiled again.
void write(const char* file, const std::string& text) {
  std::ifstream before(file);
  if (before && std::string(std::istreambuf_iterator<char>(before), {}) == text) return;
  std::ofstream out(file);
  out << text;
  if (!out.flush()) throw std::runtime_error(std::string(file) + ": cannot be written");
}

}  // namespace
}  // namespace gauntlet

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: held-out-steps FILE\n", stderr);
    return 2;
  }
  try {
    gauntlet::write(arguments[1], gauntlet::source_of(gauntlet::predict_held_out()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "held-out-steps: %s\n", error.what());
    return 1;
  }
}
