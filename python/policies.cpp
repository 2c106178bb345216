#include "python/policies.hpp"

#include "core/record/codec.hpp"
#include "core/record/recording.hpp"
#include "python/desk.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

namespace py = pybind11;

/// What a hook raised.
struct HookRaised : std::runtime_error {
  HookRaised(const std::string& text, HeldObject what) : std::runtime_error(text), raised(std::move(what)) {}
  HeldObject raised;  // an exception of Python
};

/// "ValueError: no such figure (mine.py, line 12)"
std::string text_of(const py::error_already_set& error) {
  std::string text = py::str(error.type().attr("__name__")).cast<std::string>();
  if (const auto message = py::str(error.value()).cast<std::string>(); !message.empty())
    text += ": " + message;
  if (!error.trace()) return text;
  py::object trace = error.trace();
  while (!py::object(trace.attr("tb_next")).is_none()) trace = trace.attr("tb_next");
  const auto file = trace.attr("tb_frame").attr("f_code").attr("co_filename").cast<std::string>();
  return text + " (" + std::filesystem::path(file).filename().string() + ", line " +
         std::to_string(trace.attr("tb_lineno").cast<int>()) + ")";
}

/// A KeyboardInterrupt that a hook raised on this thread.
thread_local HeldObject interrupted_here;

/// The state of this thread in the interpreter, which is costly to make: kept for as long as the thread lives. Threads of Python
/// have one of their own.
void keep_thread_state() {
  if (PyGILState_GetThisThreadState() != nullptr) return;
  struct Kept {
    PyGILState_STATE before = PyGILState_Ensure();
    PyThreadState* state = PyEval_SaveThread();
    Kept() = default;
    ~Kept() {
      PyEval_RestoreThread(state);
      PyGILState_Release(before);
    }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
  };
  static thread_local const Kept kept;
}

/// One object of a Python class, and its hooks.
class PythonPolicy {
 public:
  /// `base`: the class of gauntlet.policies that it derives from.
  PythonPolicy(const HeldObject& made_by, const char* base, std::shared_ptr<HookInterruption> interruption)
      : interruption_(std::move(interruption)) {
    keep_thread_state();
    const py::gil_scoped_acquire lock;
    const HookInterruption::InHook here(interruption_.get());
    try {
      base_ = py::module_::import("gauntlet.policies").attr(base);
      policy_ = (*made_by)();
      desk_object_ = py::cast(Desk());
      desk_ = desk_object_.cast<Desk*>();
      policy_.attr("_desk") = desk_object_;
    } catch (const py::error_already_set& error) {
      forget();
      threw(error);
    }
  }
  ~PythonPolicy() {
    const py::gil_scoped_acquire lock;
    forget();
  }
  PythonPolicy(const PythonPolicy&) = delete;
  PythonPolicy& operator=(const PythonPolicy&) = delete;

  /// A hook to call; null where the class does not have one of its own.
  py::object hook(const char* name) const {
    const py::gil_scoped_acquire lock;
    try {
      const bool own = !py::object(policy_.get_type().attr(name)).is(base_.attr(name));
      return own ? py::object(policy_.attr(name)) : py::object();
    } catch (const py::error_already_set& error) {
      threw(error);
    }
  }

  /// A class of gauntlet.policies, made of keywords.
  py::object value(const char* name, const py::dict& members) const {
    return py::module_::import("gauntlet.policies").attr(name)(**members);
  }

  Desk& desk() { return *desk_; }

  /// Calls a hook with what `arguments` gives, a tuple that is made under the lock, and gives what `result` makes of its answer.
  template <class Arguments, class Result>
  auto call(const py::object& hook, const Desk::Turn& turn, const Arguments& arguments,
            const Result& result) {
    keep_thread_state();
    const py::gil_scoped_acquire lock;
    const HookInterruption::InHook here(interruption_.get());
    const Desk::Open open(*desk_, turn);
    try {
      return result(py::object(hook(*arguments())));
    } catch (const py::error_already_set& error) {
      if (!desk_->flooded()) threw(error);
      return decltype(result(py::object()))();  // the guard says so
    } catch (const py::builtin_exception& error) {
      throw std::runtime_error(error.what());
    }
  }
  /// A hook that answers with orders alone.
  template <class Arguments>
  void tell(const py::object& hook, const Desk::Turn& turn, const Arguments& arguments) {
    if (!hook) return;
    call(hook, turn, arguments, [](const py::object& answer) {
      if (!answer.is_none())
        throw py::type_error("a hook must return None, not " + py::repr(answer).cast<std::string>());
    });
  }

 private:
  [[noreturn]] void threw(const py::error_already_set& error) const {
    if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
    if (error.matches(PyExc_KeyboardInterrupt)) {
      interrupted_here = held(error.value());
      if (interruption_) interruption_->set(interrupted_here);
      throw PolicyInterrupted{};
    }
    throw HookRaised(text_of(error), held(error.value()));
  }
  void forget() { policy_ = base_ = desk_object_ = py::object(); }

  std::shared_ptr<HookInterruption> interruption_;
  py::object base_, policy_, desk_object_;
  Desk* desk_ = nullptr;
};

/// The hooks of a policy, by their names. They are objects of Python, which go under the lock.
template <std::size_t N>
class Hooks {
 public:
  Hooks(const PythonPolicy& policy, const std::array<const char*, N>& names) {
    try {
      for (std::size_t i = 0; i < N; ++i) hook[i] = policy.hook(names[i]);
    } catch (...) {
      forget();
      throw;
    }
  }
  ~Hooks() { forget(); }
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;

  std::array<py::object, N> hook;

 private:
  void forget() {
    const py::gil_scoped_acquire lock;
    for (py::object& each : hook) each = py::object();
  }
};

const auto kNothing = [] { return py::tuple(); };

py::object ns_or_none(Duration duration) {
  return duration == kForever ? py::object(py::none()) : py::object(py::int_(duration.count()));
}

py::dict members_of(JobId, const Inventory& inventory) {
  py::dict out;
  out["hosts"] = inventory.job_hosts;
  out["spares"] = inventory.spares;
  out["gpus_per_host"] = inventory.gpus_per_host;
  out["hosts_per_tor"] = inventory.hosts_per_tor;
  out["tp"] = inventory.layout.tp;
  out["pp"] = inventory.layout.pp;
  out["dp"] = inventory.layout.dp;
  out["cp"] = inventory.layout.cp;
  out["ep"] = inventory.layout.ep;
  return out;
}

py::dict members_of(const CheckpointConstants& from) {
  py::dict out;
  out["interval"] = ns_or_none(from.interval);
  out["memory_interval"] = ns_or_none(from.memory_interval);
  out["peers_interval"] = ns_or_none(from.peers_interval);
  out["prior_mtbf"] = ns_or_none(from.prior_mtbf);
  out["prior_weight"] = from.prior_weight;
  out["prior_cost"] = ns_or_none(from.prior_cost);
  out["prior_quick_cost"] = ns_or_none(from.prior_quick_cost);
  out["host_loss"] = from.host_loss;
  out["shortest"] = ns_or_none(from.shortest);
  out["hysteresis"] = from.hysteresis;
  return out;
}

py::dict members_of(const DetectionConstants& from) {
  constexpr std::array<const char*, 5> kActions = {"replace", "restart", "save", "alert", "ignore"};
  py::dict out;
  out["heartbeat_timeout"] = ns_or_none(from.heartbeat_timeout);
  out["hang_timeout"] = ns_or_none(from.hang_timeout);
  out["collective_timeout"] = ns_or_none(from.collective_timeout);
  out["gather"] = ns_or_none(from.gather);
  out["clock_error"] = ns_or_none(from.clock_error);
  py::list lines;
  for (const LineRule& rule : from.lines)
    lines.append(py::make_tuple(rule.pattern.value, kActions.at(static_cast<std::size_t>(rule.action))));
  out["lines"] = py::tuple(lines);
  return out;
}

py::dict members_of(const RecoveryConstants& from) {
  py::dict out;
  out["restarts_in_place"] = from.restarts_in_place;
  out["relapse_window"] = ns_or_none(from.relapse_window);
  out["save_timeout"] = ns_or_none(from.save_timeout);
  out["wait_for_spare"] = ns_or_none(from.wait_for_spare);
  return out;
}

// --- the kinds -----------------------------------------------------------------------------------------------------------

class PythonDetector final : public CustomDetector {
 public:
  PythonDetector(const HeldObject& made_by, const std::shared_ptr<HookInterruption>& interruption)
      : policy_(made_by, "Detector", interruption),
        hooks_(policy_, {"start", "seen", "outcome", "job_began", "job_ended", "job_resized"}) {}

  void start(const Assignment& given, Time now, WatchIds& ids, Orders& out) override {
    policy_.desk().is_of(given.job);
    policy_.tell(hooks_.hook[0], {.now = now, .out = &out, .ids = &ids}, [&] {
      py::dict members = members_of(given.job, given.inventory);
      members["constants"] = policy_.value("DetectionConstants", members_of(*given.constants));
      return py::make_tuple(policy_.value("Job", members));
    });
  }
  void on(const Seen& seen, Time now, Orders& out, Suspicions& found) override {
    policy_.tell(hooks_.hook[1], {.now = now, .out = &out, .found = &found, .answering = &seen},
                 [&] { return py::make_tuple(seen); });
  }
  void on(const Outcome& outcome, Time now, Orders& out, Suspicions& found) override {
    policy_.tell(hooks_.hook[2], {.now = now, .out = &out, .found = &found},
                 [&] { return py::make_tuple(outcome); });
  }
  void job_began(Time now, Orders& out) override {
    policy_.tell(hooks_.hook[3], {.now = now, .out = &out}, kNothing);
  }
  void job_ended(Time now, Orders& out) override {
    policy_.tell(hooks_.hook[4], {.now = now, .out = &out}, kNothing);
  }
  void job_resized(const Inventory& inventory, Time now, Orders& out) override {
    policy_.tell(hooks_.hook[5], {.now = now, .out = &out},
                 [&] { return py::make_tuple(inventory.layout.dp, inventory.job_hosts); });
  }

 private:
  PythonPolicy policy_;
  Hooks<6> hooks_;
};

class PythonCheckpoint final : public CustomCheckpoint {
 public:
  PythonCheckpoint(const HeldObject& made_by, const std::shared_ptr<HookInterruption>& interruption)
      : policy_(made_by, "CheckpointPolicy", interruption),
        hooks_(policy_, {"start", "training_began", "seen", "outcome", "stopped_by_fault"}) {}

  void start(const CheckpointAssignment& given, Time now, WatchIds& ids, Orders& out) override {
    policy_.desk().is_of(given.job);
    policy_.tell(hooks_.hook[0], {.now = now, .out = &out, .ids = &ids}, [&] {
      py::dict members = members_of(given.job, given.inventory);
      members["constants"] = policy_.value("CheckpointConstants", members_of(*given.constants));
      return py::make_tuple(policy_.value("Job", members));
    });
  }
  void training_began(Time now, Orders& out) override {
    policy_.tell(hooks_.hook[1], {.now = now, .out = &out}, kNothing);
  }
  void on(const Seen& seen, Time now, Orders& out) override {
    policy_.tell(hooks_.hook[2], {.now = now, .out = &out}, [&] { return py::make_tuple(seen); });
  }
  void on(const Outcome& outcome, Time now, Orders& out) override {
    policy_.tell(hooks_.hook[3], {.now = now, .out = &out}, [&] { return py::make_tuple(outcome); });
  }
  void stopped_by_fault(Time now, Orders& out) override {
    policy_.tell(hooks_.hook[4], {.now = now, .out = &out}, kNothing);
  }

 private:
  PythonPolicy policy_;
  Hooks<5> hooks_;
};

std::vector<std::uint32_t> numbers_of(const std::vector<HostId>& hosts) {
  std::vector<std::uint32_t> out;
  for (const HostId host : hosts) out.push_back(host.value);
  return out;
}

/// "restart", "examine", "ask", or ("replace", hosts).
RecoveryDecision decision_of(const py::object& answer) {
  constexpr std::array<std::string_view, 4> kNames = {"restart", "examine", "replace", "ask"};
  const bool pair = py::isinstance<py::tuple>(answer) && py::len(answer) == 2;
  const py::object name = pair ? py::object(answer[py::int_(0)]) : answer;
  const std::string text = py::isinstance<py::str>(name) ? name.cast<std::string>() : std::string();
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end())
    throw py::type_error(
        "a recovery must return \"restart\", \"examine\", \"ask\" or (\"replace\", hosts), not " +
        py::repr(answer).cast<std::string>());
  RecoveryDecision decision{static_cast<RecoveryDecision::What>(found - kNames.begin())};
  if (pair)
    for (const py::handle host : answer[py::int_(1)])
      decision.hosts.push_back(HostId{host.cast<std::uint32_t>()});
  return decision;
}

class PythonRecovery final : public CustomRecovery {
 public:
  PythonRecovery(const HeldObject& made_by, const std::shared_ptr<HookInterruption>& interruption)
      : policy_(made_by, "Recovery", interruption), hooks_(policy_, {"start", "stopped", "found_nothing"}) {}

  void start(JobId job, const Inventory& inventory, const RecoveryConstants& constants) override {
    policy_.tell(hooks_.hook[0], {}, [&] {
      py::dict members = members_of(job, inventory);
      members["constants"] = policy_.value("RecoveryConstants", members_of(constants));
      return py::make_tuple(policy_.value("Job", members));
    });
  }
  RecoveryDecision stopped(const FaultStop& stop) override { return decide(hooks_.hook[1], "stopped", stop); }
  RecoveryDecision found_nothing(const FaultStop& stop) override {
    return decide(hooks_.hook[2], "found_nothing", stop);
  }

 private:
  RecoveryDecision decide(const py::object& hook, const char* name, const FaultStop& stop) {
    if (!hook) throw std::runtime_error(std::string("the class has no ") + name);
    const auto arguments = [&] {
      py::dict members;
      members["now"] = nanoseconds_of(stop.now);
      members["suspects"] = numbers_of(stop.suspects);
      members["slow"] = numbers_of(stop.slow);
      members["restarts"] = stop.restarts;
      members["examine"] = stop.examine;
      return py::make_tuple(policy_.value("FaultStop", members));
    };
    return policy_.call(hook, {.now = stop.now}, arguments, decision_of);
  }
  static std::int64_t nanoseconds_of(Time at) { return at.time_since_epoch().count(); }

  PythonPolicy policy_;
  Hooks<3> hooks_;
};

template <class Custom, class Policy>
CustomFactory<Custom> factory_of(const std::string& name, const HeldObject& made_by,
                                 const std::shared_ptr<HookInterruption>& interruption) {
  return {name, [=] { return std::make_unique<Policy>(made_by, interruption); }};
}

}  // namespace

HeldObject held(py::object object) {
  return {new py::object(std::move(object)), [](py::object* dropped) {
            const py::gil_scoped_acquire lock;
            delete dropped;
          }};
}

void HookInterruption::set(HeldObject raised) {
  const std::lock_guard lock(mutex_);
  if (!raised_) raised_ = std::move(raised);
}

HeldObject HookInterruption::get() const {
  const std::lock_guard lock(mutex_);
  return raised_;
}

namespace {
thread_local int hooks_of_this_thread = 0;
}  // namespace

bool HookInterruption::in_hook() { return hooks_of_this_thread > 0; }

HookInterruption::InHook::InHook(HookInterruption* of) : of_(of) {
  ++hooks_of_this_thread;
  if (of_ == nullptr) return;
  const std::lock_guard lock(of_->mutex_);
  of_->in_hooks_.push_back(PyThread_get_thread_ident());
}

HookInterruption::InHook::~InHook() {
  --hooks_of_this_thread;
  if (of_ == nullptr) return;
  const std::lock_guard lock(of_->mutex_);
  auto& threads = of_->in_hooks_;
  threads.erase(std::find(threads.begin(), threads.end(), PyThread_get_thread_ident()));
}

void HookInterruption::interrupt_hooks() const {
  std::vector<unsigned long> threads;
  {
    const std::lock_guard lock(mutex_);
    threads = in_hooks_;
  }
  for (const unsigned long thread : threads) PyThreadState_SetAsyncExc(thread, PyExc_KeyboardInterrupt);
}

std::shared_ptr<const CustomPolicies> custom_policies(const py::list& classes,
                                                      const std::shared_ptr<HookInterruption>& interruption) {
  if (classes.empty()) return nullptr;
  CustomPolicies out;
  for (const py::handle each : classes) {
    const auto [kind, name, made_by] = each.cast<std::tuple<std::string, std::string, py::object>>();
    const HeldObject factory = held(made_by);
    if (kind == "detector")
      out.detectors.push_back(factory_of<CustomDetector, PythonDetector>(name, factory, interruption));
    else if (kind == "checkpoint")
      out.checkpoints.push_back(factory_of<CustomCheckpoint, PythonCheckpoint>(name, factory, interruption));
    else
      out.recoveries.push_back(factory_of<CustomRecovery, PythonRecovery>(name, factory, interruption));
  }
  return std::make_shared<const CustomPolicies>(std::move(out));
}

void raise_interruption() {
  const HeldObject raised = std::exchange(interrupted_here, nullptr);
  if (!raised) throw std::runtime_error("the replica was abandoned");
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised->ptr())), raised->ptr());
  throw py::error_already_set();
}

py::object exception_of(const PolicyError& error) {
  const PolicyBreach& breach = error.breach();
  const std::optional<Observed> seen = error.observation();
  py::list orders;
  for (const Order& order : breach.before) orders.append(to_text(order));
  py::dict members;
  members["policy"] = breach.policy;
  members["kind"] = std::string(name_of(breach.kind));
  members["replica"] = error.replica().replica;
  members["seed"] = error.replica().seed;
  members["at_ns"] =
      seen ? py::object(py::int_(seen->at.time_since_epoch().count())) : py::object(py::none());
  members["observation"] = seen ? to_text(*seen) : std::string();
  members["rule"] = breach.rule;
  members["order"] = breach.order ? to_text(*breach.order) : std::string();
  members["orders_before"] = py::tuple(orders);
  members["recording"] = py::cast(Recording{.header = {.version = GAUNTLET_VERSION,
                                                       .scenario = error.scenario,
                                                       .seed = error.replica().seed,
                                                       .replica = error.replica().replica},
                                            .record = error.record(),
                                            .measurements = {},
                                            .logs = {}});
  py::object out = py::module_::import("gauntlet.errors").attr("PolicyError")(error.what(), **members);
  try {
    if (breach.cause) std::rethrow_exception(breach.cause);
  } catch (const HookRaised& raised) {
    out.attr("__cause__") = *raised.raised;
  } catch (const std::exception&) {  // its text is in the message
  }
  return out;
}

void raise(const PolicyError& error) {
  const py::object exception = exception_of(error);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw py::error_already_set();
}

}  // namespace gauntlet
