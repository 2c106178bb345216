#include "real/agent/supervisor.hpp"

#include "real/rank/lines.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kMostMissed =
    10'000;  // steps and stalls: of 16 ranks with a step a second, ten minutes
constexpr std::size_t kMostRanks = 1024;
// A probe takes a thread and 64 MB, and measures less where others run beside it. A driver asks for one at a time.
constexpr std::uint32_t kProbesAtOnce = 2;
constexpr std::size_t kMostProbes = 16;  // that run or wait
constexpr auto kProbePatience =
    std::chrono::seconds(30);                             // beyond its deadline, for those that run before it
constexpr auto kReportPeriod = std::chrono::seconds(10);  // between heartbeats that carry all that is known

Time time_of(const Clock& clock) { return Time(Duration(clock.monotonic_ns())); }

AgentDone done(OrderId order) { return {.order = order.value, .ok = true, .why = {}}; }
AgentDone refused(OrderId order, std::string why) {
  return {.order = order.value, .ok = false, .why = std::move(why)};
}

// Of what is kept for the next driver, all that grows with time. A later step line tells of the earlier ones as well.
bool is_progress(const AgentMessage& message) {
  const auto* said = std::get_if<AgentRankLine>(&message);
  const auto line = said == nullptr ? std::nullopt : parse_rank_line(said->line);
  using Kind = RankLine::Kind;
  return line && (line->kind == Kind::step || line->kind == Kind::stall || line->kind == Kind::loss ||
                  line->kind == Kind::mfu || line->kind == Kind::dropped);
}

}  // namespace

Supervisor::Supervisor(const AgentOptions& options, AgentSurroundings surroundings)
    : options_(options),
      around_(std::move(surroundings)),
      streams_(around_.streams),
      watches_(HostId{options.host}),
      now_(time_of(around_.clock)),
      host_{options.host},
      abandoned_at_(options.stays ? kNever : after(now_, options.abandoned_after)) {}

std::optional<int> Supervisor::settle() {
  if (around_.ranks.none()) {
    undo_of_ranks();
    for (const OrderId order : std::exchange(pending_stops_, {})) tell(done(order));
    if (pending_start_ && !ending()) start_pending();
    if (!pending_start_)
      for (const DriverInject& each : std::exchange(start_fails_, {})) carry_out(each);
    if (drill_ends_) forget_drill();
  }
  return leaving_ && around_.ranks.none() ? leaving_ : std::nullopt;
}

void Supervisor::wake(const std::vector<SupervisorMessage>& heard) {
  now_ = time_of(around_.clock);
  hear_ranks();  // before the orders: what came first is not their doing
  hear_late();
  for (const SupervisorMessage& message : heard) hear(message);
  hear_undone();
  run_timers();
  send_seen();
}

void Supervisor::wake_by_timer() {
  now_ = time_of(around_.clock);
  if (now_ >= next_deadline_but_traffic()) return wake({});
  if (measures_traffic() && now_ >= traffic_.next()) read_traffic();
  send_seen();
}

Time Supervisor::next_deadline() const {
  if (ending()) return kNever;  // ranks are dying: their handles wake us
  const Time traffic = measures_traffic() ? traffic_.next() : kNever;
  return std::min(next_deadline_but_traffic(), traffic);
}

Time Supervisor::next_deadline_but_traffic() const {
  Time first = std::min(watches_.deadline(), around_.ranks.deadline());
  first = std::min(first, abandoned_at_);
  if (attendance_) first = std::min(first, attendance_->next_heartbeat);
  if (!around_.ranks.none() && lease_ends_ > kStart) first = std::min(first, lease_ends_);
  for (const RunningProbe& probe : probes_) first = std::min(first, probe.late);
  for (const auto& [number, each] : injected_) first = std::min(first, each.over ? kNever : each.ends);
  for (const auto& [rank, each] : holds_) first = std::min(first, each.late);
  return first;
}

void Supervisor::run_timers() {
  if (ending()) return;
  if (now_ >= lease_ends_ && lease_ends_ > kStart) {
    lease_ends_ = kStart;
    if (options_.stays && attendance_) abandoned_at_ = after(now_, options_.abandoned_after);
    if (!around_.ranks.none()) {
      around_.say("the lease has lapsed: its ranks are stopped");
      lapsed_run_ = around_.ranks.run();
      // Not ordered by the driver: one that lives after all learns from the steps that stay away.
      around_.ranks.kill();
    }
  }
  if (measures_traffic() && now_ >= traffic_.next()) read_traffic();
  watches_.on_deadline(now_);
  for (const auto& [source, lines] : patterns_.take_skipped(now_)) {
    around_.say(std::to_string(lines) + " lines of " +
                (source == LinePatterns::kHost ? "the host" : "rank " + std::to_string(source)) +
                " were not looked at: too many came in a second");
  }
  while (true) {
    const auto late = std::find_if(probes_.begin(), probes_.end(),
                                   [&](const RunningProbe& probe) { return now_ >= probe.late; });
    if (late == probes_.end()) break;
    ProbeSample sample;
    sample.errors.push_back("the probe does not end");
    answer_probe(*late, std::move(sample));
  }
  if (now_ >= abandoned_at_) return leave_drill(kAgentAbandoned, "no driver attends");
  if (!attendance_ || now_ < attendance_->next_heartbeat) return;
  beat();
  // Periods that were slept through are not made up for.
  const Duration behind = now_ - attendance_->next_heartbeat;
  attendance_->next_heartbeat += (behind / attendance_->heartbeat_period + 1) * attendance_->heartbeat_period;
}

void Supervisor::beat() {
  AgentHeartbeat heartbeat{.number = ++attendance_->heartbeats,
                           .at_ns = now_.time_since_epoch().count(),
                           .ranks_alive = static_cast<std::uint32_t>(around_.ranks.alive().size()),
                           .report = {}};
  if (now_ >= attendance_->next_report) {
    attendance_->next_report = after(now_, kReportPeriod);
    heartbeat.report = around_.host.report();
    heartbeat.report->ranks = around_.ranks.vitals();
  }
  tell(heartbeat);
}

// --- ranks -------------------------------------------------------------------------------------------------------

void Supervisor::hear_ranks() {
  around_.ranks.collect({.on_line = [this](std::uint32_t run, std::uint32_t rank,
                                           const std::string& line) { return on_line(run, rank, line); },
                         .on_printed = [this](std::uint32_t run, std::uint32_t rank,
                                              const std::string& line) { on_printed(run, rank, line); },
                         .on_exit = [this](const RankRunner::Exit& exit) { on_exit(exit); },
                         .on_stuck = [this](const std::string& what) { around_.say(what); }});
  hear_start();
  for (const std::string& line : around_.host.logged_lines()) on_logged_line(line);
}

bool Supervisor::on_line(std::uint32_t run, std::uint32_t rank, const std::string& line) {
  const std::optional<RankLine> parsed = parse_rank_line(line);
  if (!parsed) return false;
  using Kind = RankLine::Kind;
  if (parsed->kind == Kind::held) {
    end_hold(rank, "");
    return true;
  }
  // Unless the driver asks for them, segments are for the filters alone: it would hear little else. No driver needs those it missed.
  if (parsed->kind != Kind::segment)
    tell_or_keep(AgentRankLine{.run = run, .rank = rank, .line = line});
  else if (greeting_.segments)
    tell(AgentRankLine{.run = run, .rank = rank, .line = line});
  switch (parsed->kind) {
    case Kind::up:
      train();
      break;
    case Kind::segment:
      for (const auto& [signal, seconds] : segments_.on_segment(rank, *parsed, around_.ranks.alive().size()))
        watches_.on_host(signal, seconds, now_);
      break;
    case Kind::log:
      watches_.on_log(parsed->pattern, now_);
      break;
    case Kind::loss:
      if (const auto level = loss_.on_loss(parsed->value)) watches_.on_loss(*level + higher_loss(), now_);
      break;
    case Kind::finished:
      stop_watching_ranks();
      break;
    case Kind::step:
    case Kind::stall:
    case Kind::saved:
    case Kind::mfu:
    case Kind::dropped:
    case Kind::phase:
    case Kind::held:
      break;
  }
  if (rank != 0) return true;  // the job's steps are those of its first rank
  if (parsed->kind == Kind::up) watches_.began(now_);
  if (parsed->kind == Kind::step) watches_.on_step(to_seconds(Duration(parsed->took_ns)), now_);
  if (parsed->kind == Kind::stall) watches_.on_stall(to_seconds(Duration(parsed->took_ns)), now_);
  if (parsed->kind == Kind::finished) watches_.gone();
  return true;
}

/// The first rank of this host is up.
void Supervisor::train() {
  if (std::exchange(trains_, true)) return;
  watches_.host_began(now_);
  measure_traffic();
  if (!options_.allow_injection) return;
  sent_before_ = around_.host.report().nics;
  trains_since_ = now_;
}

void Supervisor::stop_watching_ranks() {
  trains_ = false;
  watches_.host_gone();
  traffic_.gone();
}

bool Supervisor::measures_traffic() const {
  return trains_ && (watches_.wants(Signal::traffic) || watches_.wants(Signal::traffic_period));
}

/// From now on. The period costs a reading every few milliseconds, so that it is looked for only where somebody asks.
void Supervisor::measure_traffic() {
  traffic_ = TrafficMeter({.interval = greeting_.traffic_interval,
                           .step = greeting_.step_time,
                           .period = watches_.wants(Signal::traffic_period)});
  traffic_.began(now_);
}

void Supervisor::read_traffic() {
  auto bytes = around_.host.bytes_sent();
  if (!bytes) bytes = around_.ranks.sent();
  const TrafficMeter::Reading reading = traffic_.on_counter(bytes.value_or(0), now_);
  if (reading.level) watches_.on_host(Signal::traffic, *reading.level, now_);
  if (reading.period) watches_.on_host(Signal::traffic_period, *reading.period, now_);
}

void Supervisor::on_printed(std::uint32_t run, std::uint32_t rank, const std::string& line) {
  for (const std::uint32_t pattern : patterns_.match(rank, line, now_)) {
    watches_.on_log(greeting_.patterns[pattern], now_);
    tell_or_keep(AgentRankLine{.run = run,
                               .rank = rank,
                               .line = to_line({.at_ns = around_.clock.monotonic_ns(),
                                                .kind = RankLine::Kind::log,
                                                .pattern = greeting_.patterns[pattern],
                                                .text = line})});
  }
}

void Supervisor::on_logged_line(const std::string& line) {
  for (const std::uint32_t pattern : patterns_.match(LinePatterns::kHost, line, now_)) {
    around_.say("the host logged " + greeting_.patterns[pattern] + ": " + line);
    watches_.on_log(greeting_.patterns[pattern], now_);
  }
}

void Supervisor::on_exit(const RankRunner::Exit& exit) {
  if (host_lost_) return;
  tell_or_keep(AgentRankExited{.run = exit.run,
                               .rank = exit.rank,
                               .code = exit.code,
                               .at_ns = now_.time_since_epoch().count(),
                               .said = exit.said,
                               .place = exit.place,
                               .last_lines = exit.last_lines});
  if (!exit.ordered && exit.code != kExitFinished) watches_.on_exit(exit.code, now_);
}

void Supervisor::stop_ranks() {
  watches_.gone();
  stop_watching_ranks();
  around_.ranks.stop();
}

void Supervisor::start_pending() {
  const DriverStartRanks start = std::move(*pending_start_);
  pending_start_.reset();
  last_start_.reset();
  last_run_ = start.run;
  starting_ = start.order;
  if (now_ >= lease_ends_) return answer_start("no lease: ranks run only under one");
  loss_.reset();
  segments_ = {};
  const std::string why = around_.ranks.start(start);
  if (!why.empty()) return answer_start(why);
  hear_start();
}

/// The programs of a start run, or one of them cannot.
void Supervisor::hear_start() {
  if (!starting_) return;
  if (const std::optional<std::string> why = around_.ranks.started()) answer_start(*why);
}

void Supervisor::answer_start(const std::string& why) {
  const OrderId order = *std::exchange(starting_, std::nullopt);
  last_start_ = why.empty() ? done(order) : refused(order, why);
  tell(*last_start_);
}

// --- the driver --------------------------------------------------------------------------------------------------

void Supervisor::hear(const SupervisorMessage& message) {
  if (const auto* ended = std::get_if<ProbeEnded>(&message)) return on(*ended);
  const auto& said = std::get<FromStream>(message);
  if (streams_.is_cut())
    unheard_.push_back(said);
  else
    hear_stream(said);
}

void Supervisor::hear_stream(const FromStream& message) {
  const auto& [stream, what, receipt] = message;
  if (const auto* said = std::get_if<DriverMessage>(&what)) {
    std::visit([&, from = stream](const auto& each) { obey(from, each); }, *said);
  } else if (attendance_ && attendance_->stream == stream) {
    attendance_.reset();
    watches_.reset({});
    if (drill_.serves()) abandoned_at_ = after(now_, options_.abandoned_after);
  }
}

template <class Message>
void Supervisor::obey(StreamId stream, const Message& message) {
  constexpr bool kHello = std::is_same_v<Message, DriverHello>;
  if (kHello || (attendance_ && attendance_->stream == stream)) on(stream, message);
}

void Supervisor::on(StreamId, const DriverWatch& message) {
  const Watch& watch = std::get<Watch>(message.order.what);
  if (!watches_.add(watch, now_)) return around_.say("a watch that no agent has a filter for");
  if (watch.signal == Signal::traffic_period && trains_) measure_traffic();
  if (watch.signal != Signal::last_collective) return;
  if (!around_.host.links_up()) return;
  if (const auto dimension = around_.ranks.waits_in())
    watches_.on_host(Signal::last_collective, static_cast<double>(*dimension), now_);
}

void Supervisor::on(StreamId, const DriverUnwatch& message) { watches_.remove(message.watch); }

void Supervisor::on(StreamId, const DriverStartRanks& message) {
  if (ending()) return tell(refused(message.order, "the agent is ending"));
  if (pending_start_ && pending_start_->order == message.order && pending_start_->run == message.run) return;
  if (starting_ == message.order && last_run_ == message.run) return;
  if (last_start_ && last_start_->order == message.order.value && last_run_ == message.run)
    return tell(*last_start_);
  const std::set<std::uint32_t> distinct(message.ranks.begin(), message.ranks.end());
  if (distinct.size() != message.ranks.size() || distinct.size() > kMostRanks) {
    return tell(
        refused(message.order, "the ranks are not distinct, or more than " + std::to_string(kMostRanks)));
  }
  if (pending_start_) tell(refused(pending_start_->order, "a later start came"));
  pending_start_ = message;
  stop_ranks();
}

void Supervisor::on(StreamId, const DriverStopRanks& message) {
  if (pending_start_) tell(refused(pending_start_->order, "stopped before it began"));
  pending_start_.reset();
  pending_stops_.push_back(message.order);
  stop_ranks();
}

void Supervisor::on(StreamId, const DriverTellRanks& message) { around_.ranks.tell(message); }

// --- probes ------------------------------------------------------------------------------------------------------

void Supervisor::on(StreamId, const DriverRunProbe& message) {
  if (const std::string problem = problem_of(message.task); !problem.empty())
    return tell(refused(message.order, problem));
  const bool runs = std::any_of(probes_.begin(), probes_.end(),
                                [&](const RunningProbe& probe) { return probe.order == message.order; });
  if (runs) return;
  if (probes_.size() >= kMostProbes) {
    return tell(refused(message.order, std::to_string(kMostProbes) +
                                           " probes run or wait already; ask again when some have ended"));
  }
  const Time late = after(now_, std::min(message.task.deadline, kForever - kProbePatience) + kProbePatience);
  probes_.push_back({message.order, late, message.task, ++last_probe_, false});
  begin_probes();
}

/// Those that wait, as long as there is place. One that never ends keeps its place.
void Supervisor::begin_probes() {
  for (RunningProbe& probe : probes_) {
    if (probe.begun) continue;
    if (probes_begun_ >= kProbesAtOnce) return;
    probe.begun = true;
    ++probes_begun_;
    around_.probes.begin(probe.task, probe.number);
  }
}

void Supervisor::on(const ProbeEnded& message) {
  --probes_begun_;
  const auto found = std::find_if(probes_.begin(), probes_.end(),
                                  [&](const RunningProbe& probe) { return probe.number == message.probe; });
  // Else it was late, or its driver is gone.
  if (found != probes_.end()) answer_probe(*found, message.sample);
  begin_probes();
}

void Supervisor::answer_probe(const RunningProbe& probe, ProbeSample sample) {
  tell(AgentProbed{.order = probe.order.value, .sample = std::move(sample)});
  std::erase_if(probes_, [number = probe.number](const RunningProbe& each) { return each.number == number; });
}

// --- telling -----------------------------------------------------------------------------------------------------

bool Supervisor::told(const AgentMessage& message) {
  return attendance_ && streams_.send(attendance_->stream, message);
}

void Supervisor::tell(const AgentMessage& message) { static_cast<void>(told(message)); }

void Supervisor::tell_or_keep(const AgentMessage& message) {
  if (told(message)) return;
  missed_.push_back(message);
  if (!is_progress(message) || ++missed_progress_ <= kMostMissed) return;
  missed_.erase(std::find_if(missed_.begin(), missed_.end(), is_progress));
  --missed_progress_;
  ++missed_left_out_;
}

void Supervisor::send_seen() {
  for (const Seen& seen : watches_.take(now_)) tell(AgentSeen{{.at = seen.sensed, .what = seen}});
}

}  // namespace gauntlet
