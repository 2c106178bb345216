#include "real/injectors/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gauntlet {
namespace {

constexpr std::array<std::string_view, 5> kSteps = {"armed", "began", "observed", "missed", "undone"};

}  // namespace

Journal::Journal(const std::string& path) : path_(path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    std::int64_t at = 0;
    std::string step;
    JournalEntry entry;
    if (!(in >> at >> step >> entry.injection)) continue;  // a line that a crash cut short
    const auto found = std::find(kSteps.begin(), kSteps.end(), step);
    if (found == kSteps.end()) continue;
    entry.step = static_cast<JournalStep>(found - kSteps.begin());
    entry.at = kStart + Duration(at);
    entries_.push_back(entry);
  }
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file_ < 0) throw std::runtime_error(path + ": cannot be written: " + std::strerror(errno));
}

Journal::~Journal() { close(file_); }

void Journal::write(const JournalEntry& entry) {
  std::ostringstream line;
  line << entry.at.time_since_epoch().count() << ' ' << kSteps[static_cast<std::size_t>(entry.step)] << ' '
       << entry.injection << '\n';
  const std::string text = line.str();
  if (::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      fdatasync(file_) != 0) {
    throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
  }
  entries_.push_back(entry);
}

bool Journal::begun(std::uint64_t injection) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const JournalEntry& entry) {
    return entry.injection == injection && entry.step == JournalStep::began;
  });
}

}  // namespace gauntlet
