#include "real/watchdog/undo_journal.hpp"

#include "core/files/read.hpp"
#include "real/system/process_name.hpp"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

// "began NUMBER KIND BOOT TARGET" and "undone NUMBER".
constexpr const char* kBegan = "began";
constexpr const char* kUndone = "undone";

}  // namespace

UndoJournal::UndoJournal(std::string path, Files& files)
    : files_(files), path_(std::move(path)), boot_(boot_id()) {
  const ReadBytes read = read_bytes(files_, path_);
  if (read.error == ENOENT) return;
  if (read.error != 0)
    throw std::runtime_error(path_ + ": cannot be read: " + std::generic_category().message(read.error));
  // A last line without its newline was not written whole, so nothing was done after it.
  std::istringstream lines(read.bytes.substr(0, read.bytes.rfind('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string what, boot;
    std::uint64_t injection = 0;
    unsigned kind = 0;
    if (!(in >> what >> injection)) continue;
    if (what == kUndone) open_.erase(injection);
    if (what != kBegan || !(in >> kind >> boot >> std::ws) || boot != boot_) continue;
    UndoEntry entry{.kind = static_cast<InjectionKind>(kind), .target = {}};
    std::getline(in, entry.target);
    open_[injection] = entry;
  }
}

/// Why it is not on the disk, or nothing. The next line begins with a file that is replaced whole (LineFile).
std::string UndoJournal::write(const std::string& line) {
  try {
    if (!file_) file_.emplace(path_, files_);
    file_->append(line);
    file_->sync();
    return "";
  } catch (const std::exception& error) {
    file_.reset();
    return error.what();
  }
}

std::string UndoJournal::begin(std::uint64_t injection, const UndoEntry& entry) {
  const std::string why =
      write(kBegan + (" " + std::to_string(injection)) + " " +
            std::to_string(static_cast<unsigned>(entry.kind)) + " " + boot_ + " " + entry.target);
  if (why.empty()) open_[injection] = entry;
  return why;
}

std::string UndoJournal::undo(std::uint64_t injection, const HostInjectors& injectors) {
  const auto entry = open_.find(injection);
  if (entry == open_.end()) return "";
  const auto injector = injectors.find(entry->second.kind);
  if (injector == injectors.end()) return "its kind is unknown here";
  if (std::string why = injector->second.undo(entry->second.target); !why.empty()) return why;
  open_.erase(entry);
  if (const std::string why = write(kUndone + (" " + std::to_string(injection))); !why.empty())
    std::fprintf(stderr, "injection %llu is undone, and the next agent here undoes it again: %s\n",
                 static_cast<unsigned long long>(injection), why.c_str());
  return "";
}

}  // namespace gauntlet
