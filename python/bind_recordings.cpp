// Recordings from Python: one replica with all that its policies saw and ordered.
#include "config/scenario.hpp"
#include "core/record/fields.hpp"
#include "core/record/recording.hpp"
#include "core/record/replay_cluster.hpp"
#include "core/record/story.hpp"
#include "policies/controller/controller.hpp"
#include "python/bindings.hpp"
#include "study/replica.hpp"

#include <pybind11/stl.h>

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

Recording record(const LoadedScenario& loaded, std::uint64_t seed, std::uint32_t replica,
                 bool full_telemetry) {
  const py::gil_scoped_release released;
  const Scenario& scenario = loaded.scenario.value();
  Simulation simulation(scenario.world, scenario.policies);
  simulation.run({.seed = seed, .replica = replica, .full_telemetry = full_telemetry});
  return {.header = {.version = GAUNTLET_VERSION,
                     .scenario = show(loaded, Comments::none),
                     .seed = seed,
                     .replica = replica},
          .record = simulation.record()};
}

/// (recording or None, problems): a recording that was cut short has both.
py::tuple read(const std::string& file) {
  ReadRecording read = read_recording(file);
  if (!read.recording) return py::make_tuple(py::none(), problem_tuples({&read.problem, 1}));
  const std::optional<Problem> end = problem_of_end(file, *read.recording);
  return py::make_tuple(py::cast(std::move(*read.recording)), end ? problem_tuples({&*end, 1}) : py::list());
}

py::list save(const Recording& recording, const std::string& file) {
  const std::optional<Problem> problem = write_recording(file, recording.header, recording.record);
  return problem ? problem_tuples({&*problem, 1}) : py::list();
}

/// What the policies of this program make of it.
py::dict replay(const Recording& recording, const LoadedScenario& loaded) {
  Controller controller(loaded.scenario.value().policies);
  ReplayCluster cluster(recording.record);
  {
    const py::gil_scoped_release released;
    run(cluster, controller, kNever);
    cluster.finish();
  }
  py::dict out;
  out["observations"] = cluster.observations_replayed();
  out["orders"] = cluster.orders_compared();
  out["past_the_end"] = cluster.ran_past_the_end();
  out["difference"] = cluster.difference() ? to_text(*cluster.difference()) : std::string();
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
      .def("replay", replay);
  module.def("record", record);
  module.def("read_recording", read);
  module.def("load_text",
             [](const std::string& text, const std::string& name) { return load_scenario_text(text, name); });
}

}  // namespace gauntlet
