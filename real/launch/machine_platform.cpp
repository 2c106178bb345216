#include "real/launch/machine_platform.hpp"

#include "real/driver/random_digits.hpp"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace gauntlet {
namespace {

constexpr Duration kShortestPeriod = std::chrono::milliseconds(1);
constexpr std::size_t kSecretDigits = 32;  // 128 bits

class LocalAlarm final : public Alarm {
 public:
  void sleep(Duration at_most) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [this] { return woken_; });
    woken_ = false;
  }
  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

class LocalRepeater final : public Repeater {
 public:
  LocalRepeater(Duration period, std::function<void()> body)
      : period_(std::max(period, kShortestPeriod)), body_(std::move(body)), thread_([this] { repeat(); }) {}
  ~LocalRepeater() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  void repeat() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      lock.unlock();
      body_();
      lock.lock();
      changed_.wait_for(lock, period_, [this] { return over_; });
    }
  }

  const Duration period_;
  const std::function<void()> body_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Alarm> LocalClock::alarm() { return std::make_unique<LocalAlarm>(); }

std::unique_ptr<Repeater> LocalClock::repeat(Duration period, std::function<void()> body) {
  return std::make_unique<LocalRepeater>(period, std::move(body));
}

std::unique_ptr<AgentLink> GrpcTransport::link(const AgentName& agent, const DriverHello& hello,
                                               const LinkListener& listener) {
  return std::make_unique<GrpcLink>(launcher_.endpoint(agent), hello, launcher_.listener(agent, listener));
}

bool GrpcTransport::listens(const AgentName& agent) const {
  const AgentEndpoint endpoint = launcher_.endpoint(agent);
  return !endpoint.address.empty() || access(endpoint.path.c_str(), F_OK) == 0;
}

MeetingPlace MachinePlatform::meeting_place(const AgentName& agent) {
  MeetingPlace place = launcher_->meeting_place(agent);
  place.secret = random_digits(kSecretDigits);
  return place;
}

void MachinePlatform::say(const std::string& line) {  // A progress line may stand there.
  std::fprintf(stderr, "%sgauntlet: %s\n", ::isatty(STDERR_FILENO) != 0 ? "\r\x1b[K" : "", line.c_str());
}

}  // namespace gauntlet
