// The certificate authority of a lab: a directory with its key, the certificates that it issued, and the list of those
// that it revoked.
//
//   DIR/ca.pem, ca-key.pem      the authority; the key is its owner's alone
//   DIR/revoked.pem             the list of revoked certificates (a CRL), replaced as a whole
//   DIR/issued/SERIAL.pem       every certificate that was ever issued, without its key
//   DIR/ROLE-HOST/              what one host needs: certificate.pem, key.pem, ca.pem, revoked.pem
#pragma once

#include "core/files/files.hpp"
#include "core/problem.hpp"
#include "real/certs/peer_identity.hpp"

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct IssuedCertificate {
  std::string serial;
  PeerIdentity identity;
  std::time_t begin = 0, end = 0;
  std::optional<std::time_t> revoked;
};

/// A time for people: `2027-02-22 10:15 UTC`.
std::string date_text(std::time_t at);

/// Makes the directory of a new authority, whole or not at all. Nothing may have that name. Times are seconds since 1970.
std::optional<Problem> make_authority(const std::string& directory, const std::string& cluster,
                                      std::uint32_t days, std::time_t now, Files& files = system_files());

/// An authority's directory, locked while this lives: of two commands at one time, one waits for the other.
class CertificateAuthority {
 public:
  CertificateAuthority() = default;
  ~CertificateAuthority();
  CertificateAuthority(const CertificateAuthority&) = delete;
  CertificateAuthority& operator=(const CertificateAuthority&) = delete;

  std::optional<Problem> open(const std::string& directory, Files& files = system_files());

  struct Request {
    PeerRole role = PeerRole::agent;
    std::string host;
    std::uint32_t days = 0;
    std::time_t now = 0;
  };
  struct Issued {
    std::string directory;  // what the host needs
    IssuedCertificate certificate;
  };
  /// Whole or not at all. A host has one certificate of a role that is neither revoked nor expired.
  std::optional<Problem> issue(const Request& request, Issued& out);

  /// Revokes what a host has in that role, and renews the list in every directory of a host that is still here.
  std::optional<Problem> revoke(PeerRole role, const std::string& host, std::time_t now,
                                std::vector<IssuedCertificate>& out);

  /// Every certificate that was ever issued, by role, host and begin.
  std::optional<Problem> list(std::vector<IssuedCertificate>& out) const;

 private:
  std::optional<Problem> take_lock();
  /// Every certificate that was ever issued, read once: nobody else issues one while the directory is locked.
  std::optional<Problem> read_books();
  /// What goes into a host's directory.
  struct HostFiles {
    const std::string& certificate;
    const std::string& key;
  };
  std::optional<Problem> write_host(const std::string& host_directory, const HostFiles& host,
                                    const std::string& entry);
  std::optional<Problem> renew_lists(const std::string& list);

  Files* files_ = nullptr;
  std::string directory_, cluster_;
  std::string certificate_, key_, list_;  // PEM
  int lock_ = -1;
  std::optional<std::vector<IssuedCertificate>> books_;
};

}  // namespace gauntlet
