#include "bench/agents/measured_platform.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace gauntlet {
namespace {

class MeasuredAlarm final : public Alarm {
 public:
  MeasuredAlarm(std::unique_ptr<Alarm> alarm, const Clock& clock, Measurements& into)
      : alarm_(std::move(alarm)), clock_(clock), into_(into), awake_ns_(clock.monotonic_ns()) {}

  void sleep(Duration at_most) override {
    into_.add_busy(Duration(clock_.monotonic_ns() - awake_ns_));
    alarm_->sleep(at_most);
    awake_ns_ = clock_.monotonic_ns();
  }
  void wake() override { alarm_->wake(); }

 private:
  std::unique_ptr<Alarm> alarm_;
  const Clock& clock_;
  Measurements& into_;
  std::int64_t awake_ns_;
};

class MeasuredClock final : public DriverClock {
 public:
  MeasuredClock(DriverClock& clock, Measurements& into) : clock_(clock), into_(into) {}

  std::int64_t monotonic_ns() const override { return clock_.monotonic_ns(); }
  std::unique_ptr<Alarm> alarm() override {
    return std::make_unique<MeasuredAlarm>(clock_.alarm(), clock_, into_);
  }
  std::unique_ptr<Repeater> repeat(Duration period, std::function<void()> body) override {
    return clock_.repeat(period, std::move(body));
  }

 private:
  DriverClock& clock_;
  Measurements& into_;
};

class MeasuredTransport final : public Transport {
 public:
  MeasuredTransport(Transport& transport, const Clock& clock, Measurements& into)
      : transport_(transport), clock_(clock), into_(into) {}

  std::unique_ptr<AgentLink> link(const AgentName& agent, const DriverHello& hello,
                                  const LinkListener& listener) override {
    const auto receive = [this, receive = listener.receive](const AgentMessage& message) {
      if (const auto* heartbeat = std::get_if<AgentHeartbeat>(&message))
        into_.add_lag(Duration(clock_.monotonic_ns() - heartbeat->at_ns));
      receive(message);
    };
    return transport_.link(agent, hello, {.receive = receive, .lost = listener.lost});
  }
  bool listens(const AgentName& agent) const override { return transport_.listens(agent); }

 private:
  Transport& transport_;
  const Clock& clock_;
  Measurements& into_;
};

}  // namespace

void Measurements::begin() {
  const std::lock_guard lock(mutex_);
  lags_.clear();
  longest_busy_ = {};
}
void Measurements::add_lag(Duration lag) {
  const std::lock_guard lock(mutex_);
  lags_.push_back(lag);
}
void Measurements::add_busy(Duration busy) {
  const std::lock_guard lock(mutex_);
  longest_busy_ = std::max(longest_busy_, busy);
}
std::vector<Duration> Measurements::lags() const {
  const std::lock_guard lock(mutex_);
  std::vector<Duration> sorted = lags_;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}
Duration Measurements::longest_busy() const {
  const std::lock_guard lock(mutex_);
  return longest_busy_;
}

MeasuredPlatform::MeasuredPlatform(Platform& platform, Measurements& into)
    : platform_(platform),
      clock_(std::make_unique<MeasuredClock>(platform.clock(), into)),
      transport_(std::make_unique<MeasuredTransport>(platform.transport(), platform.clock(), into)) {}
MeasuredPlatform::~MeasuredPlatform() = default;

DriverClock& MeasuredPlatform::clock() { return *clock_; }
Transport& MeasuredPlatform::transport() { return *transport_; }

}  // namespace gauntlet
