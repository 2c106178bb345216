#include "core/record/codec.hpp"
#include "real/stream/wire_private.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

template <class T>
std::string bytes_of(const T& value) {
  ByteBuffer bytes;
  encode(value, bytes);
  return {bytes.begin(), bytes.end()};
}

// --- to the agent ------------------------------------------------------------------------------------------------

void put(const DriverHello& from, agent::ToAgent& to) {
  agent::Hello& hello = *to.mutable_hello();
  hello.set_epoch(from.epoch);
  hello.set_started_ns(from.greeting.started_ns);
  hello.set_heartbeat_period_ns(from.greeting.heartbeat_period.count());
  hello.set_sent_ns(from.sent_ns);
  for (const std::string& pattern : from.greeting.patterns) hello.add_patterns(pattern);
  for (const std::string& expression : from.greeting.expressions) hello.add_expressions(expression);
  hello.set_traffic_interval_ns(from.greeting.traffic_interval.count());
  hello.set_step_time_ns(from.greeting.step_time.count());
  if (from.greeting.host) hello.set_host(*from.greeting.host);
  hello.set_segments(from.greeting.segments);
  hello.set_anew(from.anew);
}
void put(const DriverLease& from, agent::ToAgent& to) {
  to.mutable_lease()->set_lasts_ns(from.lasts.count());
  to.mutable_lease()->set_sent_ns(from.sent_ns);
}
void put(const DriverWatch& from, agent::ToAgent& to) { to.set_watch(bytes_of(from.order)); }
void put(const DriverUnwatch& from, agent::ToAgent& to) { to.set_unwatch(from.watch.value); }
using Variables = std::vector<std::pair<std::string, std::string>>;
using VariableTexts = google::protobuf::RepeatedPtrField<std::string>;

void put(const Variables& from, VariableTexts& to) {
  for (const auto& [name, value] : from) {
    *to.Add() = name;
    *to.Add() = value;
  }
}
Variables get(const VariableTexts& from) {
  Variables variables;
  for (int i = 0; i + 1 < from.size(); i += 2) variables.emplace_back(from[i], from[i + 1]);
  return variables;
}
void put(const JobCommand& from, agent::JobCommand& to) {
  for (const std::string& argument : from.arguments) to.add_arguments(argument);
  to.set_directory(from.directory);
  to.set_per_host(from.per == ProcessPer::host);
  to.set_stop_signal(from.stop_signal);
  to.set_grace_ns(from.grace.count());
  put(from.environment, *to.mutable_environment());
  to.set_step(from.lines.step);
  to.set_saved(from.lines.saved);
  to.set_resumed(from.lines.resumed);
  to.set_timed_out(from.lines.timed_out);
  to.set_step_time_ns(from.step_time.count());
}
void put(const DriverStartRanks& from, agent::ToAgent& to) {
  agent::StartRanks& start = *to.mutable_start_ranks();
  start.set_order(from.order.value);
  start.set_run(from.run);
  for (const std::uint32_t rank : from.ranks) start.add_ranks(rank);
  for (const std::string& argument : from.arguments) start.add_arguments(argument);
  if (from.command.given()) put(from.command, *start.mutable_command());
  put(from.environment, *start.mutable_environment());
}
void put(const DriverStopRanks& from, agent::ToAgent& to) {
  to.mutable_stop_ranks()->set_order(from.order.value);
}
void put(const DriverTellRanks& from, agent::ToAgent& to) {
  agent::TellRanks& tell = *to.mutable_tell_ranks();
  tell.set_what(static_cast<agent::TellRanks::Order>(from.what));
  tell.set_steps(from.steps);
}
void put(const DriverRunProbe& from, agent::ToAgent& to) {
  agent::RunProbe& probe = *to.mutable_run_probe();
  probe.set_order(from.order.value);
  probe.set_probe(from.task.probe);
  for (const std::string& argument : from.task.arguments) probe.add_arguments(argument);
  probe.set_metric(from.task.metric);
  probe.set_deadline_ns(from.task.deadline.count());
  if (!from.task.link) return;
  agent::RunProbe::Link& link = *probe.mutable_link();
  link.set_listens(from.task.link->listens);
  link.set_secret(from.task.link->secret);
  for (const Neighbour& each : from.task.link->addresses) {
    link.add_hosts(each.host);
    link.add_ports(each.port);
  }
}
void put(const DriverInject& from, agent::ToAgent& to) {
  agent::Inject& inject = *to.mutable_inject();
  inject.set_injection(from.injection);
  inject.set_target(from.target);
  inject.set_kind(static_cast<std::uint32_t>(from.kind));
  inject.set_value(from.value);
  inject.set_lasts_ns(from.lasts.count());
  inject.set_directory(from.directory);
  if (!from.line) return;
  inject.set_pattern(from.line->pattern.value);
  inject.set_line(from.line->text);
}
void put(const DriverUndo& from, agent::ToAgent& to) { to.mutable_undo()->set_injection(from.injection); }
void put(const DriverQuit&, agent::ToAgent& to) { to.mutable_quit(); }

DriverHello get(const agent::Hello& from) {
  return {.epoch = from.epoch(),
          .greeting = {.started_ns = from.started_ns(),
                       .patterns = {from.patterns().begin(), from.patterns().end()},
                       .heartbeat_period = Duration(from.heartbeat_period_ns()),
                       .expressions = {from.expressions().begin(), from.expressions().end()},
                       .traffic_interval = Duration(from.traffic_interval_ns()),
                       .step_time = Duration(from.step_time_ns()),
                       .host = from.has_host() ? std::optional(from.host()) : std::nullopt,
                       .segments = from.segments()},
          .sent_ns = from.sent_ns(),
          .anew = from.anew()};
}
std::optional<DriverMessage> get_watch(std::string_view bytes) {
  const std::optional<Order> order = decode_order(bytes);
  if (!order || !bytes.empty() || !std::holds_alternative<Watch>(order->what)) return std::nullopt;
  return DriverWatch{*order};
}
JobCommand get(const agent::JobCommand& from) {
  return {.arguments = {from.arguments().begin(), from.arguments().end()},
          .directory = from.directory(),
          .per = from.per_host() ? ProcessPer::host : ProcessPer::rank,
          .stop_signal = from.stop_signal(),
          .grace = Duration(from.grace_ns()),
          .environment = get(from.environment()),
          .lines = {.step = from.step(),
                    .saved = from.saved(),
                    .resumed = from.resumed(),
                    .timed_out = from.timed_out()},
          .step_time = Duration(from.step_time_ns())};
}
std::optional<DriverMessage> get(const agent::StartRanks& from) {
  // An odd number of texts is no list of variables, and a command without a program is none.
  const bool whole = from.command().environment_size() % 2 == 0 && from.environment_size() % 2 == 0 &&
                     from.command().grace_ns() >= 0 && from.command().step_time_ns() >= 0 &&
                     from.has_command() == (from.command().arguments_size() > 0);
  if (!whole) return std::nullopt;
  return DriverStartRanks{.order = OrderId{from.order()},
                          .run = from.run(),
                          .ranks = {from.ranks().begin(), from.ranks().end()},
                          .arguments = {from.arguments().begin(), from.arguments().end()},
                          .command = from.has_command() ? get(from.command()) : JobCommand{},
                          .environment = get(from.environment())};
}
std::optional<DriverMessage> get(const agent::TellRanks& from) {
  const bool known = from.what() >= agent::TellRanks::CHECKPOINT && from.what() <= agent::TellRanks::STOP;
  if (!known || from.steps() < 0) return std::nullopt;
  return DriverTellRanks{.what = static_cast<RankOrder>(from.what()), .steps = from.steps()};
}
std::optional<DriverMessage> get(const agent::Inject& from) {
  if (from.kind() >= kInjectionTraits.size() || from.lasts_ns() < 0) return std::nullopt;
  // Only a loss may be a number that is not finite.
  const auto kind = static_cast<InjectionKind>(from.kind());
  if (kind != InjectionKind::loss && !(std::isfinite(from.value()) && from.value() >= 0)) return std::nullopt;
  DriverInject inject{.injection = from.injection(),
                      .kind = kind,
                      .target = from.target(),
                      .value = from.value(),
                      .lasts = Duration(from.lasts_ns())};
  inject.directory = from.directory();
  if (from.has_pattern()) inject.line = {.pattern = PatternId{from.pattern()}, .text = from.line()};
  return inject;
}

// --- from the agent ----------------------------------------------------------------------------------------------

void put(const AgentClockReading& from, agent::ClockReading& to) {
  to.set_asked_ns(from.asked_ns);
  to.set_at_ns(from.at_ns);
}
void put(const AgentClockReading& from, agent::FromAgent& to) { put(from, *to.mutable_clock()); }
void put(const AgentAttending& from, agent::FromAgent& to) {
  agent::Attending& attending = *to.mutable_attending();
  attending.set_epoch(from.epoch);
  attending.set_run(from.run);
  for (const std::uint32_t rank : from.ranks) attending.add_ranks(rank);
  attending.set_address(from.identity.address);
  attending.set_pod(from.identity.pod);
  if (from.rank_uid) attending.set_rank_uid(*from.rank_uid);
  attending.set_lapsed_run(from.lapsed_run);
  put(from.clock, *attending.mutable_clock());
}
void put(const HostReport& from, agent::HostReport& to) {
  to.set_address(from.identity.address);
  to.set_pod(from.identity.pod);
  to.set_cpu(from.hardware.cpu);
  to.set_cores(from.hardware.cores);
  to.set_memory_bytes(from.hardware.memory_bytes);
  for (const std::string& gpu : from.hardware.gpus) to.add_gpus(gpu);
  for (const NicCounters& each : from.nics) {
    agent::NicCounters& nic = *to.add_nics();
    nic.set_name(each.name);
    nic.set_received_bytes(each.received_bytes);
    nic.set_sent_bytes(each.sent_bytes);
  }
  for (const RankVitals& each : from.ranks) {
    agent::RankVitals& rank = *to.add_ranks();
    rank.set_rank(each.rank);
    rank.set_pid(each.pid);
    rank.set_state(static_cast<unsigned char>(each.state));
    rank.set_cpu_ns(each.cpu_ns);
    rank.set_memory_bytes(each.memory_bytes);
    rank.set_silent_ns(each.silent_ns);
  }
  to.set_free_disk_bytes(from.free_disk_bytes);
  for (const GpuVitals& each : from.gpus) {
    agent::GpuVitals& gpu = *to.add_gpu_vitals();
    gpu.set_name(each.name);
    gpu.set_celsius(each.celsius);
    gpu.set_watts(each.watts);
    gpu.set_megahertz(each.megahertz);
    gpu.set_percent(each.percent);
    gpu.set_memory_bytes(each.memory_bytes);
    gpu.set_processes(each.processes);
    gpu.set_link_bytes(each.link_bytes);
  }
}
void put(const AgentHeartbeat& from, agent::FromAgent& to) {
  agent::Heartbeat& heartbeat = *to.mutable_heartbeat();
  heartbeat.set_number(from.number);
  heartbeat.set_at_ns(from.at_ns);
  heartbeat.set_ranks_alive(from.ranks_alive);
  if (from.report) put(*from.report, *heartbeat.mutable_report());
}
void put(const AgentSeen& from, agent::FromAgent& to) { to.set_seen(bytes_of(from.observed)); }
void put(const AgentRankLine& from, agent::FromAgent& to) {
  agent::RankLine& line = *to.mutable_line();
  line.set_run(from.run);
  line.set_rank(from.rank);
  line.set_line(from.line);
}
void put(const AgentDone& from, agent::FromAgent& to) {
  agent::Done& done = *to.mutable_done();
  done.set_order(from.order);
  done.set_ok(from.ok);
  done.set_why(from.why);
}
void put(const AgentProbed& from, agent::FromAgent& to) {
  agent::Probed& probed = *to.mutable_probed();
  probed.set_order(from.order);
  for (const PartSample& part : from.sample.parts) {
    agent::Probed::Part& each = *probed.add_parts();
    each.set_part(part.part);
    each.set_kind(part.kind);
    for (const double value : part.values) each.add_values(value);
    each.set_remark(part.remark);
  }
  for (const std::string& error : from.sample.errors) probed.add_errors(error);
  probed.set_unsupported(from.sample.unsupported);
  probed.set_inconclusive(from.sample.inconclusive);
  put(from.sample.facts, *probed.mutable_facts());
}
ProbeLink get(const agent::RunProbe::Link& from) {
  ProbeLink link{.listens = from.listens(), .addresses = {}, .secret = from.secret()};
  for (int i = 0; i < std::min(from.hosts_size(), from.ports_size()); ++i)
    link.addresses.push_back({.host = from.hosts(i), .port = static_cast<std::uint16_t>(from.ports(i))});
  return link;
}
DriverRunProbe get(const agent::RunProbe& from) {
  return {.order = OrderId{from.order()},
          .task = {.probe = from.probe(),
                   .arguments = {from.arguments().begin(), from.arguments().end()},
                   .metric = from.metric(),
                   .deadline = Duration(from.deadline_ns()),
                   .link = from.has_link() ? std::optional(get(from.link())) : std::nullopt}};
}
AgentProbed get(const agent::Probed& from) {
  AgentProbed probed{.order = from.order(), .sample = {}};
  for (const agent::Probed::Part& part : from.parts()) {
    std::vector<double> values;
    for (const double value : part.values())
      if (std::isfinite(value)) values.push_back(value);
    if (!values.empty())
      probed.sample.parts.push_back(
          {.part = part.part(), .kind = part.kind(), .values = std::move(values), .remark = part.remark()});
  }
  probed.sample.errors = {from.errors().begin(), from.errors().end()};
  probed.sample.unsupported = from.unsupported();
  probed.sample.inconclusive = from.inconclusive();
  probed.sample.facts = get(from.facts());
  return probed;
}
void put(const AgentRankExited& from, agent::FromAgent& to) {
  agent::RankExited& exited = *to.mutable_exited();
  exited.set_run(from.run);
  exited.set_rank(from.rank);
  exited.set_code(from.code);
  exited.set_at_ns(from.at_ns);
  exited.set_said(from.said);
  exited.set_place(from.place);
  for (const std::string& line : from.last_lines) exited.add_last_lines(line);
}
void put(const AgentInjected& from, agent::FromAgent& to) {
  agent::Injected& injected = *to.mutable_injected();
  injected.set_injection(from.injection);
  injected.set_ok(from.ok);
  injected.set_at_ns(from.at_ns);
  injected.set_why(from.why);
}

AgentClockReading get(const agent::ClockReading& from) {
  return {.asked_ns = from.asked_ns(), .at_ns = from.at_ns()};
}
void put(const AgentRemark& from, agent::FromAgent& to) { to.set_remark(from.text); }
void put(const AgentUndone& from, agent::FromAgent& to) {
  agent::Undone& undone = *to.mutable_undone();
  undone.set_injection(from.injection);
  undone.set_at_ns(from.at_ns);
  undone.set_why(from.why);
}

HostReport get(const agent::HostReport& from) {
  constexpr std::uint32_t kLastLetter = 'z';
  HostReport report{.identity = {.address = from.address(), .pod = from.pod()},
                    .hardware = {.cpu = from.cpu(),
                                 .cores = from.cores(),
                                 .memory_bytes = from.memory_bytes(),
                                 .gpus = {from.gpus().begin(), from.gpus().end()}},
                    .nics = {},
                    .ranks = {},
                    .free_disk_bytes = from.free_disk_bytes()};
  for (const agent::NicCounters& each : from.nics())
    report.nics.push_back({each.name(), each.received_bytes(), each.sent_bytes()});
  for (const agent::RankVitals& each : from.ranks())
    report.ranks.push_back({.rank = each.rank(),
                            .pid = each.pid(),
                            .state = each.state() > kLastLetter ? '?' : static_cast<char>(each.state()),
                            .cpu_ns = each.cpu_ns(),
                            .memory_bytes = each.memory_bytes(),
                            .silent_ns = each.silent_ns()});
  for (const agent::GpuVitals& each : from.gpu_vitals())
    report.gpus.push_back({.name = each.name(),
                           .celsius = each.celsius(),
                           .watts = each.watts(),
                           .megahertz = each.megahertz(),
                           .percent = each.percent(),
                           .memory_bytes = each.memory_bytes(),
                           .processes = each.processes(),
                           .link_bytes = each.link_bytes()});
  return report;
}

AgentHeartbeat get(const agent::Heartbeat& from) {
  AgentHeartbeat heartbeat{
      .number = from.number(), .at_ns = from.at_ns(), .ranks_alive = from.ranks_alive(), .report = {}};
  if (from.has_report()) heartbeat.report = get(from.report());
  return heartbeat;
}

std::optional<AgentMessage> get_seen(std::string_view bytes) {
  const std::optional<Observed> observed = decode_observed(bytes);
  if (!observed || !bytes.empty() || !std::holds_alternative<Seen>(observed->what)) return std::nullopt;
  return AgentSeen{*observed};
}

}  // namespace

agent::ToAgent to_wire(const DriverMessage& message) {
  agent::ToAgent out;
  std::visit([&](const auto& each) { put(each, out); }, message);
  return out;
}

agent::FromAgent to_wire(const AgentMessage& message) {
  agent::FromAgent out;
  std::visit([&](const auto& each) { put(each, out); }, message);
  return out;
}

std::optional<DriverMessage> from_wire(const agent::ToAgent& message) {
  switch (message.what_case()) {
    case agent::ToAgent::kHello:
      return get(message.hello());
    case agent::ToAgent::kLease:
      return DriverLease{Duration(message.lease().lasts_ns()), message.lease().sent_ns()};
    case agent::ToAgent::kWatch:
      return get_watch(message.watch());
    case agent::ToAgent::kUnwatch:
      return DriverUnwatch{WatchId{message.unwatch()}};
    case agent::ToAgent::kStartRanks:
      return get(message.start_ranks());
    case agent::ToAgent::kStopRanks:
      return DriverStopRanks{OrderId{message.stop_ranks().order()}};
    case agent::ToAgent::kTellRanks:
      return get(message.tell_ranks());
    case agent::ToAgent::kRunProbe:
      return get(message.run_probe());
    case agent::ToAgent::kInject:
      return get(message.inject());
    case agent::ToAgent::kUndo:
      return DriverUndo{message.undo().injection()};
    case agent::ToAgent::kQuit:
      return DriverQuit{};
    case agent::ToAgent::WHAT_NOT_SET:
      break;
  }
  return std::nullopt;
}

std::optional<AgentMessage> from_wire(const agent::FromAgent& message) {
  switch (message.what_case()) {
    case agent::FromAgent::kAttending:
      return AgentAttending{
          .epoch = message.attending().epoch(),
          .run = message.attending().run(),
          .ranks = {message.attending().ranks().begin(), message.attending().ranks().end()},
          .identity = {.address = message.attending().address(), .pod = message.attending().pod()},
          .rank_uid = message.attending().has_rank_uid() ? std::optional(message.attending().rank_uid())
                                                         : std::nullopt,
          .clock = get(message.attending().clock()),
          .lapsed_run = message.attending().lapsed_run()};
    case agent::FromAgent::kHeartbeat:
      return get(message.heartbeat());
    case agent::FromAgent::kSeen:
      return get_seen(message.seen());
    case agent::FromAgent::kLine:
      return AgentRankLine{
          .run = message.line().run(), .rank = message.line().rank(), .line = message.line().line()};
    case agent::FromAgent::kDone:
      return AgentDone{
          .order = message.done().order(), .ok = message.done().ok(), .why = message.done().why()};
    case agent::FromAgent::kProbed:
      return get(message.probed());
    case agent::FromAgent::kExited:
      return AgentRankExited{
          .run = message.exited().run(),
          .rank = message.exited().rank(),
          .code = message.exited().code(),
          .at_ns = message.exited().at_ns(),
          .said = message.exited().said(),
          .place = message.exited().place(),
          .last_lines = {message.exited().last_lines().begin(), message.exited().last_lines().end()}};
    case agent::FromAgent::kInjected:
      return AgentInjected{.injection = message.injected().injection(),
                           .ok = message.injected().ok(),
                           .at_ns = message.injected().at_ns(),
                           .why = message.injected().why()};
    case agent::FromAgent::kClock:
      return get(message.clock());
    case agent::FromAgent::kUndone:
      return AgentUndone{.injection = message.undone().injection(),
                         .at_ns = message.undone().at_ns(),
                         .why = message.undone().why()};
    case agent::FromAgent::kRemark:
      return AgentRemark{message.remark()};
    case agent::FromAgent::WHAT_NOT_SET:
      break;
  }
  return std::nullopt;
}

}  // namespace gauntlet
