#include "tests/driver/simulated_drill.hpp"

#include "core/record/codec.hpp"
#include "core/record/fingerprint.hpp"
#include "policies/controller/controller.hpp"
#include "real/driver/drill.hpp"
#include "real/driver/drill_place.hpp"
#include "real/driver/real_cluster.hpp"
#include "score/score.hpp"
#include "study/replica.hpp"
#include "tests/driver/awaited_orders.hpp"
#include "tests/driver/drill_case.hpp"
#include "tests/driver/file_snapshot.hpp"
#include "tests/driver/record_checks.hpp"
#include "tests/driver/simulated_platform.hpp"
#include "tests/real/scratch.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// The policies of one driver: what they ordered is answered in time, and what they see is traced for people.
class WatchedController final : public Policy {
 public:
  WatchedController(const Scenario& scenario, EventLoop& loop)
      : controller_(scenario.policies), open_(scenario.world), loop_(loop) {}
  void on(const Observed& seen, Orders& out) override {
    const std::size_t before = out.size();
    open_.heard(seen);
    controller_.on(seen, out);
    for (std::size_t i = before; i < out.size(); ++i) open_.given(out[i], seen.at, now());
    if (!loop_.tracing) return;
    loop_.trace("policies see " + to_text(seen));
    for (std::size_t i = before; i < out.size(); ++i) loop_.trace("policies order " + to_text(out[i]));
  }

  /// Their driver has nothing to do.
  void check_waits() {
    if (const std::string problem = open_.overdue(now()); !problem.empty()) loop_.fail(problem);
  }
  void driver_was_stopped(Duration lasts) { open_.driver_was_stopped(lasts); }

 private:
  Time now() const { return Time(Duration(loop_.now())); }

  Controller controller_;
  AwaitedOrders open_;
  EventLoop& loop_;
};

/// $TMPDIR while it lives.
class TemporaryFiles {
 public:
  explicit TemporaryFiles(const std::string& directory) : before_(drill_base()) {
    ::setenv("TMPDIR", directory.c_str(), 1);
  }
  ~TemporaryFiles() { ::setenv("TMPDIR", before_.c_str(), 1); }
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

 private:
  std::string before_;
};

class SimulatedDrill {
 public:
  SimulatedDrill(std::uint64_t seed, Tracing tracing)
      : seed_(seed),
        case_(case_of(seed)),
        dice_(seed, "drill"),
        machine_(seed, case_.disturbances),
        agents_(machine_, seed),
        record_((place_.path() / "drill.rec").string()) {
    machine_.loop.tracing = tracing == Tracing::on;
    machine_.loop.end = EventLoop::kBegan + Duration(case_.rough_for + 3h).count();
    machine_.on_injected = [this](const AgentName& agent, std::uint64_t injection) {
      if (injection == fault_of_injection(injection)) ++report_.injections;
      if (!injected_.insert({{agent.directory, injection}, {agent.host, loop().now()}}).second)
        loop().fail("fault " + std::to_string(injection) + " of the plan was injected twice");
    };
    machine_.on_hello = [this](const AgentName& agent, std::uint64_t epoch, std::int64_t sent) {
      std::uint64_t& highest = heard_epochs_[{agent.directory, agent.host}];
      highest = std::max(highest, epoch);
      Epoch& latest = epochs_[agent.directory];
      if (epoch > latest.number) latest = {epoch, sent};
    };
    machine_.on_attending = [this](const AgentName& agent, const std::string& driver, std::uint64_t epoch) {
      check_epoch(agent, epoch, heard_epochs_[{agent.directory, agent.host}]);
      on_attending_(driver);
    };
    machine_.on_deed = [this](const AgentName& agent, std::uint64_t epoch, std::int64_t sent) {
      check_epoch(agent, epoch, heard_epochs_[{agent.directory, agent.host}]);
      // Another host may have heard of a later driver first. What was under way when that one began is done all the same:
      // nobody can call it back, and the later driver asks each host what it has.
      const Epoch& latest = epochs_[agent.directory];
      if (sent > latest.began) check_epoch(agent, epoch, latest.number);
    };
  }

  SimulatedDrillReport run() {
    const TemporaryFiles here(place_.path().string());
    plan_trouble();
    while (!loop().failed() && !over_) {
      drive(record_, Depth::outer);
      if (!over_) loop().run(loop().now() + dice_.skewed(10ms, 2min).count(), [] { return false; });
    }
    if (!loop().failed()) check_nothing_is_left();
    report_.failure = loop().failure();
    report_.events = loop().events();
    report_.trace = loop().lines();
    return report_;
  }

 private:
  enum class Depth : std::uint8_t { outer, nested };
  using Driver = std::shared_ptr<SimulatedDriver>;

  /// The latest driver of the drill of a directory that any host has heard of, and when it said its first word.
  struct Epoch {
    std::uint64_t number = 0;
    std::int64_t began = 0;
  };
  /// One that lives. It owns the drill as long as its recording is record_.
  struct Running {
    Driver driver;
    std::string record;
  };

  struct Injected {
    std::uint32_t host = 0;
    std::int64_t at = 0;  // of the loop's time, which is the driver's
  };

  EventLoop& loop() { return machine_.loop; }

  void check_epoch(const AgentName& agent, std::uint64_t epoch, std::uint64_t highest) {
    if (epoch < highest)
      loop().fail("host " + std::to_string(agent.host) + " obeys the driver of epoch " +
                  std::to_string(epoch) + " after one of epoch " + std::to_string(highest));
  }
  const World& world() const { return case_.scenario.world; }

  // --- drivers

  DrillOptions options_of(const std::string& record, SimulatedDriver& driver) {
    return {.record = record,
            .platform = &driver,
            .header = {.version = "simulated", .scenario = "a drill", .seed = seed_, .replica = 0},
            .plan = case_.plan,
            .stop = &driver.stop,
            .open_to_operators = [this](const std::string&, OperatorDesk& desk) {
              desks_.push_back(&desk);
              return std::shared_ptr<void>(nullptr, [this](void*) { desks_.pop_back(); });
            }};
  }

  /// Whether a driver of this recording may still own the drill.
  bool owns(const std::string& record) const { return record == record_; }

  /// One driver, from its start to its end, whatever that is.
  void drive(const std::string record, Depth depth) {
    const auto driver =
        std::make_shared<SimulatedDriver>(machine_, agents_, "driver " + std::to_string(++report_.drivers));
    if (report_.drivers > 200) return loop().fail("the drill needs driver after driver");
    loop().trace("driver " + std::to_string(report_.drivers) + " begins");
    driver_began_ = loop().now();
    std::optional<FileSnapshot> at_death;
    driver->on_death = [&] { at_death.emplace(place_.path()); };
    WatchedController controller(case_.scenario, loop());
    driver->on_sleep = [&] { controller.check_waits(); };
    driver->on_stopped = [&](Duration lasts) { controller.driver_was_stopped(lasts); };
    drivers_.push_back({driver, record});
    if (arm_next_driver_) driver->die_in(std::exchange(arm_next_driver_, 0));
    std::optional<DrillResult> result;
    std::string why;
    try {
      result = run_drill(world(), controller, options_of(record, *driver));
    } catch (const std::runtime_error& error) {
      why = error.what();
    }
    drivers_.pop_back();
    if (loop().failed()) return;
    if (at_death) return at_death->restore();
    if (result && result->finished && depth == Depth::outer && !owns(record))
      return loop().fail("a driver goes on to its end though another one took over");
    if (result) return judge(*result, *driver);
    judge(why, depth);
  }

  void judge(const DrillResult& result, SimulatedDriver& driver) {
    if (result.difference) return loop().fail("the resumed policies decide otherwise than in the recording");
    if (!result.finished) {
      if (!driver.stop) return loop().fail("a driver ended before its drill");
      loop().trace("the driver was told to stop");
      return;
    }
    if (over_) return loop().fail("the drill ends twice");
    over_ = true;
    const Ending ending = std::get<Finished>(result.record.observations.back().what).ending;
    report_.ending = ending == Ending::completed ? "completed"
                     : ending == Ending::gave_up ? "gave up"
                     : ending == Ending::stopped ? "stopped by an operator"
                                                 : "time over";
    loop().trace("the drill is over: " + report_.ending);
    check_result(result, ending);
  }

  /// It ended with an error: one that a person can do something about.
  void judge(const std::string& why, Depth depth) {
    loop().trace("the driver ends: " + why);
    const auto says = [&](const char* part) { return why.find(part) != std::string::npos; };
    if (agents_may_fail() && (says("does not answer") || says("cannot be started"))) return;
    if (depth == Depth::nested && says("another driver runs this drill")) return;
    if (depth == Depth::outer && taken_over_ && says("another driver took over")) return;
    loop().fail("a driver ends without a reason: " + why);
  }

  // --- what must hold at the end

  void check_result(const DrillResult& result, Ending ending) {
    const auto fail = [&](const std::string& why) { loop().fail(why); };
    Fingerprint all;
    for (const Observed& seen : result.record.observations) all.add(fingerprint_of(seen));
    report_.fingerprint = all.value();
    // Time without a driver does not count.
    Duration longest = 2 * kAnswersWithin + case_.scenario.policies.detection.collective_timeout + 2min;
    if (Duration(loop().now() - driver_began_) < longest) longest = kForever;
    if (const auto why = problem_of_record(result.record, case_.scenario.policies, longest); !why.empty())
      return fail(why);
    if (ending == Ending::completed && result.final_hash != expected_hash())
      return fail("the final parameters are not those of the job");
    if (ending == Ending::stopped && !stop_asked_) return fail("it was stopped unasked");
    if (ending == Ending::gave_up && world().job.give_up_after == 0ns) return fail("it gave up unasked");
    if (ending == Ending::time_over && world().job.window == 0ns) return fail("its time was over unasked");
    const auto requests = static_cast<std::uint32_t>(stop_requests(world(), case_.plan).size() -
                                                     world().job.planned_stops.size());
    if (result.injected > report_.injections + requests)
      return fail("the journal has more injections than the ranks have seen");
    if (nothing_is_lost() && result.injected < report_.injections)
      return fail("the journal lacks injections that the ranks have seen");
    if (const auto why = problem_of_clocks(result); !why.empty()) return fail(why);
    Figures figures;
    score(score_facts(world()), result.logs.truth, result.logs.progress, result.record, figures);
  }

  /// What the drill says of its hosts' clocks holds.
  std::string problem_of_clocks(const DrillResult& result) {
    std::uint32_t host = 0;
    for (const auto& known : result.host_clocks) {
      const SimulatedClock& clock = machine_.clock_of(host++);
      // A jump that is no longer than the delays of messages contradicts nothing.
      if (!known || clock.first_time(known->since_ns) <= clock.runs_since()) continue;
      const auto within = [&](std::int64_t loop_time) {
        const std::int64_t offset = known->read_ns - loop_time;
        return known->offset.low_ns <= offset && offset <= known->offset.high_ns;
      };
      ++report_.clocks;
      if (!within(clock.first_time(known->read_ns)) && !within(clock.last_time(known->read_ns)))
        return "the clock of host " + std::to_string(host - 1) + " is beyond the bounds of the driver";
    }
    for (const JournalEntry& entry : result.journal) {
      const auto done = injected_.find({agents_.all().front()->name().directory, entry.injection});
      if (entry.step != JournalStep::observed || done == injected_.end()) continue;
      if (machine_.clock_of(done->second.host).was_suspended()) continue;
      const std::int64_t began = machine_.started.at(done->first.first);
      const Duration error = entry.at - kStart - Duration(done->second.at - began);
      if (std::chrono::abs(error) > result.clock_accuracy.largest_error)
        return "fault " + std::to_string(entry.injection) + " is said to have been injected " +
               std::to_string(error.count()) + " ns late, which is more than the drill says: " +
               std::to_string(result.clock_accuracy.largest_error.count());
    }
    return "";
  }

  /// Every answer of every agent reaches the journal.
  bool nothing_is_lost() const { return !agents_may_fail() && case_.disturbances.driver_deaths == 0; }
  bool agents_may_fail() const {
    const Disturbances& rough = case_.disturbances;
    return rough.cannot_start + rough.ends_at_start + rough.slow_to_listen + rough.dies_late +
               rough.agent_crashes + rough.agent_hangs + rough.suspends + rough.breaks + rough.partitions +
               rough.driver_pauses >
           0;
  }

  static std::uint64_t fingerprint_of(const Observed& seen) {
    Fingerprint one;
    for (const char each : to_text(seen)) one.add(static_cast<std::uint64_t>(each));
    return one.value();
  }

  std::uint64_t expected_hash() const {
    Fingerprint all;
    const Layout& layout = world().job.layout;
    for (std::uint32_t rank = 0; rank < layout.ranks(); ++rank) {
      if (layout.coordinates(rank).dp == 0) all.add(final_hash_of(seed_, layout, rank, world().job.steps));
    }
    return all.value();
  }

  /// Whom a dead driver left ends by itself, in the time that agents wait for another one.
  void check_nothing_is_left() {
    loop().run(loop().now() + Duration(2min).count(), [] { return false; });
    if (loop().failed()) return;
    for (const auto& agent : agents_.all()) {
      if (agent->alive()) return loop().fail("agent " + std::to_string(agent->name().host) + " is left over");
      if (agents_.job(agent->name().directory).alive() > 0) return loop().fail("ranks are left over");
    }
  }

  // --- trouble

  /// So many a minute, at times that are not even.
  void often(double per_minute, std::function<void()> what) {
    if (per_minute <= 0) return;
    const Duration mean = from_seconds(60 / per_minute);
    std::int64_t at = EventLoop::kBegan;
    while ((at += dice_.between(Duration(0), 2 * mean).count()) < EventLoop::kBegan + case_.rough_for.count())
      loop().at(at, what);
  }

  void plan_trouble() {
    const Disturbances& rough = case_.disturbances;
    loop().after(case_.rough_for, [this] {
      loop().trace("nothing else goes wrong from here on");
      machine_.disturbances = {};
    });
    often(rough.breaks, [this] { machine_.network.break_one(); });
    often(rough.partitions, [this] {
      machine_.network.partition(static_cast<std::uint32_t>(dice_.below(world().inventory.hosts())),
                                 dice_.skewed(100ms, 1min));
    });
    often(rough.agent_crashes, [this] { strike_agent([](SimulatedAgent& agent) { agent.kill(); }); });
    often(rough.agent_hangs, [this] {
      const bool for_ever = dice_.chance(0.3);
      const Duration lasts = dice_.skewed(100ms, 1min);
      strike_agent(
          [&](SimulatedAgent& agent) { agent.stop(for_ever ? std::nullopt : std::optional(lasts)); });
    });
    often(rough.suspends, [this] {
      const Duration lasts = dice_.skewed(100ms, 20s);
      strike_agent([&](SimulatedAgent& agent) {
        loop().trace("host " + std::to_string(agent.name().host) + " is suspended");
        machine_.clock_of(agent.name().host).suspend(lasts);
        agent.stop(lasts);
      });
    });
    often(rough.rank_crashes, [this] {
      strike_rank([this](SimulatedJob& job, const auto& rank) {
        constexpr std::int32_t kCodes[] = {1, 137, 139};
        job.end(rank, kCodes[dice_.below(3)]);
      });
    });
    often(rough.rank_hangs,
          [this] { strike_rank([](SimulatedJob& job, const auto& rank) { job.stop(*rank); }); });
    often(rough.operator_acts, [this] { operate(); });
    plan_drivers();
  }

  /// An operator asks for anything, whether or not it makes sense. Each request has one answer.
  void operate() {
    if (desks_.empty()) return;
    constexpr OperatorVerb kOften[] = {
        OperatorVerb::status,  OperatorVerb::hosts,   OperatorVerb::evict,       OperatorVerb::evict,
        OperatorVerb::readmit, OperatorVerb::readmit, OperatorVerb::maintenance, OperatorVerb::answer};
    OperatorRequest request{.verb = kOften[dice_.below(std::size(kOften))]};
    if (dice_.chance(0.02)) request.verb = OperatorVerb::stop;
    if (dice_.chance(0.05)) request.verb = OperatorVerb::disarm;
    if (dice_.chance(0.9))
      request.host = HostId{static_cast<std::uint32_t>(dice_.below(world().inventory.hosts() + 1))};
    stop_asked_ = stop_asked_ || request.verb == OperatorVerb::stop;
    loop().trace("an operator asks for " + std::to_string(static_cast<int>(request.verb)));
    const auto answers = std::make_shared<int>(0);
    desks_.back()->post(request, [this, answers](const OperatorReply& reply) {
      if (++*answers > 1) loop().fail("a request of an operator is answered twice");
      if (!reply.done && reply.text.empty()) loop().fail("an operator is refused without a reason");
      loop().trace("the operator hears: " + (reply.done ? "done" : reply.text));
    });
  }

  void plan_drivers() {
    const Disturbances& rough = case_.disturbances;
    often(rough.driver_pauses, [this] {
      if (!drivers_.empty()) drivers_.back().driver->pause(dice_.skewed(100ms, 1min));
    });
    for (std::uint32_t i = 0; i < rough.driver_deaths; ++i) {
      const bool soon_after = dice_.chance(0.6);  // within one of its next calls, and not while it sleeps
      const bool told = dice_.chance(rough.operator_stops);
      const std::uint64_t calls = 1 + static_cast<std::uint64_t>(dice_.skewed(1ns, 300ns).count());
      loop().after(dice_.between(0ns, case_.rough_for), [this, soon_after, told, calls] {
        if (drivers_.empty()) {
          arm_next_driver_ = calls;  // it dies while it takes over
        } else if (told) {
          drivers_.back().driver->stop = true;
        } else if (soon_after) {
          drivers_.back().driver->die_in(calls);
        } else {
          drivers_.back().driver->die();
        }
      });
    }
    for (std::uint32_t i = 0; i < rough.rivals; ++i)
      loop().after(dice_.between(0ns, case_.rough_for), [this] { rival(); });
    for (std::uint32_t i = 0; i < rough.takeovers; ++i)
      loop().after(dice_.between(0ns, case_.rough_for), [this] { take_over(); });
  }

  /// Somebody starts the same command again while its driver lives.
  void rival() {
    if (drivers_.size() != 1 || over_) return;
    loop().trace("the drill is started a second time");
    const Running first = drivers_.back();
    first.driver->freeze();
    drive(record_, Depth::nested);
    first.driver->thaw();
    // One that was overtaken, and has not heard of it yet, runs nothing any more.
    if (over_ && owns(first.record) && !first.driver->dead()) loop().fail("two drivers ran one drill");
  }

  /// The first driver is stopped; another one goes on from a copy of the recording, and has the drill from then on.
  void take_over() {
    namespace fs = std::filesystem;
    if (drivers_.size() != 1 || drivers_.back().driver->dead() || over_ || taken_over_ ||
        agents_.all().empty())
      return;
    if (!fs::exists(record_) || fs::file_size(record_ + ".state") == 0) return;
    const ReadRecording begun = read_recording(record_);
    if (!begun.recording || begun.recording->record.observations.empty()) return;  // nothing to go on from
    if (std::holds_alternative<Finished>(begun.recording->record.observations.back().what)) return;
    loop().trace("another driver goes on from a copy of the recording");
    const std::string copy = (place_.path() / "copy.rec").string();
    constexpr auto kOver = fs::copy_options::overwrite_existing;
    fs::copy_file(record_, copy, kOver);
    fs::copy_file(record_ + ".state", copy + ".state", kOver);
    drivers_.back().driver->freeze();
    if (dice_.chance(0.5))
      arm_next_driver_ = 1 + static_cast<std::uint64_t>(dice_.skewed(1ns, 5000ns).count());
    const std::string second = "driver " + std::to_string(report_.drivers + 1);
    on_attending_ = [this, second, copy](const std::string& driver) {
      if (driver != second) return;
      taken_over_ = true;
      record_ = copy;
    };
    const std::string directory = agents_.all().back()->name().directory;
    const auto before = newest_epoch(directory);
    drive(copy, Depth::nested);
    if (newest_epoch(directory) != before) {  // it has said so, or ended the drill
      taken_over_ = true;
      record_ = copy;
    }
    drivers_.back().driver->thaw();
    loop().trace("the first driver goes on");
  }

  void strike_agent(const std::function<void(SimulatedAgent&)>& how) {
    std::vector<std::shared_ptr<SimulatedAgent>> living;
    for (const auto& agent : agents_.all()) {
      if (agent->listens()) living.push_back(agent);
    }
    if (!living.empty()) how(*living[dice_.below(living.size())]);
  }

  void strike_rank(const std::function<void(SimulatedJob&, const std::shared_ptr<RankProcess>&)>& how) {
    std::set<std::string> directories;
    for (const auto& agent : agents_.all()) {
      if (agent->alive()) directories.insert(agent->name().directory);
    }
    for (const std::string& directory : directories) {
      SimulatedJob& job = agents_.job(directory);
      const auto living = job.living();
      if (living.empty()) continue;
      const auto& rank = living[dice_.below(living.size())];
      loop().trace("rank " + std::to_string(rank->options.rank) + " is struck");
      how(job, rank);
    }
  }

  const std::uint64_t seed_;
  const DrillCase case_;
  Dice dice_;
  const Scratch place_;
  SimulatedMachine machine_;
  SimulatedAgents agents_;
  std::string record_;
  std::vector<Running> drivers_;  // a nested one last
  std::function<void(const std::string& driver)> on_attending_ = [](const std::string&) {};
  std::vector<OperatorDesk*> desks_;  // of the drivers that listen, a nested one last
  bool stop_asked_ = false;
  std::uint64_t arm_next_driver_ = 0;
  std::map<std::pair<std::string, std::uint64_t>, Injected> injected_;  // by directory and number
  std::map<std::string, Epoch> epochs_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> heard_epochs_;  // the highest, of each host
  std::int64_t driver_began_ = 0;
  bool over_ = false;
  bool taken_over_ = false;
  SimulatedDrillReport report_;
};

}  // namespace

SimulatedDrillReport simulate_drill(std::uint64_t seed, Tracing tracing) {
  return SimulatedDrill(seed, tracing).run();
}

}  // namespace gauntlet
