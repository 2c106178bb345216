// Commands from Python: the GIL is released while they run, and Ctrl-C stops them.
#include "python/bindings.hpp"
#include "python/call.hpp"
#include "shell/exit_code.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <utility>

namespace gauntlet {
namespace {

namespace py = pybind11;

// What Python raised while a command ran: KeyboardInterrupt, or what `progress` raised.
using Raised = std::optional<py::error_already_set>;

Raised signals() {
  if (PyErr_CheckSignals() == 0) return std::nullopt;
  return py::error_already_set();
}

Raised tell(const py::object& progress, CallProgress how_far) {
  try {
    if (!progress.is_none()) progress(how_far.done, how_far.left);
    return std::nullopt;
  } catch (py::error_already_set& error) {
    return std::move(error);
  }
}

py::dict answer_of(CallAnswer answer, const Raised& raised) {
  py::dict out;
  out["exit_code"] = answer.exit_code;
  out["answered"] = answer.answered;
  out["interrupted"] = answer.exit_code >= kSignalBase;
  out["report"] = std::move(answer.report);
  out["json"] = std::move(answer.json);
  out["problems"] = problem_tuples(answer.problems);
  out["warnings"] = problem_tuples(answer.warnings);
  out["messages"] = std::move(answer.messages);
  out["store"] = py::cast(std::move(answer.store));
  out["raised"] = raised ? py::object(raised->value()) : py::object(py::none());
  return out;
}

py::dict call(std::vector<std::string> words, const py::object& progress) {
  Call call(std::move(words));
  Raised raised;
  CallProgress told;
  for (bool ended = false; !ended;) {
    {
      const py::gil_scoped_release released;
      ended = call.wait();
    }
    const CallProgress now = call.progress();
    if (!raised && now.done != told.done) raised = tell(progress, told = now);
    if (!raised) raised = signals();
    if (raised) call.stop();
  }
  return answer_of(call.take(), raised);
}

}  // namespace

void bind_calls(py::module_& module) {
  module.def("call", call, py::arg("words"), py::arg("progress") = py::none(),
             "Runs a command of the command line in this process.");
}

}  // namespace gauntlet
