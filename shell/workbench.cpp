#include "shell/workbench.hpp"

#include "core/most_fault_kinds.hpp"
#include "report/words.hpp"
#include "shell/assumptions.hpp"
#include "shell/caller.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/interrupt.hpp"
#include "shell/progress.hpp"
#include "shell/terminal.hpp"
#include "study/mpi/mpi.hpp"
#include "study/store/directory/result_reader.hpp"
#include "study/store/export/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

// Where replicas are run.
std::unique_ptr<Executor> make_executor(const StudyTerms& terms, unsigned threads) {
  return mpi_ranks() > 1 ? make_mpi_executor(terms, threads) : make_thread_executor(terms, threads);
}

// A job that is started again after its node was lost may meet the lost node's lock until the file system lets go of it.
constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kBetweenLooks = std::chrono::milliseconds(200);

WaitForOther wait_for_other(const std::atomic<bool>& stop) {
  return [&stop, looks = 0](const std::filesystem::path& part) mutable {
    if (looks == 0)
      complain(fmt::format("{} is being written by another program; waiting up to {} s for its end",
                           part.string(), kPatience.count()));
    if (stop || looks++ >= kPatience / kBetweenLooks) return false;
    std::this_thread::sleep_for(kBetweenLooks);
    return true;
  };
}

Existing existing_of(const StudyRequest& request) {
  if (request.force) return Existing::replace;
  return request.resume ? Existing::resume : Existing::refuse;
}

// What the base scenarios are, taken together.
struct Bases {
  std::vector<std::shared_ptr<const Point>> points;
  std::vector<Problem> problems, warnings;  // each warning once
};

Bases load(std::span<const PointSource> sources) {
  Bases out;
  for (const PointSource& source : sources) {
    LoadedPoint base = source.point();
    out.problems.insert(out.problems.end(), base.problems.begin(), base.problems.end());
    for (Problem& warning : base.warnings) {
      const auto same = [&](const Problem& other) { return other.text() == warning.text(); };
      if (std::ranges::none_of(out.warnings, same)) out.warnings.push_back(std::move(warning));
    }
    if (base.point) out.points.push_back(std::move(base.point));
  }
  return out;
}

/// On standard error, also where the result is JSON.
void warn_of_replays(const Bases& bases) {
  for (const auto& point : bases.points) {
    const Problem problem{.file = point->facts.name, .why = replay_caveat(point->facts)};
    if (!problem.why.empty()) return print_warnings({&problem, 1});
  }
}

std::vector<std::string> faults_of(const Bases& bases) {
  std::vector<std::string> all;
  for (const auto& point : bases.points)
    for (const std::string& fault : point->facts.faults)
      if (std::find(all.begin(), all.end(), fault) == all.end()) all.push_back(fault);
  return all;
}

StudyIdentity identity_of(const std::string& command, const std::string& command_line, const Bases& bases) {
  const ScenarioFacts& facts = bases.points.front()->facts;
  StudyIdentity study{.command = command,
                      .arguments = command_line,
                      .version = facts.version,
                      .seed = facts.seed,
                      .scenario = facts.name,
                      .text = {}};
  for (const auto& point : bases.points) study.text += (study.text.empty() ? "" : "\n") + point->text;
  return study;
}

// A caller without a directory keeps few, which show what an incident is; each takes as much room and time as a replica.
constexpr std::uint32_t kIncidentsInMemory = 10;

std::uint32_t incident_replicas(const StudyRequest& request, const WorkbenchOptions& options) {
  if (!request.out.empty()) return request.incidents.value_or(options.incident_replicas);
  if (caller() == nullptr) return 0;  // nobody sees them
  return request.incidents.value_or(std::min(options.incident_replicas, kIncidentsInMemory));
}

}  // namespace

struct Workbench::State {
  StudyRequest request;
  std::string command_line;
  std::string scenario;  // for people, where there is one
  Section assumptions;   // of the first one
  std::uint64_t seed = 0;
  const std::atomic<bool>* stop = nullptr;     // Ctrl-C
  std::unique_ptr<ResultDirectory> directory;  // where results are written
  std::unique_ptr<Store> temporary;            // where they are not
  std::unique_ptr<Executor> executor;
  std::optional<Progress> progress;
  std::optional<Experiment> experiment;

  Store& store() { return directory ? directory->store() : *temporary; }
  std::optional<Problem> open_store(const StudyIdentity& study, std::span<const std::string> faults);
  std::optional<Problem> commit(Output& output);  // takes its texts, which may be large
  /// Of a study that was interrupted: earlier results stay until what --force puts in their place is complete.
  bool keeps_earlier() const { return experiment->fell_short() && directory && directory->replaces(); }
  void put_summaries();
  /// Says why not all was done, and how to go on; the exit code then.
  int complain_of_interruption();
};

std::optional<Problem> Workbench::State::open_store(const StudyIdentity& study,
                                                    std::span<const std::string> faults) {
  if (faults.size() > kMostFaultKinds)
    return Problem{.what = fmt::format("these scenarios have {} kinds of faults together", faults.size()),
                   .why = fmt::format("and results have room for {}", kMostFaultKinds),
                   .suggestion = "give the same kinds the same names"};
  if (request.out.empty()) {
    temporary = Store::temporary(study, faults);
    return std::nullopt;
  }
  const WaitForOther wait = request.resume ? wait_for_other(*stop) : WaitForOther();
  auto opened = ResultDirectory::open(request.out, existing_of(request), study, faults, wait);
  directory = std::move(opened.directory);
  return opened.problem;
}

std::unique_ptr<Workbench> Workbench::open(const std::string& command, const StudyRequest& request,
                                           std::span<const PointSource> sources,
                                           const std::string& command_line, WorkbenchOptions options) {
  const Bases bases = load(sources);
  if (!bases.problems.empty()) {
    print_problems(bases.problems);
    return nullptr;
  }
  print_warnings(bases.warnings);
  warn_of_replays(bases);
  auto state = std::make_unique<State>();
  state->request = request;
  state->command_line = command_line;
  if (!request.out.empty()) {
    const std::string shown = sources.front().shown(Comments::full);
    state->assumptions = assumptions_section(sources.front().resolved(), shown);
    if (sources.size() == 1)
      state->scenario = shown;
    else
      state->assumptions.heading += " of the first scenario";
  }
  state->seed = bases.points.front()->facts.seed;
  state->stop = &stop_on_interrupt();
  if (const auto problem = state->open_store(identity_of(command, command_line, bases), faults_of(bases))) {
    print_problems({&*problem, 1});
    return nullptr;
  }
  state->executor = make_executor({.seed = state->seed,
                                   .incident_replicas = incident_replicas(request, options),
                                   .full_telemetry = options.full_telemetry},
                                  request.threads);
  Experiment::Options running{.stop = state->stop, .progress = {}};
  if (Caller* const caller = gauntlet::caller()) {
    running.progress = [caller](std::uint32_t done, std::uint64_t left) { caller->progress(done, left); };
  } else if (!request.quiet && shows_progress()) {
    state->progress.emplace();
    running.progress = [&progress = *state->progress](std::uint32_t done, std::uint64_t left) {
      progress.add(done, left);
    };
  }
  state->experiment.emplace(*state->executor, state->store(), std::move(running));
  return std::unique_ptr<Workbench>(new Workbench(std::move(state)));
}

Workbench::Workbench(std::unique_ptr<State> state) : state_(std::move(state)) {}
Workbench::~Workbench() = default;

Experiment& Workbench::experiment() { return *state_->experiment; }

std::uint64_t Workbench::seed() const { return state_->seed; }

bool Workbench::stopped() const { return state_->experiment->fell_short(); }

Workbench::Forms Workbench::forms() const {
  const StudyRequest& request = state_->request;
  const bool called = caller() != nullptr, kept = !request.out.empty();
  return {.coloured = !request.json && colour_of_output() == Colour::always,
          .json = called || kept || request.json,
          .page = kept};
}

void Workbench::State::put_summaries() {
  if (!experiment->fell_short()) experiment->drop_unasked();
  for (PointNumber point = 0; point < experiment->points(); ++point)
    if (experiment->replicas(point) > 0) experiment->put_summary(point);
}

std::optional<Problem> Workbench::State::commit(Output& output) {
  put_summaries();
  std::vector<ResultFile> files = std::move(output.files);
  Page page = std::move(output.page);
  page.sections.push_back(assumptions);
  page.sections.push_back(text_section(output.report));
  files.push_back({std::string(kPageFile), to_html(page)});
  files.push_back({std::string(kResultFile), std::move(output.json)});
  files.push_back({std::string(kReportFile), std::move(output.report)});
  if (!scenario.empty()) files.push_back({std::string(kScenarioFile), scenario});
  if (!is_single(store())) files.push_back({std::string(kPointsFile), points_csv(store())});
  return directory->commit(files);
}

int Workbench::State::complain_of_interruption() {
  const bool begins_again = keeps_earlier() && store().replicas() == 0;  // nothing is left to continue
  const std::string again =
      directory ? fmt::format("; {} with: {} --out {} --{}", begins_again ? "begin again" : "continue",
                              command_line, shell_word(request.out), begins_again ? "force" : "resume")
                : std::string();
  const std::string kept =
      keeps_earlier() ? fmt::format("; {} has the earlier results until then", request.out) : "";
  complain(fmt::format("interrupted: {} are done{}{}", store().holds(), again, kept));
  return kSignalBase + interrupting_signal();
}

int Workbench::finish(Output output) {
  const int exit_code = answer(output);
  if (Caller* const caller = gauntlet::caller(); caller != nullptr && state_->temporary)
    caller->keep(std::move(state_->temporary));
  return exit_code;
}

int Workbench::answer(Output& output) {
  State& state = *state_;
  state.progress.reset();  // removes itself from the terminal
  bool printed = true;
  auto problem = state.store().problem();
  const bool nothing_is_done = stopped() && state.store().replicas() == 0;
  if (!output.report.empty() && !nothing_is_done) {
    printed = print_answer({.report = output.report, .coloured = output.coloured, .json = output.json},
                           state.request.json);
    if (!problem && state.directory)
      problem = state.keeps_earlier() ? state.directory->keep() : state.commit(output);
  } else if (!problem && state.directory) {
    problem = state.directory->keep();
  }
  if (problem) {
    print_problems({&*problem, 1});
    return kFailed;
  }
  if (stopped())
    return state.complain_of_interruption();  // also where a terminal that went away cannot be written
  return printed ? output.exit_code : kFailed;
}

std::string common_arguments(const StudyRequest& request, std::uint64_t seed) {
  return CommandLine("")
      .option("--set", request.sets)
      .number("--incidents", request.incidents)
      .number("--seed", std::optional(seed))
      .flag("--plain", request.plain)
      .text();
}

}  // namespace gauntlet
