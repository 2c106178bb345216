// gauntlet timeline: a trace of a run, for Perfetto.
#include "commands/timeline/command.hpp"

#include "commands/timeline/assemble.hpp"
#include "commands/timeline/source.hpp"
#include "report/units.hpp"
#include "report/words.hpp"
#include "shell/exit_code.hpp"
#include "shell/interrupt.hpp"
#include "shell/output_file.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <memory>

namespace gauntlet {
namespace {

struct TimelineRequest : TimelineQuestion {
  std::string out;
};

std::string summary_of(const TimelineCounts& run) {
  std::string text =
      fmt::format("{}: {}, {}, {}, {}", run.title, counted(static_cast<double>(run.faults), "fault"),
                  counted(static_cast<double>(run.observations), "observation"),
                  counted(static_cast<double>(run.orders), "order"),
                  counted(static_cast<double>(run.checkpoints), "checkpoint"));
  if (run.checkpoints_each > 1)
    text += fmt::format(", up to {} of which are one slice", run.checkpoints_each);
  return text + "\n";
}

std::string answer_of(const TimelineRequest& request, const Timeline& timeline) {
  std::string text;
  for (const TimelineCounts& each : timeline.runs) text += summary_of(each);
  constexpr double kMega = 1e6;
  return text + fmt::format("{} has {}, {}, {}: {:.1f} MB. Open it at https://ui.perfetto.dev.\n",
                            request.out, counted(static_cast<double>(timeline.tracks), "track"),
                            counted(static_cast<double>(timeline.arrows), "arrow"),
                            counted(static_cast<double>(timeline.events), "event"),
                            static_cast<double>(timeline.text.size()) / kMega);
}

int write_timeline(const TimelineRequest& request) {
  if (const auto problem = problem_of_output(request.out, timeline_begins(), "a timeline", "--out"))
    return wrong_input(*problem);
  const TimelineSource source = find_runs(request, stop_on_interrupt());
  if (source.interrupted) {
    complain("interrupted before the simulation ended: nothing is written");
    return kSignalBase + interrupting_signal();
  }
  if (!source.problems.empty()) return wrong_input(source.problems);
  const Timeline timeline = timeline_of(source.runs);
  if (timeline.text.empty())
    return wrong_input(Problem{
        .file = request.source,
        .why = fmt::format("has {} events; a trace holds at most {}",
                           count_text(static_cast<double>(timeline.events)), count_text(kMostTraceEvents)),
        .suggestion = "shorten job.window or job.steps"});
  if (const auto problem = write_output(request.out, timeline.text)) {
    print_problems({&*problem, 1});
    return kFailed;
  }
  if (!print(answer_of(request, timeline))) return kFailed;
  if (!source.missing) return kSuccess;
  print_problems({&*source.missing, 1});
  return kFailed;
}

int timeline_command(const TimelineRequest& request) {
  try {
    return write_timeline(request);
  } catch (const std::exception& error) {
    complain(fmt::format("the timeline failed: {}", text_of(error)));
    return kFailed;
  }
}

void add_timeline_options(Command& timeline) {
  const auto request = std::make_shared<TimelineRequest>();
  timeline
      .value("source", request->source,
             "A scenario, a recording (--record of `gauntlet run` or `gauntlet drill`), or a directory "
             "(--out of "
             "`gauntlet drill`)")
      .type_name("SOURCE")
      .required();
  timeline.value("--out", request->out, "Write the trace here").type_name("FILE").required();
  timeline.value("--replica", request->replica, "The replica of a scenario, counted from 0 (default: 0)")
      .type_name("K")
      .between(0, 1'000'000'000);
  add_seed(timeline, request->seed, "Seed of a scenario (default: the scenario's)");
  add_sets(timeline, request->sets);
  timeline
      .value("--drill", request->drill, "The drill of a directory of several, counted from 1 (default: 1)")
      .type_name("N")
      .between(1, 1000);
  timeline.flag("--against-simulation", request->against_simulation,
                "Also simulate the fault plan of a drill, and show both, one below the other");
  timeline.runs([request] { return timeline_command(*request); });
}

}  // namespace

void add_timeline(Program& program) {
  program.command("timeline",
                  "Write a trace of one replica or drill for Perfetto: phases, faults, orders, hosts",
                  "  gauntlet timeline llama3-405b-54d --replica 3 --out replica.json\n"
                  "  gauntlet timeline drill.rec --out drill.json\n"
                  "  gauntlet timeline drill.rec --against-simulation --out worlds.json\n"
                  "  gauntlet timeline drills --drill 2 --out second.json",
                  add_timeline_options);
}

}  // namespace gauntlet
