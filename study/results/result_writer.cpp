#include "study/results/result_writer.hpp"

#include "core/contract.hpp"
#include "study/results/csv.hpp"
#include "study/results/database.hpp"
#include "study/results/metrics.hpp"
#include "study/results/summary_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr std::array kOurFiles = {kResultFile, kReplicasFile, kIncidentsFile, kDatabaseFile, kScenarioFile};

Problem problem_of(const fs::path& path, std::string why, std::string suggestion = {}) {
  return {.file = path.string(),
          .line = 0,
          .column = 0,
          .what = "",
          .why = std::move(why),
          .suggestion = std::move(suggestion)};
}

// Results may be replaced; a directory that holds anything else may be somebody's work.
std::optional<Problem> problem_of_replacing(const fs::path& target) {
  std::error_code error;
  if (fs::symlink_status(target, error).type() != fs::file_type::directory)
    return problem_of(target, "is no directory, and --force replaces result directories only",
                      "choose another --out");
  for (const fs::directory_entry& entry : fs::directory_iterator(target, error)) {
    const std::string name = entry.path().filename().string();
    if (std::find(kOurFiles.begin(), kOurFiles.end(), name) == kOurFiles.end())
      return problem_of(
          target, fmt::format("holds \"{}\", which is no result, and --force replaces results only", name),
          "move it away or choose another --out");
  }
  if (error) return problem_of(target, "cannot be read: " + error.message());
  return std::nullopt;
}

std::optional<Problem> problem_of_target(const fs::path& target, Existing existing) {
  std::error_code error;
  const fs::path parent = target.parent_path();
  if (!fs::is_directory(parent, error))
    return problem_of(target, fmt::format("cannot be made, because \"{}\" is no directory", parent.string()),
                      "create that first");
  const fs::file_type type = fs::symlink_status(target, error).type();
  if (type == fs::file_type::not_found) return std::nullopt;
  if (error) return problem_of(target, "cannot be reached: " + error.message());
  if (type == fs::file_type::directory && fs::is_empty(target, error)) return std::nullopt;
  if (existing == Existing::refuse)
    return problem_of(target, "exists and is not overwritten",
                      "choose another --out, or replace it with --force");
  return problem_of_replacing(target);
}

// An absolute path without a trailing slash, so that it has a parent and a name.
fs::path normal(const fs::path& target) {
  std::error_code error;
  fs::path full = fs::absolute(target, error).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

// A new directory, hidden beside the target. Making one is atomic, so two runs never share it.
fs::path make_beside(const fs::path& target, std::error_code& error) {
  for (int number = 1;; ++number) {
    fs::path name =
        target.parent_path() / fmt::format(".{}.unfinished-{}", target.filename().string(), number);
    if (fs::create_directory(name, error) || error) return name;
  }
}

// Why a stream failed, as far as the system told; streams themselves do not say.
std::string system_says() { return errno == 0 ? "" : ": " + std::generic_category().message(errno); }

bool write_text(const fs::path& file, std::string_view text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  return out.good();
}

}  // namespace

struct ResultWriter::Files {
  Files(const fs::path& directory, const ScenarioFacts& facts)
      : causes(cause_names(facts)),
        replicas(directory / kReplicasFile, replica_columns(facts)),
        incidents(directory / kIncidentsFile, incident_columns()),
        database(directory / kDatabaseFile, facts) {}

  std::vector<std::string> causes;
  CsvWriter replicas, incidents;
  DatabaseWriter database;
  Row row;  // kept for its memory
};

ResultWriter::Opened ResultWriter::open(const fs::path& target, Existing existing, const ScenarioFacts& facts,
                                        std::string_view scenario_text) {
  if (target.empty()) return {.writer = nullptr, .problem = problem_of("--out", "names no directory")};
  const fs::path full = normal(target);
  if (auto problem = problem_of_target(full, existing)) {
    problem->file = target.string();  // as the user wrote it
    return {.writer = nullptr, .problem = problem};
  }
  std::error_code error;
  const fs::path temporary = make_beside(full, error);
  if (error)
    return {.writer = nullptr,
            .problem = problem_of(target, "cannot be made: " + error.message(), "choose another --out")};

  std::unique_ptr<ResultWriter> writer(new ResultWriter(full, temporary, existing, facts));
  const std::string& database = writer->files_->database.problem();
  if (!database.empty())
    return {.writer = nullptr,
            .problem = problem_of(target, fmt::format("cannot be written: {}: {}", kDatabaseFile, database))};
  if (!write_text(writer->temporary_ / kScenarioFile, scenario_text) || writer->failed())
    return {.writer = nullptr, .problem = problem_of(target, "cannot be written" + system_says())};
  return {.writer = std::move(writer), .problem = std::nullopt};
}

ResultWriter::ResultWriter(fs::path target, fs::path temporary, Existing existing, const ScenarioFacts& facts)
    : target_(std::move(target)),
      temporary_(std::move(temporary)),
      existing_(existing),
      files_(std::make_unique<Files>(temporary_, facts)) {}

ResultWriter::~ResultWriter() {
  files_.reset();
  std::error_code ignored;  // there is nobody left to tell
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void ResultWriter::add(std::uint32_t replica, const Figures& figures) {
  expect(files_ != nullptr, "replicas come before the commit");
  Files& to = *files_;
  fill_replica_row(replica, figures, to.row);
  to.replicas.add(to.row);
  to.database.add_replica(to.row);
  for (std::size_t number = 0; number < figures.incidents.size(); ++number) {
    fill_incident_row(replica, number, figures.incidents[number], to.causes, to.row);
    to.incidents.add(to.row);
    to.database.add_incident(to.row);
  }
}

bool ResultWriter::failed() const {
  return files_ &&
         (!files_->replicas.good() || !files_->incidents.good() || !files_->database.problem().empty());
}

std::optional<Problem> ResultWriter::commit(const Summary& summary) {
  expect(files_ != nullptr, "results are committed once");
  files_->database.finish(summary);
  errno = 0;
  const std::string database_problem = files_->database.problem();
  const bool csv_written = static_cast<int>(files_->replicas.close()) + files_->incidents.close() == 2;
  files_.reset();
  if (!database_problem.empty())
    return problem_of(target_, fmt::format("{}: {}", kDatabaseFile, database_problem));
  if (!csv_written || !write_text(temporary_ / kResultFile, to_json(summary)))
    return problem_of(target_, "could not be written whole" + system_says());

  if (auto problem = problem_of_target(target_, existing_))
    return problem;  // somebody may have made it meanwhile
  std::error_code error;
  const fs::path old = temporary_.string() + ".old";
  const bool replaces = fs::exists(target_, error);
  if (replaces) fs::rename(target_, old, error);
  if (!error) fs::rename(temporary_, target_, error);
  if (error) {
    std::error_code ignored;
    if (replaces && !fs::exists(target_, ignored)) fs::rename(old, target_, ignored);
    return problem_of(target_, "could not be given its name: " + error.message());
  }
  temporary_.clear();
  if (replaces) fs::remove_all(old, error);
  return std::nullopt;
}

}  // namespace gauntlet
