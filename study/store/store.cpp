#include "study/store/store.hpp"

#include "core/contract.hpp"
#include "study/store/store_digests_private.hpp"
#include "study/store/store_private.hpp"
#include "study/summary/json.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

std::int64_t integer_of(const Cell& cell) {
  const auto* value = std::get_if<std::int64_t>(&cell);
  return value ? *value : 0;
}

Row metric_row(std::uint32_t point, const Summary& summary, const NamedStatistics& metric) {
  const Statistics& of = metric.statistics;
  const auto low = of.ci95 ? std::optional(of.ci95->low) : std::nullopt;
  const auto high = of.ci95 ? std::optional(of.ci95->high) : std::nullopt;
  return {cell(point),
          cell(summary.replicas),
          Hex{summary.fingerprint},
          std::string_view(metric.name),
          static_cast<std::int64_t>(of.n),
          cell(of.mean),
          cell(of.sd),
          cell(of.se),
          cell(low),
          cell(high),
          cell(of.p1),
          cell(of.p5),
          cell(of.p50),
          cell(of.p95),
          cell(of.p99),
          cell(of.worst_5_mean)};
}

/// In a transaction of its own; gives the digest.
std::uint64_t insert_point(sqlite3* database, std::uint32_t number, const StoredPoint& point) {
  const ScenarioFacts& facts = point.facts;
  const std::string settings = settings_json(point.settings).dump();
  const std::string faults = Json(facts.faults).dump(), replayed = Json(facts.replayed).dump(),
                    controls = Json(facts.controls).dump();
  const Row row = {cell(number),
                   std::string_view(point.label),
                   std::string_view(settings),
                   std::string_view(facts.name),
                   std::string_view(facts.question),
                   cell(facts.gpus),
                   cell(facts.gpus_held),
                   cell(facts.hosts),
                   cell(facts.spares),
                   facts.peak.value,
                   facts.tokens_per_step,
                   facts.flops_per_step.value,
                   facts.gpu_hour.value,
                   std::int64_t{facts.window.count()},
                   facts.steps,
                   std::int64_t{facts.give_up_after.count()},
                   std::string_view(faults),
                   std::string_view(point.text),
                   facts.idle_gpu_hour ? Cell(facts.idle_gpu_hour->value) : Cell(),
                   facts.storage_month.value,
                   std::string_view(replayed),
                   std::string_view(facts.currency),
                   std::string_view(controls),
                   std::int64_t{facts.computes_interval},
                   std::int64_t{facts.saves_behind_training}};
  sqlite::execute(database, "BEGIN IMMEDIATE");
  RowStatement(database, sqlite::insert_into("point", row.size())).bind(1, row).run();
  const std::uint64_t digest = digest_of_point(database, number);
  put_digest(database, number, kPointPart, 0, digest);
  sqlite::execute(database, "COMMIT");
  return digest;
}

}  // namespace

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::~Store() = default;

const StudyIdentity& Store::study() const { return connection_->study; }
const std::vector<std::string>& Store::faults() const { return connection_->faults; }
std::uint32_t Store::points() const { return static_cast<std::uint32_t>(connection_->points.size()); }
const StoredPoint& Store::point(std::uint32_t number) const { return connection_->points.at(number).point; }
std::uint32_t Store::replicas(std::uint32_t point) const { return connection_->points.at(point).replicas; }
std::uint64_t Store::replicas() const { return connection_->replicas(); }
std::uint32_t Store::first_replica(std::uint32_t point) const { return connection_->points.at(point).first; }
const std::optional<Problem>& Store::problem() const { return connection_->problem; }
std::string Store::holds() const { return connection_->holds(); }

void Store::sync() {
  if (problem()) return;
  try {
    sqlite::execute(connection_->database.get(), "PRAGMA wal_checkpoint(PASSIVE)");
  } catch (const sqlite::Error& error) {
    connection_->failed(error);
  }
}

std::uint32_t Store::add_point(const StoredPoint& point) {
  Connection& to = *connection_;
  if (const auto known = to.by_text.find(point.text); known != to.by_text.end()) return known->second;
  const std::uint32_t number = points();
  std::uint64_t digest = 0;
  try {
    if (!to.problem) digest = insert_point(to.database.get(), number, point);
  } catch (const sqlite::Error& error) {
    to.failed(error);
  }
  to.add_entry(point, digest);
  return number;
}

void Store::Connection::prepare_to_add() {
  if (begin) return;
  begin = {database.get(), "BEGIN IMMEDIATE"};
  commit = {database.get(), "COMMIT"};
  insert_replica = {database.get(), sqlite::insert_into("replica", replica_cells + 1)};
  insert_incident = {database.get(), sqlite::insert_into("incident", stored_incident_columns().size())};
  insert_digest = {database.get(), sqlite::insert_into("digest", digest_columns().size())};
  delete_digest = {database.get(), "DELETE FROM digest WHERE point = ? AND part = ? AND replicas = ?"};
}

void Store::Connection::write_out_latencies() {
  texts.clear();
  for (Cell& cell : row)
    if (const auto* const latencies = std::get_if<const Latencies*>(&cell))
      cell = std::string_view(texts.emplace_back((*latencies)->text()));
}

void Store::Connection::drop_last_link(std::uint32_t point) {
  const std::uint32_t replicas = points.at(point).replicas;
  if (replicas % kReplicasOfDigest == 0) return;
  const Row key = {cell(point), kReplicasPart, cell(replicas)};
  delete_digest.bind(1, key).run();
}

void Store::Connection::add_link(std::uint32_t point, std::uint32_t replicas, std::uint64_t chain) {
  const Row row = {cell(point), kReplicasPart, cell(replicas), Hex{chain}};
  insert_digest.bind(1, row).run();
}

void Store::add(std::uint32_t point, std::uint32_t first, std::span<const Figures> figures) {
  Connection& to = *connection_;
  Connection::Entry& entry = to.points.at(point);
  expect(entry.replicas == 0 || first == entry.first + entry.replicas, "replicas come in their order");
  if (to.problem || figures.empty()) return;
  try {
    to.prepare_to_add();
    const Cell number[] = {cell(point)};
    std::uint64_t chain = entry.chain;
    std::uint32_t replicas = entry.replicas;
    to.begin.run();
    to.drop_last_link(point);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const auto replica = static_cast<std::uint32_t>(first + i);
      fill_replica_row(replica, figures[i], entry.places, to.row);
      to.write_out_latencies();
      to.insert_replica.bind(1, number).bind(2, to.row).run();
      chain = chained(chain, digest_of(to.row));
      for (std::size_t k = 0; k < figures[i].incidents.size(); ++k) {
        fill_incident_row(replica, k, figures[i].incidents[k], entry.causes, to.row);
        to.insert_incident.bind(1, number).bind(2, to.row).run();
        chain = chained(chain, digest_of(to.row));
      }
      if (++replicas % kReplicasOfDigest == 0 || i + 1 == figures.size()) to.add_link(point, replicas, chain);
    }
    to.commit.run();
    entry.chain = chain;
  } catch (const sqlite::Error& error) {
    return to.failed(error);
  }
  if (entry.replicas == 0) entry.first = first;
  entry.replicas += static_cast<std::uint32_t>(figures.size());
}

void Store::read(std::uint32_t point, std::uint32_t first, std::uint32_t count, const See& see) const {
  Figures figures;
  const KindPlaces& places = connection_->points.at(point).places;
  read_rows(point, first, count, [&](const Row& row) {
    read_replica_row(row, places, figures);
    see(static_cast<std::uint32_t>(integer_of(row[0])), figures);
  });
}

void Store::read_rows(std::uint32_t point, std::uint32_t first, std::uint32_t count,
                      const SeeRow& see) const {
  Connection& from = *connection_;
  const Connection::Entry& entry = from.points.at(point);
  expect(count == 0 || (first >= entry.first && count <= entry.replicas &&
                        first - entry.first <= entry.replicas - count),
         "only replicas that are there are read");
  try {
    // Taken out of its place: what `see` calls may read too.
    RowStatement select = std::move(from.select_replicas);
    if (!select)
      select = {from.database.get(),
                "SELECT * FROM replica WHERE point = ? AND replica >= ? AND replica < ? ORDER BY replica"};
    const Row range = {cell(point), cell(first), std::int64_t{first} + count};
    Row row;
    std::uint32_t seen = 0;
    for (select.bind(1, range); select.step(); ++seen) {
      select.read(1, from.replica_cells, row);
      see(row);
    }
    select.reset();
    from.select_replicas = std::move(select);
    if (seen != count) sqlite::damaged("replicas are missing");
  } catch (const sqlite::Error& error) {
    throw std::runtime_error(fmt::format("{}: cannot be read: {}", from.file.string(), error.what()));
  }
}

void Store::read_incident_rows(std::uint32_t point, const SeeRow& see) const {
  Connection& from = *connection_;
  try {
    RowStatement select(from.database.get(),
                        "SELECT * FROM incident WHERE point = ? ORDER BY replica, incident");
    const Row number = {cell(point)};
    const std::size_t columns = stored_incident_columns().size() - 1;
    Row row;
    for (select.bind(1, number); select.step();) {
      select.read(1, columns, row);
      see(row);
    }
  } catch (const sqlite::Error& error) {
    throw std::runtime_error(fmt::format("{}: cannot be read: {}", from.file.string(), error.what()));
  }
}

void Store::read_incidents(
    std::uint32_t point,
    const std::function<void(std::uint32_t replica, std::size_t number, const Incident&)>& see) const {
  read_incident_rows(point, [&](const Row& row) {
    const auto incident = read_incident_row(row, connection_->points.at(point).causes);
    if (!incident)
      throw std::runtime_error(fmt::format("{}: an incident has a cause that its scenario does not have",
                                           connection_->file.string()));
    see(static_cast<std::uint32_t>(integer_of(row[0])), static_cast<std::size_t>(integer_of(row[1])),
        *incident);
  });
}

void Store::put_summary(std::uint32_t point, const Summary& summary) {
  Connection& to = *connection_;
  if (to.problem) return;
  sqlite3* database = to.database.get();
  try {
    sqlite::execute(database, "BEGIN IMMEDIATE");
    const Row number = {cell(point)};
    RowStatement(database, "DELETE FROM metric WHERE point = ?").bind(1, number).run();
    RowStatement insert(database, sqlite::insert_into(kMetricTable, metric_columns().size()));
    for (const NamedStatistics& metric : summary.metrics)
      insert.bind(1, metric_row(point, summary, metric)).run();
    const Row part = {cell(point), kMetricsPart};
    RowStatement(database, "DELETE FROM digest WHERE point = ? AND part = ?").bind(1, part).run();
    put_digest(database, point, kMetricsPart, summary.replicas, digest_of_metrics(database, point));
    sqlite::execute(database, "COMMIT");
  } catch (const sqlite::Error& error) {
    to.failed(error);
  }
}

}  // namespace gauntlet
