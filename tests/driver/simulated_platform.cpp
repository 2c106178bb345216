#include "tests/driver/simulated_platform.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace gauntlet {

using namespace std::chrono_literals;

namespace {

bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

}  // namespace

// --- agents

std::shared_ptr<SimulatedAgent> SimulatedAgents::start(const AgentName& name, bool allow_injection) {
  const bool taken = living(name) != nullptr || !std::filesystem::exists(name.directory);
  auto agent = std::make_shared<SimulatedAgent>(machine_, job(name.directory), name, allow_injection);
  agents_.push_back(agent);
  machine_.loop.trace("agent " + std::to_string(name.host) + " is started");
  agent->begin(taken);
  return agent;
}

std::shared_ptr<SimulatedAgent> SimulatedAgents::living(const AgentName& name) const {
  const auto found = std::find_if(agents_.begin(), agents_.end(), [&](const auto& each) {
    return each->alive() && each->name().host == name.host && each->name().directory == name.directory;
  });
  return found == agents_.end() ? nullptr : *found;
}

std::shared_ptr<SimulatedAgent> SimulatedAgents::last(const AgentName& name) const {
  const auto found = std::find_if(agents_.rbegin(), agents_.rend(), [&](const auto& each) {
    return each->name().host == name.host && each->name().directory == name.directory;
  });
  return found == agents_.rend() ? nullptr : *found;
}

SimulatedJob& SimulatedAgents::job(const std::string& directory) {
  auto& job = jobs_[directory];
  if (!job) job = std::make_unique<SimulatedJob>(machine_.loop, seed_, machine_.disturbances);
  return *job;
}

// --- the driver as a process

void SimulatedDriver::say(const std::string& line) {
  if (!dead()) machine_.loop.trace(name_ + ": " + line);
}

bool SimulatedDriver::dead() {
  if (machine_.loop.failed()) stop = true;  // nothing more is of interest
  return dead_ || machine_.loop.failed();
}

void SimulatedDriver::die() {
  if (dead()) return;
  machine_.loop.trace(name_ + " is killed");
  dead_ = true;
  died_at_ = machine_.loop.now();
  stop = true;
  for (const auto& each : streams_) {
    if (const auto stream = each.lock()) machine_.network.driver_died(stream);
  }
  on_death();
}

bool SimulatedDriver::lives() {
  if (dead()) return false;
  if (!frozen_ && --calls_left_ == 0) die();
  return !dead();
}

void SimulatedDriver::pause(Duration lasts) {
  machine_.loop.trace(name_ + " is stopped for " + std::to_string(lasts / 1ms) + " ms");
  paused_until_ = machine_.loop.now() + lasts.count();
}

void SimulatedDriver::freeze() {
  frozen_ = true;
  frozen_since_ = machine_.loop.now();
}

void SimulatedDriver::thaw() {
  frozen_ = false;
  const Duration lasted(machine_.loop.now() - frozen_since_);
  busy_ -= lasted;  // it is within block(), which counts this
  on_stopped(lasted);
}

void SimulatedDriver::block(Duration at_most, const std::function<bool()>& done) {
  // Beyond what the driver grants any agent for one thing, and for all that it does between two sleeps.
  constexpr Duration kLongest = 1min, kLongestBusy = 20min;
  if (!lives()) return;
  if (at_most > kLongest) return machine_.loop.fail(name_ + " waits without a deadline");
  const std::int64_t began = machine_.loop.now();
  machine_.loop.run(began + at_most.count(), [&] { return dead() || done(); });
  busy_ += Duration(machine_.loop.now() - began);
  if (busy_ > kLongestBusy) return machine_.loop.fail(name_ + " waits again and again, without a deadline");
  const std::int64_t ready = machine_.loop.now();
  while (!dead() && machine_.loop.now() < paused_until_)
    machine_.loop.run(paused_until_, [this] { return dead(); });
  if (!dead() && machine_.loop.now() > ready) on_stopped(Duration(machine_.loop.now() - ready));
}

// --- its clock

class SimulatedAlarm final : public Alarm {
 public:
  explicit SimulatedAlarm(SimulatedDriver& driver) : driver_(driver) {}
  void sleep(Duration at_most) override {
    if (!driver_.dead()) driver_.on_sleep();
    driver_.busy_ = {};
    driver_.block(at_most, [this] { return woken_; });
    woken_ = false;
  }
  void wake() override { woken_ = true; }

 private:
  SimulatedDriver& driver_;
  bool woken_ = false;
};

/// Its body runs between two events, as it would beside a driver that sleeps; while a driver computes no time passes.
class SimulatedRepeater final : public Repeater {
 public:
  SimulatedRepeater(SimulatedDriver& driver, Duration period, std::function<void()> body)
      : driver_(driver), period_(std::max<Duration>(period, 1ms)), body_(std::move(body)) {
    repeat();
  }
  ~SimulatedRepeater() override { *over_ = true; }

 private:
  void repeat() {
    if (driver_.dead()) return;
    EventLoop& loop = driver_.machine_.loop;
    const bool paused = driver_.frozen_ || loop.now() < driver_.paused_until_;
    if (!paused) body_();
    const std::int64_t next = loop.now() + (paused ? kLook : period_).count();
    loop.at(next, [this, over = over_] {
      if (!*over) repeat();
    });
  }

  static constexpr Duration kLook = 100ms;  // of one that is stopped, whether it goes on

  SimulatedDriver& driver_;
  const Duration period_;
  const std::function<void()> body_;
  const std::shared_ptr<bool> over_ = std::make_shared<bool>(false);
};

std::int64_t SimulatedDriver::monotonic_ns() const {
  // A look at the clock is a call like any other: the driver may die between any two lines that need the time.
  return const_cast<SimulatedDriver*>(this)->lives() || died_at_ == 0 ? machine_.loop.now() : died_at_;
}

std::unique_ptr<Alarm> SimulatedDriver::alarm() { return std::make_unique<SimulatedAlarm>(*this); }

std::unique_ptr<Repeater> SimulatedDriver::repeat(Duration period, std::function<void()> body) {
  return std::make_unique<SimulatedRepeater>(*this, period, std::move(body));
}

// --- its streams

class SimulatedLink final : public AgentLink {
 public:
  SimulatedLink(SimulatedDriver& driver, AgentName agent, DriverHello hello, LinkListener listener)
      : driver_(driver), agent_(std::move(agent)), hello_(std::move(hello)), listener_(std::move(listener)) {}
  ~SimulatedLink() override { close(); }

  bool connect(Duration timeout, std::string& why, const std::atomic<bool>* stop) override {
    constexpr Duration kRetry = 100ms;
    if (timeout > 1h) machine().loop.fail(driver_.name_ + " connects without a deadline");
    const std::int64_t deadline = now() + timeout.count();
    do {
      const Attends attends = look(why);
      if (attends != Attends::not_yet) return attends == Attends::yes;
      driver_.block(std::min(kRetry, Duration(deadline - now())), [&] { return is_settled() || is_set(stop); });
    } while (now() < deadline && !driver_.dead() && !is_set(stop));
    return look(why) == Attends::yes;
  }

  Attends look(std::string& why) override {
    why = "no agent answers";
    if (!driver_.lives()) return Attends::not_yet;  // the dead open no streams
    const auto agent = driver_.agents_.living(agent_);
    if (!stream_ && agent && agent->listens()) {
      hello_.sent_ns = now();
      stream_ = agent->connect(hello_, listener_);
      stream_->driver_name = driver_.name_;
      driver_.streams_.push_back(stream_);
    }
    if (!stream_) return Attends::not_yet;
    why = "the agent does not answer";
    if (!is_settled()) return Attends::not_yet;
    why = stream_->refusal;
    if (why.empty()) return Attends::yes;
    stream_.reset();
    return why == kBroken ? Attends::not_yet : Attends::refused;
  }

  void send(const DriverMessage& message) override {
    if (driver_.lives() && stream_ && stream_->driver == Connection::Driver::standing)
      machine().network.send(stream_, message);
  }

  void close() override {
    if (!stream_) return;
    if (!driver_.dead() && stream_->driver != Connection::Driver::gone) {
      const bool opening = stream_->driver == Connection::Driver::opening;
      machine().network.end_by_driver(stream_);
      if (!opening) driver_.block(1s, [this] { return stream_->driver == Connection::Driver::gone; });
    }
    stream_->driver = Connection::Driver::gone;
    stream_.reset();
  }

 private:
  static constexpr std::string_view kBroken = "Socket closed";

  bool is_settled() const { return stream_ && stream_->driver != Connection::Driver::opening; }
  std::int64_t now() const { return machine().loop.now(); }
  SimulatedMachine& machine() const { return driver_.machine_; }

  SimulatedDriver& driver_;
  const AgentName agent_;
  DriverHello hello_;
  const LinkListener listener_;
  std::shared_ptr<Connection> stream_;
};

std::unique_ptr<AgentLink> SimulatedDriver::link(const AgentName& agent, const DriverHello& hello,
                                                 const LinkListener& listener) {
  lives();
  return std::make_unique<SimulatedLink>(*this, agent, hello, listener);
}

/// A socket's file stays where its agent was killed, until the next one begins.
bool SimulatedDriver::listens(const AgentName& name) const {
  const auto agent = agents_.last(name);
  return agent && (agent->listens() || agent->left_socket());
}

// --- its processes

class SimulatedHandle final : public AgentHandle {
 public:
  SimulatedHandle(SimulatedDriver& driver, std::shared_ptr<SimulatedAgent> agent)
      : driver_(driver), agent_(std::move(agent)) {}
  ~SimulatedHandle() override { wait_or_end(0ns, nullptr); }

  bool exits_within(Duration patience) override {
    if (!agent_) return true;
    driver_.block(patience, [this] { return !agent_->alive(); });
    return !agent_->alive() || driver_.dead();
  }
  bool wait_or_end(Duration patience, const std::atomic<bool>* stop) override {
    if (!agent_) return true;
    AgentHandle* const alone[] = {this};
    await_all(driver_, alone, patience, stop);
    const bool obeyed = has_ended();
    end_all(driver_, alone, stop);
    return obeyed;
  }
  /// Until each has ended; once `stop` is set, a fraction of a second is left.
  static void await_all(SimulatedDriver& driver, std::span<AgentHandle* const> all, Duration patience,
                        const std::atomic<bool>* stop) {
    constexpr Duration kHurried = 200ms;
    const auto ended = [all] {
      return std::all_of(all.begin(), all.end(), [](AgentHandle* each) { return of(each).has_ended(); });
    };
    const std::int64_t until = driver.machine_.loop.now() + patience.count();
    driver.block(patience, [&] { return ended() || is_set(stop); });
    const Duration left(until - driver.machine_.loop.now());
    if (is_set(stop) && left > 0ns) driver.block(std::min(left, kHurried), ended);
  }
  /// Those that are there: terminated, and killed where they do not obey.
  static void end_all(SimulatedDriver& driver, std::span<AgentHandle* const> all,
                      const std::atomic<bool>* stop) {
    for (AgentHandle* each : all)
      if (!of(each).has_ended()) of(each).agent_->terminate();
    await_all(driver, all, 5s, stop);
    for (AgentHandle* each : all) {
      if (!of(each).has_ended()) each->kill();
      each->exits_within(20s);
      of(each).agent_.reset();
    }
  }
  void kill() override {
    if (agent_ && driver_.lives()) agent_->kill();
  }
  void terminate() override {
    if (agent_ && driver_.lives()) agent_->terminate();
  }
  void let_go() override { agent_.reset(); }

 private:
  static SimulatedHandle& of(AgentHandle* handle) { return static_cast<SimulatedHandle&>(*handle); }
  bool has_ended() const { return !agent_ || !agent_->alive() || driver_.dead(); }

  SimulatedDriver& driver_;
  std::shared_ptr<SimulatedAgent> agent_;
};

std::unique_ptr<AgentHandle> SimulatedDriver::start(const AgentName& name, bool allow_injection,
                                                    const std::atomic<bool>* stop) {
  if (const auto holder = find(name)) holder->wait_or_end(0ns, stop);
  if (!lives()) throw std::runtime_error("the driver is dead");
  if (machine_.dice.chance(machine_.disturbances.cannot_start))
    throw std::runtime_error("gauntlet: cannot be started: no process is left");
  return std::make_unique<SimulatedHandle>(*this, agents_.start(name, allow_injection));
}

std::unique_ptr<AgentHandle> SimulatedDriver::find(const AgentName& name) {
  if (!lives()) return nullptr;
  auto agent = agents_.living(name);
  return agent ? std::make_unique<SimulatedHandle>(*this, std::move(agent)) : nullptr;
}

void SimulatedDriver::wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                                  const std::atomic<bool>* stop) {
  SimulatedHandle::await_all(*this, all, patience, stop);
  SimulatedHandle::end_all(*this, all, stop);
}

std::string SimulatedDriver::last_words(const AgentName& name) const {
  const auto agent = agents_.last(name);
  return agent ? agent->last_words() : "";
}

}  // namespace gauntlet
