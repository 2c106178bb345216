#include "tests/driver/simulated_agent.hpp"

#include <utility>

namespace gauntlet {

using namespace std::chrono_literals;

SimulatedAgent::SimulatedAgent(SimulatedMachine& machine, SimulatedJob& job, AgentName name,
                               bool allow_injection)
    : machine_(machine),
      name_(std::move(name)),
      clock_(machine.clock_of(name_.host)),
      ranks_(machine.loop, job, machine.dice, machine.disturbances, clock_, [this] { poke(); }),
      allow_injection_(allow_injection) {
  ranks_.on_signal = [this](std::uint32_t) {
    if (!injecting_) return machine_.loop.fail("a rank was signalled without an order");
    machine_.on_deed(name_, orders_injection_.epoch, orders_injection_.sent);
    machine_.on_injected(name_, *injecting_);
  };
  ranks_.on_start = [this] { machine_.on_deed(name_, orders_start_.epoch, orders_start_.sent); };
}

void SimulatedAgent::say(const std::string& line) {
  last_words_ = line;
  machine_.loop.trace("agent " + std::to_string(name_.host) + ": " + line);
}

// --- as a process

void SimulatedAgent::begin(bool place_is_taken) {
  Dice& dice = machine_.dice;
  const auto self = shared_from_this();
  if (place_is_taken || dice.chance(machine_.disturbances.ends_at_start)) {
    last_words_ = place_is_taken ? "it cannot have its place" : "the disk is on fire";
    machine_.loop.after(dice.between(1ms, 50ms), [self] { self->die(); });
    return;
  }
  const bool slow = dice.chance(machine_.disturbances.slow_to_listen);
  machine_.loop.after(slow ? dice.skewed(1s, 40s) : dice.between(20ms, 200ms), [self] { self->listen(); });
}

void SimulatedAgent::listen() {
  if (state_ != State::starts) return;
  state_ = State::listens;
  supervisor_.emplace(AgentOptions{.host = name_.host,
                                   .directory = name_.directory,
                                   .trainer = "simulated",
                                   .allow_injection = allow_injection_},
                      AgentSurroundings{.clock = *this,
                                        .streams = *this,
                                        .ranks = ranks_,
                                        .probes = *this,
                                        .host = host_,
                                        .faults = faults_,
                                        .identity = {"simulated", "host-" + std::to_string(name_.host)},
                                        .rank_uid = {},
                                        .say = [this](const std::string& line) { say(line); }});
  poke();
}

/// Its poll() returns.
void SimulatedAgent::poke() {
  if (poked_ || state_ != State::listens) return;
  poked_ = true;
  machine_.loop.after(0ns, [self = shared_from_this()] {
    self->poked_ = false;
    self->turn();
  });
}

/// One message at a time, so that a deed is known to be of one.
void SimulatedAgent::turn() {
  do {
    if (state_ != State::listens || stopped_) return;
    std::vector<SupervisorMessage> heard;
    injecting_.reset();
    if (!inbox_.empty()) {
      note(inbox_.front());
      heard.push_back(std::move(inbox_.front().what));
      inbox_.pop_front();
    }
    supervisor_->wake(heard);
    if (const std::optional<int> code = supervisor_->settle()) return end(*code);
  } while (!inbox_.empty());
  const Time next = supervisor_->next_deadline();
  check_waits(next);
  check_lease();
  const std::int64_t due = next.time_since_epoch().count();
  if (next == kNever || due == deadline_) return;
  deadline_ = due;
  machine_.loop.at(clock_.first_time(due), [self = shared_from_this(), due] {
    if (self->deadline_ != due) return;
    self->deadline_ = 0;
    self->turn();
  });
}

/// What it is about to hear, as the world knows it.
void SimulatedAgent::note(const Heard& heard) {
  const auto* from = std::get_if<FromStream>(&heard.what);
  const auto* message = from == nullptr ? nullptr : std::get_if<DriverMessage>(&from->what);
  if (message == nullptr) return;
  if (const auto* inject = std::get_if<DriverInject>(message)) {
    injecting_ = inject->injection;
    orders_injection_ = heard.sender;
  }
  if (std::holds_alternative<DriverStartRanks>(*message)) orders_start_ = heard.sender;
  if (const auto* hello = std::get_if<DriverHello>(message)) {
    machine_.started[name_.directory] = hello->greeting.started_ns;
    machine_.on_hello(name_, hello->epoch, heard.sender.sent);
  }
  if (const auto* lease = std::get_if<DriverLease>(message)) {
    constexpr Duration kSoon = 1ms;
    lease_ends_ = std::max(lease_ends_, clock_.now() + lease->lasts.count());
    machine_.loop.at(clock_.first_time(lease_ends_ + Duration(kSoon).count()),
                     [self = shared_from_this()] { self->check_lease(); });
  }
}

/// Nobody wakes it but a stream, a rank or a deadline, and the first two may stay silent for ever.
void SimulatedAgent::check_waits(Time next) {
  if (next == kNever && (!supervisor_->leaving() || ranks_.any_lives()))
    machine_.loop.fail("agent " + std::to_string(name_.host) + " waits without a deadline");
}

void SimulatedAgent::check_lease() {
  if (state_ != State::listens || stopped_ || clock_.now() <= lease_ends_ || !ranks_.any_lives()) return;
  machine_.loop.fail("ranks of host " + std::to_string(name_.host) + " run on after their lease");
}

/// It has no ranks: it takes leave of its drivers, and is gone soon.
void SimulatedAgent::end(int exit_code) {
  if (!ranks_.none()) machine_.loop.fail("an agent ended before its ranks");
  machine_.loop.trace("agent " + std::to_string(name_.host) + " ends with exit code " +
                      std::to_string(exit_code));
  state_ = State::ends;
  for (const auto& [id, stream] : streams_)
    machine_.network.end_by_agent(stream, "the agent ended the stream");
  machine_.loop.after(machine_.dice.between(1ms, 50ms), [self = shared_from_this()] { self->die(); });
}

void SimulatedAgent::terminate() {
  if (state_ == State::starts) return die();
  if (state_ != State::listens) return;
  stopped_ = false;
  supervisor_->end();
  poke();
}

void SimulatedAgent::kill() {
  if (state_ == State::dead || state_ == State::dying) return;
  if (!machine_.dice.chance(machine_.disturbances.dies_late)) return die();
  machine_.loop.trace("agent " + std::to_string(name_.host) + " is held by the kernel");
  state_ = State::dying;
  machine_.loop.after(machine_.dice.between(1s, 40s), [self = shared_from_this()] { self->die(); });
}

void SimulatedAgent::stop(std::optional<Duration> lasts) {
  if (state_ != State::listens) return;
  machine_.loop.trace("agent " + std::to_string(name_.host) + " is stopped");
  stopped_ = true;
  if (!lasts) return;
  machine_.loop.after(*lasts, [self = shared_from_this()] {
    self->stopped_ = false;
    self->poke();
  });
}

void SimulatedAgent::die() {
  if (state_ == State::dead) return;
  const bool killed = state_ != State::ends;
  left_socket_ = supervisor_ && killed;
  state_ = State::dead;
  machine_.loop.trace("agent " + std::to_string(name_.host) + " is gone");
  ranks_.die();
  if (!killed) return;
  for (const auto& [id, stream] : streams_) machine_.network.cut(stream, "Socket closed");
}

// --- what it hears and says

std::shared_ptr<Connection> SimulatedAgent::connect(const DriverHello& hello, const LinkListener& listener) {
  auto stream = machine_.network.open(name_.host, shared_from_this(), hello, listener);
  streams_.emplace(stream->id, stream);
  return stream;
}

void SimulatedAgent::hear(FromStream message, Sender sender) {
  if (state_ != State::listens) return;
  if (std::holds_alternative<StreamGone>(message.what)) streams_.erase(message.stream);
  inbox_.push_back({std::move(message), sender});
  poke();
}

bool SimulatedAgent::send(StreamId stream, const AgentMessage& message) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return false;
  if (std::holds_alternative<AgentAttending>(message))
    machine_.on_attending(name_, found->second->driver_name, found->second->epoch);
  return machine_.network.send(found->second, message);
}

void SimulatedAgent::end(StreamId stream, const std::string& why) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  machine_.network.end_by_agent(found->second, why);
  streams_.erase(found);
}

void SimulatedAgent::begin(const ProbeTask&, std::uint64_t number) {
  Dice& dice = machine_.dice;
  if (dice.chance(machine_.disturbances.probe_hangs)) return;
  const bool faulty = dice.chance(machine_.disturbances.probe_accuses);
  machine_.loop.after(dice.skewed(50ms, 2s), [self = shared_from_this(), number, faulty] {
    if (self->state_ != State::listens) return;
    ProbeSample sample;
    if (faulty) sample.errors.emplace_back("memory differs");
    self->inbox_.push_back({ProbeEnded{number, sample}});
    self->poke();
  });
}

}  // namespace gauntlet
