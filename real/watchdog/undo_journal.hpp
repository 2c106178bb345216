// What has to be undone on a host, on disk before it is done.
#pragma once

#include "core/files/line_file.hpp"
#include "real/stream/messages.hpp"
#include "real/watchdog/host_injector.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gauntlet {

struct UndoEntry {
  InjectionKind kind = InjectionKind::slow;
  std::string target;  // real/watchdog/host_injector.hpp
};

/// A disk that fails costs the journal new lines, so that nothing more is injected. It never costs an undo.
class UndoJournal {
 public:
  /// Reads what an earlier watchdog has begun and not undone, and writes nothing. What was begun before a boot is gone. Throws
  /// std::runtime_error where it cannot be read.
  explicit UndoJournal(std::string path, Files& files = system_files());

  /// By the number of the injection.
  const std::map<std::uint64_t, UndoEntry>& open() const { return open_; }
  /// On disk when this returns nothing; else it says why not, and the injection is not open.
  std::string begin(std::uint64_t injection, const UndoEntry& entry);
  /// Undoes the injection if it is open. Nothing once it is undone; else it says why not, and the injection stays open.
  std::string undo(std::uint64_t injection, const HostInjectors& injectors);

 private:
  std::string write(const std::string& line);

  Files& files_;
  std::string path_;
  std::string boot_;
  std::optional<LineFile> file_;  // from the first line that is written, until one fails
  std::map<std::uint64_t, UndoEntry> open_;
};

}  // namespace gauntlet
