// The check of a peer's certificate: of the same lab, for the role, valid now, and not revoked.
#pragma once

#include "real/certs/host_certificates.hpp"

#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// Every method may be called from any thread.
class PeerCheck {
 public:
  /// Its list is empty until renew() has read one, and then nobody passes.
  explicit PeerCheck(const HostCertificates& own);
  ~PeerCheck();
  PeerCheck(const PeerCheck&) = delete;
  PeerCheck& operator=(const PeerCheck&) = delete;

  struct Wanted {
    PeerRole role = PeerRole::agent;
    std::string host = {};  // empty: any
  };
  struct Verdict {
    std::optional<PeerIdentity> peer = {};  // as the certificate says, whether or not it passes
    std::string serial = {};
    std::time_t expires = 0;  // seconds since 1970; 0 where it has no certificate
    std::string why = {};     // it does not pass; empty where it does
    bool passes() const { return why.empty(); }
  };
  /// `certificate`: PEM, empty where the peer sent none. `now`: seconds since 1970.
  Verdict check(std::string_view certificate, const Wanted& wanted, std::time_t now) const;

  /// Reads the list of revoked certificates again. Why it cannot be used, or nothing; then the last one that could be
  /// stays. A list that is older than that is refused: it would forget what was revoked.
  std::optional<Problem> renew();
  /// How many lists came into use so far. As long as none does, a certificate that passed passes until it expires.
  std::uint64_t lists() const;

 private:
  struct Store;
  std::shared_ptr<const Store> store() const;

  const PeerIdentity own_;
  const std::string authority_, revoked_file_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Store> store_;
  std::uint64_t lists_ = 0;
};

}  // namespace gauntlet
