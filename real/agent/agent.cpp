#include "real/agent/agent.hpp"

#include "core/files/durable.hpp"
#include "core/problem.hpp"
#include "core/system_advice.hpp"
#include "real/agent/agent_loop.hpp"
#include "real/agent/identity.hpp"
#include "real/agent/place.hpp"
#include "real/agent/probe_threads.hpp"
#include "real/certs/peer_trust.hpp"
#include "real/nvml/library.hpp"
#include "real/runner/rank_tag.hpp"
#include "real/signals/machine_sensor.hpp"
#include "real/stream/listening.hpp"
#include "real/system/rank_user.hpp"

#include <pthread.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
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
                 .suggestion = "name the path of gauntlet-trainer, which is built beside gauntlet"};
}

MachineSources sources_of(const AgentOptions& options, const HostIdentity& identity) {
  MachineSources sources{.directory = options.directory,
                         .identity = identity,
                         .interfaces = options.interfaces,
                         .links = options.lab_links,
                         .rdma = !options.shares_machine,
                         .nvml = options.nvml};
  if (options.shares_machine) return sources;
  if (sources.nvml.empty()) sources.nvml = nvml::kLibrary;
  if (sources.interfaces.empty()) sources.interfaces = own_interfaces("");
  sources.kernel_log = "/dev/kmsg";
  return sources;
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return kAgentRefused;
}

/// An agent that stays is another host in each drill.
void say_of(const AgentOptions& options, const std::string& line) {
  const std::string number = options.stays ? "" : " " + std::to_string(options.host);
  std::fprintf(stderr, "gauntlet agent%s: %s\n", number.c_str(), line.c_str());
}

/// Where an agent listens, and whom it trusts there.
struct Entrance {
  Listening listening;
  std::shared_ptr<PeerTrust> trust;  // null: a Unix socket
  std::string file;                  // the socket, or the file with the address; removed at the end
};

std::optional<Problem> open_socket(const AgentOptions& options, Entrance& out) {
  const PrivateFiles ours;
  out.file = agent_socket(options.directory, options.host);
  return listen_at(out.file, out.listening);
}

std::optional<Problem> open_network(const AgentOptions& options, Entrance& out) {
  const std::optional<HostPort> where = host_port_of(options.listen);
  if (!where)
    return Problem{.what = "--listen \"" + options.listen + "\"",
                   .why = "is not a host and a port",
                   .suggestion = "write such as node-7.lab:7400; port 0 takes any that is free"};
  HostCertificates own;
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (auto problem = load_host_certificates(options.certificates, PeerRole::agent, now, own)) return problem;
  if (auto problem = listen_at(*where, out.listening)) return problem;
  out.trust = std::make_shared<PeerTrust>(std::move(own),
                                          [options](const std::string& line) { say_of(options, line); });
  const std::string file = agent_address_file(options.directory, options.host);
  const auto failed = replace_file(system_files(), {.path = file, .temporary = file + ".new", .mode = 0600},
                                   out.listening.address + "\n");
  if (failed) return problem_of(file, "cannot be written: " + system_message(failed->error));
  out.file = file;
  say_of(options, "listens on " + out.listening.address + " as " + uri_of(out.trust->own().identity));
  return std::nullopt;
}

}  // namespace

int run_agent(const AgentOptions& options) {
  if (const auto wrong = check_trainer(options.trainer)) return refuse(wrong->text());
  std::optional<RankUser> user;
  if (const auto wrong = find_rank_user(options.run_as, ::geteuid(), user)) return refuse(wrong->text());
  AgentPlace place;
  if (const auto wrong = AgentPlace::take(options.directory, options.host, place))
    return refuse(wrong->text());
  try {
    if (user) let_pass(*user, options.directory);
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  const BlockedSignals signals;  // before any thread is started
  std::unique_ptr<HostFaults> faults;
  try {
    faults = options.host_faults ? options.host_faults() : std::make_unique<HostFaults>();  // likewise
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  const auto mailbox = std::make_shared<SupervisorMailbox>();  // outlives a probe that hangs, hence shared
  Entrance entrance;
  const auto closed =
      options.listen.empty() ? open_socket(options, entrance) : open_network(options, entrance);
  if (closed) return refuse(closed->text());
  const std::string address = entrance.listening.address;
  const auto say = [options](const std::string& line) { say_of(options, line); };
  const auto refusals = std::make_shared<Refusals>(say);
  std::unique_ptr<AgentServer> server;
  try {
    server =
        std::make_unique<AgentServer>(std::move(entrance.listening), entrance.trust, refusals,
                                      [mailbox](FromStream message) { mailbox->put(std::move(message)); });
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  const MachineClock clock;
  RankProcesses ranks(options.trainer, options.directory, user,
                      {.number = options.host, .program = options.program});
  ranks.drop_copies();
  if (options.stays) ranks.forget();  // what an agent left that was killed during a drill
  ProbeThreads probes({.program = options.program,
                       .directory = options.directory,
                       .run_as = options.run_as,
                       .tag = rank_tag()},
                      [mailbox](const ProbeEnded& ended) { mailbox->put(ended); });
  MachineSensor sensor(sources_of(options, own_identity(address)));
  Supervisor supervisor(options, {.clock = clock,
                                  .streams = *server,
                                  .ranks = ranks,
                                  .probes = probes,
                                  .host = sensor,
                                  .faults = *faults,
                                  .identity = own_identity(address),
                                  .rank_uid = user ? user->uid : ::geteuid(),
                                  .say = say});
  const int exit_code =
      run_supervisor(supervisor, ranks, sensor, *faults, *mailbox, clock, signals.descriptor());
  server.reset();
  ::unlink(entrance.file.c_str());
  if (refusals->total() > 0)
    say("refused " + std::to_string(refusals->total()) + " connections and streams in all");
  return exit_code;
}

}  // namespace gauntlet
