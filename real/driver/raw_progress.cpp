#include "real/driver/raw_progress.hpp"

#include "core/record/fingerprint.hpp"
#include "real/injectors/injector.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sstream>

namespace gauntlet {

RawProgress::RawProgress(const std::string& path, Files& files) : file_(path, files) {
  for (const std::string& text : file_.found()) {
    std::istringstream in(text);
    Entry entry;
    if (!(in >> entry.run >> entry.rank)) continue;
    std::string rest;
    std::getline(in >> std::ws, rest);
    if (auto line = parse_rank_line(rest)) {
      entry.line = *line;
      entries_.push_back(entry);
    }
  }
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

std::uint64_t final_hash(const std::vector<RawProgress::Entry>& raw, std::uint32_t ranks) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> finished;  // by run, by rank
  for (const RawProgress::Entry& entry : raw) {
    if (entry.line.kind == RankLine::Kind::finished && entry.rank < ranks)
      finished[entry.run][entry.rank] = entry.line.hash;
  }
  for (auto run = finished.rbegin(); run != finished.rend(); ++run) {
    if (run->second.size() < ranks) continue;
    Fingerprint all;
    for (const auto& [rank, hash] : run->second) {
      if (hash == 0) return 0;  // a job that does not say
      all.add(hash);
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
  std::int64_t first_step = 0;
  std::vector<RankLine> lines;  // steps and stalls of rank 0
};

std::map<std::uint32_t, Run> runs_of(const std::vector<RawProgress::Entry>& raw, std::uint32_t ranks,
                                     std::uint32_t reporting, const DrillClock& clock) {
  std::map<std::uint32_t, Run> runs;
  for (const RawProgress::Entry& entry : raw) {
    if (entry.rank >= ranks) continue;
    Run& run = runs[entry.run];
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
    if (run.up.size() < reporting) run.began = kNever;
  }
  return runs;
}

/// Every injection that reached a rank by `end`, as the onset and end of a fault.
TruthLog truth_of(const World& world, const FaultPlan& plan, const std::vector<JournalEntry>& journal,
                  Time end) {
  TruthLog truth;
  for (const JournalEntry& entry : journal) {
    if (entry.at > end || entry.injection >= plan.size()) continue;
    if (entry.step != JournalStep::observed && entry.step != JournalStep::undone) continue;
    const PlannedFault& fault = plan[entry.injection];
    const FaultKind& kind = world.faults[fault.kind.value];
    truth.push_back({.at = entry.at,
                     .what = entry.step == JournalStep::observed ? TruthKind::onset : TruthKind::ended,
                     .kind = fault.kind,
                     .component = fault.component,
                     .host = host_of(world, fault),
                     .on_job = true,
                     .stops = stops_job(kind.effect),
                     .disturbs = true,
                     .corrupts = false,
                     .repairable = kind.remedy == Remedy::repair,
                     .factor = kind.effect == Effect::stall  ? std::numeric_limits<double>::infinity()
                               : kind.effect == Effect::slow ? kind.factor
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

DrillLogs assemble_logs(const World& world, const FaultPlan& plan, const std::vector<RawProgress::Entry>& raw,
                        const std::vector<JournalEntry>& journal, const Record& record,
                        const DrillClock& clock) {
  DrillLogs logs;
  if (record.observations.empty()) return logs;
  const Time end = record.observations.back().at;
  logs.truth = truth_of(world, plan, journal, end);
  const Duration nominal = world.job.step_time;
  const std::map<std::uint32_t, Run> runs =
      runs_of(raw, world.job.layout.ranks(), reporting_ranks(world), clock);

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
      if (truth.what != TruthKind::onset || !truth.stops || truth.at < present.began || truth.at > cut)
        continue;
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
