// What a store becomes once its study is complete.
#include "core/contract.hpp"
#include "core/files/durable.hpp"
#include "study/store/store_digests_private.hpp"
#include "study/store/store_private.hpp"
#include "study/summary/fingerprint_text.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

// Those that name their point.
constexpr const char* kTablesOfPoints[] = {"point", "replica", "incident", "digest"};

void copy_into(sqlite3* database, const fs::path& file, std::span<const std::string> faults) {
  const std::string name = file.string();
  const Cell cell[] = {std::string_view(name)};
  RowStatement(database, "ATTACH DATABASE ? AS canonical").bind(1, cell).run();
  // Nobody sees the file before it is whole: it needs no journal.
  sqlite::execute(database, store_pragmas("canonical."));
  sqlite::execute(database, "PRAGMA canonical.journal_mode = OFF; PRAGMA canonical.synchronous = OFF;");
  sqlite::execute(database, "BEGIN");
  sqlite::execute(database, store_schema(faults, "canonical."));
  for (const char* table : kStoreTables)  // by key, in which order every table here is kept
    sqlite::execute(database, fmt::format("INSERT INTO canonical.{0} SELECT * FROM main.{0}", table));
  sqlite::execute(database, "COMMIT");
  sqlite::execute(database, "DETACH DATABASE canonical");
}

/// The chain over the first `count` replicas of a point, from the last link up to there.
std::uint64_t chain_of(sqlite3* database, std::uint32_t point, std::uint32_t first_replica,
                       std::uint32_t count) {
  const std::uint32_t linked = count / kReplicasOfDigest * kReplicasOfDigest;
  const Row key = {std::int64_t{point}, linked == 0 ? kPointPart : kReplicasPart, std::int64_t{linked}};
  RowStatement link(database, "SELECT digest FROM digest WHERE point = ? AND part = ? AND replicas = ?");
  expect(link.bind(1, key).step(), "every link of a chain is there");
  std::uint64_t chain = fingerprint_of(link.text(0)).value_or(0);
  follow_chain(database, {.point = point, .first_replica = first_replica, .from = linked, .end = count},
               chain, [](std::uint32_t) {});
  return chain;
}

/// Leaves a point its first `count` replicas; gives their chain.
std::uint64_t drop_replicas(sqlite3* database, std::uint32_t point, std::uint32_t first_replica,
                            std::uint32_t count) {
  const Row which = {std::int64_t{point}, std::int64_t{first_replica} + count};
  for (const char* table : {"replica", "incident"})
    RowStatement(database, fmt::format("DELETE FROM {} WHERE point = ? AND replica >= ?", table))
        .bind(1, which)
        .run();
  const std::uint64_t chain = chain_of(database, point, first_replica, count);
  const Row links = {std::int64_t{point}, kReplicasPart, std::int64_t{count}};
  RowStatement(database, "DELETE FROM digest WHERE point = ? AND part = ? AND replicas > ?")
      .bind(1, links)
      .run();
  if (count > 0) put_digest(database, point, kReplicasPart, count, chain);
  return chain;
}

// Over negative numbers, so that no two points have the same one on the way.
void renumber(sqlite3* database, std::span<const Store::Kept> kept) {
  for (const char* table : kTablesOfPoints) {
    RowStatement move(database, fmt::format("UPDATE {} SET point = ? WHERE point = ?", table));
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Row places = {-1 - static_cast<std::int64_t>(i), std::int64_t{kept[i].point}};
      move.bind(1, places).run();
    }
    sqlite::execute(database, fmt::format("DELETE FROM {} WHERE point >= 0", table));
    sqlite::execute(database, fmt::format("UPDATE {} SET point = -1 - point", table));
  }
}

}  // namespace

void Store::keep(std::span<const Kept> kept) {
  Connection& of = *connection_;
  bool all = kept.size() == of.points.size(), in_place = all;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    expect(kept[i].replicas <= replicas(kept[i].point), "what is kept is there");
    in_place = in_place && kept[i].point == i;
    all = all && kept[i].replicas == replicas(kept[i].point);
  }
  if (of.problem || (all && in_place)) return;
  sqlite3* database = of.database.get();
  std::vector<std::uint64_t> chains;
  try {
    sqlite::execute(database, "BEGIN IMMEDIATE");
    sqlite::execute(database, fmt::format("DELETE FROM {}", kMetricTable));
    sqlite::execute(database, fmt::format("DELETE FROM digest WHERE part = '{}'", kMetricsPart));
    for (const Kept& each : kept)
      chains.push_back(drop_replicas(database, each.point, first_replica(each.point), each.replicas));
    if (!in_place) renumber(database, kept);
    sqlite::execute(database, "COMMIT");
  } catch (const sqlite::Error& error) {
    return of.failed(error);
  }
  const auto before = std::exchange(of.points, {});
  of.by_text.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Connection::Entry& was = before[kept[i].point];
    of.add_entry(was.point, chains[i]);
    of.points.back().first = was.first;
    of.points.back().replicas = kept[i].replicas;
  }
}

void Store::write_canonical(const fs::path& file, Files& files) {
  Connection& from = *connection_;
  if (from.problem) return;
  static_cast<void>(
      write_file(files, file, ""));  // an empty file is an empty database, and SQLite says why there is none
  try {
    copy_into(from.database.get(), file, from.faults);
  } catch (const sqlite::Error& error) {
    from.failed(error);
    files.remove(file);
  }
}

}  // namespace gauntlet
