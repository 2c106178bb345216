#include "python/desk.hpp"

#include "core/record/codec.hpp"
#include "policies/custom/guard.hpp"
#include "policies/custom/rules.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

namespace py = pybind11;

constexpr std::array<std::string_view, 5> kSuspicionKinds = {"stopped", "restart", "degraded", "unusual",
                                                             "warning"};
constexpr std::array<std::string_view, 3> kEdges = {"began", "ended", "sample"};
constexpr std::array<std::string_view, 3> kStatuses = {"done", "failed", "cancelled"};

template <class Enum, std::size_t N>
Enum named(const std::array<std::string_view, N>& names, const std::string& name, const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  std::string text = std::string(what) + ": '" + name + "' is not one of ";
  for (std::size_t i = 0; i < N; ++i) text += (i == 0 ? "" : ", ") + std::string(names[i]);
  throw py::value_error(text);
}

template <std::size_t N, class Enum>
std::string_view name_in(const std::array<std::string_view, N>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

/// "all", "job", a host by its number, or ("stage", which, at most so many).
Scope host_scope(const py::handle& who, JobId job) {
  if (py::isinstance<py::int_>(who) && !py::isinstance<py::bool_>(who))
    return Scope::one(component(HostId{who.cast<std::uint32_t>()}));
  if (py::isinstance<py::str>(who)) {
    const auto text = who.cast<std::string>();
    if (text == "all") return Scope::all(ComponentKind::host);
    if (text == "job") return Scope::hosts_of(job);
  }
  if (py::isinstance<py::tuple>(who)) {
    const auto parts = who.cast<py::tuple>();
    if (parts.size() >= 2 && parts.size() <= 3 && py::isinstance<py::str>(parts[0]) &&
        parts[0].cast<std::string>() == "stage")
      return Scope::hosts_of_stage(job, parts[1].cast<std::uint32_t>(),
                                   parts.size() == 3 ? parts[2].cast<std::uint16_t>() : kEachMember);
  }
  throw py::value_error("who: " + py::repr(who).cast<std::string>() +
                        " is not 'all', 'job', the number of a host or ('stage', number, at most)");
}

std::uint64_t watch(Desk& desk, std::uint32_t id, const std::string& name, const py::object& who,
                    const py::object& silence, const std::optional<std::pair<double, double>>& outside,
                    std::optional<std::uint32_t> pattern, std::optional<std::uint16_t> samples,
                    std::optional<std::uint16_t> first) {
  Watch order{
      .id = WatchId{id}, .signal = named<Signal>(kSignalNames, name, "signal"), .who = {}, .until = {}};
  const int filters = int{!silence.is_none()} + int{outside.has_value()} + int{pattern.has_value()} +
                      int{samples.has_value()};
  if (filters != 1) throw py::value_error("a watch needs one of silence, outside, pattern and samples");
  order.who = is_of_job(order.signal) && who.is_none() ? Scope::all(ComponentKind::job)
              : who.is_none()                          ? Scope::all(ComponentKind::host)
                                                       : host_scope(who, desk.job());
  if (!silence.is_none()) order.until = Silence{duration_from(silence, "silence")};
  if (outside) order.until = Outside{outside->first, outside->second};
  if (pattern) order.until = Match{PatternId{*pattern}};
  if (samples) order.until = Sample{*samples};
  if (first) order.first = *first;
  return desk.order(order).value;
}

std::uint64_t checkpoint_every(Desk& desk, const py::object& interval, const std::string& tier) {
  return desk
      .order(CheckpointEvery{desk.job(), interval.is_none() ? kForever : duration_from(interval, "interval"),
                             named<Tier>(kTierNames, tier, "tier")})
      .value;
}

void suspect(Desk& desk, std::optional<std::uint32_t> host, const std::string& kind,
             const py::object& quarantine, bool wrong, bool of_host) {
  Suspicion suspicion{.kind = named<SuspicionKind>(kSuspicionKinds, kind, "kind")};
  if (host) suspicion.host = HostId{*host};
  if (!quarantine.is_none()) suspicion.quarantine = duration_from(quarantine, "quarantine");
  suspicion.wrong = wrong;
  suspicion.of_host = of_host;
  desk.suspect(suspicion);
}

std::int64_t nanoseconds(Time at) { return at.time_since_epoch().count(); }

py::object host_named(ComponentId who) {
  return who.kind == ComponentKind::host ? py::object(py::int_(who.index)) : py::object(py::none());
}

void bind_values(py::module_& module) {
  py::class_<Seen>(module, "Seen", "What a watch reports.")
      .def_property_readonly("watch", [](const Seen& self) { return self.watch.value; })
      .def_property_readonly("host", [](const Seen& self) { return host_named(self.who); })
      .def_property_readonly("edge", [](const Seen& self) { return name_in(kEdges, self.edge); })
      .def_property_readonly("sensed", [](const Seen& self) { return nanoseconds(self.sensed); })
      .def_readonly("value", &Seen::value)
      .def_readonly("more", &Seen::more)
      .def("__repr__", [](const Seen& self) {
        return to_text(Observed{self.sensed, self});
      });
  py::class_<Outcome>(module, "Outcome", "The outcome of an order.")
      .def_property_readonly("order", [](const Outcome& self) { return self.order.value; })
      .def_property_readonly("status", [](const Outcome& self) { return name_in(kStatuses, self.status); })
      .def_property_readonly("took", [](const Outcome& self) { return self.took.count(); })
      .def_property_readonly("step",
                             [](const Outcome& self) -> std::optional<std::int64_t> {
                               const auto* saved = std::get_if<Saved>(&self.result);
                               return saved != nullptr ? std::optional(saved->step) : std::nullopt;
                             })
      .def_property_readonly("faulty",
                             [](const Outcome& self) -> std::optional<bool> {
                               const auto* probed = std::get_if<Probed>(&self.result);
                               if (probed == nullptr) return std::nullopt;
                               return probed->verdict == Verdict::faulty;
                             })
      .def("__repr__", [](const Outcome& self) {
        return to_text(Observed{kStart, self});
      });
}

}  // namespace

const Desk::Turn& Desk::turn() const {
  if (!open_)
    throw std::runtime_error("a policy has a time and gives orders only while one of its hooks runs");
  return turn_;
}

WatchId Desk::watch_id() {
  if (turn().ids == nullptr) throw std::runtime_error("ids of watches are taken in start alone");
  return turn_.ids->take();
}

OrderId Desk::order(const Action& what) {
  if (turn().out == nullptr)
    throw std::runtime_error("this hook gives no orders: it answers with a decision");
  if (turn_.out->size() - first_ > PolicyGuard::kMostAtOnce) {
    flooded_ = true;
    throw std::runtime_error("a policy must give at most 10,000 orders at one time");
  }
  return turn_.out->add(what);
}

void Desk::suspect(Suspicion suspicion) {
  if (turn().found == nullptr)
    throw std::runtime_error("a detector raises suspicions in seen and outcome alone");
  if (turn_.answering != nullptr) {
    suspicion.sensed = turn_.answering->sensed;
    suspicion.cause = turn_.answering->watch;
  }
  turn_.found->push_back(suspicion);
}

Duration duration_from(py::handle value, const char* what) {
  py::object whole = py::reinterpret_borrow<py::object>(value);
  if (py::hasattr(value, "total_seconds")) {  // a timedelta, which is whole microseconds
    const auto part = [&](const char* name) { return py::object(value.attr(name)); };
    const py::object microseconds = part("days") * py::int_(86'400'000'000LL) +
                                    part("seconds") * py::int_(1'000'000) + part("microseconds");
    whole = microseconds * py::int_(1000);
  }
  const bool counts = PyIndex_Check(whole.ptr()) != 0 && !py::isinstance<py::bool_>(whole);
  if (!counts)
    throw py::type_error(std::string(what) + ": " + py::repr(value).cast<std::string>() +
                         " is not an int of nanoseconds, nor a datetime.timedelta");
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(whole.ptr()));
  int overflow = 0;
  const long long count = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0)
    throw py::value_error(std::string(what) + ": " + py::repr(value).cast<std::string>() +
                          " is beyond 292 years in nanoseconds");
  return Duration(count);
}

void bind_desk(py::module_& module) {
  bind_values(module);
  py::class_<Desk>(module, "Desk")
      .def_property_readonly("now", [](const Desk& self) { return nanoseconds(self.now()); })
      .def("watch_id", [](Desk& self) { return self.watch_id().value; })
      .def("watch", watch, py::arg("id"), py::arg("signal"), py::arg("who"), py::arg("silence"),
           py::arg("outside"), py::arg("pattern"), py::arg("samples"), py::arg("first"))
      .def("unwatch", [](Desk& self, std::uint32_t id) { return self.order(Unwatch{WatchId{id}}).value; })
      .def("wake",
           [](Desk& self, const py::object& at) {
             return self.order(Wake{kStart + duration_from(at, "at")}).value;
           })
      .def("cancel", [](Desk& self, std::uint64_t order) { return self.order(Cancel{OrderId{order}}).value; })
      .def("checkpoint_every", checkpoint_every)
      .def("checkpoint", [](Desk& self) { return self.order(Checkpoint{self.job()}).value; })
      .def("probe",
           [](Desk& self, std::uint32_t probe, const py::object& who, std::uint32_t report) {
             return self.order(Probe{ProbeId{probe}, host_scope(who, self.job()), WatchId{report}}).value;
           })
      .def("suspect", suspect);
  module.def("seconds_to_ns", [](double seconds) { return from_seconds(seconds).count(); });
}

}  // namespace gauntlet
