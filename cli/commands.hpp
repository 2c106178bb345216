// The commands that join rooms; those that are of one have their folder in commands/.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

/// check, show and schema.
void add_scenario_commands(Program& program);
void add_list(Program& program);
/// The same controller on real processes, through real faults.
void add_drill(Program& program);
/// Which ranks of a drill are slow, by the times of their segments.
void add_segments(Program& program);
void add_watch(Program& program);
/// Operators of a drill that runs.
void add_ctl(Program& program);
/// Probes of this host, for a person at it.
void add_probe(Program& program);
/// One host's end of a drill; runs until that has ended.
void add_agent(Program& program);
void add_agent_probe(Program& program);
void add_agent_checkpointer(Program& program);
/// Certificates of the drivers and agents of a lab.
void add_certs(Program& program);
/// Holds the policies of this program to the orders in a recording.
void add_replay(Program& program);
void add_results(Program& program);

}  // namespace gauntlet
