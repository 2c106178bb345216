#include "tests/driver/simulated_job.hpp"

#include "core/quantity.hpp"
#include "real/rank/lines.hpp"

#include <algorithm>
#include <csignal>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using State = RankProcess::State;

/// What gauntlet-trainer reads (real/trainer/main.cpp); the directories mean nothing here.
TrainerOptions options_of(std::uint32_t rank, const std::vector<std::string>& arguments) {
  TrainerOptions options;
  options.rank = rank;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const std::string_view name = arguments[i];
    const std::string& value = arguments[i + 1];
    if (name == "--tp") options.tp = static_cast<std::uint32_t>(std::stoul(value));
    if (name == "--global-batch") options.global_batch = static_cast<std::uint32_t>(std::stoul(value));
    if (name == "--micro-batch") options.micro_batch = static_cast<std::uint32_t>(std::stoul(value));
    if (name == "--pp") options.pp = static_cast<std::uint32_t>(std::stoul(value));
    if (name == "--dp") options.dp = static_cast<std::uint32_t>(std::stoul(value));
    if (name == "--seed") options.seed = std::stoull(value);
    if (name == "--steps") options.steps = std::stoll(value);
    if (name == "--checkpoint-every") options.checkpoint_every = std::stoll(value);
    if (name == "--step-time") options.step_time = parse_duration(value).value.value();
    if (name == "--collective-timeout") options.collective_timeout = parse_duration(value).value.value();
  }
  return options;
}

}  // namespace

std::uint64_t final_hash_of(std::uint64_t seed, const Layout& layout, std::uint32_t rank,
                            std::int64_t steps) {
  const Coordinates at = layout.coordinates(rank);
  return bits_at({.study = seed, .replica = at.tp + layout.tp * at.pp}, stream_name("parameters"), 0,
                 static_cast<std::uint64_t>(steps));
}

// --- the job

void SimulatedJob::say(RankProcess& rank, const std::string& rest) {
  rank.lines.push_back(std::to_string(rank.clock->now()) + " " + rest);
  rank.something_new();
}

void SimulatedJob::start(const std::shared_ptr<RankProcess>& rank) {
  Ranks& ranks = runs_[rank->run].ranks;
  if (std::any_of(ranks.begin(), ranks.end(),
                  [&](const auto& each) { return each->options.rank == rank->options.rank; }))
    loop_.fail("rank " + std::to_string(rank->options.rank) + " of run " + std::to_string(rank->run) +
               " is started twice");
  ranks.push_back(rank);
  loop_.after(dice_.skewed(5ms, 400ms), [this, rank] { arrive(rank); });
}

void SimulatedJob::end(const std::shared_ptr<RankProcess>& rank, std::int32_t code) {
  if (rank->state == State::dead) return;
  rank->state = State::dead;
  rank->code = code;
  rank->gone_at = loop_.now() + dice_.between(0ms, 20ms).count();
  loop_.at(rank->gone_at, [rank] { rank->something_new(); });
}

void SimulatedJob::stop(RankProcess& rank) {
  if (rank.state == State::dead || rank.state == State::stopped) return;
  rank.before = rank.state;
  rank.state = State::stopped;
}

void SimulatedJob::go_on(const std::shared_ptr<RankProcess>& rank) {
  if (rank->state != State::stopped) return;
  rank->state = rank->before;
  if (rank->before == State::begins || rank->before == State::waits_for_peers) {
    rank->state = State::begins;
    return arrive(rank);
  }
  Run& run = runs_[rank->run];
  if (!run.stands_still || !all_train(run)) return;
  run.stands_still = false;
  step_later(rank->run);
}

void SimulatedJob::tell(std::uint32_t run, const DriverTellRanks& message) {
  if (message.what == RankOrder::checkpoint) runs_[run].checkpoint = true;
  if (message.what == RankOrder::cadence) runs_[run].every = message.steps;
}

std::vector<std::shared_ptr<RankProcess>> SimulatedJob::living() const {
  Ranks out;
  for (const auto& [number, run] : runs_) {
    for (const auto& rank : run.ranks) {
      if (rank->state != State::dead) out.push_back(rank);
    }
  }
  return out;
}

std::size_t SimulatedJob::alive() const { return living().size(); }

void SimulatedJob::arrive(const std::shared_ptr<RankProcess>& rank) {
  if (rank->state != State::begins) return;
  rank->state = State::waits_for_peers;
  const Run& run = runs_[rank->run];
  const auto waiting = std::count_if(run.ranks.begin(), run.ranks.end(),
                                     [](const auto& each) { return each->state == State::waits_for_peers; });
  if (waiting == static_cast<std::ptrdiff_t>(rank->options.layout().ranks())) return begin(rank->run);
  loop_.after(rank->options.collective_timeout, [this, rank] {
    if (rank->state != State::waits_for_peers) return;
    say(*rank, "log collective_timeout waited for a rank to connect");
    end(rank, kExitCollectiveTimeout);
  });
}

bool SimulatedJob::all_train(const Run& run) const {
  return run.trains &&
         std::all_of(run.ranks.begin(), run.ranks.end(), [](const auto& each) { return takes_part(*each); });
}

/// Its ranks have met: they load the newest checkpoint that can be read.
void SimulatedJob::begin(std::uint32_t number) {
  Run& run = runs_[number];
  for (const auto& [other, others] : runs_) {
    if (other != number && all_train(others)) loop_.fail("two starts of the job train at one time");
  }
  run.step = durable_;
  if (run.step > 0 && dice_.chance(disturbances_.checkpoint_damaged)) {
    say(*run.ranks.front(), "log " + std::string(kCheckpointDamaged) + " a shard differs from its digest");
    const std::int64_t every = std::max<std::int64_t>(1, run.ranks.front()->options.checkpoint_every);
    run.step = durable_ = std::max<std::int64_t>(0, run.step - every);
  }
  run.trains = true;
  loop_.trace("job: run " + std::to_string(number) + " goes on after step " + std::to_string(run.step));
  for (const auto& rank : run.ranks) {
    rank->state = State::trains;
    say(*rank, "up " + std::to_string(run.step));
  }
  if (run.step >= run.ranks.front()->options.steps) return finish(number);
  step_later(number);
}

void SimulatedJob::step_later(std::uint32_t run) {
  const Duration usual = runs_[run].ranks.front()->options.step_time;
  const Duration took = dice_.chance(0.05) ? dice_.between(usual, 2 * usual) : usual;
  loop_.after(took, [this, run] { step(run); });
}

void SimulatedJob::step(std::uint32_t number) {
  Run& run = runs_[number];
  const auto missing =
      std::find_if(run.ranks.begin(), run.ranks.end(), [](const auto& each) { return !takes_part(*each); });
  if (missing != run.ranks.end()) {
    run.stands_still = true;
    for (const auto& rank : run.ranks) {
      if (!takes_part(*rank)) continue;
      loop_.after(rank->options.collective_timeout, [this, rank, at = run.step] {
        const Run& waits = runs_[rank->run];
        if (!takes_part(*rank) || waits.step != at || !waits.stands_still) return;
        say(*rank, "log collective_timeout waited for a rank in a step");
        end(rank, kExitCollectiveTimeout);
      });
    }
    return;
  }
  ++run.step;
  const TrainerOptions& options = run.ranks.front()->options;
  const std::string what = " " + std::to_string(run.step) + " " + std::to_string(options.step_time.count());
  for (const auto& rank : run.ranks) say(*rank, "step" + what);
  const std::int64_t every = run.every.value_or(options.checkpoint_every);
  const bool due = every > 0 && run.step % every == 0;
  if ((std::exchange(run.checkpoint, false) || due) && run.step < options.steps) save(number);
  if (run.step == options.steps) return finish(number);
  step_later(number);
}

void SimulatedJob::save(std::uint32_t number) {
  const Run& run = runs_[number];
  for (const auto& rank : run.ranks) say(*rank, "stall " + std::to_string(run.step) + " 1000000");
  loop_.after(50ms, [this, step = run.step, first = run.ranks.front()] {
    if (!takes_part(*first)) return;  // it was not durable on every rank
    durable_ = std::max(durable_, step);
    say(*first, "saved " + std::to_string(step));
  });
}

void SimulatedJob::finish(std::uint32_t number) {
  constexpr int kDigits = 16;
  for (const auto& rank : runs_[number].ranks) {
    const std::uint64_t hash =
        final_hash_of(rank->options.seed, rank->options.layout(), rank->options.rank, rank->options.steps);
    std::string digits(kDigits, '0');
    for (int i = 0; i < kDigits; ++i)
      digits[static_cast<std::size_t>(kDigits - 1 - i)] = "0123456789abcdef"[hash >> (4 * i) & 15];
    say(*rank, "finished " + std::to_string(rank->options.steps) + " " + digits);
    end(rank, kExitFinished);
  }
}

// --- one agent's ranks

std::string SimulatedRanks::start(const DriverStartRanks& start) {
  if (!processes_.empty()) loop_.fail("ranks were started beside ranks of an older run");
  run_ = start.run;
  if (on_start) on_start();
  if (dice_.chance(disturbances_.ranks_cannot_start)) return "no process can be started";
  for (const std::uint32_t rank : start.ranks) {
    auto process = std::make_shared<RankProcess>();
    process->run = start.run;
    process->clock = &clock_;
    process->options = options_of(rank, start.arguments);
    if (check(process->options) || process->options.collective_timeout <= Duration::zero())
      loop_.fail("a rank was started with options that its program refuses");
    process->something_new = something_new_;
    processes_.push_back(process);
    job_.start(process);
  }
  return "";
}

void SimulatedRanks::stop() {
  for (const auto& process : processes_) {
    process->ordered = true;
    job_.end(process, 128 + SIGKILL);
  }
}

void SimulatedRanks::tell(const DriverTellRanks& message) {
  for (const auto& process : processes_) {
    if (process->options.rank == 0 && process->state == State::trains) job_.tell(run_, message);
  }
}

std::string SimulatedRanks::signal(std::uint32_t rank, AgentSignal signal) {
  const auto found = std::find_if(processes_.begin(), processes_.end(),
                                  [&](const auto& each) { return each->options.rank == rank; });
  if (found == processes_.end() || (*found)->state == State::dead)
    return "rank " + std::to_string(rank) + " does not run here";
  if (signal == AgentSignal::go_on) {
    job_.go_on(*found);
    return "";
  }
  if (on_signal) on_signal(rank);
  if (signal == AgentSignal::kill) {
    job_.end(*found, 128 + SIGKILL);
  } else {
    SimulatedJob::stop(**found);
  }
  return "";
}

void SimulatedRanks::collect(const Listener& listener) {
  for (std::size_t i = 0; i < processes_.size();) {
    const std::shared_ptr<RankProcess> process = processes_[i];
    for (const std::string& line : std::exchange(process->lines, {}))
      listener.on_line(process->run, process->options.rank, line);
    if (process->state != State::dead || loop_.now() < process->gone_at) {
      ++i;
      continue;
    }
    processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(i));
    listener.on_exit({.run = process->run,
                      .rank = process->options.rank,
                      .code = process->code,
                      .ordered = process->ordered});
  }
}

std::vector<std::uint32_t> SimulatedRanks::alive() const {
  std::vector<std::uint32_t> out;
  for (const auto& process : processes_) out.push_back(process->options.rank);
  return out;
}

bool SimulatedRanks::any_lives() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& each) { return each->state != State::dead; });
}

void SimulatedRanks::die() {
  for (const auto& process : processes_) {
    process->something_new = [] {};
    job_.end(process, 128 + SIGKILL);
  }
}

}  // namespace gauntlet
