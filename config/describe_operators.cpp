// [operators.NAME]: what operators do during a run, as `gauntlet ctl` does in a drill.
#include "config/describe.hpp"
#include "config/fields/types.hpp"

#include <array>

namespace gauntlet {
namespace {

constexpr std::array<Choice<OperatorAction>, 4> kOperatorActions = {
    {{"evict", OperatorAction::evict},
     {"readmit", OperatorAction::readmit},
     {"maintenance", OperatorAction::maintenance},
     {"stop", OperatorAction::stop}}};

}  // namespace

void describe(Fields& fields, ScriptedAction& action) {
  Duration at{};
  fields.field("at", duration(at, Sign::not_negative), Fallback::required("\"2h\""),
               "when, since the start of the run");
  fields.field("action", choice<OperatorAction>(action.what, kOperatorActions, "an action of an operator"),
               Fallback::required("\"evict\""),
               "evict: take the host out now; maintenance: take it out after a checkpoint, or at the next "
               "stop; readmit: the "
               "host is repaired now; stop: end the run");
  fields.field("host", whole_number(action.host.value, {0, kMostHosts - 1}), Fallback::optional(),
               "number of the host; left out for a stop");
  fields.field("reason", text(action.reason), "for people");
  describe_source(fields);
  fields.check([&](const Place& place) {
    action.at = kStart + at;
    if (!place.all_sound("action", "host")) return;
    const bool of_run = action.what == OperatorAction::stop;
    if (of_run && place.given("host"))
      place.mistake_at("host", "is given, and a stop ends the whole run", "leave it out");
    if (!of_run && !place.given("host")) place.mistake_at("action", "names no host", "write host = 3");
  });
}

}  // namespace gauntlet
