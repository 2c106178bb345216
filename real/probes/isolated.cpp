#include "real/probes/isolated.hpp"

#include "core/quantity.hpp"
#include "real/probes/sample_json.hpp"
#include "real/system/descriptor.hpp"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>

namespace gauntlet {
namespace {

constexpr Duration kIsolatedStopNoticed =
    std::chrono::milliseconds(100);  // how soon a request to stop is noticed
constexpr int kNotSaid = 1;          // exit code of a process that could not say what it measured

using SteadyTime = std::chrono::steady_clock::time_point;

[[noreturn]] void measure_and_say(const std::function<ProbeSample()>& probe, int output, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotSaid);                                  // it died before
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);  // the parent decides
  std::string text;
  try {
    text = nlohmann::ordered_json(probe()).dump(-1, ' ', false,
                                                nlohmann::ordered_json::error_handler_t::replace);
  } catch (const std::exception& error) {
    ProbeSample sample;
    sample.errors.emplace_back(error.what());
    text = nlohmann::ordered_json(sample).dump();
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(output, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(kNotSaid);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::_exit(0);
}

enum class Ending { said, late, stopped };

/// Reads until the other end is closed.
Ending read_said(int input, SteadyTime until, const std::atomic<bool>* stop, std::string& text) {
  while (true) {
    std::array<char, 4096> bytes{};
    const ssize_t got = ::read(input, bytes.data(), bytes.size());
    if (got == 0) return Ending::said;
    if (got > 0) {
      text.append(bytes.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (stop != nullptr && *stop) return Ending::stopped;
    const auto left = std::min<Duration>(until - std::chrono::steady_clock::now(), kIsolatedStopNoticed);
    if (left <= Duration::zero()) return Ending::late;
    pollfd polled = {.fd = input, .events = POLLIN, .revents = 0};
    ::poll(&polled, 1, static_cast<int>(left / std::chrono::milliseconds(1)) + 1);
  }
}

ProbeSample wrong(std::string why) {
  ProbeSample sample;
  sample.errors.push_back(std::move(why));
  return sample;
}

}  // namespace

ProbeSample run_isolated(const std::function<ProbeSample()>& probe, Duration deadline,
                         const std::atomic<bool>* stop) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return unsupported_sample(std::string("no pipe: ") + std::strerror(errno));
  const Descriptor input(ends[0]);
  Descriptor output(ends[1]);
  ::fcntl(input.get(), F_SETFL, O_NONBLOCK);
  const pid_t self = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return unsupported_sample(std::string("no process can be started: ") + std::strerror(errno));
  if (pid == 0) measure_and_say(probe, output.get(), self);
  output.reset();
  std::string text;
  const Ending ending = read_said(input.get(), std::chrono::steady_clock::now() + deadline, stop, text);
  ::kill(pid, SIGKILL);
  if (ending != Ending::said) {
    // One that waits for a dead disk does not die; nobody waits for it.
    ::waitpid(pid, nullptr, WNOHANG);
    if (ending == Ending::late) return wrong("did not end within " + to_text(deadline));
    ProbeSample sample;
    sample.inconclusive = "was stopped";
    return sample;
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_discarded()) return json.get<ProbeSample>();
  return wrong(WIFSIGNALED(status)
                   ? "the process of the probe was killed by signal " + std::to_string(WTERMSIG(status)) +
                         " (" + ::strsignal(WTERMSIG(status)) + ")"
                   : std::string("the process of the probe said nothing"));
}

}  // namespace gauntlet
