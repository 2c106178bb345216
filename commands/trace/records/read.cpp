#include "commands/trace/records/read.hpp"

#include "commands/trace/records/columns.hpp"
#include "commands/trace/records/csv_file.hpp"
#include "commands/trace/records/date.hpp"
#include "commands/trace/records/names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

namespace gauntlet {
namespace {

using detail::TraceColumns;

constexpr std::string_view kOnlySystem = "all";  // of a file that has no column for it
/// Beyond this the memory of one machine is at stake; a machine of 100,000 nodes fails a thousandth as often in a year.
constexpr std::uint64_t kMostRecords = 50'000'000;

/// Whether a field says that nobody knows, as tables write it.
bool is_unknown(std::string_view text) {
  constexpr std::array<std::string_view, 8> kSpellings = {"", "-", "?", "na", "n/a", "nan", "null", "none"};
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::ranges::any_of(kSpellings, [&](std::string_view spelling) {
    return std::ranges::equal(spelling, text, [](char a, char b) {
      return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
    });
  });
}

/// LANL's file has 25. Their names are compared with each other, so that many take long.
constexpr std::size_t kMostColumns = 1000;

/// Turns lines into records, and counts those that are none.
class Recorder {
 public:
  Recorder(const TraceColumns& columns, std::string file) : columns_(columns), file_(std::move(file)) {
    trace_.reading.format = columns.format == TraceFormat::lanl ? "lanl" : "csv";
    trace_.reading.unread_columns = columns.unread;
  }

  void add(const CsvFile::Row& row) {
    ++trace_.reading.read;
    line_ = row.line;
    if (!row.fields) {
      return reject(Rejection::quotes, "the line",
                    "has quotes where they must not stand, or opens one that it does not close",
                    "a field with a comma or a quote is in quotes as a whole, each quote in it twice: \"fan "
                    "3, \"\"left\"\"\"");
    }
    fields_ = &*row.fields;
    if (fields_->size() != columns_.count) {
      return reject(Rejection::fields, "the line", "has " + std::to_string(fields_->size()) + " fields",
                    "the first line names " + std::to_string(columns_.count) +
                        "; a field with a comma in it is in quotes");
    }
    FailureRecord record;
    if (!read_times(record) || !read_place(record)) return;
    note_order(record);
    ++trace_.reading.used;
    trace_.records.push_back(record);
  }

  std::uint64_t used() const { return trace_.reading.used; }

  /// Names and records in their order.
  FailureTrace finish() {
    const Names::Sorted systems = systems_.sorted(), causes = causes_.sorted();
    trace_.causes = causes.names;
    std::vector<std::vector<std::uint32_t>> places(systems.names.size());
    trace_.systems.resize(systems.names.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Names::Sorted nodes = nodes_[i].sorted();
      trace_.systems[systems.place[i]] = {.name = systems.names[systems.place[i]],
                                          .nodes = std::move(nodes.names),
                                          .stated_nodes = stated_[i]};
      places[i] = std::move(nodes.place);
    }
    for (FailureRecord& record : trace_.records) {
      if (record.node != kNoNode) record.node = places[record.system][record.node];
      record.system = systems.place[record.system];
      record.cause = causes.place[record.cause];
    }
    std::ranges::stable_sort(trace_.records, {}, [](const FailureRecord& record) {
      return std::pair(record.system, record.start);
    });
    trace_.reading.duplicates = duplicates_of(trace_.records);
    return std::move(trace_);
  }

  const TraceReading& reading() const { return trace_.reading; }

 private:
  const std::string& field(std::size_t column) const { return (*fields_)[column]; }

  std::optional<Duration> read_date(std::size_t column, std::string_view name, Rejection reason) {
    const bool lanl = columns_.format == TraceFormat::lanl;
    const std::optional<Date> date = lanl ? parse_month_first(field(column)) : parse_iso_date(field(column));
    if (!date) {
      reject(reason, told(name, column), field(column).empty() ? "is missing" : "is not a date",
             lanl ? "write month/day/year hour:minute, as 6/21/2005 10:54"
                  : "write ISO 8601, as 2005-06-21T10:54 or 2005-06-21T10:54:07Z");
      return std::nullopt;
    }
    if (zoned_ && *zoned_ != date->zoned) {
      reject(Rejection::time_zone, told(name, column),
             *zoned_ ? "has no zone, and times above it have" : "has a zone, and times above it have none",
             "write all times of a file with a zone (Z, +02:00), or none");
      return std::nullopt;
    }
    zoned_ = date->zoned;
    return date->since_1970;
  }

  bool read_times(FailureRecord& record) {
    const auto start = read_date(columns_.start, "start", Rejection::start);
    if (!start) return false;
    record.start = *start;
    if (columns_.format == TraceFormat::csv && is_unknown(field(columns_.end))) {
      ++open_;
      return true;
    }
    const auto end = read_date(columns_.end, "end", Rejection::end);
    if (!end) return false;
    if (*end < *start) {
      reject(Rejection::negative, told("end", columns_.end), "is before the start, " + field(columns_.start),
             "correct one of them");
      return false;
    }
    record.repair = *end - *start;
    return !columns_.down_time || read_down_time(record);
  }

  bool read_down_time(FailureRecord& record) {
    const std::string& text = field(*columns_.down_time);
    if (text.empty()) return true;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr double kMostMinutes = 1e8;  // 190 years
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= kMostMinutes)) {
      reject(value < 0 ? Rejection::negative : Rejection::duration, told("Down Time", *columns_.down_time),
             "is not a number of minutes, zero or more", "write for example 6");
      return false;
    }
    const Duration down = from_seconds(60 * value);
    other_ = down != *record.repair;
    record.repair = down;
    return true;
  }

  /// System, node and cause.
  bool read_place(FailureRecord& record) {
    std::string_view cause;
    if (columns_.cause && !is_unknown(field(*columns_.cause))) cause = field(*columns_.cause);
    for (const auto& [column, name] : columns_.cause_columns) {
      if (field(column).empty()) continue;
      if (!cause.empty()) {
        reject(Rejection::cause, told(name, column),
               "is a second cause in addition to \"" + std::string(cause) + "\"",
               "leave one of the columns of causes filled");
        return false;
      }
      cause = name;
    }
    const std::string_view system = columns_.system ? field(*columns_.system) : kOnlySystem;
    record.system = systems_.number_of(system.empty() ? kOnlySystem : system);
    if (record.system == nodes_.size()) {
      nodes_.emplace_back();
      stated_.push_back(0);
    }
    const std::string& node = field(columns_.node);
    record.node = is_unknown(node) ? kNoNode : nodes_[record.system].number_of(node);
    if (record.node == kNoNode) ++trace_.reading.without_node;
    record.cause = causes_.number_of(cause_name(cause));
    if (columns_.nodes) read_stated_nodes(record.system);
    // Counted here, where it is sure that the record is used.
    trace_.reading.without_end += std::exchange(open_, 0);
    trace_.reading.other_duration += std::exchange(other_, false) ? 1 : 0;
    return true;
  }

  void read_stated_nodes(std::uint32_t system) {
    const std::string& text = field(*columns_.nodes);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size())
      stated_[system] = std::max(stated_[system], value);
  }

  void note_order(const FailureRecord& record) {
    const bool by_node = columns_.format == TraceFormat::lanl;
    const auto key = by_node ? std::pair(record.system, record.node) : std::pair(0U, 0U);
    const auto [last, first] = last_.try_emplace(key, record.start);
    if (!first && record.start < last->second) {
      if (trace_.reading.out_of_order++ == 0) trace_.reading.first_out_of_order = line_;
    }
    last->second = record.start;
  }

  std::string told(std::string_view name, std::size_t column) const {
    constexpr std::size_t kMostShown = 60;
    const std::string& text = field(column);
    return std::string(name) + (text.empty() ? "" : " = \"" + text.substr(0, kMostShown) + "\"");
  }

  void reject(Rejection reason, std::string what, std::string why, std::string suggestion) {
    TraceReading& reading = trace_.reading;
    ++reading.rejected[static_cast<std::size_t>(reason)];
    open_ = 0;
    other_ = false;
    if (reading.problems.size() == kMostTold) {
      ++reading.untold;
      return;
    }
    reading.problems.push_back({.file = file_,
                                .line = line_,
                                .column = 1,
                                .what = std::move(what),
                                .why = std::move(why),
                                .suggestion = std::move(suggestion)});
  }

  const TraceColumns& columns_;
  std::string file_;
  FailureTrace trace_;
  Names systems_, causes_;
  std::vector<Names> nodes_;           // by system
  std::vector<std::uint32_t> stated_;  // by system
  std::map<std::pair<std::uint32_t, std::uint32_t>, Duration> last_;
  std::optional<bool> zoned_;  // whether the file's times name their zone; the first one says
  const std::vector<std::string>* fields_ = nullptr;
  std::uint32_t line_ = 0;
  std::uint64_t open_ = 0;  // of the line that is being read
  bool other_ = false;
};

}  // namespace

TraceRead read_failures(const std::string& file, TraceFormat format) {
  TraceRead out;
  const auto fail = [&](std::string why, std::string suggestion) {
    out.problems.push_back({.file = file, .why = std::move(why), .suggestion = std::move(suggestion)});
    return out;
  };
  CsvFile csv(file);
  const std::optional<CsvFile::Row> header = csv.next();
  if (!csv.failure().empty()) return fail(csv.failure(), "");
  if (!header || !header->fields)
    return fail("has no line that names its columns", "the first line names them: start,end,node,cause");
  if (header->fields->size() > kMostColumns)
    return fail("has " + std::to_string(header->fields->size()) + " columns",
                "a trace has at most " + std::to_string(kMostColumns));
  const auto columns = detail::find_columns(*header->fields, format, file, header->line, out.problems);
  if (!columns) return out;
  Recorder recorder(*columns, file);
  while (const auto row = csv.next()) {
    if (recorder.used() == kMostRecords) return fail("has more than 50 million records", "cut it");
    recorder.add(*row);
  }
  if (!csv.failure().empty()) return fail(csv.failure(), "get the whole file");
  if (recorder.used() == 0) {
    out.problems = recorder.reading().problems;
    return fail("has no record that can be used: " + std::to_string(recorder.reading().read) + " read", "");
  }
  out.trace = recorder.finish();
  return out;
}

}  // namespace gauntlet
