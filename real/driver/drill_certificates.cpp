#include "real/driver/drill_certificates.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

namespace gauntlet {

std::optional<Problem> load_drill_certificates(const std::string& authority, DrillCertificates& out) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const auto load = [&](PeerRole role, HostCertificates& into) {
    const std::string name = std::string(name_of(role)) + "-" + std::string(kHostOfDrill);
    auto problem = load_host_certificates(authority + "/" + name, role, now, into);
    if (problem)
      problem->suggestion = "issue it: gauntlet certs issue " + authority + " --role " +
                            std::string(name_of(role)) + " --host " + std::string(kHostOfDrill);
    return problem;
  };
  HostCertificates driver, agent;
  if (auto problem = load(PeerRole::driver, driver)) return problem;
  if (auto problem = load(PeerRole::agent, agent)) return problem;
  out.agent_directory = authority + "/agent-" + std::string(kHostOfDrill);
  out.trust = std::make_shared<PeerTrust>(std::move(driver), [](const std::string& line) {
    std::fprintf(stderr, "gauntlet: %s\n", line.c_str());
  });
  return std::nullopt;
}

}  // namespace gauntlet
