// The one thread of an agent: it sleeps in poll() over ranks, signals, timers and what the server heard.
#pragma once

#include "real/agent/supervisor.hpp"
#include "real/runner/ranks.hpp"
#include "real/signals/machine_sensor.hpp"
#include "real/system/descriptor.hpp"
#include "real/system/mailbox.hpp"

namespace gauntlet {

using SupervisorMailbox = Mailbox<SupervisorMessage>;

/// Until the agent is to end and has no rank left; what run_agent() returns. `signals`: a signalfd; any signal ends the
/// agent.
int run_supervisor(Supervisor& supervisor, RankProcesses& ranks, const MachineSensor& sensor,
                   const HostFaults& faults, SupervisorMailbox& mailbox, const Clock& clock,
                   const Descriptor& signals);

}  // namespace gauntlet
