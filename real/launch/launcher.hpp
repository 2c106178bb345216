// A launcher: how the agents of a drill are started, found, ended and reached, and where its hosts come from. One for each
// word of `gauntlet drill --launch`.
#pragma once

#include "real/driver/platform.hpp"
#include "real/stream/grpc_link.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// What a launcher makes before any agent runs, for people: a table.
struct LaunchTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

class Launcher : public Processes {
 public:
  /// As Platform::prepare() and Platform::end().
  virtual void prepare(const std::string& /*directory*/) {}
  virtual void end(const std::string& /*directory*/) {}

  /// As Platform::one_clock().
  virtual bool one_clock() const { return false; }
  /// As Platform::hosts_share_machine().
  virtual bool hosts_share_machine() const { return false; }
  /// Where an agent can be dialled: on a Unix socket, or at HOST:PORT with mutual TLS.
  virtual AgentEndpoint endpoint(const AgentName& agent) const = 0;
  virtual HostSupply& supply() = 0;
  /// What hears a link to the agent, where the launcher hears it too. On threads of the link's.
  virtual LinkListener listener(const AgentName& /*agent*/, const LinkListener& drivers) { return drivers; }
  /// As Platform::meeting_place(), without the secret.
  virtual MeetingPlace meeting_place(const AgentName& agent) = 0;
  /// Whether agents are started for this drill, in its directory.
  virtual bool starts_agents() const { return true; }
  /// For `--dry-run`: what it would make beside the agents.
  virtual std::vector<LaunchTable> plan() const { return {}; }
  /// What the scenario asks for and this machine cannot do; empty: nothing. A sentence for people.
  virtual std::string shortfall() const { return {}; }
};

}  // namespace gauntlet
