#include "real/certs/peer_trust.hpp"

#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kMostSaid = 100;

}  // namespace

PeerTrust::PeerTrust(HostCertificates own, std::function<void(const std::string&)> say)
    : own_(std::move(own)), say_(std::move(say)), check_(own_) {}

PeerCheck::Verdict PeerTrust::check(std::string_view certificate, const PeerCheck::Wanted& wanted) {
  renew_if_due();
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return check_.check(certificate, wanted, now);
}

void PeerTrust::renew_if_due() {
  std::string news;
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now < due_) return;
    due_ = now + kRevocationsReadEvery;
    const auto problem = check_.renew();
    if (problem && said_.size() < kMostSaid && said_.insert(problem->text()).second) news = problem->text();
  }
  if (!news.empty()) say_(news);
}

}  // namespace gauntlet
