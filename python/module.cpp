// _gauntlet: Gauntlet for Python.
#include "config/toml/files.hpp"
#include "flow/client.hpp"
#include "python/bindings.hpp"
#include "python/desk.hpp"

namespace gauntlet {

pybind11::list problem_tuples(std::span<const Problem> problems) {
  pybind11::list out;
  for (const Problem& problem : problems)
    out.append(pybind11::make_tuple(problem.file, problem.line, problem.column, problem.what, problem.why,
                                    problem.suggestion, problem.text()));
  return out;
}

}  // namespace gauntlet

PYBIND11_MODULE(_gauntlet, module) {
  module.attr("version") = GAUNTLET_VERSION;
  module.def("set_flow_program", gauntlet::set_flow_program);
  module.def("set_shipped_scenarios",
             [](const std::string& folder) { gauntlet::set_shipped_scenarios(folder); });
  gauntlet::bind_scenarios(module);
  gauntlet::bind_calls(module);
  gauntlet::bind_stores(module);
  gauntlet::bind_recordings(module);
  gauntlet::bind_desk(module);
}
