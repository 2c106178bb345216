#include "real/driver/drill_certificates.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

namespace gauntlet {

namespace {

std::optional<Problem> load(const std::string& authority, PeerRole role, HostCertificates& into) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string name = std::string(name_of(role)) + "-" + std::string(kHostOfDrill);
  auto problem = load_host_certificates(authority + "/" + name, role, now, into);
  if (problem)
    problem->suggestion = "issue it: gauntlet certs issue " + authority + " --role " +
                          std::string(name_of(role)) + " --host " + std::string(kHostOfDrill);
  return problem;
}

}  // namespace

std::optional<Problem> load_driver_trust(const std::string& authority, std::shared_ptr<PeerTrust>& out) {
  HostCertificates driver;
  if (auto problem = load(authority, PeerRole::driver, driver)) return problem;
  out = std::make_shared<PeerTrust>(std::move(driver), [](const std::string& line) {
    std::fprintf(stderr, "gauntlet: %s\n", line.c_str());
  });
  return std::nullopt;
}

std::optional<Problem> load_drill_certificates(const std::string& authority, DrillCertificates& out) {
  HostCertificates agent;
  if (auto problem = load_driver_trust(authority, out.trust)) return problem;
  if (auto problem = load(authority, PeerRole::agent, agent)) return problem;
  out.agent_directory = authority + "/agent-" + std::string(kHostOfDrill);
  return std::nullopt;
}

}  // namespace gauntlet
