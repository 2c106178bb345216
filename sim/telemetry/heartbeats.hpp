// Heartbeats of all hosts, and what they carry: silence, and the exit of a rank.
//
// A heartbeat is lost where the host is silent on arrival: its agent is gone, or a telemetry gap covers it. Where something holds
// heartbeats back, the last of them arrives when that ends, and says what all of them do. With full
// telemetry every arrival is an event and passes through the filter. Otherwise nothing happens while all is well, and
// what the filter would report follows from the last arrival before a silence and the first one after it.
//
// The exit of a rank travels with the first heartbeat that is sent after it, or by itself where that is sooner. When a job dies, ranks exit on every host: of
// those, only the few whose heartbeats arrive first need to be found, and the others counted.
#pragma once

#include "core/filter.hpp"
#include "core/random/stream.hpp"
#include "core/saturating.hpp"
#include "core/signal.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/poisson_arrivals.hpp"
#include "sim/telemetry/exits_under_way.hpp"
#include "sim/telemetry/heartbeat_times.hpp"
#include "sim/telemetry/reports.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {

/// When a host's ranks aborted in the present stop; kNever where they have not.
struct AbortTimes {
  virtual ~AbortTimes() = default;
  virtual Time aborted_at(HostId host) const = 0;
};

class Heartbeats {
 public:
  Heartbeats(const World& world, Seed seed, bool full, SimEngine& engine, Reports& out,
             const AbortTimes& aborts);

  void watch(const Watch& watch);
  void unwatch(WatchId watch);

  /// The host's agent is gone / is back. Calls nest with gaps: a host is audible when nothing silences it.
  void silence(HostId host);
  void unsilence(HostId host);
  /// What the host sends is held back / arrives. Calls nest with the others. An agent that is gone takes with it what is held back.
  void hold(HostId host);
  void release(HostId host);
  /// Evicted hosts are not listened to until they are readmitted. An agent is gone for as long as the fault that took it is
  /// there.
  void leave_service(HostId host);
  void enter_service(HostId host);

  /// A rank on the host exited, and the driver will hear of it. Ranks that were stopped on purpose are no news.
  void rank_exited(HostId host, int code);
  /// More hosts lost their ranks, because others had: `AbortTimes` says which.
  void ranks_aborted();
  /// So many hosts lost their ranks to this stop, and no more will: once each has had time to say so, those that were not
  /// listed are counted.
  void all_aborted(std::uint32_t hosts);
  void ranks_stopped();
  /// When an exit of this instant would be heard of, as far as is known now; kNever while the host is silent.
  Time exit_report_time(HostId host) const;

  /// Whether the host's agent can be heard.
  bool audible(HostId host) const;

  void on(const HeartbeatDue& event);
  void on(const HeartbeatMissing& event);
  void on(const HeartbeatBack& event);
  void on(const ExitReported& event);
  void on(const ExitBurstEnds& event);
  void on(const GapBegins& event);
  void on(const GapEnds& event);

 private:
  struct SilenceWatch {
    WatchId id;
    Silence limit;
    Scope who;
    Time since;
  };
  struct Exit {
    Time at;
    int code = 0;
  };
  struct ExitWatch {
    WatchId id;
    Scope who;
    Time since;  // it sees what comes after it
    std::uint32_t first = kEachMember;
    std::optional<Outside> harmless{};  // codes that are not reported
    bool wants(int code) const { return !harmless || !(code >= harmless->low && code <= harmless->high); }
    std::uint32_t told = 0;  // hosts of this stop that were listed
    HostId lowest{};         // of these
  };
  /// A host under one silence watch.
  struct Listening {
    WatchId watch;
    SilenceFilter filter;
    Timer missing;
    /// Set while no heartbeat has come since the driver listens to the host: the number of the host's entry into service, or 0
    /// where the watch was ordered after that.
    std::optional<std::uint64_t> unheard;
  };
  /// A host to keep an eye on: every host with full telemetry, else those with something out of the ordinary.
  struct Tracked {
    std::uint32_t silenced_by = 0, held_by = 0;
    bool silent() const { return silenced_by > 0 || held_by > 0; }
    Time held_since = kStart;        // what arrives from then on is held back
    std::optional<Time> released{};  // when heartbeats that were held back arrived last
    bool in_service = true;
    std::optional<Exit> exit;  // not reported yet
    Time service_since = kStart;
    std::uint64_t entered = 0;  // the number of its last entry into service, among those of all hosts
    Timer back;
    std::vector<Listening> listening;
  };
  /// These hosts, found by their number.
  class TrackedHosts {
   public:
    explicit TrackedHosts(std::uint32_t hosts) : place_(hosts, 0) { all_.reserve(hosts); }
    Tracked& operator[](HostId host) {
      std::uint32_t& place = place_[host.value];
      if (place == 0) {
        all_.emplace_back(host, Tracked{});
        place = static_cast<std::uint32_t>(all_.size());
      }
      return all_[place - 1].second;
    }
    /// Null where it is not tracked.
    const Tracked* find(HostId host) const {
      const std::uint32_t place = place_[host.value];
      return place == 0 ? nullptr : &all_[place - 1].second;
    }
    auto begin() { return all_.begin(); }
    auto end() { return all_.end(); }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }

   private:
    std::vector<std::uint32_t> place_;  // by host: one more than its place in `all_`; 0: none
    std::vector<std::pair<HostId, Tracked>>
        all_;  // as they came; has room for every host, so that they stay where they are
  };

  /// Hosts, all of them found at once.
  class HostSet {
   public:
    explicit HostSet(std::uint32_t most) : most_(most) {}
    bool contains(HostId host) const { return !in_.empty() && in_[host.value] != 0; }
    void insert(HostId host) {
      if (in_.empty()) in_.assign(most_, 0);
      in_[host.value] = 1;
      hosts_.push_back(host);
    }
    void clear() {
      for (const HostId host : hosts_) in_[host.value] = 0;
      hosts_.clear();
    }

   private:
    std::uint32_t most_;
    std::vector<std::uint8_t> in_;  // by host
    std::vector<HostId> hosts_;
  };

  /// A host whose abort will be heard of then.
  struct Candidate {
    Time arrival;
    HostId host;
    bool operator<(const Candidate& other) const {
      return arrival != other.arrival ? arrival < other.arrival : host < other.host;
    }
  };

  /// From when on heartbeats are still to arrive: those of this instant may have.
  Time to_come() const;
  bool concerns(const Scope& who, HostId host) const;
  void arrived(HostId host, Time sent);
  void report(WatchId watch, HostId host, Edge edge, double value);
  std::optional<Exit> exit_of(HostId host) const;
  void pass_exit(HostId host, const Exit& exit);
  void tell_aborts_of_now();
  void follow_first_aborts(Time since);
  void follow_first_aborts(const ExitWatch& watch, Time since);
  void listen(HostId host, const SilenceWatch& watch, Time since, std::optional<Time> last = {});
  std::optional<HostId> first_unheard() const;
  void missed(HostId host, WatchId by);
  /// Hosts that a new watch listens to at once: all in service with full telemetry, else those not heard at present.
  std::vector<HostId> listened_to() const;
  void forget(Tracked& tracked);
  void fall_silent(HostId host);
  void be_heard_again(HostId host);
  void rearm(HostId host, Listening& listening);
  void start_full();

  const World* world_;
  Seed seed_;
  bool full_;
  SimEngine* engine_;
  Reports* out_;
  HeartbeatTimes times_;
  std::vector<SilenceWatch> silence_watches_;
  std::uint64_t entries_ = 0;  // of hosts into service, so far
  std::vector<ExitWatch> exit_watches_;
  TrackedHosts tracked_;
  const AbortTimes* aborts_;
  struct Followed {
    HostId host;
    Timer report;
  };
  std::vector<Followed> followed_;       // hosts whose aborts will be heard of first
  std::vector<Candidate> first_aborts_;  // found last; kept for its memory alone
  std::vector<HostId> exited_;           // culprits
  ExitsUnderWay leaving_;                // their heartbeats that tell so
  HostSet told_;                         // hosts whose exit in the present stop has been heard of
  bool stopped_ = false;                 // ranks have exited, and the job was not stopped since
  std::uint32_t aborted_hosts_ = 0;
  Timer exit_burst_;
  std::optional<PoissonHosts> gaps_;
};

}  // namespace gauntlet
