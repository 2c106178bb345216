#include "real/injectors/injector.hpp"

namespace gauntlet {

std::optional<AgentSignal> injector_for(const FaultKind& kind) {
  const bool a_rank = kind.component == ComponentKind::gpu;
  const bool just_the_process = kind.remedy != Remedy::person && !kind.heals_after && !kind.symptoms.log &&
                                !kind.symptoms.heartbeat_lost && kind.clock == FaultClock::always;
  if (!a_rank || !just_the_process) return std::nullopt;
  if (kind.effect == Effect::crash) return AgentSignal::kill;
  if (kind.effect == Effect::hang) return AgentSignal::stop;
  return std::nullopt;
}

std::vector<Problem> check_injectable(const World& world) {
  std::vector<Problem> problems;
  for (const FaultKind& kind : world.faults) {
    const bool request = is_stop_request(kind.effect) && kind.component == ComponentKind::job &&
                         kind.clock == FaultClock::always;
    if (request || injector_for(kind)) continue;
    problems.push_back(
        {.file = "",
         .what = "faults." + kind.name,
         .why = "has no injector here",
         .suggestion = "what can be injected is effect = \"crash\" (SIGKILL of a rank) or \"hang\" "
                       "(SIGSTOP of a rank), with component = \"gpu\", clock = \"always\", "
                       "remedy = \"restart\" or \"repair\", no log line, no lost heartbeat and no healing; "
                       "and effect = \"planned\" or \"preempt\", with component = \"job\""});
  }
  return problems;
}

}  // namespace gauntlet
