#include "real/certs/peer_trust.hpp"

#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kMostSaid = 100;

std::time_t seconds_now() { return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()); }

}  // namespace

PeerTrust::PeerTrust(HostCertificates own, std::function<void(const std::string&)> say)
    : own_(std::move(own)), say_(std::move(say)), check_(own_) {}

PeerTrust::~PeerTrust() {
  {
    const std::lock_guard lock(watched_mutex_);
    over_ = true;
    over_changed_.notify_all();
  }
  if (watcher_.joinable()) watcher_.join();
}

PeerCheck::Verdict PeerTrust::check(std::string_view certificate, const PeerCheck::Wanted& wanted) {
  renew_if_due();
  return check_.check(certificate, wanted, seconds_now());
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

std::string PeerTrust::distrust(OpenPeer& peer) {
  renew_if_due();
  const std::uint64_t lists = check_.lists();
  const std::time_t now = seconds_now();
  if (peer.lists == lists && now < peer.expires) return "";
  const PeerCheck::Verdict verdict = check_.check(peer.certificate, peer.wanted, now);
  peer.lists = lists;
  peer.expires = verdict.passes() ? verdict.expires : 0;
  return verdict.why;
}

std::unique_ptr<PeerTrust::Watch> PeerTrust::watch(std::function<void()> look) {
  const std::lock_guard lock(watched_mutex_);
  const auto place = watched_.insert(watched_.end(), std::move(look));
  if (!watcher_.joinable()) watcher_ = std::thread([this] { watch_all(); });
  return std::make_unique<Watch>(*this, place);
}

PeerTrust::Watch::~Watch() {
  const std::lock_guard lock(trust_.watched_mutex_);
  trust_.watched_.erase(place_);
}

void PeerTrust::watch_all() {
  std::unique_lock lock(watched_mutex_);
  while (!over_changed_.wait_for(lock, kRevocationsReadEvery, [this] { return over_; })) {
    for (const std::function<void()>& look : watched_) look();
  }
}

}  // namespace gauntlet
