// What a page of `gauntlet view` shows, as plain data. Times count from the start of the run.
#pragma once

#include "commands/view/seats.hpp"
#include "commands/view/spread.hpp"
#include "core/layout.hpp"
#include "core/signal.hpp"
#include "core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// How a page of `gauntlet view` begins.
inline constexpr std::string_view kViewBegins = "<!DOCTYPE html>\n<!-- gauntlet view -->\n";

/// So many ranks, or slots, in order that are alike.
template <class Value>
using Runs = std::vector<std::pair<std::uint32_t, Value>>;

/// What a host, or the job, said or had done to it. All of it is recorded.
struct ViewEvent {
  Time at;
  std::optional<HostId> host;  // nothing: of the job
  enum class Kind : std::uint8_t {
    signal,
    log_line,
    exit,
    silence,
    heartbeat,  // the agent is silent, or heard again
    order,
    outcome,
    ranks_ended,
    loaded,  // training goes on
    person
  } kind = Kind::signal;
  std::string text;
  friend bool operator==(const ViewEvent&, const ViewEvent&) = default;
};

/// Who the page holds for the culprit, and how it knows.
enum class CulpritBasis : std::uint8_t {
  truth,     // the truth log
  answers,   // hosts that others wait for and that did not say where they wait
  exit,      // the host whose rank exited first, and on its own
  decision,  // the host that the policies evicted
  nobody,    // no host is to blame
};

struct ViewIncident {
  Time opened, closed;
  std::string cause;      // a fault, or a cause that is not a fault
  std::string effect;     // "hang", "crash", ...; empty where nothing is known
  std::string component;  // "gpu 4711"
  CulpritBasis basis = CulpritBasis::nobody;
  std::vector<std::uint32_t> culprits;  // ranks, ascending
  std::vector<HostId> culprit_hosts;
  std::optional<Duration> detected_after;
  std::uint32_t stops = 1, restarts = 0;
  Duration lost{};
  Runs<WaitingRank> spread;  // by rank, computed; empty without culprits
  /// Recorded answers to the question in which collective a host waits, by slot; empty where nobody asked.
  Runs<std::optional<Dimension>> answers;
  std::optional<Time> asked_at;
  std::vector<std::uint32_t> silent_slots;  // that others wait for, and that gave no answer
  std::vector<ViewEvent> events;
  std::size_t events_left_out = 0;
};

/// Values of a signal of hosts that passed a filter of the policies. All of it is recorded.
struct ViewSignal {
  Signal signal = Signal::forward_time;
  struct Sample {
    Time at;
    HostId host;
    double value = 0;
  };
  std::vector<Sample> samples;  // in order of time
  std::size_t left_out = 0;
};

/// The places of hosts in the fabric: consecutive hosts share a group of switches, a rack, a pod.
struct ViewPlaces {
  std::uint32_t hosts_per_group = 1, hosts_per_rack = 1, hosts_per_pod = 1, nics_per_host = 1;
};

struct View {
  std::string title;    // the scenario
  std::string origin;   // what was run or read: "replica 0 of a simulation with seed 1"
  std::string command;  // what makes the page again
  bool drill = false;   // of real processes
  ViewPlaces places;
  SeatLog seats;
  Duration wall{};
  std::size_t incidents_left_out = 0;
  std::vector<ViewIncident> incidents;
  std::size_t numbered_from = 0;  // the number of the first of them
  std::vector<ViewSignal> signals;
  std::vector<std::string> notes;  // what is missing
};

/// The data of the page, without spaces; the same bytes for the same view.
std::string to_json(const View& view);

/// A page that needs no other file and no network.
std::string to_html(const View& view);

}  // namespace gauntlet
