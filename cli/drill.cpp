// gauntlet drill: the same controller on real processes, through real faults.
#include "cli/commands.hpp"
#include "cli/drill/repeat.hpp"
#include "cli/drill/single.hpp"
#include "cli/job_checks.hpp"
#include "core/files/read.hpp"
#include "real/driver/drill_place.hpp"
#include "real/driver/job_start.hpp"
#include "shell/exit_code.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Policies that only simulated machines obey: the agents start ranks in one way, and only our trainer keeps checkpoints in memory.
std::vector<Problem> check_obeyed(const PolicyConstants& policies, const JobCommand& command) {
  std::vector<Problem> problems;
  const auto refuse = [&](bool asked, std::string what, std::string suggestion) {
    if (!asked) return;
    problems.push_back({.file = "",
                        .what = std::move(what),
                        .why = "cannot be drilled",
                        .suggestion = std::move(suggestion)});
  };
  const PolicyNames& names = policies.names;
  refuse(names.checkpoint == "two-level", "policies.checkpoint = \"two-level\"",
         "the intervals of the tiers do not change in a drill: write \"fixed\", \"young\", \"daly\" or "
         "\"exact\"");
  const CheckpointConstants& checkpoint = policies.checkpoint;
  const std::string own_job = "a job of your own keeps no checkpoints in memory: leave it out";
  refuse(checkpoint.memory_interval != kForever && command.given(), "checkpoint.memory_interval", own_job);
  refuse(checkpoint.peers_interval != kForever && command.given(), "checkpoint.peers_interval", own_job);
  const RecoveryConstants& recovery = policies.recovery;
  refuse(recovery.roll_back > 0, fmt::format("recovery.roll_back = {}", recovery.roll_back), "write 0");
  refuse(!policies.detection.corruption.lines.empty(), "detection.corruption.lines", "write []");
  return problems;
}

/// A command that this machine cannot start, at its place in the scenario.
std::optional<Problem> check_command(const LoadedScenario& loaded, const std::optional<RankUser>& user) {
  const JobCommand& command = loaded.scenario->world.drill.command;
  auto problem = command.given() ? problem_of_command(command, user) : std::nullopt;
  if (!problem) return std::nullopt;
  const Value* value = loaded.resolved.find(problem->what);
  if (value == nullptr || !value->at.written()) return problem;
  problem->what += " = " + excerpt(*value);
  problem->line = value->at.line;
  problem->column = value->at.column;
  return problem;
}

/// Who ranks run as, and whether he reaches what they need.
std::optional<Problem> check_user(const DrillRequest& request, const World& world) {
  std::optional<RankUser> user;
  if (auto problem = find_rank_user(request.launch.run_as, geteuid(), user)) return problem;
  if (!user) return std::nullopt;
  const JobCommand& command = world.drill.command;
  const std::string& directory = command.directory.empty() ? "." : command.directory;
  const std::string folder_of_trainer = std::filesystem::path(trainer_path()).parent_path().string();
  const auto closed = [&](const std::string& path, const std::string& what,
                          const std::string& suggestion) -> std::optional<Problem> {
    const std::string folder = closed_folder(*user, path);
    if (folder.empty()) return std::nullopt;
    return Problem{.what = "--run-as " + request.launch.run_as,
                   .why = "cannot reach " + what + ": " + folder + " is closed to user " + user->name,
                   .suggestion = suggestion};
  };
  if (auto problem =
          closed(drill_base(), "the files of the drill", "set TMPDIR to a directory that is open to it"))
    return problem;
  if (command.given()) return closed(directory, "the directory of the job", "open it to the user: chmod o+x");
  return closed(folder_of_trainer, "the trainer", "open it to the user: chmod o+x");
}

/// The log is appended to a file, or to none: a device or a link may lead anywhere, and a FIFO waits for its reader.
std::optional<Problem> check_log(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return std::nullopt;
  const auto refused = [&](const std::string& why, const std::string& suggestion) {
    return Problem{.what = "--log " + path, .why = why, .suggestion = suggestion};
  };
  std::error_code error;
  if (fs::symlink_status(path, error).type() == fs::file_type::symlink)
    return refused("is a symbolic link, which is not followed", "name the file itself");
  if (const auto why = not_a_file(path)) return refused(*why, "name a file, or what does not exist yet");
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    return refused("cannot be made: " + folder.string() + " is not a directory", "make the directory first");
  return std::nullopt;
}

/// Two options that would write over each other's files. A recording has its state beside it, and SQLite its logs.
std::optional<Problem> check_files(const DrillRequest& request) {
  struct Written {
    std::string option, file;
    std::vector<std::string> endings;
  };
  const std::vector<Written> all = {{"--log", request.log, {""}},
                                    {"--record", request.record, {"", ".state"}},
                                    {"--segments", request.segments, {"", "-wal", "-shm", "-journal"}}};
  std::map<std::filesystem::path, std::string> taken;
  for (const Written& each : all) {
    if (each.file.empty()) continue;
    for (const std::string& ending : each.endings) {
      const std::string file = each.file + ending;
      const auto [other, is_free] =
          taken.emplace(std::filesystem::absolute(file).lexically_normal(), each.option);
      if (is_free) continue;
      return Problem{.what = each.option + " " + each.file,
                     .why = ending.empty() ? "is a file of " + other->second + " too"
                                           : "needs " + file + ", which is a file of " + other->second,
                     .suggestion = "name another file"};
    }
  }
  return std::nullopt;
}

/// Options that mean something with --repeat alone, or not with it.
std::optional<Problem> check_repeat(const DrillRequest& request) {
  if (request.vary_seed && request.repeat == 0)
    return Problem{.what = "--vary-seed",
                   .why = "has no effect on one drill",
                   .suggestion = "say how many with --repeat N"};
  if (request.repeat > 0 && request.out.empty())
    return Problem{.what = fmt::format("--repeat {}", request.repeat),
                   .why = "keeps every drill, and nothing says where",
                   .suggestion = "name a directory with --out DIR"};
  return std::nullopt;
}

std::vector<Problem> problems_of(const DrillRequest& request, const LoadedScenario& loaded) {
  const Scenario& scenario = *loaded.scenario;
  const World& world = scenario.world;
  std::vector<Problem> problems = check_drillable(world);
  const auto add = [&problems](std::vector<Problem> more) {
    std::move(more.begin(), more.end(), std::back_inserter(problems));
  };
  if (!request.no_faults) add(check_injections_of(world, request.launch.launcher));
  add(check_probes(world, probes_of(loaded)));
  add(check_lines(scenario));
  add(check_sizes(scenario));
  add(check_signals(scenario, sources_of_launcher(request.launch.launcher)));
  if (auto problem = check_command(loaded, user_of(request))) problems.push_back(std::move(*problem));
  add(check_obeyed(scenario.policies, world.drill.command));
  for (Problem& problem : problems) problem.file = request.scenario;
  if (request.hosts != world.inventory.hosts()) {
    problems.push_back(
        {.file = request.scenario,
         .what = fmt::format("--hosts {}", request.hosts),
         .why = fmt::format("does not fit: the scenario has {} hosts for the job and {} spares",
                            world.inventory.job_hosts, world.inventory.spares),
         .suggestion = fmt::format("write --hosts {}", world.inventory.hosts())});
  }
  if (auto problem = check_repeat(request)) problems.push_back(std::move(*problem));
  if (auto problem = check_log(request.log)) problems.push_back(std::move(*problem));
  for (const auto& [option, file] :
       {std::pair("--segments ", request.segments), std::pair("--segments-queue ", request.segments_queue)}) {
    if (file.empty() || !world.drill.command.lines.any()) continue;
    problems.push_back({.file = request.scenario,
                        .what = option + file,
                        .why = "has no effect: the job only prints lines, and no times of segments",
                        .suggestion = "leave it out, or drill a job that calls gauntlet_rank"});
  }
  if (auto problem = check_files(request)) problems.push_back(std::move(*problem));
  auto problem_of_place = problem_of_drill_base();
  if (!problem_of_place) problem_of_place = check_user(request, world);
  if (problem_of_place) problems.push_back(std::move(*problem_of_place));
  if (!world.drill.command.given() && access(trainer_path().c_str(), X_OK) != 0) {
    problems.push_back(
        {.file = trainer_path(), .why = "is not there", .suggestion = "build everything: make build"});
  }
  return problems;
}

int drill_command(const DrillRequest& request) {
  const auto loaded = load_scenario(request.scenario, request.sets);
  if (!loaded.scenario) return wrong_input(loaded.problems);
  const std::vector<Problem> problems = problems_of(request, loaded);
  if (!problems.empty()) return wrong_input(problems);
  const ResolvedScenario resolved = {.annotated = show(loaded, Comments::full),
                                     .values = show(loaded, Comments::none),
                                     .tree = loaded.resolved};
  const ProbeMeasures probes = probes_of(loaded);
  const DrillTask task = {request, *loaded.scenario, resolved, probes};
  try {
    return request.repeat > 0 ? repeat_drill(task) : drill_once(task);
  } catch (const std::system_error& error) {
    const bool exhausted = error.code() == std::errc::resource_unavailable_try_again;
    complain(fmt::format(
        "the drill failed: {}{}", error.what(),
        exhausted ? "; a thread or a process cannot be started: raise `ulimit -u`, or end others" : ""));
    return kFailed;
  } catch (const std::exception& error) {
    complain(fmt::format("the drill failed: {}{}", text_of(error), continuation_of(request)));
    return kFailed;
  }
}

void add_drill_options(Command& drill) {
  const auto request = std::make_shared<DrillRequest>();
  add_scenario(drill, request->scenario);
  drill
      .value("--hosts", request->hosts,
             "Number of agents, one per host: hosts and spare hosts of the scenario together")
      .type_name("N")
      .required()
      .between(1, 1000);
  add_seed(drill, request->seed, "Seed of the fault plan and of the training (default: the scenario's)");
  add_sets(drill, request->sets);
  Option record =
      drill
          .value("--record", request->record,
                 "Write every observation and order here as it comes; an unfinished recording is continued")
          .type_name("FILE");
  drill.value("--out", request->out, "Write the results here, as `gauntlet run` does").type_name("DIR");
  Option repeat =
      drill
          .value(
              "--repeat", request->repeat,
              "Drill so many times, each beside its simulation, and compare; what --out already has is not "
              "drilled again")
          .type_name("N")
          .between(1, 1000)
          .excludes(record);
  drill.flag(
      "--vary-seed", request->vary_seed,
      "With --repeat: drill K has the seed of the first plus K - 1, so each has a fault plan of its own");
  drill.value("--log", request->log, "Also append the log here: a line of JSON for each event")
      .type_name("FILE");
  drill
      .value("--segments", request->segments,
             "Write the time of each segment of each rank into this SQLite database: `gauntlet segments "
             "FILE` names slow ranks")
      .type_name("FILE")
      .excludes(repeat);
  drill
      .value("--segments-queue", request->segments_queue,
             "Send the same to a topic of Kafka; the file has lines NAME=VALUE: topic, bootstrap.servers and "
             "librdkafka's others")
      .type_name("FILE")
      .excludes(repeat);
  drill
      .value("--metrics", request->metrics,
             "Serve metrics for Prometheus at this port of 127.0.0.1; 0: any that is free")
      .type_name("PORT")
      .check([](const std::string& text) {
        if (port_of(text)) return std::string();
        return fmt::format(
            "{} is not a port, which is 0 to 65535: metrics are served on 127.0.0.1 alone, without "
            "encryption; "
            "let a proxy with TLS and a password forward them",
            text);
      });
  Option json = add_json(drill, request->json);
  drill.flag("--no-faults", request->no_faults, "Inject no faults: the same training without faults");
  add_launch_options(drill, request->launch);
  drill
      .flag("--against-simulation", request->against_simulation,
            "Also simulate the same fault plan, and print both side by side")
      .excludes(json);
  drill.flag("--dry-run", request->dry_run, "List what would be started and injected, and start nothing")
      .excludes(json)
      .excludes(repeat);
  drill.runs([request] { return drill_command(*request); });
}

}  // namespace

void add_drill(Program& program) {
  program.command(
      "drill", "Run the policies of a scenario on real processes, with real faults",
      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --dry-run\n"
      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4\n"
      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --against-simulation\n"
      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --repeat 20 --vary-seed --out drills\n"
      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --certs lab-ca\n"
      "  gauntlet drill scenarios/drills/given.toml --hosts 4 --launch given "
      "--host-file scripts/given/hosts.toml --certs lab-ca\n"
      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --record drill.rec && "
      "gauntlet replay drill.rec",
      add_drill_options);
}

}  // namespace gauntlet
