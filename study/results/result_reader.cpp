#include "study/results/result_reader.hpp"

#include "study/results/csv.hpp"
#include "study/results/database.hpp"
#include "study/results/result_writer.hpp"
#include "study/results/summary_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

using Fields = std::vector<std::string>;

Problem problem_of(const fs::path& file, std::string why, std::uint32_t line = 0) {
  return {.file = file.string(),
          .line = line,
          .column = line > 0 ? 1u : 0u,
          .what = "",
          .why = std::move(why),
          .suggestion = ""};
}

std::optional<std::string> text_of(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// A whole number that is not negative, as every duration and count in the files is.
std::optional<std::int64_t> number_of(const std::string& field) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size() || value < 0) return std::nullopt;
  return value;
}

// A latency that was never measured.
bool may_be_empty(const Column& column, const std::string& field) {
  return field.empty() && column.name == "detection_latency_ns";
}

/// Walks a file of `columns`; `check` gives what is wrong with a row's fields, or nothing.
template <class Check>
std::optional<Problem> check_rows(const fs::path& file, const std::vector<Column>& columns, Check check) {
  CsvReader reader(file);
  if (!reader.opened()) return problem_of(file, "cannot be read");
  const auto header = reader.next();
  if (!header) return problem_of(file, "is empty");
  bool same = header->size() == columns.size();
  for (std::size_t i = 0; same && i < columns.size(); ++i) same = (*header)[i] == columns[i].name;
  if (!same) return problem_of(file, "the columns are not those of this study's results", 1);

  while (const auto fields = reader.next()) {
    if (!reader.whole()) return problem_of(file, "the line is cut short", reader.line());
    if (fields->size() != columns.size())
      return problem_of(file,
                        fmt::format("{} fields where there are {} columns", fields->size(), columns.size()),
                        reader.line());
    for (std::size_t i = 0; i < fields->size(); ++i)
      if (columns[i].type == "INTEGER" && !number_of((*fields)[i]) && !may_be_empty(columns[i], (*fields)[i]))
        return problem_of(
            file, fmt::format("{} = \"{}\" is no whole number from zero up", columns[i].name, (*fields)[i]),
            reader.line());
    if (std::optional<std::string> wrong = check(*fields)) return problem_of(file, *wrong, reader.line());
  }
  return std::nullopt;
}

// Compares without the sum: hostile numbers must not overflow it.
bool adds_up(const Fields& fields, std::size_t first, std::size_t count, std::int64_t whole) {
  std::int64_t left = whole;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::int64_t part = number_of(fields[i]).value_or(left + 1);
    if (part > left) return false;
    left -= part;
  }
  return left == 0;
}

std::optional<std::string> wrong_times(const Fields& fields, std::size_t causes) {
  const auto wall = number_of(fields[kWallColumn]);
  const auto effective = number_of(fields[kFirstPhaseColumn]);
  if (!wall || !effective) return "the replica has no wall time";
  if (!adds_up(fields, kFirstPhaseColumn, kPhases, *wall))
    return fmt::format("replica {}: the phases do not add up to wall_ns = {}", fields[0], *wall);
  if (!adds_up(fields, kFirstCauseColumn, causes, *wall - *effective))
    return fmt::format("replica {}: the causes do not add up to wall_ns - effective_ns = {}", fields[0],
                       *wall - *effective);
  return std::nullopt;
}

std::optional<Problem> check_replicas(const fs::path& file, const Summary& summary) {
  const std::size_t causes = kCausesWithoutFault + summary.facts.faults.size();
  std::uint32_t rows = 0;
  std::uint64_t fingerprint = kNoFingerprint;
  const auto wrong = [&](const Fields& fields) -> std::optional<std::string> {
    const std::uint32_t expected = summary.only.value_or(0) + rows++;
    if (fields[0] != std::to_string(expected))
      return fmt::format("replica {} where replica {} belongs", fields[0], expected);
    std::uint64_t print = 0;
    std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), print, 16);
    if (fingerprint_text(print) != fields[1]) return fmt::format("\"{}\" is no fingerprint", fields[1]);
    fingerprint = add_fingerprint(fingerprint, print);
    return wrong_times(fields, causes);
  };
  if (auto problem = check_rows(file, replica_columns(summary.facts), wrong)) return problem;
  if (rows != summary.replicas)
    return problem_of(file,
                      fmt::format("{} replicas, where {} says {}", rows, kResultFile, summary.replicas));
  if (fingerprint != summary.fingerprint)
    return problem_of(
        file, fmt::format("the replicas' fingerprints make {}, where {} says {}",
                          fingerprint_text(fingerprint), kResultFile, fingerprint_text(summary.fingerprint)));
  return std::nullopt;
}

std::optional<Problem> check_incidents(const fs::path& file, const Summary& summary) {
  const std::uint32_t first = summary.only.value_or(0);
  return check_rows(file, incident_columns(), [&](const Fields& fields) -> std::optional<std::string> {
    const auto replica = number_of(fields[0]);
    const auto opened = number_of(fields[2]), closed = number_of(fields[3]);
    if (!replica || *replica < first || *replica - first >= summary.replicas)
      return fmt::format("\"{}\" is no replica of this study", fields[0]);
    if (!opened || !closed || *closed < *opened) return "the incident ends before it begins";
    return std::nullopt;
  });
}

}  // namespace

ReadResults read_results(const fs::path& directory) {
  const auto failed = [](Problem problem) {
    return ReadResults{.summary = std::nullopt, .problem = problem};
  };
  std::error_code error;
  if (!fs::is_directory(directory, error)) return failed(problem_of(directory, "is no directory of results"));
  const fs::path json = directory / kResultFile;
  const auto text = text_of(json);
  if (!text) return failed(problem_of(json, "cannot be read; is this a directory of results?"));
  ParsedSummary parsed = summary_from_json(*text);
  if (!parsed.summary) return failed(problem_of(json, "is damaged: " + parsed.why));

  const StudyRow study = read_study(directory / kDatabaseFile);
  if (!study.facts) return failed(problem_of(directory / kDatabaseFile, "cannot be read: " + study.why));
  if (study.facts->name != parsed.summary->facts.name || study.facts->seed != parsed.summary->facts.seed ||
      study.replicas != parsed.summary->replicas)
    return failed(
        problem_of(directory / kDatabaseFile, fmt::format("is of another study than {}", kResultFile)));
  std::vector<std::string> faults = std::move(parsed.summary->facts.faults);
  parsed.summary->facts = *study.facts;
  parsed.summary->facts.faults = std::move(faults);
  return {.summary = std::move(parsed.summary), .problem = std::nullopt};
}

std::optional<Problem> check_results(const fs::path& directory, const Summary& summary) {
  if (auto problem = check_replicas(directory / kReplicasFile, summary)) return problem;
  return check_incidents(directory / kIncidentsFile, summary);
}

}  // namespace gauntlet
