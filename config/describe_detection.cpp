// The constants of the detectors. Defaults are published values where there are any.
#include "config/describe.hpp"
#include "config/fields/types.hpp"
#include "config/toml/nearest.hpp"
#include "core/saturating.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// A NIC that goes down logs it, and comes back: `log` leaves that line to `flap`.
constexpr std::string_view kNicDown = "nic_down";

/// Of the catalogue, where tables of lines are.
constexpr std::string_view kFolder = "lines";

constexpr std::array<Choice<LineAction>, 5> kActions = {{
    {"replace", LineAction::replace},
    {"restart", LineAction::restart},
    {"save", LineAction::save},
    {"alert", LineAction::alert},
    {"ignore", LineAction::ignore},
}};
constexpr std::array<Choice<bool>, 2> kMfuActions = {{{"alert", false}, {"restart", true}}};
constexpr Range<std::int64_t> kSamples{1, 10'000};

std::vector<std::string> lines_of(const World& world) {
  return {world.patterns.begin() + kVictimsPatterns, world.patterns.end()};
}

/// The worst with which any fault of the scenario logs the line.
Severity severity_of(const World& world, std::uint32_t line) {
  Severity worst = Severity::info;
  for (const FaultKind& fault : world.faults)
    if (fault.symptoms.log == PatternId{kVictimsPatterns + line})
      worst = std::max(worst, fault.symptoms.severity);
  return worst;
}

/// What is done about a line that no table names: a warning is told to a person, an error costs its host the place.
LineAction usual_action(const std::string& line, Severity severity) {
  if (line == kNicDown || severity == Severity::info) return LineAction::ignore;
  return severity == Severity::warning ? LineAction::alert : LineAction::replace;
}

std::vector<LineAction> usual_actions(const World& world, const std::vector<std::string>& lines) {
  std::vector<LineAction> out;
  for (std::uint32_t i = 0; i < lines.size(); ++i)
    out.push_back(usual_action(lines[i], severity_of(world, i)));
  return out;
}

std::string_view word_for(LineAction action) {
  return std::find_if(kActions.begin(), kActions.end(),
                      [&](const auto& each) { return each.second == action; })
      ->first;
}

/// Written in a table of the catalogue, which serves many scenarios and names lines that this one does not have.
bool from_catalogue(const Value& entry) {
  if (entry.at.kind != Origin::Kind::file || !entry.at.file) return false;
  const std::filesystem::path folder = std::filesystem::path(*entry.at.file).lexically_normal().parent_path();
  return folder.filename() == kFolder && folder.parent_path().filename() == "catalog";
}

/// Leaves in the table what this scenario has: unknown lines of a catalogue's table are dropped, others reported.
void keep_known(const Place& place, const std::vector<std::string>& lines) {
  Value::Table& table = *place.value().table();
  for (auto entry = table.begin(); entry != table.end();) {
    const bool known =
        entry->first == "source" || std::find(lines.begin(), lines.end(), entry->first) != lines.end();
    if (!known && from_catalogue(entry->second)) {
      entry = table.erase(entry);
      continue;
    }
    if (!known)
      place.mistake_of_key(entry->first, "is not a log line of this scenario",
                           suggest_names(entry->first, lines));
    ++entry;
  }
}

/// A table of lines and what is done when one is logged, or the name of one in the catalogue.
Type line_table(std::vector<LineRule>& into, std::vector<std::string> lines, std::vector<LineAction> usual) {
  Type type;
  type.schema = [] {
    return R"({"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": )" +
           names_schema(words_of<LineAction>(kActions)) + "}]}";
  };
  type.folder = kFolder;
  type.read = [&into, lines = std::move(lines), usual = std::move(usual)](const Place& place) {
    into.clear();
    if (place.value().string() != nullptr) return;  // in no catalogue, which has been reported
    if (place.value().table() == nullptr)
      return wrong_type(place,
                        "a table such as { xid_79 = \"replace\" }, or a name of the catalogue's lines");
    keep_known(place, lines);
    for (std::uint32_t i = 0; i < lines.size(); ++i) {
      LineRule rule{PatternId{kVictimsPatterns + i}, usual[i]};
      if (const auto given = place.find(lines[i])) {
        choice<LineAction>(rule.action, kActions, "what can be done about a line").read(*given);
      } else {
        Value value{std::string(word_for(rule.action)), {}, {}, false};
        value.at.kind = Origin::Kind::computed;  // from the severity of the line
        place.value().table()->emplace(lines[i], std::move(value));
      }
      into.push_back(rule);
    }
  };
  return type;
}

/// Lines of this scenario, as ids.
Type lines(std::vector<PatternId>& into, std::vector<std::string> known) {
  std::vector<std::string> unused;
  Type type = names(unused, known, "a log line of this scenario");
  type.read = [&into, known = std::move(known)](const Place& place) {
    std::vector<std::string> chosen;
    names(chosen, known, "a log line of this scenario").read(place);
    into.clear();
    for (const std::string& name : chosen) {
      const auto index = std::find(known.begin(), known.end(), name) - known.begin();
      into.push_back(PatternId{kVictimsPatterns + static_cast<std::uint32_t>(index)});
    }
  };
  return type;
}

Type samples(std::uint16_t& into) { return whole_number(into, kSamples); }

void describe(Fields& fields, LearnedHangConstants& learned) {
  fields.field("samples", samples(learned.samples), "steps after each start that it learns from");
  fields.field("multiple", number(learned.multiple, {1, 1e6, true}),
               "the multiple of the longest of them (NVRx: 5)");
  fields.field("floor", duration(learned.floor, Sign::positive), "the shortest timeout");
}

void describe(Fields& fields, TrafficStoppedConstants& traffic) {
  fields.field("lasting", duration(traffic.lasting, Sign::positive),
               "the time without any traffic after which the job is stopped (ByteRobust: 10min, "
               "https://arxiv.org/abs/2509.16293)");
}

void describe(Fields& fields, TrafficPeriodConstants& traffic) {
  fields.field("least", number(traffic.least, {0, 1, true}),
               "share of the mean below which traffic has declined (assumption)");
  fields.field("fluctuation", number(traffic.fluctuation, {0, 1, true}),
               "share by which the period may differ from the learned one (assumption)");
  fields.field("samples", samples(traffic.samples), "periods that it learns from");
}

void describe(Fields& fields, FailSlowConstants& slow) {
  fields.field("peers", samples(slow.peers), "hosts of each pipeline stage that are asked");
  fields.field("samples", samples(slow.samples), "timings of each of them");
  fields.field(
      "deviations", number(slow.deviations, {0, 1e6, true}),
      "robust standard deviations above the median beyond which a host is slow (Iglewicz and Hoaglin 1993)");
  fields.field("least_excess", number(slow.least_excess, {0, 10, true}),
               "smallest excess over the median, as a share");
  fields.field(
      "continuity", duration(slow.continuity, Sign::positive),
      "time for which a host must be slow without a break (Minder: 4min, https://arxiv.org/abs/2411.01791)");
  fields.field("change", number(slow.change, {0, 10, true}),
               "change-point: smallest change of the step time that counts, as a share (GREYHOUND: 0.1)");
}

void describe(Fields& fields, MfuConstants& mfu) {
  fields.field("samples", samples(mfu.samples), "steps after a start that the best is learned from");
  fields.field("decline", number(mfu.decline, {0, 0.99, true}),
               "the decline from the best that counts (assumption: GREYHOUND's threshold of a change)");
  fields.field("lasting", duration(mfu.lasting, Sign::positive),
               "time for which the decline must last (assumption)");
  fields.field("action", choice<bool>(mfu.restart, kMfuActions, "what can be done about a decline"),
               "alert: a person is told; restart: the job is saved and started again");
}

void describe(Fields& fields, LossConstants& loss) {
  fields.field("spike", number(loss.spike, {0, 1e9, true}),
               "robust standard deviations above the running median that are a spike (assumption)");
}

void describe(Fields& fields, FlapConstants& flap, const std::vector<std::string>& known) {
  const bool there = std::find(known.begin(), known.end(), kNicDown) != known.end();
  fields.field("lines", lines(flap.lines, known), Fallback::computed([there] {
                 return there ? "[\"" + std::string(kNicDown) + "\"]" : std::string("[]");
               }),
               "log lines that a host logs when one of its NICs goes down");
  fields.field("returns", whole_number(flap.returns, {1, 1'000'000}),
               "returns of one host within the window (gpud: 3 in 12h, each after 25s down)");
  fields.field("window", duration(flap.window, Sign::positive), "the time within which they are counted");
  fields.field("least_down", duration(flap.least_down, Sign::not_negative),
               "shorter ones do not count, by the traffic of the job; 0s: all count");
  fields.field("apart", duration(flap.apart, Sign::not_negative),
               "a line and the traffic around it arrive at most (assumption: both take telemetry.delay)");
  fields.field("quarantine", duration(flap.quarantine, Sign::not_negative),
               "before the host may serve again (Ascend MindCluster looks back over 24h)");
}

/// What the culprit's own exit may take to be heard of, and a second.
Duration usual_gather(const Telemetry& telemetry) {
  const Duration heard = sum(telemetry.heartbeat_period, telemetry.heartbeat_jitter);
  return sum(heard, sum(telemetry.delay, std::chrono::seconds(1)));
}

/// The lines by which faults that corrupt the job's numbers show.
std::vector<const Symptoms*> logged_corruptions(const World& world) {
  std::vector<const Symptoms*> out;
  for (const FaultKind& fault : world.faults) {
    const auto& line = fault.symptoms.log;
    if (fault.effect == Effect::corrupt && line && line->value >= kVictimsPatterns)
      out.push_back(&fault.symptoms);
  }
  return out;
}

std::string usual_corruption_lines(const World& world) {
  std::set<std::string> named;
  for (const Symptoms* symptoms : logged_corruptions(world))
    named.insert(world.patterns[symptoms->log->value]);
  std::string out;
  for (const std::string& line : named) out += (out.empty() ? "\"" : ", \"") + line + "\"";
  return "[" + out + "]";
}

/// All but one in a hundred come sooner, by a clock that is as fast as may be.
Duration usual_lateness(const World& world) {
  Duration late{};
  for (const Symptoms* symptoms : logged_corruptions(world))
    late = std::max(late, after(after(kStart, from_seconds(symptoms->log_delay.time_at_survival(0.01))),
                                world.telemetry.clock_error) -
                              kStart);
  return late;
}

void describe(Fields& fields, CorruptionConstants& corruption, const World& world,
              const std::vector<std::string>& known) {
  fields.field("lines", lines(corruption.lines, known),
               Fallback::computed([&world] { return usual_corruption_lines(world); }),
               "log lines that tell of wrong numbers: the job goes back to a checkpoint from before them");
  fields.field("late", duration(corruption.late, Sign::not_negative),
               Fallback::computed([&world] { return in_quotes(to_text(usual_lateness(world))); }),
               "such a line is written up to so long after the numbers went wrong");
}

std::string usual_lines(const std::vector<std::string>& lines, const std::vector<LineAction>& usual) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out +=
        (out.empty() ? " " : ", ") + key_to_toml(lines[i]) + " = \"" + std::string(word_for(usual[i])) + "\"";
  return "{" + out + (out.empty() ? "}" : " }");
}

}  // namespace

void describe(Fields& fields, DetectionConstants& detection, const World& world) {
  fields.field("timeout", duration(detection.heartbeat_timeout, Sign::positive),
               "silence of a host after which it counts as lost");
  fields.field("hang_timeout", duration(detection.hang_timeout, Sign::positive),
               "no step completed for so long counts as a hang (DLRover: 10min)");
  fields.field("collective_timeout", duration(detection.collective_timeout, Sign::positive),
               "a rank that waits longer for a collective aborts (PyTorch: 10min)");
  fields.field(
      "gather", duration(detection.gather, Sign::not_negative),
      Fallback::computed([&] { return in_quotes(to_text(usual_gather(world.telemetry))); }),
      "a stopped job without a named culprit waits this long for one before it is stopped; 0s: no wait");
  fields.field(
      "clock_error", duration(detection.clock_error, Sign::not_negative),
      Fallback::computed([&] { return in_quotes(to_text(world.telemetry.clock_error)); }),
      "host clocks may be off by so much: a report is older than the last start only if it is so even then");
  const std::vector<std::string> known = lines_of(world);
  const std::vector<LineAction> usual = usual_actions(world, known);
  fields.field("lines", line_table(detection.lines, known, usual),
               Fallback::computed([known, usual] { return usual_lines(known, usual); }),
               "what is done about each log line, or the name of such a table in the catalogue: replace the "
               "host, restart, save (a checkpoint just in time), alert a person, ignore");
  const auto part = [&](std::string_view name, auto& constants, std::string_view doc) {
    fields.table(
        name, [&](Fields& f) { describe(f, constants); }, doc);
  };
  part("learned_hang", detection.learned_hang, "constants of learned-hang");
  part("traffic_stopped", detection.traffic_stopped, "constants of traffic-stopped");
  part("traffic_period", detection.traffic_period, "constants of traffic-period");
  part("fail_slow", detection.fail_slow, "constants of fail-slow and change-point");
  part("mfu", detection.mfu, "constants of mfu");
  part("loss", detection.loss, "constants of loss");
  fields.table(
      "corruption", [&](Fields& f) { describe(f, detection.corruption, world, known); },
      "lines that tell of wrong numbers, for log");
  fields.table(
      "flap", [&](Fields& f) { describe(f, detection.flap, known); }, "constants of flap");
  describe_source(fields);
}

}  // namespace gauntlet
