#include "policies/diagnose/examinations.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

bool contains(const std::vector<HostId>& hosts, HostId host) {
  return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

}  // namespace

const std::vector<HostId>& Examinations::hosts_of(const Examination& examination) {
  if (const auto* suite = std::get_if<Investigation>(&examination)) return suite->suspects();
  return std::get<Question>(examination).hosts;
}

bool Examinations::examines(HostId host) const {
  return std::any_of(running_.begin(), running_.end(),
                     [host](const Examination& each) { return contains(hosts_of(each), host); });
}

std::optional<Findings> Examinations::probe(const DiagnosisConstants& constants, std::vector<HostId> hosts,
                                            Orders& out) {
  Investigation suite(job_, constants, std::move(hosts), report_, out);
  if (suite.finished()) return Findings{.hosts = suite.take_found(), .by_person = false};
  running_.push_back(std::move(suite));
  return std::nullopt;
}

void Examinations::ask(std::vector<HostId> hosts, Orders& out) {
  running_.push_back(Question{out.add(Ask{job_}), std::move(hosts)});
}

/// A host that fails a probe counts to every examination that it is in, and to no other.
void Examinations::on(const Seen& seen) {
  for (Examination& each : running_) {
    auto* suite = std::get_if<Investigation>(&each);
    if (suite == nullptr) continue;
    if (suite->suspects().empty() || contains(suite->suspects(), host_of(seen.who))) suite->on(seen);
  }
}

std::optional<Findings> Examinations::on(const Outcome& outcome, Orders& out) {
  for (auto each = running_.begin(); each != running_.end(); ++each) {
    std::optional<Findings> findings;
    if (auto* suite = std::get_if<Investigation>(&*each)) {
      suite->on(outcome, out);
      if (suite->finished()) findings = Findings{.hosts = suite->take_found(), .by_person = false};
    } else if (std::get<Question>(*each).order == outcome.order) {
      const auto* answer = std::get_if<Answered>(&outcome.result);
      findings = Findings{.hosts = {}, .by_person = true};
      if (answer != nullptr && answer->found) findings->hosts.push_back(answer->choice);
    }
    if (!findings) continue;
    running_.erase(each);
    return findings;
  }
  return std::nullopt;
}

void Examinations::evicted(HostId host, Orders& out) {
  std::erase_if(running_, [&](const Examination& each) {
    if (hosts_of(each).size() != 1 || hosts_of(each).front() != host) return false;
    if (const auto* suite = std::get_if<Investigation>(&each)) {
      for (const OrderId probe : suite->running()) out.add(Cancel{probe});
    } else {
      out.add(Cancel{std::get<Question>(each).order});
    }
    return true;
  });
}

}  // namespace gauntlet
