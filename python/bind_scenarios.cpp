// Scenarios from Python: loading, values, messages, listings.
#include "config/brought.hpp"
#include "config/fault_files.hpp"
#include "config/listing.hpp"
#include "config/scenario.hpp"
#include "python/bindings.hpp"
#include "python/policies.hpp"
#include "report/metric_words.hpp"

#include <pybind11/stl.h>

#include <utility>

namespace gauntlet {
namespace {

namespace py = pybind11;

py::object to_python(const Value& value) {
  if (const Value::Table* table = value.table()) {
    py::dict out;
    for (const auto& [key, member] : *table) out[py::str(key)] = to_python(member);
    return out;
  }
  if (const Value::Array* array = value.array()) {
    py::list out;
    for (const Value& element : *array) out.append(to_python(element));
    return out;
  }
  if (const std::string* text = value.string()) return py::str(*text);
  if (const bool* yes = std::get_if<bool>(&value.data)) return py::bool_(*yes);
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value.data)) return py::int_(*whole);
  return py::float_(std::get<double>(value.data));
}

LoadedScenario load(const std::string& path, const std::vector<std::string>& sets, const py::list& policies) {
  const auto custom = custom_policies(policies);
  const py::gil_scoped_release released;
  const BroughtPolicies brought(custom);
  return load_scenario(path, sets);
}

/// Nothing where the scenario has no such key.
py::object value_at(const LoadedScenario& loaded, const std::string& path) {
  const Value* const found = loaded.resolved.find(path);
  return found != nullptr ? py::make_tuple(to_python(*found), found->at.text()) : py::object(py::none());
}

using Listings = std::vector<std::pair<std::string, std::string>>;

template <std::vector<Listed> (*list)()>
Listings pairs() {
  Listings out;
  for (Listed& entry : list()) out.emplace_back(std::move(entry.name), std::move(entry.about));
  return out;
}

Listings metric_pairs() {
  Listings out;
  for (const auto& [name, about] : metric_words()) out.emplace_back(name, about);
  return out;
}

}  // namespace

void bind_scenarios(py::module_& module) {
  py::class_<LoadedScenario>(module, "Loaded")
      .def("problems", [](const LoadedScenario& self) { return problem_tuples(self.problems); })
      .def("warnings", [](const LoadedScenario& self) { return problem_tuples(self.warnings); })
      .def("value", value_at)
      .def("values", [](const LoadedScenario& self) { return to_python(self.resolved); })
      .def("seed",
           [](const LoadedScenario& self) {
             return self.scenario ? self.scenario->study.seed : StudyDefaults{}.seed;
           })
      .def("show", [](const LoadedScenario& self, bool comments) {
        return show(self, comments ? Comments::full : Comments::none);
      });
  module.def("load", load, py::arg("path"), py::arg("sets"), py::arg("policies") = py::list());
  module.def("schema", schema);
  module.def("list_scenarios", pairs<list_scenarios>);
  module.def("list_fault_models", pairs<list_fault_models>);
  module.def("list_faults", pairs<list_faults>);
  module.def("list_distributions", pairs<list_distributions>);
  module.def("list_policies", pairs<list_policies>);
  module.def("list_detectors", pairs<list_detectors>);
  module.def("list_signals", pairs<list_signals>);
  module.def("list_lines", pairs<list_lines>);
  module.def("list_probes", pairs<list_probes>);
  module.def("list_hardware", pairs<list_hardware>);
  module.def("list_models", pairs<list_models>);
  module.def("list_metrics", metric_pairs);
}

}  // namespace gauntlet
