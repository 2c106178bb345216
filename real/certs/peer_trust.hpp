// Whom one driver or agent trusts at this moment: its certificates, and the list of revoked ones as it is now.
#pragma once

#include "real/certs/peer_check.hpp"

#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace gauntlet {

/// A check uses a list that was read at most this long before. Streams are checked as often, so that a revocation acts
/// within twice this time.
inline constexpr auto kRevocationsReadEvery = std::chrono::seconds(2);

/// Every method may be called from any thread.
class PeerTrust {
 public:
  /// `say` is told once of each problem with the list; the last list that could be read stays in use.
  PeerTrust(HostCertificates own, std::function<void(const std::string&)> say);

  const HostCertificates& own() const { return own_; }
  PeerCheck::Verdict check(std::string_view certificate, const PeerCheck::Wanted& wanted);

 private:
  void renew_if_due();

  const HostCertificates own_;
  const std::function<void(const std::string&)> say_;
  PeerCheck check_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point due_{};
  std::set<std::string> said_;
};

}  // namespace gauntlet
