// The examinations of a job that is down: suites of probes and questions to a person, side by side.
//
// The stop itself is one examination, of the hosts that were named for it or of every host. Each host that is named while
// the job is down is another one, and waits for no other. A host that is evicted needs no examination of its own any more.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"
#include "policies/diagnose/investigation.hpp"

#include <optional>
#include <variant>
#include <vector>

namespace gauntlet {

/// What an examination came to.
struct Findings {
  std::vector<HostId> hosts;  // that are faulty
  bool by_person = false;     // a person looked: what only a person can mend is mended
};

class Examinations {
 public:
  Examinations(JobId job, WatchId report) : job_(job), report_(report) {}

  bool any() const { return !running_.empty(); }
  /// Whether this host is examined, on its own or among the hosts that were named with it.
  bool examines(HostId host) const;

  /// Begins a suite of probes on `hosts`, or on every host of the job where it is empty. Findings at once where the suite is.
  std::optional<Findings> probe(const DiagnosisConstants& constants, std::vector<HostId> hosts, Orders& out);
  /// Asks a person about `hosts`, or about the whole job where it is empty.
  void ask(std::vector<HostId> hosts, Orders& out);

  void on(const Seen& seen);
  /// The findings of the examination that ended with this outcome.
  std::optional<Findings> on(const Outcome& outcome, Orders& out);
  /// The host was evicted: cancels an examination of it alone.
  void evicted(HostId host, Orders& out);

 private:
  /// To a person.
  struct Question {
    OrderId order;
    std::vector<HostId> hosts;  // empty: every host of the job
  };
  using Examination = std::variant<Investigation, Question>;
  static const std::vector<HostId>& hosts_of(const Examination& examination);

  JobId job_;
  WatchId report_;
  std::vector<Examination> running_;
};

}  // namespace gauntlet
