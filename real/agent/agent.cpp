#include "real/agent/agent.hpp"

#include "core/problem.hpp"
#include "real/agent/agent_loop.hpp"
#include "real/agent/identity.hpp"
#include "real/agent/place.hpp"
#include "real/agent/probe_threads.hpp"

#include <pthread.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

namespace gauntlet {
namespace {

/// Blocks the signals that end the agent, for this thread and those that it starts, and puts the old ones back.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&ours_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ours_, signal);
    ::pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  ~BlockedSignals() {
    // What came is answered by now; it must not end the process after all.
    const timespec at_once{};
    while (::sigtimedwait(&ours_, nullptr, &at_once) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  Descriptor descriptor() const { return Descriptor(::signalfd(-1, &ours_, SFD_CLOEXEC | SFD_NONBLOCK)); }

 private:
  sigset_t ours_{}, before_{};
};

/// Nobody but us may connect; what ranks write is theirs to decide.
class PrivateFiles {
 public:
  PrivateFiles() : before_(::umask(077)) {}
  ~PrivateFiles() { ::umask(before_); }
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  mode_t before_;
};

std::optional<Problem> check_trainer(const std::string& trainer) {
  if (::access(trainer.c_str(), X_OK) == 0) return std::nullopt;
  return Problem{.file = trainer,
                 .why = std::string("cannot be run as a rank: ") + std::strerror(errno),
                 .suggestion = "name the trainer's program by its path"};
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return kAgentRefused;
}

}  // namespace

int run_agent(const AgentOptions& options) {
  if (const auto wrong = check_trainer(options.trainer)) return refuse(wrong->text());
  AgentPlace place;
  if (const auto wrong = AgentPlace::take(options.directory, options.host, place))
    return refuse(wrong->text());
  const BlockedSignals signals;                                // before any thread is started
  const auto mailbox = std::make_shared<SupervisorMailbox>();  // outlives a probe that hangs, hence shared
  const std::string socket = agent_socket(options.directory, options.host);
  std::unique_ptr<AgentServer> server;
  try {
    const PrivateFiles ours;
    server = std::make_unique<AgentServer>(
        socket, [mailbox](FromStream message) { mailbox->put(std::move(message)); });
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  const MachineClock clock;
  RankProcesses ranks(options.trainer, options.directory);
  ProbeThreads probes(options.directory, [mailbox](const ProbeEnded& ended) { mailbox->put(ended); });
  Supervisor supervisor(options, {.clock = clock,
                                  .streams = *server,
                                  .ranks = ranks,
                                  .probes = probes,
                                  .identity = own_identity(socket),
                                  .say = [host = options.host](const std::string& line) {
                                    std::fprintf(stderr, "gauntlet agent %u: %s\n", host, line.c_str());
                                  }});
  const int exit_code = run_supervisor(supervisor, ranks, *mailbox, clock, signals.descriptor());
  server.reset();
  ::unlink(socket.c_str());
  return exit_code;
}

}  // namespace gauntlet
