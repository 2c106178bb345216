// What a driver and an agent say to each other, in plain types. agent.proto says what each message means.
#pragma once

#include "core/action.hpp"
#include "core/id.hpp"
#include "core/observation.hpp"
#include "core/time.hpp"
#include "models/world/job_command.hpp"
#include "real/probes/suite/task.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

/// How an agent that obeys another driver names it, the epoch after it: in why it ended a stream or refused one.
inline const std::string kDriverOfEpoch = "the driver of epoch ";

// --- what an agent says. Every time is of the agent's own clock, CLOCK_MONOTONIC of its host -----------------------

/// Which machine a host is, for people: to policies it is a number.
struct HostIdentity {
  std::string address;  // of its executor: of the pod, or where the agent listens
  std::string pod;      // its name, or the machine's
  friend bool operator==(const HostIdentity&, const HostIdentity&) = default;
};

/// The answer to a message of the driver that names its own time: what the agent's clock showed.
struct AgentClockReading {
  std::int64_t asked_ns = 0;  // as the driver said it, by the driver's clock
  std::int64_t at_ns = 0;
};
/// What a host is made of.
struct HostHardware {
  std::string cpu;  // model
  std::uint32_t cores = 0;
  std::uint64_t memory_bytes = 0;
  std::vector<std::string> gpus;  // model and place of each
  friend bool operator==(const HostHardware&, const HostHardware&) = default;
};
/// Since the interface came up.
struct NicCounters {
  std::string name;
  std::uint64_t received_bytes = 0, sent_bytes = 0;
  friend bool operator==(const NicCounters&, const NicCounters&) = default;
};
/// What its driver says of a GPU; 0 where it says nothing.
struct GpuVitals {
  std::string name;  // "GPU 0"
  std::uint32_t celsius = 0, watts = 0, megahertz = 0;
  std::uint32_t percent = 0;       // share of the last second in which a kernel ran
  std::uint64_t memory_bytes = 0;  // that are used
  std::uint32_t processes = 0;     // that compute on it
  std::uint64_t link_bytes = 0;    // over all its NVLinks, both ways, since they came up
  friend bool operator==(const GpuVitals&, const GpuVitals&) = default;
};
/// A process that carries ranks.
struct RankVitals {
  std::uint32_t rank = 0;  // its first
  std::int32_t pid = 0;
  char state = '?';  // as proc(5) has it: R, S, D, T, Z
  std::int64_t cpu_ns = 0;
  std::uint64_t memory_bytes = 0;
  std::int64_t silent_ns = 0;  // since it last printed or told something
  friend bool operator==(const RankVitals&, const RankVitals&) = default;
};
/// What an agent knows of its host.
struct HostReport {
  HostIdentity identity;
  HostHardware hardware;
  std::vector<NicCounters> nics;
  std::vector<RankVitals> ranks;
  std::uint64_t free_disk_bytes = 0;  // where the agent writes
  std::vector<GpuVitals> gpus{};      // none where their driver is not asked
  friend bool operator==(const HostReport&, const HostReport&) = default;
};

struct AgentAttending {
  std::uint64_t epoch = 0;
  std::uint32_t run = 0;             // of the ranks that it supervises, 0 for none
  std::vector<std::uint32_t> ranks;  // alive
  HostIdentity identity{};
  std::optional<std::uint32_t> rank_uid{};  // as whom its ranks run; nothing: not said
  AgentClockReading clock{};                // of Hello
  std::uint32_t lapsed_run = 0;  // whose ranks the agent ended last because no lease came, 0 for none
};
struct AgentHeartbeat {
  std::uint64_t number = 0;
  std::int64_t at_ns = 0;
  std::uint32_t ranks_alive = 0;
  std::optional<HostReport> report{};  // in the first one, and then every ten seconds
};
struct AgentSeen {
  Observed observed;  // holds a Seen; its times are nanoseconds of the agent's clock
};
struct AgentRankLine {
  std::uint32_t run = 0;
  std::uint32_t rank = 0;
  std::string line;  // real/rank/lines.hpp reads it
};
struct AgentDone {
  std::uint64_t order = 0;
  bool ok = false;
  std::string why;  // when not ok
};
/// What a probe measured; the driver judges it, who knows the threshold and the other hosts.
struct AgentProbed {
  std::uint64_t order = 0;
  ProbeSample sample;
};
struct AgentRankExited {
  std::uint32_t run = 0;
  std::uint32_t rank = 0;
  std::int32_t code = 0;  // exit code, or 128 + signal
  std::int64_t at_ns = 0;
  std::string said{};                     // "it last printed: ...", or that it printed nothing
  std::string place{};                    // where its first rank stood, where it says: "inside step 3"
  std::vector<std::string> last_lines{};  // that it printed, the oldest first
};
struct AgentInjected {
  std::uint64_t injection = 0;
  bool ok = false;  // the signal reached a living rank, or the effect was observed
  std::int64_t at_ns = 0;
  std::string why;  // when not ok
};

/// The effect of the injection is over, or cannot be undone yet: then another message follows.
struct AgentUndone {
  std::uint64_t injection = 0;
  std::int64_t at_ns = 0;
  std::string why{};  // it cannot be undone yet
};

/// For people: something is wrong with the agent itself.
struct AgentRemark {
  std::string text;
};

using AgentMessage =
    std::variant<AgentAttending, AgentHeartbeat, AgentSeen, AgentRankLine, AgentDone, AgentProbed,
                 AgentRankExited, AgentInjected, AgentClockReading, AgentUndone, AgentRemark>;

// --- what a driver says ------------------------------------------------------------------------------------------

/// What Hello tells an agent.
struct AgentGreeting {
  std::int64_t started_ns = 0;          // the drill's time zero by the driver's clock: it names the drill
  std::vector<std::string> patterns{};  // kinds of log lines, by PatternId
  Duration heartbeat_period = std::chrono::seconds(1);
  /// Regular expressions (RE2) that find the lines of these kinds in what ranks print and in the kernel's log, by PatternId. Empty:
  /// that kind is known by name alone. May be shorter than `patterns`.
  std::vector<std::string> expressions{};
  Duration traffic_interval = std::chrono::seconds(1);
  Duration step_time{};  // of the scenario: the traffic's period is looked for around it; zero: not at all
  std::optional<std::uint32_t> host{};  // the agent's number in this drill; not given: the agent's own
  bool segments = false;                // the driver wants to hear how long each segment of each rank took
};

/// Checkpoint at the next step boundary; checkpoint every so many steps; end at the next step boundary.
enum class RankOrder : std::uint8_t { checkpoint, cadence, stop };

/// go_on: of a rank that was stopped.
enum class AgentSignal : std::uint8_t { kill, stop, go_on };

struct DriverHello {
  std::uint64_t epoch = 0;
  AgentGreeting greeting;
  std::int64_t sent_ns = 0;  // by the driver's clock; AgentAttending answers it
  bool anew = false;         // what the agent holds of this drill is over: its ranks end, and nothing is kept
};
struct DriverLease {
  Duration lasts;
  std::int64_t sent_ns = 0;  // by the driver's clock; AgentClockReading answers it
};
struct DriverWatch {
  Order order;  // holds a Watch
};
struct DriverUnwatch {
  WatchId watch;
};
struct DriverStartRanks {
  OrderId order;
  std::uint32_t run = 0;
  std::vector<std::uint32_t> ranks;
  std::vector<std::string> arguments;  // of the trainer
  /// The user's own job in place of the trainer; not given: the trainer. Its directory is absolute.
  JobCommand command{};
  /// Variables of every process by name, over those of the command: all that a drill sets but those of a single rank.
  std::vector<std::pair<std::string, std::string>> environment{};
};
/// Of a job that speaks through gauntlet_rank; nobody answers.
struct DriverTellRanks {
  RankOrder what = RankOrder::checkpoint;
  std::int64_t steps = 0;  // cadence: between two checkpoints, 0 for never
};
struct DriverStopRanks {
  OrderId order;
};
struct DriverRunProbe {
  OrderId order;
  ProbeTask task;
};
/// What an injection does on a host, beside the log line that it writes.
enum class InjectionKind : std::uint8_t {
  kill,       // SIGKILL of ranks
  stop,       // SIGSTOP of ranks, until they end
  slow,       // less processor time for ranks
  link_down,  // data interfaces are set down
  pause,      // SIGSTOP of ranks, and SIGCONT at the end
  rate,       // data interfaces send less in a second
  link_lost,  // data interfaces are set down, and the ranks of the host are killed: their connections are broken
  start_fails,   // ranks are killed as soon as they are started
  host_lost,     // every process of the host is gone, its agent too
  line,          // nothing but the log line
  loss,          // the agent reports a loss that lies higher
  damage,        // the newest whole checkpoint of the job is damaged
  disk_full,     // the directory of checkpoints has no space left for ranks of the host; or they are killed
  disk_failing,  // each call there fails; or ranks are killed
  memory,        // the kernel kills a rank that has no memory left; or ranks are killed
  clock_step,    // what the agent says from then on is by a clock that is ahead
  late_heartbeats,      // the agent's heartbeats wait until the end
  repeated_heartbeats,  // each of its heartbeats arrives twice
  partition,            // nothing passes between driver and agent
  hold,                 // a rank does not enter its next collective
  packet_loss,          // data interfaces lose packets
};
/// Who carries it out: the agent by signals to its ranks; the watchdog, which outlives the agent; the watchdog where it can make the cause, and
/// else the agent by the signal that the cause ends in; the agent in what it reports.
enum class InjectionCarrier : std::uint8_t { signals, watchdog, cause, report };
struct InjectionTraits {
  InjectionKind kind;
  std::string_view name;  // for options and messages
  InjectionCarrier carrier;
  bool of_rank;  // its targets are ranks, and it ends with them
};
inline constexpr std::array<InjectionTraits, 21> kInjectionTraits = {{
    {InjectionKind::kill, "kill", InjectionCarrier::signals, true},
    {InjectionKind::stop, "stop", InjectionCarrier::signals, true},
    {InjectionKind::slow, "slow", InjectionCarrier::watchdog, true},
    {InjectionKind::link_down, "link-down", InjectionCarrier::watchdog, false},
    {InjectionKind::pause, "pause", InjectionCarrier::watchdog, true},
    {InjectionKind::rate, "rate", InjectionCarrier::watchdog, false},
    {InjectionKind::link_lost, "link-lost", InjectionCarrier::watchdog, false},
    {InjectionKind::start_fails, "start-fails", InjectionCarrier::signals, true},
    {InjectionKind::host_lost, "host-lost", InjectionCarrier::report, false},
    {InjectionKind::line, "line", InjectionCarrier::report, false},
    {InjectionKind::loss, "loss", InjectionCarrier::report, false},
    {InjectionKind::damage, "damage", InjectionCarrier::watchdog, false},
    {InjectionKind::disk_full, "disk-full", InjectionCarrier::cause, true},
    {InjectionKind::disk_failing, "disk-failing", InjectionCarrier::cause, true},
    {InjectionKind::memory, "memory", InjectionCarrier::cause, true},
    {InjectionKind::clock_step, "clock-step", InjectionCarrier::report, false},
    {InjectionKind::late_heartbeats, "late-heartbeats", InjectionCarrier::report, false},
    {InjectionKind::repeated_heartbeats, "repeated-heartbeats", InjectionCarrier::report, false},
    {InjectionKind::partition, "partition", InjectionCarrier::report, false},
    {InjectionKind::hold, "hold", InjectionCarrier::signals, true},
    {InjectionKind::packet_loss, "packet-loss", InjectionCarrier::watchdog, false},
}};
constexpr const InjectionTraits& traits_of(InjectionKind kind) {
  return kInjectionTraits[static_cast<std::size_t>(kind)];
}
constexpr bool is_of_rank(InjectionKind kind) { return traits_of(kind).of_rank; }
constexpr bool has_cause(InjectionKind kind) { return traits_of(kind).carrier == InjectionCarrier::cause; }
/// Or may be.
constexpr bool is_by_watchdog(InjectionKind kind) {
  return traits_of(kind).carrier == InjectionCarrier::watchdog || has_cause(kind);
}

/// Nothing of it is left to be undone.
constexpr bool is_over_at_once(InjectionKind kind) {
  return kind == InjectionKind::kill || kind == InjectionKind::start_fails || kind == InjectionKind::line ||
         kind == InjectionKind::clock_step;
}

/// In place of one target: every rank of the host, or each of its data interfaces.
inline constexpr std::uint32_t kEveryTarget = ~0U;

/// A line that the agent reads as if its host had logged it. Nothing goes to the kernel's log, which the site's own tools read.
struct InjectedLine {
  PatternId pattern;  // that it has to match
  std::string text;
};

struct DriverInject {
  std::uint64_t injection = 0;
  InjectionKind kind = InjectionKind::kill;
  std::uint32_t target = 0;  // the rank, or the data interface counted from 0, or kEveryTarget
  double value =
      0;  // slow: processors for the ranks; rate: what is sent divides by it; loss: deviations; packet_loss: share
  Duration lasts = kForever;           // from its beginning; then it is undone, whoever lives
  std::optional<InjectedLine> line{};  // written first
  std::string directory{};             // of the job's checkpoints
};
/// A rank that was killed stays killed.
struct DriverUndo {
  std::uint64_t injection = 0;
};
struct DriverQuit {};

using DriverMessage =
    std::variant<DriverHello, DriverLease, DriverWatch, DriverUnwatch, DriverStartRanks, DriverStopRanks,
                 DriverTellRanks, DriverRunProbe, DriverInject, DriverUndo, DriverQuit>;

}  // namespace gauntlet
