// Whom one driver or agent trusts at this moment: its certificates, and the list of revoked ones as it is now.
#pragma once

#include "real/certs/peer_check.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace gauntlet {

/// A check uses a list that was read at most this long before. Streams are checked as often, so that a revocation acts
/// within twice this time.
inline constexpr auto kRevocationsReadEvery = std::chrono::seconds(2);

/// Every method may be called from any thread.
class PeerTrust {
 public:
  /// `say` is told once of each problem with the list; the last list that could be read stays in use.
  PeerTrust(HostCertificates own, std::function<void(const std::string&)> say);
  ~PeerTrust();
  PeerTrust(const PeerTrust&) = delete;
  PeerTrust& operator=(const PeerTrust&) = delete;

  const HostCertificates& own() const { return own_; }
  PeerCheck::Verdict check(std::string_view certificate, const PeerCheck::Wanted& wanted);

  /// A peer whose stream is open, as it was when it was last looked at.
  struct OpenPeer {
    std::string certificate;  // PEM
    PeerCheck::Wanted wanted;
    std::uint64_t lists = 0;  // PeerCheck::lists() then
    std::time_t expires = 0;  // seconds since 1970
  };
  /// Why the peer does not pass any more; empty where it does. Its certificate is verified again only where a list came into use since, or
  /// it has expired: so a driver can look at thousands of peers again and again.
  std::string distrust(OpenPeer& peer);

  /// Calls `look` every kRevocationsReadEvery, for distrust() of open peers. It is called on a thread that all watches share. It must not
  /// block, nor begin or end a watch. Destroying what is returned ends the watch, and waits for a call that is under way. A watch must not
  /// outlive the trust.
  class Watch;
  std::unique_ptr<Watch> watch(std::function<void()> look);

 private:
  void renew_if_due();
  void watch_all();

  const HostCertificates own_;
  const std::function<void(const std::string&)> say_;
  PeerCheck check_;
  std::mutex mutex_;  // of the list's renewal
  std::chrono::steady_clock::time_point due_{};
  std::set<std::string> said_;

  std::mutex watched_mutex_;
  std::condition_variable over_changed_;
  bool over_ = false;
  std::list<std::function<void()>> watched_;
  std::thread watcher_;  // started by the first watch
};

class PeerTrust::Watch {
 public:
  Watch(PeerTrust& trust, std::list<std::function<void()>>::iterator place) : trust_(trust), place_(place) {}
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  PeerTrust& trust_;
  std::list<std::function<void()>>::iterator place_;
};

}  // namespace gauntlet
