// Heartbeats of all hosts, and what they carry: silence, and the exit of a rank.
//
// Host h sends heartbeat n at phase(h) + n * period; it arrives up to `heartbeat_jitter` later, the lateness keyed by
// (h, n). It is lost where the host is silent on arrival: its agent is gone, or a telemetry gap covers it. With full
// telemetry every arrival is an event and passes through the filter. Otherwise nothing happens while all is well, and
// what the filter would report follows from the last arrival before a silence and the first one after it.
#pragma once

#include "core/filter.hpp"
#include "core/random/population.hpp"
#include "core/random/stream.hpp"
#include "models/world.hpp"
#include "sim/event.hpp"
#include "sim/outbox.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gauntlet {

class Heartbeats {
 public:
  Heartbeats(const World& world, Seed seed, bool full, SimEngine& engine, Outbox& out);

  void watch(const Watch& watch);
  void unwatch(WatchId watch);

  /// The host's agent is gone / is back. Calls nest with gaps: a host is audible when nothing silences it.
  void silence(HostId host);
  void unsilence(HostId host);
  /// Evicted hosts are not listened to, and their agents are well again when they come back.
  void leave_service(HostId host);
  void enter_service(HostId host);

  /// A rank on the host exited; its next heartbeat says so. Ranks that were stopped on purpose are no news.
  void rank_exited(HostId host);
  void ranks_stopped();
  /// When that heartbeat will arrive, as far as is known now; kNever while the host is silent.
  Time exit_report_time(HostId host) const;

  void on(const HeartbeatDue& event);
  void on(const HeartbeatMissing& event);
  void on(const HeartbeatBack& event);
  void on(const ExitReported& event);
  void on(const GapBegins& event);
  void on(const GapEnds& event);

 private:
  struct SilenceWatch {
    WatchId id;
    Silence limit;
    Scope who;
    Time since;
  };
  struct ExitWatch {
    WatchId id;
    Scope who;
  };
  /// A host under one silence watch.
  struct Listening {
    WatchId watch;
    SilenceFilter filter;
    Timer missing;
  };
  /// A host to keep an eye on: every host with full telemetry, else those with something out of the ordinary.
  struct Tracked {
    std::uint32_t silenced_by = 0;
    bool in_service = true;
    bool exited = false;
    Time service_since = kStart;
    Timer back;
    Timer exit_report;
    std::vector<Listening> listening;
  };

  struct Beat {
    std::uint32_t number;
    Time arrival;
  };
  Time first_sent(HostId host) const;
  Time arrival(HostId host, std::uint32_t number) const { return arrival(host, first_sent(host), number); }
  Time arrival(HostId host, Time first_sent, std::uint32_t number) const;
  /// The first heartbeat that arrives at or after `from`.
  Beat first_from(HostId host, Time from) const;
  std::optional<Time> last_arrival_before(HostId host, Time until) const;
  bool audible(HostId host) const;
  bool concerns(const Scope& who, HostId host) const;
  void arrived(HostId host);
  void report(WatchId watch, HostId host, Edge edge, double value);
  void report_exit(HostId host, Tracked& tracked);
  void listen(HostId host, const SilenceWatch& watch, Time last);
  /// Hosts that a new watch listens to at once: all in service with full telemetry, else those not heard at present.
  std::vector<HostId> listened_to() const;
  void forget(Tracked& tracked);
  void rearm(HostId host, Listening& listening);
  void start_full();

  const World* world_;
  Seed seed_;
  bool full_;
  bool full_started_ = false;
  SimEngine* engine_;
  Outbox* out_;
  StreamName phase_name_, jitter_name_;
  std::vector<SilenceWatch> silence_watches_;
  std::vector<ExitWatch> exit_watches_;
  std::unordered_map<std::uint32_t, Tracked> tracked_;
  std::vector<HostId> exited_;
  std::optional<PoissonPopulation> gaps_;
  Stream gap_durations_;
};

}  // namespace gauntlet
