#include "python/call.hpp"

#include "commands/compare/command.hpp"
#include "commands/explain/command.hpp"
#include "commands/plan/command.hpp"
#include "commands/rank/command.hpp"
#include "commands/run/command.hpp"
#include "commands/scale/command.hpp"
#include "commands/step/command.hpp"
#include "commands/sweep/command.hpp"
#include "commands/topology/command.hpp"
#include "commands/trace/command.hpp"
#include "commands/tune/command.hpp"
#include "commands/validate/command.hpp"
#include "config/brought.hpp"
#include "shell/caller.hpp"
#include "shell/exit_code.hpp"
#include "shell/options.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

// Drills and agents start processes, and `new` asks at a terminal: they stay with the program. For what the others of cli/ do
// (results, replay, list, check, show, schema), the package has functions.
constexpr auto kCommands = {add_run,   add_sweep, add_compare,  add_tune,  add_plan,     add_rank,
                            add_scale, add_step,  add_topology, add_trace, add_validate, add_explain};

// How often somebody who waits looks at the progress, and for a Ctrl-C.
constexpr auto kMoment = std::chrono::milliseconds(20);

}  // namespace

struct Call::State final : Caller {
  std::vector<std::string> words;
  std::shared_ptr<const CustomPolicies> custom;
  CallAnswer made;  // by the command's thread, until it has ended
  std::atomic<bool> stops = false;
  mutable std::mutex mutex;  // of what follows
  std::condition_variable changed;
  CallProgress so_far;
  bool ended = false;
  std::thread thread;

  void print(std::string_view text) override {
    made.answered = true;
    made.report += text;
  }
  void answer(const CommandAnswer& answer) override {
    made.answered = true;
    made.report = answer.report;
    made.json = answer.json;
  }
  void say(std::string_view text) override { made.messages.emplace_back(text); }
  void complain(std::string_view message) override { made.messages.emplace_back(message); }
  void problems(std::span<const Problem> problems) override {
    made.problems.insert(made.problems.end(), problems.begin(), problems.end());
  }
  void warnings(std::span<const Problem> warnings) override {
    made.warnings.insert(made.warnings.end(), warnings.begin(), warnings.end());
  }
  void progress(std::uint32_t done, std::uint64_t left) override {
    const std::lock_guard lock(mutex);
    so_far.done += done;
    so_far.left = left;
  }
  std::atomic<bool>& stop() override { return stops; }
  void keep(std::unique_ptr<Store> store) override { made.store = std::move(store); }

  void run() {
    const CalledBy by(*this);
    try {
      const BroughtPolicies brought(custom);
      Program program("gauntlet", "", GAUNTLET_VERSION, "");
      for (const auto add : kCommands) add(program);
      std::string name = "gauntlet";
      std::vector<char*> arguments = {name.data()};
      for (std::string& word : words) arguments.push_back(word.data());
      made.exit_code = program.run(static_cast<int>(arguments.size()), arguments.data());
    } catch (const PolicyError& error) {
      made.broken = error;
      made.exit_code = kFailed;
    } catch (const std::exception& error) {
      complain(error.what());
      made.exit_code = kFailed;
    } catch (...) {  // no exception may leave a thread
      complain("the command ended with an exception of an unknown kind");
      made.exit_code = kFailed;
    }
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  }
};

Call::Call(std::vector<std::string> words, std::shared_ptr<const CustomPolicies> custom)
    : state_(std::make_unique<State>()) {
  state_->words = std::move(words);
  state_->custom = std::move(custom);
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

Call::~Call() {
  stop();
  state_->thread.join();
}

void Call::stop() { state_->stops = true; }

bool Call::wait() {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  return state.changed.wait_for(lock, kMoment, [&] { return state.ended; });
}

CallProgress Call::progress() const {
  const std::lock_guard lock(state_->mutex);
  return state_->so_far;
}

CallAnswer Call::take() { return std::move(state_->made); }

}  // namespace gauntlet
