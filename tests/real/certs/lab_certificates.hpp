// The certificates of a lab, made for a test.
#pragma once

#include "real/certs/authority.hpp"
#include "real/certs/host_certificates.hpp"
#include "tests/real/scratch.hpp"

#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet {

constexpr std::time_t kLabDay = 24 * 60 * 60;

/// An authority in a directory of its own, which is removed at the end.
class LabCertificates {
 public:
  explicit LabCertificates(const std::string& cluster = "lab-1", std::time_t now = std::time(nullptr),
                           std::uint32_t days = 100)
      : now_(now) {
    done(make_authority(directory(), cluster, days, now));
  }

  std::string directory() const { return (scratch_.path() / "ca").string(); }

  /// The directory of a host's certificate, which is issued `days_ago`.
  std::string issue(PeerRole role, const std::string& host, std::uint32_t days = 10,
                    std::uint32_t days_ago = 0) {
    CertificateAuthority authority;
    done(authority.open(directory()));
    CertificateAuthority::Issued issued;
    done(authority.issue(
        {.role = role, .host = host, .days = days, .now = now_ - std::time_t{days_ago} * kLabDay}, issued));
    return issued.directory;
  }
  void revoke(PeerRole role, const std::string& host) {
    CertificateAuthority authority;
    done(authority.open(directory()));
    std::vector<IssuedCertificate> revoked;
    done(authority.revoke(role, host, now_, revoked));
  }
  /// What is in a host's directory, also where nobody would accept it.
  static HostCertificates unchecked(const std::string& host_directory) {
    return {.identity = {},
            .certificate = bytes_of(host_directory + "/certificate.pem"),
            .key = bytes_of(host_directory + "/key.pem"),
            .authority = bytes_of(host_directory + "/ca.pem"),
            .revoked_file = host_directory + "/revoked.pem"};
  }
  HostCertificates certificates(PeerRole role, const std::string& host) {
    HostCertificates read;
    done(load_host_certificates(issue(role, host), role, now_, read));
    return read;
  }

 private:
  static void done(const std::optional<Problem>& problem) {
    if (problem) throw std::runtime_error(problem->text());
  }

  Scratch scratch_;
  std::time_t now_;
};

}  // namespace gauntlet
