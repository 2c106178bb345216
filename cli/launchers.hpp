// The launchers that `gauntlet drill --launch` knows: where the agents of a drill run.
#pragma once

#include "core/problem.hpp"
#include "models/world/world.hpp"
#include "real/driver/signal_sources.hpp"
#include "real/injectors/injector.hpp"
#include "real/launch/launcher.hpp"
#include "shell/options.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// What a drill tells its launcher.
struct LaunchRequest {
  std::string launcher = "local";  // a name of launcher_names()
  std::string gauntlet;            // the path of this program
  std::string trainer;             // the path of the program of a rank
  std::string run_as;              // the user that ranks run as; empty: not given
  std::string certificates;        // an authority's directory; empty: none is given
  std::string host_file;           // of the launcher `given`; empty: none is given
  const World* world = nullptr;
  const std::atomic<bool>* stop = nullptr;  // set once the drill is to stop
};

/// --launch, --run-as, --certs and --host-file, for `into`.
void add_launch_options(Command& drill, LaunchRequest& into);

std::vector<std::string> launcher_names();

/// What its hosts bring, for agents to report.
SignalSources sources_of_launcher(const std::string& launcher);
/// What keeps the faults of the world from being injected there: no injector, another launcher, or this machine.
std::vector<Problem> check_injections_of(const World& world, const std::string& launcher);

/// Starts nothing. What the launcher needs and does not find here is a problem; none: `out` is it.
std::vector<Problem> make_launcher(const LaunchRequest& request, std::unique_ptr<Launcher>& out);

}  // namespace gauntlet
