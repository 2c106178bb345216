#include "study/results/database.hpp"

#include "core/contract.hpp"
#include "study/results/summary_json.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdlib>

namespace gauntlet {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

const std::vector<Column> kStudyColumns = {{"scenario", "TEXT"},
                                           {"question", "TEXT"},
                                           {"version", "TEXT"},
                                           {"seed", "TEXT"},
                                           {"replicas", "INTEGER"},
                                           {"replica", "INTEGER"},
                                           {"fingerprint", "TEXT"},
                                           {"interval", "TEXT"},
                                           {"gpus", "INTEGER"},
                                           {"gpus_held", "INTEGER"},
                                           {"hosts", "INTEGER"},
                                           {"spares", "INTEGER"},
                                           {"peak_flops", "REAL"},
                                           {"tokens_per_step", "REAL"},
                                           {"flops_per_step", "REAL"},
                                           {"gpu_hour_usd", "REAL"},
                                           {"window_ns", "INTEGER"},
                                           {"steps", "INTEGER"},
                                           {"give_up_after_ns", "INTEGER"},
                                           {"interrupted", "INTEGER"}};

const std::vector<Column> kMetricColumns = {
    {"name", "TEXT"},     {"n", "INTEGER"},      {"mean", "REAL"}, {"sd", "REAL"},  {"se", "REAL"},
    {"ci95_low", "REAL"}, {"ci95_high", "REAL"}, {"p5", "REAL"},   {"p50", "REAL"}, {"p95", "REAL"}};

std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string create_table(std::string_view table, const std::vector<Column>& columns) {
  std::string sql = fmt::format("CREATE TABLE {} (", table);
  for (std::size_t i = 0; i < columns.size(); ++i)
    sql += fmt::format("{}{} {}", i == 0 ? "" : ", ", sql_name(columns[i].name), columns[i].type);
  return sql + ");";
}

std::string insert_into(std::string_view table, std::size_t columns) {
  std::string sql = fmt::format("INSERT INTO {} VALUES (", table);
  for (std::size_t i = 0; i < columns; ++i) sql += i == 0 ? "?" : ", ?";
  return sql + ")";
}

int bind(sqlite3_stmt* statement, int index, const Cell& cell) {
  struct Bind {
    sqlite3_stmt* statement;
    int index;
    int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
    int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, index, value); }
    int operator()(double value) const { return sqlite3_bind_double(statement, index, value); }
    int operator()(std::string_view text) const {
      return sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()),
                               SQLITE_TRANSIENT);
    }
    int operator()(Hex print) const { return operator()(std::string_view(fingerprint_text(print.value))); }
  };
  return std::visit(Bind{statement, index}, cell);
}

Cell cell(std::optional<double> value) { return value ? Cell{*value} : Cell{}; }

Row metric_row(const NamedStatistics& metric) {
  const Statistics& of = metric.statistics;
  const auto low = of.ci95 ? std::optional(of.ci95->low) : std::nullopt;
  const auto high = of.ci95 ? std::optional(of.ci95->high) : std::nullopt;
  return {std::string_view(metric.name),
          static_cast<std::int64_t>(of.n),
          cell(of.mean),
          cell(of.sd),
          cell(of.se),
          cell(low),
          cell(high),
          cell(of.p5),
          cell(of.p50),
          cell(of.p95)};
}

// The seed is text: SQLite's integers end at 2^63.
Row study_row(const Summary& summary, std::string_view seed) {
  const ScenarioFacts& facts = summary.facts;
  return {std::string_view(facts.name),
          std::string_view(facts.question),
          std::string_view(facts.version),
          seed,
          std::int64_t{summary.replicas},
          summary.only ? Cell{std::int64_t{*summary.only}} : Cell{},
          Hex{summary.fingerprint},
          kIntervalCovers,
          std::int64_t{facts.gpus},
          std::int64_t{facts.gpus_held},
          std::int64_t{facts.hosts},
          std::int64_t{facts.spares},
          facts.peak.value,
          facts.tokens_per_step,
          facts.flops_per_step.value,
          facts.gpu_hour.value,
          std::int64_t{facts.window.count()},
          facts.steps,
          std::int64_t{facts.give_up_after.count()},
          std::int64_t{summary.interrupted}};
}

std::string text_at(sqlite3_stmt* row, int column) {
  const unsigned char* text = sqlite3_column_text(row, column);
  return text ? reinterpret_cast<const char*>(text) : "";
}

std::uint32_t count_at(sqlite3_stmt* row, int column) {
  return static_cast<std::uint32_t>(sqlite3_column_int64(row, column));
}

}  // namespace

struct DatabaseWriter::Connection {
  Database database;
  Statement replica, incident;
  std::string problem;

  void check(int code, int wanted) {
    if (code != wanted && problem.empty())
      problem = database ? sqlite3_errmsg(database.get()) : sqlite3_errstr(code);
  }
  void execute(const std::string& sql) {
    if (problem.empty())
      check(sqlite3_exec(database.get(), sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  }
  Statement prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (problem.empty())
      check(sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
    return Statement(statement);
  }
  void insert(const Statement& statement, const Row& row) {
    if (!problem.empty()) return;
    expect(sqlite3_bind_parameter_count(statement.get()) == static_cast<int>(row.size()),
           "a row has a cell for every column");
    for (std::size_t i = 0; i < row.size(); ++i)
      check(bind(statement.get(), static_cast<int>(i) + 1, row[i]), SQLITE_OK);
    check(sqlite3_step(statement.get()), SQLITE_DONE);
    check(sqlite3_reset(statement.get()), SQLITE_OK);
  }
};

DatabaseWriter::DatabaseWriter(const std::filesystem::path& file, const ScenarioFacts& facts)
    : connection_(std::make_unique<Connection>()) {
  Connection& to = *connection_;
  const std::vector<Column> replica = replica_columns(facts);
  const std::vector<Column> incident = incident_columns();
  sqlite3* database = nullptr;
  const int code = sqlite3_open(file.c_str(), &database);
  to.database.reset(database);
  to.check(code, SQLITE_OK);
  // The file becomes visible by a rename once it is whole: it needs no journal, and no wait for the disk.
  to.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN;");
  to.execute(create_table("study", kStudyColumns));
  to.execute(create_table("replica", replica));
  to.execute(create_table("metric", kMetricColumns));
  to.execute(create_table("incident", incident));
  to.replica = to.prepare(insert_into("replica", replica.size()));
  to.incident = to.prepare(insert_into("incident", incident.size()));
}

DatabaseWriter::~DatabaseWriter() = default;

void DatabaseWriter::add_replica(const Row& row) { connection_->insert(connection_->replica, row); }
void DatabaseWriter::add_incident(const Row& row) { connection_->insert(connection_->incident, row); }

void DatabaseWriter::finish(const Summary& summary) {
  Connection& to = *connection_;
  const std::string seed = std::to_string(summary.facts.seed);
  to.insert(to.prepare(insert_into("study", kStudyColumns.size())), study_row(summary, seed));
  Statement metric = to.prepare(insert_into("metric", kMetricColumns.size()));
  for (const NamedStatistics& one : summary.metrics) to.insert(metric, metric_row(one));
  to.execute("COMMIT;");
  for (Statement* statement : {&metric, &to.replica, &to.incident}) statement->reset();
  to.database.reset();
}

const std::string& DatabaseWriter::problem() const { return connection_->problem; }

StudyRow read_study(const std::filesystem::path& file) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  const Database database(opened);
  if (code != SQLITE_OK) return {.facts = std::nullopt, .replicas = 0, .why = sqlite3_errstr(code)};

  constexpr const char* kQuestion =
      "SELECT scenario, question, version, seed, gpus, gpus_held, hosts, spares, peak_flops, "
      "tokens_per_step, "
      "flops_per_step, gpu_hour_usd, window_ns, steps, give_up_after_ns, (SELECT count(*) FROM replica) FROM "
      "study";
  sqlite3_stmt* prepared = nullptr;
  const int prepared_code = sqlite3_prepare_v2(database.get(), kQuestion, -1, &prepared, nullptr);
  const Statement row(prepared);
  if (prepared_code != SQLITE_OK)
    return {.facts = std::nullopt, .replicas = 0, .why = sqlite3_errmsg(opened)};
  if (const int step = sqlite3_step(row.get()); step != SQLITE_ROW)
    return {.facts = std::nullopt,
            .replicas = 0,
            .why = step == SQLITE_DONE ? "its table study is empty" : sqlite3_errmsg(opened)};
  ScenarioFacts facts;
  facts.name = text_at(row.get(), 0);
  facts.question = text_at(row.get(), 1);
  facts.version = text_at(row.get(), 2);
  facts.seed = std::strtoull(text_at(row.get(), 3).c_str(), nullptr, 10);
  facts.gpus = count_at(row.get(), 4);
  facts.gpus_held = count_at(row.get(), 5);
  facts.hosts = count_at(row.get(), 6);
  facts.spares = count_at(row.get(), 7);
  facts.peak = {sqlite3_column_double(row.get(), 8)};
  facts.tokens_per_step = sqlite3_column_double(row.get(), 9);
  facts.flops_per_step = {sqlite3_column_double(row.get(), 10)};
  facts.gpu_hour = {sqlite3_column_double(row.get(), 11)};
  facts.window = Duration(sqlite3_column_int64(row.get(), 12));
  facts.steps = sqlite3_column_int64(row.get(), 13);
  facts.give_up_after = Duration(sqlite3_column_int64(row.get(), 14));
  return {
      .facts = facts, .replicas = static_cast<std::uint64_t>(sqlite3_column_int64(row.get(), 15)), .why = {}};
}

}  // namespace gauntlet
