// The watches that a driver ordered at this agent, and what passes their filters. Knows no clock: it is told the time.
#pragma once

#include "core/filter.hpp"
#include "core/observation.hpp"
#include "core/time.hpp"
#include "core/watch.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gauntlet {

class Watches {
 public:
  explicit Watches(HostId host) : host_(host) {}

  /// A new driver: no watches; `patterns` are the kinds of log lines, by PatternId.
  void reset(std::vector<std::string> patterns);
  /// False where an agent has no such filter: exits and log lines are matched, and the others are numbers; steps and traffic alone
  /// are missed.
  bool add(const Watch& watch, Time now);
  void remove(WatchId watch);

  /// Rank 0 trains from now on: steps are missed when they stay away. Until the ranks are gone, stopped or finished; a
  /// rank that dies does not end the waiting for its steps.
  void began(Time now);
  void gone();
  /// The same for what belongs to the host: its ranks train, the first of them is up.
  void host_began(Time now);
  void host_gone();

  void on_exit(std::int32_t code, Time now);
  void on_log(std::string_view pattern, Time now);
  void on_step(double seconds, Time now);
  void on_stall(double seconds, Time now);
  /// `deviations`: robust standard deviations above the running median.
  void on_loss(double deviations, Time now);
  /// Of the host: segment timings, traffic and its period, the last collective.
  void on_host(Signal signal, double value, Time now);

  /// Whether a watch on this signal stands.
  bool wants(Signal signal) const;

  /// When the next silence is complete; kNever where none is awaited.
  Time deadline() const;
  void on_deadline(Time now);

  /// What passed since the last call. Samples of one call make one burst: those beyond a watch's first few are counted.
  std::vector<Seen> take(Time now);

 private:
  struct Matching {
    PatternId pattern;
    FirstMembers first;
    std::optional<Outside> harmless;  // exits: codes that are not reported
  };
  struct Entry {
    Watch watch;
    std::variant<Matching, SilenceFilter, OutsideFilter, SampleFilter> filter;
  };

  void match(Signal signal, PatternId pattern, double value, Time now);
  void sample(Signal signal, double value, Time now);
  void report(const Entry& entry, Edge edge, double value, Time now, std::uint32_t more = 0);

  HostId host_;
  std::vector<std::string> patterns_;
  std::vector<Entry> entries_;
  std::vector<Seen> seen_;
  struct Running {
    bool on = false;
    Time last{};  // sample that ends a silence, or when the running began
  };
  Running& running_of(Signal signal) { return is_of_host(signal) ? host_ranks_ : job_; }
  const Running& running_of(Signal signal) const { return is_of_host(signal) ? host_ranks_ : job_; }
  static bool is_of_host(Signal signal);
  void start_afresh(const Running& running, Time now);

  Running job_, host_ranks_;
};

}  // namespace gauntlet
