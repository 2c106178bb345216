// How the job's ranks are started: our trainer, or the command of the scenario.
#include "real/driver/job_start.hpp"

#include "models/step/job_size.hpp"
#include "real/driver/real_cluster.hpp"
#include "real/injectors/injector.hpp"
#include "real/runner/rank_environment.hpp"
#include "real/system/program.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace gauntlet {
namespace {

std::string directory_of(const JobCommand& command) {
  return std::filesystem::absolute(command.directory.empty() ? "." : command.directory)
      .lexically_normal()
      .string();
}

/// With a point, whatever the locale.
std::string seconds_text(Duration value) {
  const std::int64_t milliseconds = value / std::chrono::milliseconds(1);
  const std::string rest = std::to_string(1000 + milliseconds % 1000).substr(1);
  return std::to_string(milliseconds / 1000) + "." + rest;
}

std::string path_variable(const JobCommand& command) {
  for (const auto& [name, value] : command.environment) {
    if (name == "PATH") return value;
  }
  const char* own = std::getenv("PATH");
  return own == nullptr ? "" : own;
}

}  // namespace

std::optional<Problem> problem_of_command(const JobCommand& command, const std::optional<RankUser>& user) {
  const std::string directory = directory_of(command);
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored))
    return Problem{.what = "drill.command.directory",
                   .why = "names " + directory + ", which is not a directory",
                   .suggestion = "a relative one starts where the drill is started"};
  const FoundProgram found = find_program(command.arguments.front(), directory, path_variable(command), user);
  if (found.why.empty()) return std::nullopt;
  return Problem{
      .what = "drill.command.arguments",
      .why = "cannot be started: " + found.why,
      .suggestion = "name the program by its path, or by a name in PATH; no shell reads the arguments"};
}

/// For a later driver: the run's number is used.
void RealCluster::mark_run() const {
  const std::string mark = setup_.directory + "/run-" + std::to_string(run_);
  if (mkdir(mark.c_str(), 0700) != 0 && errno != EEXIST)
    throw std::runtime_error(mark +
                             ": cannot be made: " + std::strerror(errno));  // nor will it be the next time
}

void RealCluster::start_ranks(OpenOrder& open) {
  if (waits_for_agents(open, seats_.hosts())) return;
  proven_.clear();
  check_own();
  mark_run();
  for (const HostId host : seats_.hosts()) {
    if (!hosts_[host.value].link) return close(open.order.id, Status::failed);
  }
  progress_.begin(run_, seats_.layout().dp);
  begin_segments();
  if (seats_.layout().dp != world_->job.layout.dp)
    platform_.say("the job starts with " + std::to_string(seats_.layout().dp) + " of its " +
                  std::to_string(world_->job.layout.dp) + " data-parallel replicas, which are " +
                  std::to_string(seats_.layout().ranks()) + " ranks (WORLD_SIZE)");
  DriverStartRanks start{.order = open.order.id, .run = run_, .ranks = {}, .arguments = trainer_arguments()};
  renew_stage_watches();
  const JobCommand& command = world_->drill.command;
  if (command.given()) start.command = own_command();
  const MeetingPlace meets = platform_.meeting_place(name_of(seats_.hosts().front()));
  for (const HostId host : seats_.hosts()) {
    start.ranks = seats_.ranks_of(host);
    start.environment = environment_of(host, meets);
    hosts_[host.value].link->send(start);
    expect_answer(host, Debt::start, open.order.id.value, grace());
    // Ranks wait for each other for so long; one that is not up by then has not begun, or is not heard.
    expect_answer(host, Debt::ranks_up, open.order.id.value, collective_timeout_);
  }
  fail_start();
}

/// Whose segments come in this run.
void RealCluster::begin_segments() const {
  if (setup_.segments == nullptr) return;
  std::vector<RankSeat> seats;
  for (const HostId host : seats_.hosts()) {
    for (const std::uint32_t rank : seats_.ranks_of(host))
      seats.push_back({.rank = rank, .host = host.value, .at = seats_.layout().coordinates(rank)});
  }
  setup_.segments->begin(run_, seats);
}

/// How long ranks may take to end when they are asked to.
Duration RealCluster::grace() const {
  return world_->drill.command.given() ? world_->drill.command.grace : Duration::zero();
}

bool RealCluster::job_hears() const { return !world_->drill.command.lines.any(); }

void RealCluster::tell_ranks(const DriverTellRanks& message) {
  if (!job_hears()) return;
  for (const HostId host : seats_.hosts()) {
    if (hosts_[host.value].link) hosts_[host.value].link->send(message);
  }
}

JobCommand RealCluster::own_command() const {
  JobCommand command = world_->drill.command;
  command.directory = directory_of(command);
  command.step_time = step_time();
  return command;
}

/// What the drill says of itself, and what torchrun would set.
std::vector<std::pair<std::string, std::string>> RealCluster::environment_of(
    HostId host, const MeetingPlace& meets) const {
  const std::vector<HostId>& slots = seats_.hosts();
  const auto slot = static_cast<std::uint32_t>(std::find(slots.begin(), slots.end(), host) - slots.begin());
  std::vector<std::pair<std::string, std::string>> variables = {
      {"GAUNTLET_RUN", std::to_string(run_)},
      {"GAUNTLET_SECRET", meets.secret},
      {"GAUNTLET_SEED", std::to_string(setup_.seed.study)},
      {"GAUNTLET_COLLECTIVE_TIMEOUT", seconds_text(collective_timeout_)},
      {"GAUNTLET_STEPS", std::to_string(world_->job.steps)},
      {"GAUNTLET_CHECKPOINT_EVERY", std::to_string(checkpoint_every(Tier::storage))},
      {"GAUNTLET_CHECKPOINT_DIRECTORY", setup_.directory + "/checkpoints"}};
  const auto torch = torch_variables({.host = slot,
                                      .hosts = static_cast<std::uint32_t>(slots.size()),
                                      .ranks_per_host = world_->inventory.gpus_per_host,
                                      .ranks = seats_.layout().ranks(),
                                      .address = meets.address,
                                      .port = meets.port,
                                      .run = run_,
                                      .name = world_->name});
  variables.insert(variables.end(), torch.begin(), torch.end());
  return variables;
}

/// In steps; 0 for never. Tiers are nested: CheckpointEvery.
std::int64_t RealCluster::checkpoint_every(Tier tier) const {
  const Duration step = step_time();
  std::int64_t quicker = 1, every = 0;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(tier); ++i) {
    const Duration interval = checkpoint_intervals_.at(i);
    every = interval == kForever ? 0 : std::max<std::int64_t>(1, (interval + step - Duration(1)) / step);
    if (every == 0) continue;
    every = (every + quicker - 1) / quicker * quicker;
    quicker = every;
  }
  return every;
}

Duration RealCluster::step_time() const { return whole_step(*world_, seats_.layout().dp); }

std::vector<std::string> RealCluster::trainer_arguments() const {
  const JobModel& job = world_->job;
  const Layout& layout = seats_.layout();
  const auto text = [](Duration value) { return std::to_string(value.count()) + "ns"; };
  std::vector<std::string> arguments = {"--tp",
                                        std::to_string(layout.tp),
                                        "--global-batch",
                                        std::to_string(job.global_batch),
                                        "--micro-batch",
                                        std::to_string(job.micro_batch),
                                        "--pp",
                                        std::to_string(layout.pp),
                                        "--dp",
                                        std::to_string(layout.dp),
                                        "--seed",
                                        std::to_string(setup_.seed.study),
                                        "--steps",
                                        std::to_string(job.steps),
                                        "--checkpoint-directory",
                                        setup_.directory + "/checkpoints",
                                        "--checkpoint-every",
                                        std::to_string(checkpoint_every(Tier::storage)),
                                        "--memory-every",
                                        std::to_string(checkpoint_every(Tier::memory)),
                                        "--peers-every",
                                        std::to_string(checkpoint_every(Tier::peers)),
                                        "--copies",
                                        std::to_string(world_->storage.copies),
                                        "--keep",
                                        std::to_string(world_->storage.keep_last),
                                        "--keep-every",
                                        std::to_string(world_->storage.keep_every),
                                        "--restore",
                                        std::string(kRestoreNames.at(static_cast<std::size_t>(restore_))),
                                        "--step-time",
                                        text(step_time()),
                                        "--collective-timeout",
                                        text(collective_timeout_)};
  if (disks_fail(*world_)) arguments.emplace_back("--must-save");
  return arguments;
}

}  // namespace gauntlet
