// Commands from Python: the GIL is released while they run, and Ctrl-C stops them.
#include "python/bindings.hpp"
#include "python/call.hpp"
#include "python/policies.hpp"
#include "shell/exit_code.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

namespace py = pybind11;

// What Python raised while a command ran: KeyboardInterrupt, also in a hook of a policy, or what `progress` raised.
using Raised = std::optional<py::object>;

Raised signals() {
  if (PyErr_CheckSignals() == 0) return std::nullopt;
  return py::object(py::error_already_set().value());
}

Raised tell(const py::object& progress, CallProgress how_far) {
  try {
    if (!progress.is_none()) progress(how_far.done, how_far.left);
    return std::nullopt;
  } catch (py::error_already_set& error) {
    return py::object(error.value());
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
  out["policy_error"] = answer.broken ? exception_of(*answer.broken) : py::object(py::none());
  out["raised"] = raised ? *raised : py::object(py::none());
  return out;
}

/// The command's thread may need the interpreter until it is joined.
struct JoinsWithoutLock {
  void operator()(Call* call) const {
    const py::gil_scoped_release released;
    delete call;
  }
};

py::dict call(std::vector<std::string> words, const py::object& progress, const py::list& policies) {
  if (HookInterruption::in_hook())
    throw std::runtime_error("a policy must not run a command: each of its replicas would run another study");
  const auto interruption = std::make_shared<HookInterruption>();
  const std::unique_ptr<Call, JoinsWithoutLock> call(
      new Call(std::move(words), custom_policies(policies, interruption)));
  Raised raised;
  CallProgress told;
  for (bool ended = false; !ended;) {
    {
      const py::gil_scoped_release released;
      ended = call->wait();
    }
    const CallProgress now = call->progress();
    if (!raised && now.done != told.done) raised = tell(progress, told = now);
    if (const Raised signal = signals()) {
      interruption->interrupt_hooks();  // one that does not return would keep the study from stopping
      if (!raised) raised = signal;
    }
    if (const HeldObject by_hook = interruption->get(); by_hook && !raised) raised = *by_hook;
    if (raised) call->stop();
  }
  return answer_of(call->take(), raised);
}

}  // namespace

void bind_calls(py::module_& module) {
  module.def("call", call, py::arg("words"), py::arg("progress") = py::none(),
             py::arg("policies") = py::list(), "Runs a command of the command line in this process.");
}

}  // namespace gauntlet
