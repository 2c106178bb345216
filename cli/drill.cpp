// gauntlet drill: the same controller on real processes, through real faults.
#include "real/driver/drill.hpp"

#include "cli/commands.hpp"
#include "cli/drill_progress.hpp"
#include "cli/drill_sections.hpp"
#include "cli/dry_run.hpp"
#include "cli/job_checks.hpp"
#include "cli/launchers.hpp"
#include "config/scenario.hpp"
#include "core/files/read.hpp"
#include "policies/controller/controller.hpp"
#include "real/control/control_server.hpp"
#include "real/control/metrics.hpp"
#include "real/driver/drill_place.hpp"
#include "real/driver/job_start.hpp"
#include "real/driver/leftovers.hpp"
#include "real/launch/machine_platform.hpp"
#include "report/side_by_side.hpp"
#include "report/text.hpp"
#include "score/score.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/interrupt.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "sim/faults/fault_plan.hpp"
#include "study/point.hpp"
#include "study/replica.hpp"
#include "study/statistics.hpp"
#include "study/store/directory/result_directory.hpp"
#include "study/summary/summary_json.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

namespace gauntlet {
namespace {

struct DrillRequest {
  std::string scenario;
  std::vector<std::string> sets;
  std::uint32_t hosts = 0;            // agents to start: the scenario's hosts and spares
  std::optional<std::uint64_t> seed;  // the scenario's, where not given
  std::string record;                 // an unfinished one goes on; empty: none is kept
  std::string out;
  LaunchRequest launch;  // as far as the command line says it
  std::string metrics;   // a port; empty: none is served
  std::string log;       // empty: in the directory of the drill alone
  bool json = false;
  bool no_faults = false;
  bool against_simulation = false;
  bool dry_run = false;
};

/// This program and the trainer beside it.
std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }
std::string trainer_path() {
  return (std::filesystem::path(own_path()).parent_path() / "gauntlet-trainer").string();
}

/// Where nobody asked for the recording it still is what a drill runs on, until it ends.
class TemporaryRecord {
 public:
  explicit TemporaryRecord(const std::string& wanted) : path_(wanted) {
    if (!wanted.empty()) return;
    remove_leftovers(drill_base());  // of drivers that were killed
    path_ = new_temporary_record();
    directory_ = std::filesystem::path(path_).parent_path().string();
  }
  ~TemporaryRecord() {
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored_);
  }
  TemporaryRecord(const TemporaryRecord&) = delete;
  TemporaryRecord& operator=(const TemporaryRecord&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_, directory_;
  std::error_code ignored_;
};

std::optional<std::uint16_t> port_of(const std::string& text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(port) : std::nullopt;
}

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

/// The user of --run-as; empty where ranks run as this process does. check_user() says what is wrong with it.
std::optional<RankUser> user_of(const DrillRequest& request) {
  std::optional<RankUser> user;
  static_cast<void>(find_rank_user(request.launch.run_as, geteuid(), user));
  return user;
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
  if (auto problem = check_log(request.log)) problems.push_back(std::move(*problem));
  auto problem_of_place = problem_of_drill_base();
  if (!problem_of_place) problem_of_place = check_user(request, world);
  if (problem_of_place) problems.push_back(std::move(*problem_of_place));
  if (!world.drill.command.given() && access(trainer_path().c_str(), X_OK) != 0) {
    problems.push_back(
        {.file = trainer_path(), .why = "is not there", .suggestion = "build everything: make build"});
  }
  return problems;
}

/// How far ahead faults are planned: well beyond the fault-free run, for one that takes longer meets more.
Time horizon(const World& world) {
  if (world.job.window > Duration::zero()) return kStart + world.job.window;
  return kStart + 10 * world.job.steps * world.job.step_time;
}

/// The scenario as the results need it.
struct Resolved {
  std::string annotated;  // for people
  std::string values;     // what makes it the same
};

/// The command that drills the same again.
std::string command_of(const DrillRequest& request, std::uint64_t seed) {
  return CommandLine("gauntlet drill", request.scenario)
      .number("--hosts", std::optional(request.hosts))
      .option("--set", request.sets)
      .number("--seed", std::optional(seed))
      .flag("--no-faults", request.no_faults)
      .option("--launch", request.launch.launcher == "local" ? "" : request.launch.launcher)
      .option("--run-as", request.launch.run_as)
      .option("--certs", request.launch.certificates)
      .option("--host-file", request.launch.host_file)
      .text();
}

ResultDirectory::Opened open_results(const DrillRequest& request, const ScenarioFacts& facts,
                                     const Resolved& resolved) {
  const StudyIdentity study = {.command = "drill",
                               .arguments = command_of(request, facts.seed),
                               .version = facts.version,
                               .seed = facts.seed,
                               .scenario = facts.name,
                               .text = resolved.values};
  auto opened = ResultDirectory::open(request.out, Existing::refuse, study, facts.faults);
  if (opened.problem) opened.problem->suggestion = "choose another --out";  // a drill replaces no results
  return opened;
}

/// One point with one replica.
std::optional<Problem> write_results(ResultDirectory& directory, const Resolved& resolved,
                                     const Figures& figures, const Summary& summary,
                                     const std::string& sections) {
  Store& store = directory.store();
  const std::uint32_t point =
      store.add_point({.label = "", .settings = {}, .text = resolved.values, .facts = summary.facts});
  store.add(point, 0, {&figures, 1});
  store.put_summary(point, summary);
  const ResultFile files[] = {
      {std::string(kResultFile), to_json(summary)},
      {std::string(kReportFile), text_report(summary, {.command = "", .colour = Colour::never}) + sections},
      {std::string(kScenarioFile), resolved.annotated}};
  auto problem = directory.commit(files);
  if (problem) problem->suggestion = "make room there, and drill again";
  return problem;
}

/// ", 2 cores, 24 GiB, 1 GPU, eth0"; empty where its agent has not reported.
std::string hardware_text(const HostReport& report) {
  constexpr double kGibi = 1 << 30;
  if (report.hardware.cores == 0) return "";
  std::string text =
      fmt::format(": {} core{}, {}, {}", report.hardware.cores, report.hardware.cores == 1 ? "" : "s",
                  fmt::format("{:.0f} GiB", static_cast<double>(report.hardware.memory_bytes) / kGibi),
                  report.hardware.gpus.empty() ? "no GPU"
                                               : fmt::format("{} GPU{}", report.hardware.gpus.size(),
                                                             report.hardware.gpus.size() == 1 ? "" : "s"));
  for (const NicCounters& nic : report.nics) text += (nic.name == "lo" ? "" : ", " + nic.name);
  return text;
}

/// What the drill was, in a line each; standard error, so that --json stays a document.
void tell(const DrillResult& result, const FaultPlan& plan, bool no_faults) {
  for (std::size_t host = 0; host < result.hosts.size(); ++host) {
    const HostIdentity& who = result.hosts[host];
    if (who != HostIdentity{})
      complain(fmt::format("host {} is {} at {}{}", host, who.pod.empty() ? "without a name" : who.pod,
                           who.address,
                           host < result.reports.size() ? hardware_text(result.reports[host]) : ""));
  }
  complain(fmt::format("{} of {} planned faults were injected{}", result.injected, plan.size(),
                       no_faults ? " (--no-faults)" : ""));
  for (const std::string& sentence : result.last_values) complain(sentence);
  if (result.finished && result.final_hash != 0)
    complain(fmt::format("final parameters {:016x}", result.final_hash));
}

/// The exit code then.
int complain_of_interruption(const DrillRequest& request) {
  std::error_code ignored;
  const bool goes_on = !request.record.empty() && std::filesystem::exists(request.record, ignored);
  complain(goes_on
               ? fmt::format("interrupted before the end; the same command continues from {}", request.record)
               : "interrupted before the end");
  return kSignalBase + interrupting_signal();
}

int drill(const DrillRequest& request, const Scenario& scenario, const Resolved& resolved,
          const ProbeMeasures& probes) {
  const World& world = scenario.world;
  const std::uint64_t seed = request.seed.value_or(scenario.study.seed);
  FaultPlan plan;
  if (!request.no_faults) plan = draw_plan(world, {.study = seed, .replica = 0}, horizon(world));

  std::unique_ptr<Launcher> launcher;
  LaunchRequest launch = request.launch;
  launch.gauntlet = own_path();
  launch.trainer = trainer_path();
  launch.world = &world;
  launch.stop = &stop_on_interrupt();
  if (const auto wrong = make_launcher(launch, launcher); !wrong.empty()) return wrong_input(wrong);
  if (request.dry_run) return print(dry_run_text(world, plan, drill_base(), *launcher)) ? kSuccess : kFailed;

  const ScenarioFacts facts = facts_of(scenario, seed, GAUNTLET_VERSION);
  std::unique_ptr<ResultDirectory> directory;
  if (!request.out.empty()) {
    auto opened = open_results(request, facts, resolved);
    if (!opened.directory) return wrong_input(*opened.problem);
    directory = std::move(opened.directory);
  }

  const TemporaryRecord record(request.record);
  Controller controller(scenario.policies);
  DrillOptions options;
  options.record = record.path();
  options.keep_unfinished = !request.record.empty();
  MachinePlatform platform(std::move(launcher));
  options.platform = &platform;
  options.header = {.version = GAUNTLET_VERSION, .scenario = resolved.values, .seed = seed, .replica = 0};
  options.plan = plan;
  options.probes = probes;
  options.rank_user = user_of(request);
  options.stop = &stop_on_interrupt();
  options.keeps_log = true;
  options.log = request.log;
  std::unique_ptr<DrillMetrics> metrics;
  if (!request.metrics.empty()) {
    metrics = std::make_unique<DrillMetrics>(*port_of(request.metrics), scenario.world.name);
    complain(fmt::format("metrics are at http://127.0.0.1:{}/metrics", metrics->port()));
  }
  options.on_status = [&metrics, shows = shows_progress()](const DrillStatus& status) {
    if (metrics) metrics->set(status);
    if (shows) say(fmt::format("\r{}\x1b[K", drill_progress_text(status)));
  };
  options.open_to_operators = [](const std::string& directory, OperatorDesk& desk) {
    auto server = std::make_shared<ControlServer>(directory, desk);
    complain(fmt::format("operators reach this drill with `gauntlet ctl status --drill {}`", directory));
    return server;
  };
  const DrillResult result = run_drill(world, controller, options);
  if (shows_progress()) say("\r\x1b[K");
  if (!result.began) return complain_of_interruption(request);
  if (result.difference) {
    complain(
        "the recording was made by other policies, which decide differently: gauntlet replay shows where");
    return kFailed;
  }
  tell(result, plan, request.no_faults);

  Figures figures;
  score(score_facts(world), result.logs.truth, result.logs.progress, result.record, figures);
  Summary summary = summarize(facts, {&figures, 1});
  summary.clocks = {.largest_error_seconds = to_seconds(result.clock_accuracy.largest_error),
                    .jumps = result.clock_accuracy.jumps};
  const std::string sections = drill_sections(result, scenario.policies);
  std::string text = request.json
                         ? to_json(summary)
                         : text_report(summary, {.command = "", .colour = colour_of_output()}) + sections;
  if (request.against_simulation) {
    const World simulated_world = with_plan(world, plan);
    Simulation simulation(simulated_world, scenario.policies);
    Figures simulated;
    const bool whole = simulation.run({.seed = seed, .replica = 0, .stop = options.stop}, simulated);
    std::vector<std::string> names;
    for (const FaultKind& kind : world.faults) names.push_back(kind.name);
    if (whole)
      text += "\n" + side_by_side({"real", &result.record, &figures},
                                  {"simulated", &simulation.record(), &simulated}, names);
  }
  if (directory &&
      result.finished) {  // else the same command goes on, and finds the place for its results free
    if (const auto problem = write_results(*directory, resolved, figures, summary, sections)) {
      print_problems({&*problem, 1});
      return kFailed;
    }
  }
  if (!result.finished && !request.json)
    text = "Interrupted: these figures cover the time until then, and the job is not finished.\n" + text;
  if (!print(text)) return kFailed;
  if (!result.finished) return complain_of_interruption(request);
  const Ending ending = std::get<Finished>(result.record.observations.back().what).ending;
  return ending == Ending::gave_up || result.job_never_trained ? kFailed : kSuccess;
}

int drill_command(const DrillRequest& request) {
  const auto loaded = load_scenario(request.scenario, request.sets);
  if (!loaded.scenario) return wrong_input(loaded.problems);
  const std::vector<Problem> problems = problems_of(request, loaded);
  if (!problems.empty()) return wrong_input(problems);
  try {
    return drill(request, *loaded.scenario,
                 {.annotated = show(loaded, Comments::full), .values = show(loaded, Comments::none)},
                 probes_of(loaded));
  } catch (const std::system_error& error) {
    const bool exhausted = error.code() == std::errc::resource_unavailable_try_again;
    complain(fmt::format(
        "the drill failed: {}{}", error.what(),
        exhausted ? "; a thread or a process cannot be started: raise `ulimit -u`, or end others" : ""));
    return kFailed;
  } catch (const std::exception& error) {
    complain(fmt::format("the drill failed: {}", text_of(error)));
    return kFailed;
  }
}

}  // namespace

void add_drill(Program& program) {
  const auto request = std::make_shared<DrillRequest>();
  Command drill =
      program.command("drill", "Run the policies of a scenario on real processes, with real faults",
                      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --dry-run\n"
                      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4\n"
                      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --against-simulation\n"
                      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --certs lab-ca\n"
                      "  gauntlet drill scenarios/drills/given.toml --hosts 4 --launch given "
                      "--host-file scripts/given/hosts.toml --certs lab-ca\n"
                      "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --record drill.rec && "
                      "gauntlet replay drill.rec");
  add_scenario(drill, request->scenario);
  drill
      .value("--hosts", request->hosts,
             "Number of agents, one per host: hosts and spare hosts of the scenario together")
      .type_name("N")
      .required()
      .between(1, 1000);
  add_seed(drill, request->seed, "Seed of the fault plan and of the training (default: the scenario's)");
  add_sets(drill, request->sets);
  drill
      .value("--record", request->record,
             "Write every observation and order here as it comes; an unfinished recording is continued")
      .type_name("FILE");
  drill.value("--out", request->out, "Write the results here, as `gauntlet run` does").type_name("DIR");
  drill.value("--log", request->log, "Also append the log here: a line of JSON for each event")
      .type_name("FILE");
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
      .excludes(json);
  drill.runs([request] { return drill_command(*request); });
}

}  // namespace gauntlet
