// Where a policy in Python gives its orders: a class of the module, which is open while a hook runs.
#pragma once

#include "core/action.hpp"
#include "policies/detect/suspicion.hpp"

#include <pybind11/pybind11.h>

#include <cstddef>

namespace gauntlet {

class Desk {
 public:
  /// What a hook answers, and where its orders go.
  struct Turn {
    Time now;
    Orders* out = nullptr;            // null: this hook gives no orders
    WatchIds* ids = nullptr;          // at the start
    Suspicions* found = nullptr;      // of a detector that hears something
    const Seen* answering = nullptr;  // what it hears, where that is a report
  };
  /// The desk is open as long as this lives.
  class Open {
   public:
    Open(Desk& desk, const Turn& turn) : desk_(desk) {
      desk.turn_ = turn;
      desk.first_ = turn.out != nullptr ? turn.out->size() : 0;
      desk.open_ = true;
    }
    ~Open() { desk_.open_ = false; }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    Desk& desk_;
  };

  /// Before the first turn.
  void is_of(JobId job) { job_ = job; }
  JobId job() const { return job_; }

  /// The time of the observation that is answered.
  Time now() const { return turn().now; }
  WatchId watch_id();
  OrderId order(const Action& what);
  void suspect(Suspicion suspicion);
  /// More was ordered than a guard lets pass. It says so when the hook has ended.
  bool flooded() const { return flooded_; }

 private:
  const Turn& turn() const;

  Turn turn_;
  JobId job_;
  std::size_t first_ = 0;
  bool open_ = false;
  bool flooded_ = false;
};

/// Of an int of nanoseconds, or of a datetime.timedelta. Raises TypeError and ValueError, which name `what`.
Duration duration_from(pybind11::handle value, const char* what);

void bind_desk(pybind11::module_& module);

}  // namespace gauntlet
