// The log lines that watches match: those of faults, and those of the victims of a stop.
#pragma once

#include "core/action.hpp"
#include "sim/hosts/hosts.hpp"
#include "sim/telemetry/reports.hpp"
#include "sim/telemetry/victims.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

class LogLines {
 public:
  /// Both must outlive them.
  LogLines(const Hosts& hosts, Reports& out) : hosts_(&hosts), out_(&out) {}

  void watch(const Watch& watch);
  void unwatch(WatchId watch);

  /// A host writes a line. One that is off writes nothing.
  void write(HostId host, PatternId pattern, Severity severity);
  /// A stop begins, which has victims of its own.
  void stop_begins();
  /// The ranks so many hops from the culprits abort: each logs why, the culprits do not. Only the first few of a watch are
  /// listed, the others are counted once the `last` have aborted.
  void abort(const Victims& victims, std::uint32_t hops, bool last);

 private:
  struct Entry {
    WatchId id;
    PatternId pattern;
    Scope who;
    std::uint16_t first;
    // Of the victims of the present stop:
    std::uint32_t from = 0;  // the first wave since the watch was ordered; 0: none came
    std::uint32_t told = 0;
    std::optional<HostId> held_back{};  // the first that is not listed
  };
  SlotRange slots_of(const Scope& who) const;
  void list(Entry& entry, const Victims& victims, std::uint32_t hops);
  std::uint32_t logged(const Entry& entry, const Victims& victims) const;
  void report(const Entry& entry, HostId host, Severity severity, std::uint32_t more);

  const Hosts* hosts_;
  Reports* out_;
  std::vector<Entry> entries_;
};

}  // namespace gauntlet
