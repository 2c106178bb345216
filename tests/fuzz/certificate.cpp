// Certificates that peers send, and the identities in them: none that our authority did not sign passes, and an identity that
// is read is the one that would be written.
#include "real/certs/authority.hpp"
#include "real/certs/host_certificates.hpp"
#include "real/certs/peer_check.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <stdlib.h>

#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>

using namespace gauntlet;

namespace {

void done(const std::optional<Problem>& problem) {
  if (problem) throw std::runtime_error(problem->text());
}

/// An agent of an authority of its own, which signs nothing of what the fuzzer sends.
class Agent {
 public:
  Agent() {
    std::string scratch = (std::filesystem::temp_directory_path() / "gauntlet-XXXXXX").string();
    if (::mkdtemp(scratch.data()) == nullptr) throw std::runtime_error(scratch);
    const std::time_t now = std::time(nullptr);
    const std::string directory = scratch + "/ca";
    done(make_authority(directory, "lab-1", 10, now));
    CertificateAuthority authority;
    done(authority.open(directory));
    CertificateAuthority::Issued issued;
    done(authority.issue({.role = PeerRole::agent, .host = "a", .days = 5, .now = now}, issued));
    done(load_host_certificates(issued.directory, PeerRole::agent, now, own_));
    check_.emplace(own_);
    done(check_->renew());
    std::filesystem::remove_all(scratch);
  }
  bool takes(std::string_view certificate) const {
    return check_->check(certificate, {.role = PeerRole::driver}, std::time(nullptr)).passes();
  }

 private:
  HostCertificates own_;
  std::optional<PeerCheck> check_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Agent agent;
  const std::string_view text = text_of(data, size);
  ensure(!agent.takes(text), "what another authority signed, or nobody, does not pass");
  if (const auto identity = identity_of_uri(text))
    ensure(uri_of(*identity) == text, "an identity that is read is the one that would be written");
  return 0;
}
