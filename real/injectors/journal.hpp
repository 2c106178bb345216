// The injector's journal: the truth of a drill, on disk before anything is done.
#pragma once

#include "core/files/line_file.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// armed: planned. began: about to be done. observed: done, at `at`. missed: there was nothing to do it to. undone: its
/// effect is over. returned: done again, at a later start of the ranks.
enum class JournalStep : std::uint8_t { armed, began, observed, missed, undone, returned };

/// Injections have numbers. That of a fault is its number in the plan. A fault that only a repair removes is injected again at each
/// start of the ranks, and the number of such an injection holds the run too.
constexpr std::uint64_t injection_in_run(std::uint64_t fault, std::uint32_t run) {
  return std::uint64_t{run} << 32U | fault;
}
constexpr std::uint64_t fault_of_injection(std::uint64_t injection) { return injection & 0xffff'ffffU; }

struct JournalEntry {
  JournalStep step = JournalStep::armed;
  std::uint64_t injection = 0;  // of `returned`, with its run; else the number in the fault plan
  Time at;
};

class Journal {
 public:
  /// Appends to the file; throws std::runtime_error where that cannot be done.
  explicit Journal(const std::string& path, Files& files = system_files());

  void write(const JournalEntry& entry);
  const std::vector<JournalEntry>& entries() const { return entries_; }
  /// Whether the injection was begun, now or by an earlier driver.
  bool begun(std::uint64_t injection) const;
  /// Whether its agent has answered that the injection was observed or missed.
  bool answered(std::uint64_t injection) const;
  /// Nothing where it was not.
  std::optional<Time> observed_at(std::uint64_t injection) const;
  bool observed(std::uint64_t injection) const { return observed_at(injection).has_value(); }
  bool undone(std::uint64_t injection) const { return holds(injection, JournalStep::undone); }
  bool returned(std::uint64_t injection) const { return holds(injection, JournalStep::returned); }

 private:
  bool holds(std::uint64_t injection, JournalStep step) const;

  LineFile file_;
  std::vector<JournalEntry> entries_;
};

}  // namespace gauntlet
