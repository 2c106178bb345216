#include "real/driver/raw_progress.hpp"

#include "core/record/fingerprint.hpp"
#include "models/step/job_size.hpp"
#include "real/driver/escalated_pauses.hpp"
#include "real/injectors/injector.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <sstream>

namespace gauntlet {
namespace {

constexpr std::string_view kReplicas = "replicas";  // in the place of a rank

Layout layout_of_run(const Layout& whole, const RawProgress::Replicas& replicas, std::uint32_t run) {
  Layout layout = whole;
  if (const auto found = replicas.find(run); found != replicas.end()) layout.dp = found->second;
  return layout;
}

}  // namespace

RawProgress::RawProgress(const std::string& path, Files& files) : file_(path, files) {
  for (const std::string& text : file_.found()) {
    std::istringstream in(text);
    Entry entry;
    std::string second;
    if (!(in >> entry.run >> second)) continue;
    std::uint32_t replicas = 0;
    if (second == kReplicas) {
      if (in >> replicas) replicas_[entry.run] = replicas;
      continue;
    }
    const auto [end, error] = std::from_chars(second.data(), second.data() + second.size(), entry.rank);
    if (error != std::errc() || end != second.data() + second.size()) continue;
    std::string rest;
    std::getline(in >> std::ws, rest);
    if (auto line = parse_rank_line(rest)) {
      entry.line = *line;
      entries_.push_back(entry);
    }
  }
}

void RawProgress::begin(std::uint32_t run, std::uint32_t replicas) {
  file_.append(std::to_string(run) + " " + std::string(kReplicas) + " " + std::to_string(replicas));
  replicas_[run] = replicas;
}

void RawProgress::add(std::uint32_t run, std::uint32_t rank, const RankLine& line) {
  file_.append(std::to_string(run) + " " + std::to_string(rank) + " " + to_line(line));
  entries_.push_back({run, rank, line});
}

std::vector<std::string> checkpoint_warnings(const std::vector<RawProgress::Entry>& raw) {
  std::vector<std::string> warnings;
  for (const RawProgress::Entry& entry : raw) {
    if (!is_checkpoint_warning(entry.line)) continue;
    if (std::find(warnings.begin(), warnings.end(), entry.line.text) == warnings.end())
      warnings.push_back(entry.line.text);
  }
  return warnings;
}

std::vector<std::string> last_values(const std::vector<RawProgress::Entry>& raw) {
  std::vector<std::string> sentences;
  for (const RankLine::Kind kind : {RankLine::Kind::loss, RankLine::Kind::mfu}) {
    const auto last = std::find_if(raw.rbegin(), raw.rend(), [&](const RawProgress::Entry& each) {
      return each.line.kind == kind;  // one rank says it
    });
    if (last == raw.rend()) continue;
    std::ostringstream text;
    const char* name = kind == RankLine::Kind::loss ? "loss" : "MFU";
    text << name << " " << last->line.value << " at step " << last->line.step;
    sentences.push_back(text.str());
  }
  return sentences;
}

std::uint64_t final_hash(const std::vector<RawProgress::Entry>& raw, const RawProgress::Replicas& replicas,
                         const Layout& whole) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> finished;  // by run, by rank
  for (const RawProgress::Entry& entry : raw) {
    if (entry.line.kind == RankLine::Kind::finished &&
        entry.rank < layout_of_run(whole, replicas, entry.run).ranks())
      finished[entry.run][entry.rank] = entry.line.hash;
  }
  for (auto run = finished.rbegin(); run != finished.rend(); ++run) {
    const Layout layout = layout_of_run(whole, replicas, run->first);
    if (run->second.size() < layout.ranks()) continue;
    Fingerprint all;
    for (const auto& [rank, hash] : run->second) {
      if (hash == 0) return 0;  // a job that does not say
      Coordinates at = layout.coordinates(rank);
      bool agrees = false;  // with a replica before it
      while (at.dp > 0 && !agrees) {
        --at.dp;
        agrees = run->second.at(layout.rank(at)) == hash;
      }
      if (!agrees) all.add(hash);
    }
    return all.value();
  }
  return 0;
}

namespace {

/// What rank 0 did in one run of the job.
struct Run {
  Time began = kNever;  // when the last rank was up; kNever where not every rank came up
  std::set<std::uint32_t> up;
  std::uint32_t reporting = 0;  // so many ranks say that they are up
  Duration step{};              // a healthy one with its replicas
  std::int64_t first_step = 0;
  std::vector<RankLine> lines;  // steps and stalls of rank 0
};

/// Of a job whose lines alone are read, rank 0 speaks for all.
std::map<std::uint32_t, Run> runs_of(const World& world, const std::vector<RawProgress::Entry>& raw,
                                     const RawProgress::Replicas& replicas, const DrillClock& clock) {
  std::map<std::uint32_t, Run> runs;
  for (const RawProgress::Entry& entry : raw) {
    const Layout layout = layout_of_run(world.job.layout, replicas, entry.run);
    if (entry.rank >= layout.ranks()) continue;
    const auto [found, fresh] = runs.try_emplace(entry.run);
    Run& run = found->second;
    if (fresh) {
      run.step = whole_step(world, layout.dp);
      run.reporting = world.drill.command.lines.any() ? 1 : layout.ranks();
    }
    const Time at = clock.at(entry.line.at_ns);
    if (entry.line.kind == RankLine::Kind::up) {
      run.began = run.began == kNever ? at : std::max(run.began, at);
      run.first_step = entry.line.step;
      run.up.insert(entry.rank);
    }
    const bool progress = entry.line.kind == RankLine::Kind::step || entry.line.kind == RankLine::Kind::stall;
    if (progress && entry.rank == 0) run.lines.push_back(entry.line);
  }
  for (auto& [number, run] : runs) {
    if (run.up.size() < run.reporting) run.began = kNever;
  }
  return runs;
}

std::optional<TruthKind> truth_kind_of(JournalStep step) {
  switch (step) {
    case JournalStep::observed:
      return TruthKind::onset;
    case JournalStep::returned:
      return TruthKind::returned;
    case JournalStep::undone:
      return TruthKind::ended;
    case JournalStep::armed:
    case JournalStep::began:
    case JournalStep::missed:
      break;
  }
  return std::nullopt;
}

/// Every fault that was injected by `end`, as the onset and end of a fault.
TruthLog truth_of(const World& world, const FaultPlan& plan, const std::vector<JournalEntry>& journal,
                  Time end) {
  TruthLog truth;
  for (const JournalEntry& entry : journal) {
    const std::uint64_t number = fault_of_injection(entry.injection);
    if (entry.at > end || number >= plan.size()) continue;
    const auto what = truth_kind_of(entry.step);
    if (!what) continue;
    const PlannedFault& fault = plan[number];
    const FaultKind& kind = world.faults[fault.kind.value];
    truth.push_back({.at = entry.at,
                     .what = *what,
                     .kind = fault.kind,
                     .component = fault.component,
                     .host = host_of(world, fault),
                     .on_job = true,
                     .stops = stops_job(kind.effect),
                     .disturbs = !is_stop_request(kind.effect),
                     .corrupts = false,
                     .repairable = kind.remedy == Remedy::repair,
                     .factor = kind.effect == Effect::stall ? std::numeric_limits<double>::infinity()
                               : kind.effect == Effect::slow || kind.effect == Effect::degrade
                                   ? kind.factor  // of a degraded link: at most
                                   : 1});
  }
  std::stable_sort(truth.begin(), truth.end(), [](const Truth& a, const Truth& b) { return a.at < b.at; });
  return truth;
}

struct Trained {
  Time until;
  std::int64_t steps;
};

/// The stretches of one run, from one line's time to the next, up to the last line by `end`; returns where they end.
Trained add_stretches(const Run& run, Duration nominal, Time end, const DrillClock& clock,
                      ProgressLog& progress) {
  Time at = run.began;
  std::int64_t step = run.first_step;
  for (const RankLine& line : run.lines) {
    const Duration passed = clock.at(line.at_ns) - at;
    Stretch stretch{.begin = at,
                    .end = at,
                    .origin = at,
                    .first_step = step,
                    .step = nominal,
                    .healthy_step = nominal,
                    .cadence = {}};
    if (line.kind == RankLine::Kind::stall) {
      if (passed <= Duration::zero()) continue;
      stretch.cadence = {.first = 0, .every = kNoCheckpoint, .stall = passed};
      stretch.end = at + passed;
    } else {
      if (line.step <= step) continue;
      // Steps that nobody heard of, while a driver was away, are counted with the next one that was.
      const std::int64_t steps = line.step - step;
      stretch.step = std::max(passed / steps, Duration(1));
      stretch.healthy_step = std::min(stretch.step, nominal);
      stretch.for_fewer = std::min(stretch.step, run.step) - stretch.healthy_step;
      stretch.end = after(at, steps * stretch.step);
    }
    if (stretch.end > end) break;
    progress.stretches.push_back(stretch);
    at = stretch.end;
    if (line.kind == RankLine::Kind::step) step = line.step;
  }
  return {at, step};
}

}  // namespace

RunLogs assemble_logs(const World& world, const FaultPlan& plan, const std::vector<RawProgress::Entry>& raw,
                      const RawProgress::Replicas& replicas, const std::vector<JournalEntry>& journal,
                      const Record& record, const DrillClock& clock) {
  RunLogs logs;
  logs.planned_faults = plan.size();
  if (record.observations.empty()) return logs;
  const Time end = record.observations.back().at;
  logs.truth = truth_of(world, plan, journal, end);
  escalate_pauses(record, logs.truth);
  const Duration nominal = world.job.step_time;
  const std::map<std::uint32_t, Run> runs = runs_of(world, raw, replicas, clock);

  for (auto run = runs.begin(); run != runs.end(); ++run) {
    // Time does not run backwards over a start, whatever two processes' lines say.
    Run present = run->second;
    if (!logs.progress.stretches.empty())
      present.began = std::max(present.began, logs.progress.stretches.back().end);
    if (present.began >= end) continue;
    const Trained trained = add_stretches(present, nominal, end, clock, logs.progress);
    auto later = std::next(run);
    while (later != runs.end() && later->second.began == kNever) ++later;

    // Where the step under way was cut.
    Time cut = later == runs.end() ? end : std::min(end, later->second.began);
    const auto stop =
        std::find_if(record.orders.begin(), record.orders.end(), [&](const RecordedOrder& order) {
          return order.at >= present.began && std::holds_alternative<Stop>(order.order.what);
        });
    if (stop != record.orders.end()) cut = std::min(cut, stop->at);
    for (Truth& truth : logs.truth) {
      // What only slows or pauses the job cuts nothing.
      const bool stops =
          truth.what == TruthKind::escalated || (truth.what != TruthKind::ended && truth.stops);
      if (!stops || truth.at < present.began || truth.at > cut) continue;
      truth.at = std::max(truth.at, trained.until);
      cut = std::min(cut, truth.at);
      break;
    }
    if (cut <= trained.until) continue;
    const Duration partial = cut - trained.until;
    const Duration step = std::max(nominal, partial + Duration(1));
    logs.progress.stretches.push_back({.begin = trained.until,
                                       .end = cut,
                                       .origin = trained.until,
                                       .first_step = trained.steps,
                                       .step = step,
                                       .healthy_step = step,
                                       .cadence = {}});
  }
  std::stable_sort(logs.truth.begin(), logs.truth.end(),
                   [](const Truth& a, const Truth& b) { return a.at < b.at; });
  place_by_time(logs.truth, record);
  return logs;
}

}  // namespace gauntlet
