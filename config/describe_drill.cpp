// [drill]: what a drill on real processes is allowed, and the job that it runs.
#include "config/describe.hpp"
#include "config/fields/argument_vector.hpp"
#include "config/fields/pattern.hpp"
#include "config/fields/types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace gauntlet {
namespace {

constexpr std::array<Choice<ProcessPer>, 2> kPer = {{{"rank", ProcessPer::rank}, {"host", ProcessPer::host}}};
const std::vector<std::string> kStopSignals = {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "none"};
/// Why the drill does not pass on a variable of this name; empty where it does.
std::string problem_of_variable(std::string_view name) {
  if (name.empty()) return "has no name";
  if (name.find('=') != std::string_view::npos) return "has a name with '='";
  if (holds_zero(name)) return "has a name with a zero byte";
  const bool ours =
      std::find(kTorchVariables.begin(), kTorchVariables.end(), name) != kTorchVariables.end() ||
      std::any_of(kOwnPrefixes.begin(), kOwnPrefixes.end(),
                  [&](std::string_view prefix) { return name.starts_with(prefix); });
  return ours ? "is set by the drill itself" : "";
}

void read_environment(const Place& place, std::vector<std::pair<std::string, std::string>>& into) {
  if (place.value().table() == nullptr)
    return wrong_type(place, "a table of texts such as { OMP_NUM_THREADS = \"1\" }");
  into.clear();
  for (auto& [name, value] : *place.value().table()) {
    const std::string problem = problem_of_variable(name);
    if (!problem.empty()) {
      place.mistake_of_key(
          name, problem,
          problem.find("itself") == std::string::npos ? "" : "leave it out: see docs/run-a-drill.md");
      continue;
    }
    const Place each(value, place.path_of(key_to_toml(name)), place.mistakes());
    const std::string* text = read_text(each, "a text; write numbers in quotes");
    if (text == nullptr) continue;
    if (holds_zero(*text)) each.mistake("holds a zero byte, which no variable can");
    into.emplace_back(name, *text);
  }
}

Type environment(std::vector<std::pair<std::string, std::string>>& into) {
  return {[] { return R"({"type": "object", "additionalProperties": {"type": "string"}})"; },
          [&into](const Place& place) { read_environment(place, into); }};
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

void read_log_lines(const Place& place, std::vector<std::pair<std::string, std::string>>& into,
                    World& world) {
  if (place.value().table() == nullptr)
    return wrong_type(place,
                      "a table of regular expressions such as { out_of_memory = 'CUDA out of memory' }");
  into.clear();
  for (auto& [name, value] : *place.value().table()) {
    if (!is_name(name)) {
      place.mistake_of_key(name, "is not a name", "write letters, digits, _ and - alone");
      continue;
    }
    std::string expression;
    pattern(expression).read(Place(value, place.path_of(key_to_toml(name)), place.mistakes()));
    if (expression.empty()) continue;
    into.emplace_back(name, expression);
    if (std::find(world.patterns.begin(), world.patterns.end(), name) == world.patterns.end())
      world.patterns.push_back(name);
  }
}

Type log_lines(std::vector<std::pair<std::string, std::string>>& into, World& world) {
  return {[] { return R"({"type": "object", "additionalProperties": {"type": "string", "minLength": 1}})"; },
          [&into, &world](const Place& place) { read_log_lines(place, into, world); }};
}

void describe(Fields& fields, ProgressLines& lines) {
  fields.field("step", step_pattern(lines.step), Fallback::required("'^step (\\d+)'"),
               "a complete step, its number in the first group");
  fields.field("saved", step_pattern(lines.saved), Fallback::optional(),
               "a durable checkpoint, the number of its step in the first group");
  fields.field("resumed", step_pattern(lines.resumed), Fallback::optional(),
               "training goes on after the step in the first group");
  fields.field("timed_out", pattern(lines.timed_out), Fallback::optional(),
               "a rank waited for another longer than the collective timeout");
  describe_source(fields);
}

void describe(Fields& fields, JobCommand& command) {
  fields.field("arguments", argument_vector(command.arguments),
               Fallback::required("[\"python3\", \"train.py\"]"),
               "the program and its arguments; no shell reads them");
  fields.field("directory", text(command.directory), Fallback::value("\"\""),
               "working directory, relative to where the drill is started");
  fields.field("per", choice<ProcessPer>(command.per, kPer, "what a process is started for"),
               "a process for each rank, or one for each host, which starts the host's ranks (torchrun)");
  fields.field("stop_signal", name(command.stop_signal, kStopSignals, "a signal"),
               "the signal that asks a process to end");
  fields.field("grace", duration(command.grace, Sign::not_negative), "time from the stop signal to SIGKILL");
  fields.inline_table(
      "lines", [&](Fields& f) { describe(f, command.lines); },
      "regular expressions (RE2) for lines that ranks print; for a job without gauntlet_rank");
  describe_source(fields);
}

}  // namespace

void describe_drill(Fields& fields, World& world) {
  DrillModel& drill = world.drill;
  fields.field("inject", flag(drill.inject),
               "whether `gauntlet drill` may inject the faults into real processes");
  fields.field("lease", duration(drill.lease, Sign::positive), Fallback::value("\"10s\""),
               "when their driver was not heard for so long, ranks stop and injected faults are undone");
  fields.field("at_once", whole_number(drill.at_once, {0, 1'000'000}), Fallback::value("0"),
               "so many faults act together at most, and others are not injected; 0: no bound");
  fields.field("clock_spread", duration(drill.clock_spread, Sign::not_negative), Fallback::value("\"1h\""),
               "how far ahead the clock of the last host of a lab is; the others lie evenly between");
  fields.inline_table(
      "command", [&](Fields& f) { describe(f, drill.command); },
      "the user's own job, in place of the trainer that comes with Gauntlet");
  fields.field("environment", environment(drill.command.environment), Fallback::optional(),
               "variables for the processes of the job");
  fields.field("lines", log_lines(drill.lines, world), Fallback::optional(),
               "regular expressions (RE2) that find log lines, by the names that detection.lines has");
  describe_source(fields);
}

}  // namespace gauntlet
