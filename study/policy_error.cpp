#include "study/policy_error.hpp"

#include "core/quantity.hpp"
#include "core/record/codec.hpp"

#include <fmt/format.h>

namespace gauntlet {
namespace {

std::string answering(const Record& record) {
  if (record.observations.empty()) return "before its first observation";
  const Observed& last = record.observations.back();
  const Duration when = last.at - kStart;
  return fmt::format("after {} ({} ns), answering {}", to_text(when), when.count(), to_text(last));
}

std::string text_of(const PolicyBreach& breach, ReplicaName replica, const Record& record) {
  std::string text = fmt::format("{} {}, replica {} (seed {}), {}: {}", name_of(breach.kind), breach.policy,
                                 replica.replica, replica.seed, answering(record), breach.rule);
  if (breach.order) text += fmt::format("; it ordered {}", to_text(*breach.order));
  if (!breach.found.empty()) text += "; " + breach.found;
  return text;
}

}  // namespace

PolicyError::PolicyError(const PolicyBreach& breach, ReplicaName replica, const Record& record)
    : std::runtime_error(text_of(breach, replica, record)),
      breach_(breach),
      replica_(replica),
      record_(std::make_shared<const Record>(record)) {}

std::optional<Observed> PolicyError::observation() const {
  if (record_->observations.empty()) return std::nullopt;
  return record_->observations.back();
}

std::optional<Problem> PolicyError::write_recording(const std::string& path) const {
  const RecordingHeader header = {
      .version = GAUNTLET_VERSION, .scenario = scenario, .seed = replica_.seed, .replica = replica_.replica};
  return gauntlet::write_recording(path, header, *record_);
}

}  // namespace gauntlet
