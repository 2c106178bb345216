// The log of a drill: a line of JSON for each observation, each order and each message to people.
//
//   {"at_ns":1200345,"event":"order","id":17,"kind":"Evict","host":3}
//
// `at_ns` counts from the start of the drill, and `id` is the order's own number. Fields of observations and orders are those of
// core/record/fields.hpp; one whose name the line itself has stands there after its kind: `Wake.at_ns`, `Watch.id`. Bytes that
// are no UTF-8 become U+FFFD, as JSON has no others.
#pragma once

#include "core/cluster.hpp"
#include "core/files/append_file.hpp"
#include "core/files/line_file.hpp"
#include "real/driver/platform.hpp"

#include <mutex>
#include <optional>
#include <string>

namespace gauntlet {

/// The text with U+FFFD in place of bytes that are no UTF-8.
std::string in_utf8(const std::string& text);

/// Thread-safe. A log that cannot be written any more is given up, once and with a message: no drill fails for it.
class EventLog {
 public:
  /// Appends to `path`, and to `copy` where that is not empty: a regular file of this user, or a new one. Throws
  /// std::runtime_error where one cannot be opened.
  EventLog(const std::string& path, const std::string& copy);

  void add(const Observed& seen);
  /// An order that answers what was observed at `at`.
  void add(Time at, const Order& order);
  void say(Time at, const std::string& text);

 private:
  void append(const std::string& line);
  /// Gives up a log that cannot be written any more.
  template <class File>
  static void append(std::optional<File>& file, const std::string& line);

  std::mutex mutex_;
  std::optional<LineFile> file_;
  std::optional<AppendFile> copy_;
};

/// A platform whose messages also go to a log. `clock`: of the drill.
class LoggedPlatform final : public Platform {
 public:
  LoggedPlatform(Platform& platform, EventLog* log, const DrillClock& clock)
      : platform_(platform), log_(log), drill_(clock) {}

  void prepare(const std::string& directory) override { platform_.prepare(directory); }
  void end(const std::string& directory) override { platform_.end(directory); }
  bool one_clock() const override { return platform_.one_clock(); }
  bool hosts_share_machine() const override { return platform_.hosts_share_machine(); }
  HostSupply& supply() override { return platform_.supply(); }
  DriverClock& clock() override { return platform_.clock(); }
  Transport& transport() override { return platform_.transport(); }
  Processes& processes() override { return platform_.processes(); }
  MeetingPlace meeting_place(const AgentName& agent) override { return platform_.meeting_place(agent); }
  void say(const std::string& line) override {
    if (log_ != nullptr) log_->say(drill_.at(platform_.clock().monotonic_ns()), line);
    platform_.say(line);
  }

 private:
  Platform& platform_;
  EventLog* log_;
  DrillClock drill_;
};

}  // namespace gauntlet
