#include "commands/timeline/names.hpp"

#include "core/component.hpp"
#include "core/quantity.hpp"
#include "core/record/enumerators.hpp"
#include "core/record/fields.hpp"

#include <fmt/format.h>

#include <array>
#include <variant>

namespace gauntlet {
namespace {

// By the index of the alternative.
constexpr std::array<std::string_view, std::variant_size_v<Action>> kOrderKinds = {
    "watch", "unwatch", "wake",    "cancel",  "checkpoint every", "checkpoint",
    "stop",  "start",   "acquire", "evict",   "readmit",          "probe",
    "ask",   "alert",   "retire",  "release", "stand by"};

std::string text_of(const Scope& who) {
  if (who.subset == Scope::Subset::one) return name_of(ComponentId{who.kind, who.index});
  const std::string every = fmt::format("every {}", name_of(who.kind));
  return who.subset == Scope::Subset::stage ? fmt::format("{} of stage {}", every, who.stage) : every;
}

std::string text_of(HostId host) { return name_of(component(host)); }

struct OrderWords {
  const World& world;
  std::string operator()(const Watch& what) const { return std::string(enumerator(what.signal)); }
  std::string operator()(const Unwatch& what) const { return fmt::format("{}", what.watch.value); }
  std::string operator()(const Wake&) const { return {}; }
  std::string operator()(const Cancel& what) const { return fmt::format("order {}", what.order.value); }
  std::string operator()(const CheckpointEvery& what) const {
    return what.interval == kForever ? "never" : to_text(what.interval);
  }
  std::string operator()(const Checkpoint&) const { return {}; }
  std::string operator()(const Stop& what) const { return fmt::format("({})", enumerator(what.reason)); }
  std::string operator()(const Start&) const { return {}; }
  std::string operator()(const Acquire&) const { return "a host"; }
  std::string operator()(const Evict& what) const { return text_of(what.host); }
  std::string operator()(const Readmit& what) const { return text_of(what.host); }
  std::string operator()(const Probe& what) const {
    const auto number = what.probe.value;
    const std::string probe =
        number < world.probes.size() ? world.probes[number].name : std::to_string(number);
    return fmt::format("{} {}", probe, text_of(what.who));
  }
  std::string operator()(const Ask&) const { return "a person"; }
  std::string operator()(const Alert& what) const { return name_of(what.who); }
  std::string operator()(const Retire& what) const { return text_of(what.host); }
  std::string operator()(const Release&) const { return "hosts"; }
  std::string operator()(const StandBy& what) const { return text_of(what.host); }
};

struct EventWords {
  std::string operator()(const Started&) const { return "started"; }
  std::string operator()(const HostReturned& what) const { return text_of(what.host) + " is repaired"; }
  std::string operator()(const StopRequest& what) const {
    return what.preempted ? "preemption" : "planned stop";
  }
  std::string operator()(const Overflow& what) const {
    return fmt::format("{} samples of watch {} were dropped", what.dropped, what.watch.value);
  }
  std::string operator()(const Finished& what) const {
    return fmt::format("finished: {}", enumerator(what.ending));
  }
  std::string operator()(const Noticed&) const { return "a person notices that the job stands still"; }
  std::string operator()(const OperatorActed& what) const {
    return fmt::format("operator: {}", enumerator(what.what));
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return "observation";
  }
};

struct ResultWords {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const Probed& what) const { return std::string(enumerator(what.verdict)); }
  std::string operator()(const Granted& what) const { return text_of(what.host) + " granted"; }
  std::string operator()(const Saved& what) const { return fmt::format("step {} saved", what.step); }
  std::string operator()(const Loaded& what) const { return fmt::format("step {} loaded", what.step); }
  std::string operator()(const Answered& what) const {
    return what.found ? text_of(what.choice) + " is the culprit" : "no culprit";
  }
};

TraceArguments arguments_of(std::vector<Field> fields) {
  TraceArguments out;
  for (Field& each : fields) out.emplace_back(std::move(each.name), std::move(each.value));
  return out;
}

}  // namespace

std::string name_of_cause(const World& world, Cause cause) {
  return is_fault(cause) ? world.faults[fault_of(cause).value].name : std::string(kCauseNames[cause.value]);
}

std::string kind_of_order(const Action& what) { return std::string(kOrderKinds[what.index()]); }

std::string name_of_order(const World& world, const Action& what) {
  const std::string rest = std::visit(OrderWords{world}, what);
  return rest.empty() ? kind_of_order(what) : kind_of_order(what) + " " + rest;
}

std::string name_of_event(const Observation& what) { return std::visit(EventWords{}, what); }

std::string text_of_outcome(const Outcome& outcome) {
  const std::string result = std::visit(ResultWords{}, outcome.result);
  return std::string(enumerator(outcome.status)) + (result.empty() ? "" : ": " + result);
}

TraceArguments arguments_of(const Observation& what) { return arguments_of(fields_of(what)); }
TraceArguments arguments_of(const Action& what) { return arguments_of(fields_of(what)); }

}  // namespace gauntlet
