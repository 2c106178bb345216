#include "real/launch/drill_certificates.hpp"

#include "real/certs/authority.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <utility>
#include <vector>

namespace gauntlet {

namespace {

// No drill takes longer; a certificate must end before its authority does.
constexpr std::uint32_t kDaysOfAuthority = 90;
constexpr std::uint32_t kDaysOfCertificate = 30;

std::optional<Problem> load(const std::string& authority, PeerRole role, HostCertificates& into) {
  const std::string name = std::string(name_of(role)) + "-" + std::string(kHostOfDrill);
  auto problem = load_host_certificates(authority + "/" + name, role, time_of_day(), into);
  if (problem)
    problem->suggestion = "issue it: gauntlet certs issue " + authority + " --role " +
                          std::string(name_of(role)) + " --host " + std::string(kHostOfDrill);
  return problem;
}

}  // namespace

std::time_t time_of_day() { return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()); }

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

std::optional<Problem> make_drill_authority(const std::string& directory, const std::string& cluster) {
  if (std::filesystem::exists(directory)) return std::nullopt;  // whole: it is made under another name
  return make_authority(directory, cluster, kDaysOfAuthority, time_of_day());
}

std::optional<Problem> issue_missing(const std::string& authority, PeerRole role, const std::string& host,
                                     AuthorityIs whose) {
  if (std::filesystem::exists(authority + "/" + std::string(name_of(role)) + "-" + host)) return std::nullopt;
  CertificateAuthority signer;
  if (auto problem = signer.open(authority)) return problem;
  CertificateAuthority::Issued issued;
  const CertificateAuthority::Request request = {
      .role = role, .host = host, .days = kDaysOfCertificate, .now = time_of_day()};
  auto problem = signer.issue(request, issued);
  if (!problem || whose == AuthorityIs::of_others) return problem;
  std::vector<IssuedCertificate> revoked;  // one in the books whose directory was never made
  if (signer.revoke(role, host, request.now, revoked)) return problem;
  return signer.issue(request, issued);
}

}  // namespace gauntlet
