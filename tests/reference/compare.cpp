#include "tests/reference/compare.hpp"

#include "core/record/codec.hpp"
#include "policies/controller/controller.hpp"
#include "score/score.hpp"
#include "study/replica.hpp"
#include "tests/reference/reference_cluster.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace gauntlet::reference {
namespace {

constexpr std::size_t kMostObservations = 50'000;

std::string text(Time at) { return std::to_string((at - kStart).count()) + " ns"; }

std::string text(const Observed& seen) { return text(seen.at) + ": " + to_text(seen); }

std::string text(const World& world, const Truth& truth) {
  constexpr std::array<const char*, 6> kKinds = {"onset", "met", "returned", "escalated", "ended", "grew"};
  std::ostringstream out;
  out << kKinds.at(static_cast<std::size_t>(truth.what)) << " of " << world.faults[truth.kind.value].name
      << " on component " << truth.component.index << " (host " << truth.host.value << " and "
      << truth.hosts - 1 << " more) at " << text(truth.at) << (truth.on_job ? " on_job" : "")
      << (truth.stops ? " stops" : "") << (truth.disturbs ? " disturbs" : "")
      << (truth.corrupts ? " corrupts" : "") << (truth.repairable ? " repairable" : "") << " factor "
      << truth.factor << " after " << truth.orders << " orders";
  return out.str();
}

/// The last observations before the one that differs, and the orders that followed each.
std::string before(const Record& record, std::size_t count) {
  const char* context = std::getenv("CONTEXT");  // so many of them
  std::ostringstream out;
  const std::size_t from =
      count - std::min<std::size_t>(count, context == nullptr ? 8 : std::strtoull(context, nullptr, 10));
  for (std::size_t i = from; i < count; ++i) {
    out << "    " << text(record.observations[i]) << "\n";
    for (const RecordedOrder& order : record.orders)
      if (order.observations == i + 1) out << "      -> " << to_text(order.order) << "\n";
  }
  return out.str();
}

/// The head of a difference: what differs, without the numbers. A scenario that is shrunk keeps it.
std::string head(const std::string& where, const std::string& is, const std::string& should) {
  return where + ": " + is + " in the simulation, " + should + " in the reference\n";
}

/// "Seen" of "Seen{watch=4 ...}", "Outcome Saved" of one with that result, "onset of" of an entry of the truth log.
std::string sort_of(const std::string& shown) {
  std::string sort = shown.substr(0, shown.find_first_of(" {"));
  if (const std::size_t at = shown.find("result="); at != std::string::npos)
    sort += " " + shown.substr(at + 7, shown.find_first_of("{}", at) - at - 7);
  return sort;
}

/// The entries before the one that differs.
std::string earlier(const World& world, const TruthLog& log, std::size_t count) {
  std::string out;
  for (std::size_t i = count - std::min<std::size_t>(count, 8); i < std::min(count, log.size()); ++i)
    out += "    before: " + text(world, log[i]) + "\n";
  return out;
}

std::string truth_difference(const World& world, const TruthLog& is, const TruthLog& should) {
  for (std::size_t i = 0; i < std::max(is.size(), should.size()); ++i) {
    const std::string a = i < is.size() ? text(world, is[i]) : "nothing";
    const std::string b = i < should.size() ? text(world, should[i]) : "nothing";
    if (a != b)
      return head("truth", sort_of(a), sort_of(b)) + "  entry " + std::to_string(i) + "\n  simulated: " + a +
             "\n  reference: " + b + "\n" + earlier(world, is, i);
  }
  return "";
}

// --- progress, for people: what the job did, and from when to when ------------------------------------------------------

struct Piece {
  Time begin, end;
  std::string what;
};

void add_piece(std::vector<Piece>& pieces, Time begin, Time end, const std::string& what) {
  if (begin == end) return;
  if (!pieces.empty() && pieces.back().end == begin && pieces.back().what == what) {
    pieces.back().end = end;
  } else {
    pieces.push_back({begin, end, what});
  }
}

std::vector<Piece> pieces_of(const ProgressLog& log) {
  std::vector<Piece> pieces;
  for (const Stretch& stretch : log.stretches) {
    Time at = stretch.begin;
    while (at < stretch.end) {
      const Reached reached = stretch.reached_at(at);
      const bool stalls = reached.into_stall > Duration::zero() ||
                          stretch.time_of_step(reached.steps + 1) - stretch.step > at - reached.into_step;
      const Time next = stalls ? stretch.time_of_checkpoint(reached.checkpoints + 1)
                               : stretch.time_of_step(reached.steps + 1);
      const std::string step = std::to_string(stretch.first_step + reached.steps);
      add_piece(pieces, at, std::min(next, stretch.end),
                stalls ? "checkpoint after step " + step : "training after step " + step);
      at = std::min(next, stretch.end);
    }
  }
  for (const Pause& pause : log.pauses) add_piece(pieces, pause.begin, pause.end, "pause");
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  return pieces;
}

std::string progress_difference(const ProgressLog& is, const ProgressLog& should) {
  const std::vector<Piece> a = pieces_of(is), b = pieces_of(should);
  const auto show = [](const std::vector<Piece>& pieces, std::size_t i) {
    if (i >= pieces.size()) return std::string("nothing");
    return pieces[i].what + " from " + text(pieces[i].begin) + " to " + text(pieces[i].end);
  };
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    if (show(a, i) != show(b, i))
      return "progress\n  simulated: " + show(a, i) + "\n  reference: " + show(b, i) + "\n";
  return "";
}

/// One line for each figure that differs.
class FigureDifferences {
 public:
  template <class T>
  void compare(const std::string& name, const T& is, const T& should) {
    if (is == should) return;
    if (first_.empty()) first_ = name;
    out_ << "  " << name << "\n    simulated: " << number(is) << "\n    reference: " << number(should)
         << "\n";
  }
  std::string text() const { return out_.str().empty() ? "" : "figures: " + first_ + "\n" + out_.str(); }

 private:
  static std::string number(Duration value) { return std::to_string(value.count()) + " ns"; }
  template <class T>
  static std::string number(const T& value) {
    return std::to_string(value);
  }
  std::string first_;
  std::ostringstream out_;
};

std::string figure_difference(const World& world, const Figures& is, const Figures& should) {
  FigureDifferences all;
  all.compare("wall", is.wall, should.wall);
  for (std::size_t p = 0; p < kPhases; ++p) {
    all.compare("phase " + std::string(kPhaseNames[p]), is.phases[p], should.phases[p]);
    for (std::size_t c = 0; c < std::min(is.lost.size(), should.lost.size()); ++c) {
      const std::string cause =
          c < kCausesWithoutFault ? std::string(kCauseNames[c]) : world.faults[c - kCausesWithoutFault].name;
      all.compare("lost to " + cause + " in " + std::string(kPhaseNames[p]), is.lost[c][p],
                  should.lost[c][p]);
    }
  }
  all.compare("effective_corrupt", is.effective_corrupt, should.effective_corrupt);
  all.compare("steps", is.steps, should.steps);
  all.compare("iterations", is.iterations, should.iterations);
  all.compare("iteration_time", is.iteration_time, should.iteration_time);
  all.compare("interruptions", is.interruptions, should.interruptions);
  all.compare("planned_stops", is.planned_stops, should.planned_stops);
  all.compare("false_alarms", is.false_alarms, should.false_alarms);
  all.compare("unplanned_rate", is.unplanned_rate, should.unplanned_rate);
  all.compare("detection_latency_sum", is.detection_latency_sum, should.detection_latency_sum);
  all.compare("detected", is.detected, should.detected);
  all.compare("evictions_right", is.evictions_right, should.evictions_right);
  all.compare("evictions_wrong", is.evictions_wrong, should.evictions_wrong);
  all.compare("asked", is.asked, should.asked);
  all.compare("spares_max_in_use", is.spares_max_in_use, should.spares_max_in_use);
  all.compare("false_alerts", is.false_alerts, should.false_alerts);
  all.compare("wrong_evictions", is.wrong_evictions, should.wrong_evictions);
  all.compare("released", is.released, should.released);
  all.compare("incidents", is.incidents.size(), should.incidents.size());
  for (std::size_t k = 0; k < world.faults.size(); ++k) {
    const std::string name = " " + world.faults[k].name;
    all.compare("times" + name, is.faults[k], should.faults[k]);
    all.compare("met" + name, is.fault_scores[k].met, should.fault_scores[k].met);
    all.compare("detected" + name, is.fault_scores[k].detected, should.fault_scores[k].detected);
    all.compare("missed" + name, is.fault_scores[k].missed, should.fault_scores[k].missed);
    all.compare("missed_cost" + name, is.fault_scores[k].missed_cost, should.fault_scores[k].missed_cost);
  }
  return all.text();
}

}  // namespace

std::string difference(const Scenario& scenario, std::uint64_t seed) {
  const World& world = scenario.world;
  Simulation simulation(world, scenario.policies);
  const Figures figures = simulation.run({.seed = seed});
  // A job that starts again and again, each time for nothing, shows nothing new after a while.
  if (simulation.record().observations.size() > kMostObservations) return "";
  const Record& record = simulation.record();
  const TruthLog& truth = simulation.cluster().truth();
  ReferenceCluster cluster(world, Tape(world, truth, record, listen_for_phases(world, seed)));

  Controller controller(scenario.policies);
  Record own;
  Recorder recorder(cluster, own);
  Orders orders;
  std::string found;
  for (std::size_t i = 0; found.empty(); ++i) {
    const std::optional<Observed> seen = recorder.next(kNever);
    if (!seen && i == record.observations.size()) break;
    const std::string is = i < record.observations.size() ? text(record.observations[i]) : "nothing";
    const std::string should = seen ? text(*seen) : "nothing";
    if (is != should) {
      const std::string simulated = i < record.observations.size() ? to_text(record.observations[i]) : is;
      found = head("observation", sort_of(simulated), sort_of(seen ? to_text(*seen) : should)) +
              "  observation " + std::to_string(i) + ", after\n" + before(record, i) + "  simulated: " + is +
              "\n  reference: " + should + "\n";
      break;
    }
    orders.clear();
    controller.on(*seen, orders);
    for (const Order& order : orders) recorder.start(order);
  }
  found += truth_difference(world, truth, cluster.truth());
  for (const std::string& complaint : cluster.complaints()) found += "reference: " + complaint + "\n";
  if (!found.empty()) return found;

  Figures expected;
  score(score_facts(world), cluster.truth(), cluster.progress(), own, expected);
  const std::string by_figures = figure_difference(world, figures, expected);
  if (by_figures.empty()) return "";
  return by_figures + progress_difference(simulation.cluster().progress(), cluster.progress());
}

std::string difference_of_text(const std::string& toml, std::uint64_t seed) {
  const LoadedScenario loaded = load_scenario_text(toml, "scenario.toml");
  return loaded.scenario ? difference(*loaded.scenario, seed) : "";
}

std::string kind_of_difference(const std::string& difference) {
  return difference.substr(0, difference.find('\n'));
}

}  // namespace gauntlet::reference
