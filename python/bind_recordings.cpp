// Recordings from Python: one replica with all that its policies saw and ordered.
#include "config/brought.hpp"
#include "config/scenario.hpp"
#include "core/record/fields.hpp"
#include "core/record/recording.hpp"
#include "core/record/story.hpp"
#include "python/bindings.hpp"
#include "python/policies.hpp"
#include "study/order_check.hpp"
#include "study/replica.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <utility>

namespace gauntlet {
namespace {

namespace py = pybind11;

py::dict row_of(Time at, std::vector<Field> fields) {
  py::dict row;
  row["time_ns"] = at.time_since_epoch().count();
  for (Field& field : fields) row[py::str(field.name)] = std::move(field.value);
  return row;
}

py::list observations(const Recording& recording) {
  py::list rows;
  for (const Observed& seen : recording.record.observations)
    rows.append(row_of(seen.at, fields_of(seen.what)));
  return rows;
}

/// `answers`: the number of the observation, from 0.
py::list orders(const Recording& recording) {
  py::list rows;
  for (const RecordedOrder& recorded : recording.record.orders) {
    const py::dict row = row_of(recorded.at, fields_of(recorded.order.what));
    row["answers"] = recorded.observations - 1;
    row["order_id"] = recorded.order.id.value;
    rows.append(row);
  }
  return rows;
}

/// Custom policies answer it once more: what they keep outside of their objects would show.
Recording record(const LoadedScenario& loaded, std::uint64_t seed, std::uint32_t replica,
                 bool full_telemetry) {
  const Scenario& scenario = loaded.scenario.value();
  const RecordingHeader header = {.version = GAUNTLET_VERSION,
                                  .scenario = show(loaded, Comments::none),
                                  .seed = seed,
                                  .replica = replica};
  std::optional<PolicyError> broken;
  std::optional<Record> record;
  std::optional<RunLogs> logs;
  {
    const py::gil_scoped_release released;
    try {
      Simulation simulation(scenario.world, scenario.policies);
      Figures figures;
      if (simulation.run({.seed = seed, .replica = replica, .full_telemetry = full_telemetry}, figures)) {
        record = simulation.record();
        logs = simulation.logs();
      }
      if (record && scenario.policies.custom)
        check_again(*record, scenario.policies, {.seed = seed, .replica = replica});
    } catch (PolicyError& error) {
      error.scenario = header.scenario;
      broken = error;
    } catch (const PolicyInterrupted&) {
      record.reset();
    }
  }
  if (broken) raise(*broken);
  if (!record) raise_interruption();
  return {.header = header, .record = std::move(*record), .measurements = {}, .logs = std::move(logs)};
}

/// (recording or None, problems): a recording that was cut short has both.
py::tuple read(const std::string& file) {
  ReadRecording read = read_recording(file);
  if (!read.recording) return py::make_tuple(py::none(), problem_tuples({&read.problem, 1}));
  const std::optional<Problem> end = problem_of_end(file, *read.recording);
  return py::make_tuple(py::cast(std::move(*read.recording)), end ? problem_tuples({&*end, 1}) : py::list());
}

py::list save(const Recording& recording, const std::string& file) {
  RecordingEnd end;
  if (recording.measurements) end.measurements = *recording.measurements;
  if (recording.logs) end.logs = &*recording.logs;
  const std::optional<Problem> problem =
      write_recording(file, recording.header, recording.record, system_files(), end);
  return problem ? problem_tuples({&*problem, 1}) : py::list();
}

/// What the policies of this program, and those that the scenario was loaded with, make of it.
py::dict replay(const Recording& recording, const LoadedScenario& loaded) {
  std::optional<PolicyError> broken;
  std::optional<Replayed> replayed;
  {
    const py::gil_scoped_release released;
    try {
      replayed = replay(recording.record, loaded.scenario.value().policies,
                        {.seed = recording.header.seed, .replica = recording.header.replica});
    } catch (PolicyError& error) {
      error.scenario = recording.header.scenario;
      broken = error;
    } catch (const PolicyInterrupted&) {  // raised below
    }
  }
  if (broken) raise(*broken);
  if (!replayed) raise_interruption();
  py::dict out;
  out["observations"] = replayed->observations;
  out["orders"] = replayed->orders;
  out["past_the_end"] = replayed->ran_past_the_end;
  out["difference"] = replayed->difference ? to_text(*replayed->difference) : std::string();
  return out;
}

}  // namespace

void bind_recordings(py::module_& module) {
  py::class_<Recording>(module, "Recording")
      .def_property_readonly("version", [](const Recording& self) { return self.header.version; })
      .def_property_readonly("scenario", [](const Recording& self) { return self.header.scenario; })
      .def_property_readonly("seed", [](const Recording& self) { return self.header.seed; })
      .def_property_readonly("replica", [](const Recording& self) { return self.header.replica; })
      .def("observations", observations)
      .def("orders", orders)
      .def("story", [](const Recording& self) { return story_of(self.record); })
      .def("save", save)
      .def("replay",
           [](const Recording& self, const LoadedScenario& loaded) { return replay(self, loaded); });
  module.def("record", record);
  module.def("read_recording", read);
  module.def(
      "load_text",
      [](const std::string& text, const std::string& name, const py::list& policies) {
        const BroughtPolicies brought(custom_policies(policies));
        return load_scenario_text(text, name);
      },
      py::arg("text"), py::arg("name"), py::arg("policies") = py::list());
}

}  // namespace gauntlet
