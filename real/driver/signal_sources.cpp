#include "real/driver/signal_sources.hpp"

namespace gauntlet {

std::string why_not_reported(const World& world, Signal signal, const SignalSources& sources) {
  const bool traffic = signal == Signal::traffic || signal == Signal::traffic_period;
  const bool of_agent = signal == Signal::heartbeat || signal == Signal::process_exit ||
                        signal == Signal::log_line || signal == Signal::step;
  if (of_agent || (traffic && sources.interfaces)) return "";
  if (!world.drill.command.lines.any()) return "";
  if (traffic)
    return "the hosts share their network interfaces, and a job that only prints lines does not count";
  return "a job that only prints lines does not report it: it would call gauntlet_rank";
}

}  // namespace gauntlet
