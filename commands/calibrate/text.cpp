#include "commands/calibrate/text.hpp"

#include "report/table.hpp"
#include "report/units.hpp"

#include <fmt/format.h>

namespace gauntlet {

std::string text_report(const CalibratedScenario& of, const std::string& file) {
  TextTable table{.header = {"key", "n", "value", "90% interval", "in one run more"}, .rows = {}};
  for (const CalibratedKey& key : of.keys) {
    const Estimate& value = key.value;
    const auto interval = [&](const LogInterval& ends) -> std::string {
      if (value.degrees == 0) return "not known";
      return fmt::format("{} to {}", time_text(ends.low), time_text(ends.high));
    };
    table.rows.push_back({key.sample.key, fmt::format("{}", value.n), time_text(value.seconds),
                          interval(value.value), interval(value.one_run)});
  }
  return fmt::format("{} has {} measured values of {} recording{}, for {:g} host{}.\n\n", file,
                     of.keys.size(), of.recordings, of.recordings == 1 ? "" : "s", of.hosts,
                     of.hosts == 1 ? "" : "s") +
         to_text(table) +
         fmt::format("\nUse them in a scenario: extends = [\"DRILLED.toml\", \"{}\"]\n", file);
}

}  // namespace gauntlet
