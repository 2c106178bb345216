// gauntlet results: the figures of a result directory again, whether they add up, and what else its database knows.
#include "cli/commands.hpp"
#include "report/table.hpp"
#include "report/words.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"
#include "study/statistics.hpp"
#include "study/store/directory/manifest.hpp"
#include "study/store/directory/result_directory.hpp"
#include "study/store/directory/result_reader.hpp"
#include "study/store/export/csv.hpp"
#include "study/store/export/export.hpp"
#include "study/store/export/query.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <memory>

namespace gauntlet {
namespace {

struct ResultsRequest {
  std::string directory;
  bool check = false;
  bool json = false;
  std::string sql;   // a question to the database; its answer is printed
  bool csv = false;  // ... as CSV instead of a table; without a question: the figures of every point
};

constexpr std::size_t kBuffer = 1 << 16;  // printed at once

/// Prints text in pieces of some size. False once it cannot be printed.
class Output {
 public:
  bool add(std::string_view text) {
    buffer_ += text;
    return buffer_.size() < kBuffer || flush();
  }
  bool flush() {
    good_ = good_ && print(buffer_);
    buffer_.clear();
    return good_;
  }

 private:
  std::string buffer_;
  bool good_ = true;
};

std::string csv_line(const Row& row) {
  std::string line;
  append_csv(line, row);
  if (line.empty()) return "\n";
  line.back() = '\n';
  return line;
}

std::string csv_header(const std::vector<std::string>& names) {
  Row row;
  for (const std::string& name : names) row.push_back(std::string_view(name));
  return csv_line(row);
}

int ask_for_table(const std::filesystem::path& database, const std::string& sql) {
  TextTable table;
  const Answer answer = {.columns = [&](const auto& names) { table.header = names; },
                         .row =
                             [&](const Row& row) {
                               std::vector<std::string>& cells = table.rows.emplace_back();
                               for (const Cell& cell : row) cells.push_back(cell_text(cell));
                               return true;
                             }};
  if (const auto problem = ask(database, sql, answer)) return wrong_input(*problem);
  return print(table.rows.empty() ? "no rows\n" : to_text(table)) ? kSuccess : kFailed;
}

int ask_for_rows(const std::filesystem::path& database, const ResultsRequest& request) {
  Output output;
  std::vector<std::string> columns;
  const char* before = "[\n";
  const Answer answer = {.columns =
                             [&](const auto& names) {
                               columns = names;
                               if (request.csv) output.add(csv_header(names));
                             },
                         .row =
                             [&](const Row& row) {
                               if (request.csv) return output.add(csv_line(row));
                               const std::string text = before + json_object(columns, row);
                               before = ",\n";
                               return output.add(text);
                             }};
  if (const auto problem = ask(database, request.sql, answer)) return wrong_input(*problem);
  if (request.json) output.add(*before == '[' ? "[]\n" : "\n]\n");
  return output.flush() ? kSuccess : kFailed;
}

int print_points(const Store& store) {
  const auto summary = [&](std::uint32_t point) -> std::optional<Summary> {
    if (auto stored = store.summary(point)) return stored;
    if (store.replicas(point) == 0) return std::nullopt;
    return summarize(store, point, store.replicas(point));
  };
  return print(points_csv(store, summary)) ? kSuccess : kFailed;
}

/// How far a study is that has no results yet.
int print_unfinished(const FoundResults& results, const ResultsRequest& request) {
  const StudyIdentity& study = results.store->study();
  std::string target = request.directory;
  if (target.ends_with('/')) target.pop_back();
  if (target.ends_with(".part")) target.resize(target.size() - 5);
  const std::string again = fmt::format("{} --out {} --resume", study.arguments, shell_word(target));
  const std::string done = fmt::format("{} are done", results.store->holds());
  if (request.json || request.check)
    return wrong_input({.file = results.directory.string(),
                        .why = "is an unfinished study without results: " + done,
                        .suggestion = "if it no longer runs, continue with: " + again});
  const std::string text =
      fmt::format("An unfinished {} of {}: {}.\nIf it no longer runs, continue with: {}\n",
                  study.command.substr(0, study.command.find(' ')), study.scenario, done, again);
  return print(text) ? kSuccess : kFailed;
}

/// What --check finds; nothing where all is as it was written.
std::optional<Problem> problem_of(const FoundResults& results) {
  if (!is_single(*results.store)) return check_results(results, std::nullopt);
  const ReadResults read = read_summary(results);
  return read.summary ? check_results(results, read.summary) : read.problem;
}

/// What the study's command wrote: result.json, or the report.
int print_results(const FoundResults& results, const ResultsRequest& request) {
  const std::string name(request.json ? kResultFile : kReportFile);
  if (const auto problem = request.check ? problem_of(results) : check_listed(results.directory, name)) {
    print_problems({&*problem, 1});
    return kFailed;
  }
  const std::filesystem::path file = results.directory / name;
  const auto text = text_of(file);
  if (!text)
    return wrong_input({.file = file.string(),
                        .why = "cannot be read",
                        .suggestion = "bring it back from a copy, or run the study again"});
  if (!print(*text)) return kFailed;
  if (!request.check || request.json) return kSuccess;
  const Store& store = *results.store;
  const std::string which =
      is_single(store) ? counted(static_cast<double>(store.replicas()), "replica") : store.holds();
  return print(fmt::format("\nChecked: phases and causes add up in {}{}. Every file is as it was written.\n",
                           store.replicas() > 1 ? "all " : "", which))
             ? kSuccess
             : kFailed;
}

int results_command(const ResultsRequest& request) {
  const FoundResults results = find_results(request.directory);
  if (!results.store) return wrong_input(*results.problem);
  const std::filesystem::path database = results.directory / kDatabaseFile;
  try {
    if (!request.sql.empty())
      return request.csv || request.json ? ask_for_rows(database, request)
                                         : ask_for_table(database, request.sql);
    if (request.csv) return print_points(*results.store);
    return results.complete ? print_results(results, request) : print_unfinished(results, request);
  } catch (const std::exception& error) {  // a database that broke after it was opened
    complain(text_of(error));
    return kFailed;
  }
}

void add_results_options(Command& results) {
  const auto request = std::make_shared<ResultsRequest>();
  results.value("directory", request->directory, "A directory that --out wrote, or is writing")
      .type_name("DIR")
      .required();
  results.flag("--check", request->check,
               "Verify that every replica's phases add up to its wall time, that the files agree, and that "
               "no file was changed since it was written");
  results
      .value("--sql", request->sql,
             "Query the database and print the rows (docs/files-and-tables.md has the tables)")
      .type_name("QUERY");
  Option csv =
      results.flag("--csv", request->csv, "Print CSV: the rows of --sql, or else the figures of every point");
  results.flag("--json", request->json, "Print JSON: the rows of --sql, or else the result").excludes(csv);
  results.runs([request] { return results_command(*request); });
}

}  // namespace

void add_results(Program& program) {
  program.command("results", "Print the report of a result directory, check it, or query its tables",
                  "  gauntlet run scenarios/tiny-8.toml --out results\n"
                  "  gauntlet results results --check\n"
                  "  gauntlet results results --sql 'select cause, count(*) from incident group by cause'\n"
                  "  gauntlet results results --sql 'select * from metric' --csv > metrics.csv",
                  add_results_options);
}

}  // namespace gauntlet
