#include "real/injectors/journal.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace gauntlet {
namespace {

constexpr std::array<std::string_view, 6> kSteps = {"armed",  "began",  "observed",
                                                    "missed", "undone", "returned"};

}  // namespace

Journal::Journal(const std::string& path, Files& files) : file_(path, files) {
  for (const std::string& line : file_.found()) {
    std::istringstream in(line);
    std::int64_t at = 0;
    std::string step;
    JournalEntry entry;
    if (!(in >> at >> step >> entry.injection)) continue;
    const auto found = std::find(kSteps.begin(), kSteps.end(), step);
    if (found == kSteps.end()) continue;
    entry.step = static_cast<JournalStep>(found - kSteps.begin());
    entry.at = kStart + Duration(at);
    entries_.push_back(entry);
  }
}

void Journal::write(const JournalEntry& entry) {
  std::ostringstream line;
  line << entry.at.time_since_epoch().count() << ' ' << kSteps[static_cast<std::size_t>(entry.step)] << ' '
       << entry.injection;
  file_.append(line.str());
  file_.sync();
  entries_.push_back(entry);
}

bool Journal::holds(std::uint64_t injection, JournalStep step) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const JournalEntry& entry) {
    return entry.injection == injection && entry.step == step;
  });
}

std::optional<Time> Journal::observed_at(std::uint64_t injection) const {
  for (const JournalEntry& entry : entries_)
    if (entry.injection == injection && entry.step == JournalStep::observed) return entry.at;
  return std::nullopt;
}

bool Journal::begun(std::uint64_t injection) const { return holds(injection, JournalStep::began); }

bool Journal::answered(std::uint64_t injection) const {
  return observed(injection) || holds(injection, JournalStep::missed);
}

}  // namespace gauntlet
