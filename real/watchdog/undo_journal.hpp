// What has to be undone on a host, on disk before it is done.
#pragma once

#include "core/files/line_file.hpp"
#include "real/agent/messages.hpp"
#include "real/watchdog/host_injector.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace gauntlet {

struct UndoEntry {
  InjectionKind kind = InjectionKind::slow;
  std::string target;  // real/watchdog/host_injector.hpp
};

class UndoJournal {
 public:
  /// Reads what an earlier watchdog has begun and not undone. What was begun before a boot is gone. Throws std::runtime_error.
  explicit UndoJournal(const std::string& path, Files& files = system_files());

  /// By the number of the injection.
  const std::map<std::uint64_t, UndoEntry>& open() const { return open_; }
  /// On disk when this returns. Throws std::runtime_error.
  void begin(std::uint64_t injection, const UndoEntry& entry);
  void end(std::uint64_t injection);

 private:
  std::string boot_;
  LineFile file_;
  std::map<std::uint64_t, UndoEntry> open_;
};

/// Undoes what the journal at `path` holds, and says which injections that were. What cannot be undone stays in it, and why goes to `why`.
std::vector<std::uint64_t> undo_all(const std::string& path, const HostInjectors& injectors,
                                    std::string& why);

}  // namespace gauntlet
