// The faults that are there, in the order in which they struck.
//
// They are found by the hosts that they concern and by what they do to the job that they meet. So an event costs what is wrong with
// its host and with the job, however many other faults there are on hosts that stand by.
#pragma once

#include "core/by_host.hpp"
#include "core/id.hpp"
#include "core/time.hpp"
#include "models/world/blast_radius.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// How often each was drawn for one stop.
struct DrawsOfStop {
  std::uint32_t starts = 0, asked = 0, noticed = 0;
};

struct ActiveFault {
  FaultKindId kind;
  ComponentId component;
  HostRange hosts;
  FaultRef ref{};
  Timer heal, grow, line;  // `line`: that it logs
  bool met_job = false;
  double factor = 1;       // slow, degrade: at present
  std::int64_t step = -1;  // of the job, where it stopped it
  Time heals = kNever;
  Time struck = kNever;
  std::uint32_t same_time = 0;  // as in Strike
  std::uint32_t probed = 0, repaired = 0;  // so often, in vain
  DrawsOfStop stop{};                      // while another fault is dealt with
  std::uint32_t job_hosts = 0;  // so many of its hosts carry the job; not counted for one of the job itself
};

/// What the faults of a kind may be to a job that they meet. A kind has any number of these.
enum class Concern : std::uint8_t {
  holds,    // a stop or a pause
  slows,    // its steps take longer
  loss,     // its loss moves
  restart,  // a restart cures it
  person,   // a person does
  probes,   // some probe finds it
};
inline constexpr std::size_t kConcerns = 6;

class ActiveFaults {
 public:
  explicit ActiveFaults(const World& world);
  void clear();

  /// A fault strikes, no earlier than those before it. `job_hosts` and `struck` are set. The reference is valid until the next one.
  ActiveFault& add(const ActiveFault& struck);
  void erase(FaultRef ref);

  ActiveFault& operator[](FaultRef ref) { return slots_[ref.slot]; }
  const ActiveFault& operator[](FaultRef ref) const { return slots_[ref.slot]; }
  /// Null where it has ended.
  ActiveFault* find(FaultRef ref) {
    return ref.slot < slots_.size() && slots_[ref.slot].ref == ref ? &slots_[ref.slot] : nullptr;
  }
  /// Whether the component, which concerns these hosts, has a fault of that kind.
  bool has(FaultKindId kind, ComponentId component, const HostRange& hosts) const;
  /// Those of the job itself are on it, whoever carries it.
  static bool on_job(const ActiveFault& fault) {
    return fault.component.kind == ComponentKind::job || fault.job_hosts > 0;
  }

  /// Those that concern a host, in the order in which they struck. Valid until the next such question.
  std::span<const FaultRef> of(HostId host);
  /// The first of them; `number` 0 where there is none.
  FaultRef first_of(HostId host) const;
  /// Those on the job, likewise.
  const std::vector<FaultRef>& on_job(Concern concern) const {
    return on_job_[static_cast<std::size_t>(concern)];
  }
  /// Those that struck at that time, likewise.
  const std::vector<FaultRef>& struck_at(Time time);

  /// The host carries the job from now on; it does not.
  void host_joined(HostId host);
  void host_left(HostId host);
  /// The job's own faults show on that host from now on.
  void move_job_faults(HostId host);

 private:
  struct Struck {
    FaultRef ref;
    Time at;
  };
  bool is(FaultRef ref) const { return slots_[ref.slot].ref == ref; }
  bool concerns(const ActiveFault& fault, std::size_t concern) const {
    return (concerns_[fault.kind.value] >> concern & 1) != 0;
  }
  void meets_job(const ActiveFault& fault);
  void leaves_job(const ActiveFault& fault);
  void index(const ActiveFault& fault) { by_host_.add(fault.hosts.first, fault.hosts.count, fault.ref.slot); }
  void unindex(const ActiveFault& fault) {
    by_host_.remove(fault.hosts.first, fault.hosts.count, fault.ref.slot);
  }

  std::vector<std::uint8_t> concerns_;  // by kind, a bit for each
  std::vector<ActiveFault> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Struck> struck_;    // in order; those that have ended are swept out when they are most of it
  ByHost by_host_;                // slots
  std::vector<FaultRef> of_job_;  // of the job itself
  std::array<std::vector<FaultRef>, kConcerns> on_job_;  // by concern
  std::vector<FaultRef> asked_for_;                      // by the last question; kept for its memory alone
  std::uint32_t count_ = 0;                              // so many have struck
};

}  // namespace gauntlet
