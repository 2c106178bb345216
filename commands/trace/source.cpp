#include "commands/trace/source.hpp"

#include "commands/trace/records/date.hpp"
#include "commands/trace/toml.hpp"
#include "config/fields/reserved_names.hpp"
#include "config/toml/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace gauntlet {
namespace {

double rejected_share(std::uint64_t read, std::uint64_t used) {
  return static_cast<double>(read - used) / static_cast<double>(std::max<std::uint64_t>(1, read));
}

/// What leaving out such a share of the lines does.
std::string bias_words(double share) {
  return fmt::format(
      "if each is a failure, rates are {0:.2g}% too low and times between failures {1:.2g}% too long; more "
      "of a "
      "cause, a node or a time from which more were rejected",
      100 * share, 100 * share / (1 - share));
}

/// The question's options as a selection, after looking at what there is to select.
class Selector {
 public:
  Selector(const TraceQuestion& question, const FailureTrace& trace, std::vector<Problem>& problems)
      : question_(question), trace_(trace), problems_(problems) {}

  TraceSelection selection() {
    TraceSelection out;
    std::vector<std::string> systems;
    for (const TraceSystem& system : trace_.systems) systems.push_back(system.name);
    out.system = one_of("--system", question_.system, systems);
    if (question_.cause) out.cause = one_of("--cause", cause_name(*question_.cause), trace_.causes);
    out.from = date("--from", question_.from);
    out.until = date("--until", question_.until);
    if (out.from && out.until && *out.from >= *out.until)
      complain("--until", *question_.until, "is not after --from " + *question_.from, "choose a later time");
    return out;
  }

  void complain(std::string option, std::string said, std::string why, std::string suggestion) {
    problems_.push_back({.file = std::move(option),
                         .what = std::move(said),
                         .why = std::move(why),
                         .suggestion = std::move(suggestion)});
  }

 private:
  std::optional<std::string> one_of(const char* option, const std::optional<std::string>& name,
                                    const std::vector<std::string>& known) {
    if (name && std::ranges::find(known, *name) == known.end())
      complain(option, *name, "is not in the trace", suggest_names(*name, known));
    return name;
  }

  std::optional<Duration> date(const char* option, const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    if (trace_.reading.format == "gauntlet") {
      complain(option, *text, "is a date, and the times of this file count from its beginning",
               "select while importing, from the records");
      return std::nullopt;
    }
    const auto parsed = parse_iso_date(*text);
    if (!parsed) complain(option, *text, "is not a date", "write 2003-01-01 or 2003-01-01T10:54");
    return parsed ? std::optional(parsed->since_1970) : std::nullopt;
  }

  const TraceQuestion& question_;
  const FailureTrace& trace_;
  std::vector<Problem>& problems_;
};

/// No fault may be named as what lost time is charged to otherwise.
void rename_reserved(FailureTrace& trace) {
  for (std::string& cause : trace.causes)
    if (std::ranges::find(kCausesThatAreNoFault, cause) != kCausesThatAreNoFault.end()) cause += "_failure";
}

TraceSource source_of(const TraceQuestion& question, const FailureTrace& trace) {
  const TraceReading& reading = trace.reading;
  TraceSource out;
  out.version = GAUNTLET_VERSION;
  out.file = question.file;
  out.format = reading.format;
  out.read = reading.read;
  out.used = reading.used;
  for (std::size_t i = 0; i < reading.rejected.size(); ++i)
    if (reading.rejected[i] > 0) out.rejected.emplace_back(kRejectionNames[i], reading.rejected[i]);
  out.problems = reading.problems;
  out.out_of_order = reading.out_of_order;
  out.first_out_of_order = reading.first_out_of_order;
  out.without_end = reading.without_end;
  out.without_node = reading.without_node;
  out.other_duration = reading.other_duration;
  out.duplicates = reading.duplicates;
  out.unread_columns = reading.unread_columns;
  if (out.rejected_count() > 0) {
    const double share = rejected_share(out.read, out.used);
    out.warnings.push_back(fmt::format("{} of {} lines ({:.2g}%) were rejected: {}", out.rejected_count(),
                                       out.read, 100 * share, bias_words(share)));
  }
  if (question.system) out.selection.push_back("system " + *question.system);
  if (question.cause) out.selection.push_back("cause " + cause_name(*question.cause));
  if (question.from) out.selection.push_back("from " + *question.from);
  if (question.until) out.selection.push_back("until " + *question.until);
  return out;
}

void set_nodes(const TraceQuestion& question, Selector& selector, std::vector<TraceSystem>& systems) {
  if (!question.nodes) return;
  const std::string said = std::to_string(*question.nodes);
  if (systems.size() != 1)
    return selector.complain("--nodes", said,
                             fmt::format("is of one system, and {} are selected", systems.size()),
                             "choose one with --system");
  if (*question.nodes < systems.front().nodes.size())
    return selector.complain("--nodes", said,
                             fmt::format("are fewer than the {} that failed", systems.front().nodes.size()),
                             "count them all");
  systems.front().stated_nodes = *question.nodes;
}

bool is_toml(const std::string& file) { return file.ends_with(".toml"); }

/// Every line that was rejected, and why they are too many; nothing where they are not.
std::vector<Problem> too_many_rejected(const TraceQuestion& question, const TraceReading& reading) {
  const double share = rejected_share(reading.read, reading.used);
  if (share <= question.max_rejected) return {};
  std::vector<Problem> out = reading.problems;
  out.push_back({.file = question.file,
                 .why = fmt::format("has {} of {} lines ({:.1f}%) that are not a record, more than {:g}%: {}",
                                    reading.read - reading.used, reading.read, 100 * share,
                                    100 * question.max_rejected, bias_words(share)),
                 .suggestion = fmt::format("correct them, or accept them with --max-rejected {:g}",
                                           std::ceil(100 * share) / 100)});
  return out;
}

}  // namespace

TraceSelected open_trace(const TraceQuestion& question) {
  TraceSelected out;
  TraceRead read = is_toml(question.file) ? read_fault_trace(question.file)
                                          : read_failures(question.file, question.format);
  if (!read.trace) {
    out.problems = std::move(read.problems);
    return out;
  }
  out.problems = too_many_rejected(question, read.trace->reading);
  if (!out.problems.empty()) return out;
  rename_reserved(*read.trace);
  Selector selector(question, *read.trace, out.problems);
  const TraceSelection selection = selector.selection();
  if (!out.problems.empty()) return out;
  SelectedTrace selected;
  TraceSelection wider = selection;
  wider.cause.reset();
  selected.trace = select(*read.trace, selection);
  selected.every_cause = select(*read.trace, wider);
  set_nodes(question, selector, selected.trace.systems);
  if (out.problems.empty()) set_nodes(question, selector, selected.every_cause.systems);
  const auto& records = selected.trace.records;
  if (records.empty())
    selector.complain(question.file, "", "has no failure in this selection", "select less");
  if (!out.problems.empty()) return out;
  const auto [first, last] = std::ranges::minmax(records, {}, &FailureRecord::start);
  if (selection.from && selection.until) selected.window = *selection.until - *selection.from;
  selected.origin = selection.from.value_or(first.start);
  selected.source = source_of(question, *read.trace);
  selected.source.selected = records.size();
  if (selected.source.format != "gauntlet") {
    selected.source.first = iso_text(first.start);
    selected.source.last = iso_text(last.start);
  }
  out.selected = std::move(selected);
  return out;
}

std::vector<CauseShare> cause_shares(const FailureTrace& trace) {
  std::vector<CauseShare> out;
  for (const std::string& cause : trace.causes) out.push_back({cause, 0});
  for (const FailureRecord& record : trace.records) ++out[record.cause].failures;
  std::ranges::stable_sort(out, std::ranges::greater{}, &CauseShare::failures);
  return out;
}

}  // namespace gauntlet
