#include "study/store/store_digests_private.hpp"
#include "study/summary/fingerprint_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {
namespace {

/// Of the row that a statement is at, without its first `skipped` columns and its last `cut`.
std::uint64_t digest_of(const RowStatement& row, int skipped, int cut = 0) {
  Digest digest;
  const int columns = sqlite3_column_count(row.get()) - cut;
  for (int column = skipped; column < columns; ++column) {
    if (sqlite3_column_type(row.get(), column) != SQLITE_BLOB) {
      digest.add(row.cell(column));
    } else {  // we write none
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row.get(), column));
      digest.add_blob({bytes, bytes ? static_cast<std::size_t>(sqlite3_column_bytes(row.get(), column)) : 0});
    }
  }
  return digest.value();
}

std::uint64_t digest_of_rows(RowStatement& rows, int skipped) {
  std::uint64_t chain = 0;
  while (rows.step()) chain = chained(chain, digest_of(rows, skipped));
  return chain;
}

}  // namespace

std::uint64_t digest_of_study(sqlite3* database) {
  RowStatement study(database, "SELECT * FROM study"),
      tables(
          database,
          "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name");
  if (!study.step()) sqlite::damaged("its table study is empty");
  return chained(digest_of(study, 0, 1), digest_of_rows(tables, 0));
}

std::uint64_t digest_of_point(sqlite3* database, std::uint32_t point) {
  RowStatement row(database, "SELECT * FROM point WHERE point = ?");
  const Cell number[] = {std::int64_t{point}};
  return digest_of_rows(row.bind(1, number), 1);
}

std::uint64_t digest_of_metrics(sqlite3* database, std::uint32_t point) {
  RowStatement rows(database, "SELECT * FROM metric WHERE point = ? ORDER BY name");
  const Cell number[] = {std::int64_t{point}};
  return digest_of_rows(rows.bind(1, number), 1);
}

ChainLength follow_chain(sqlite3* database, const ChainPart& part, std::uint64_t& chain,
                         const std::function<void(std::uint32_t replicas)>& see) {
  const auto rows_of = [&](const char* table, const char* order) {
    const Row range = {std::int64_t{part.point}, std::int64_t{part.first_replica} + part.from,
                       std::int64_t{part.first_replica} + part.end};
    RowStatement rows(
        database, fmt::format("SELECT * FROM {} WHERE point = ? AND replica >= ? AND replica < ? ORDER BY {}",
                              table, order));
    rows.bind(1, range);
    return rows;
  };
  RowStatement replicas = rows_of("replica", "replica"), incidents = rows_of("incident", "replica, incident");
  ChainLength length{.replicas = part.from, .incidents = 0};
  for (bool more = incidents.step(); replicas.step();) {
    chain = chained(chain, digest_of(replicas, 1));
    for (; more && incidents.integer(1) == replicas.integer(1); more = incidents.step(), ++length.incidents)
      chain = chained(chain, digest_of(incidents, 1));
    see(++length.replicas);
  }
  return length;
}

void put_study_digest(sqlite3* database) {
  const Cell digest[] = {Hex{digest_of_study(database)}};
  RowStatement(database, "UPDATE study SET digest = ?").bind(1, digest).run();
}

void put_digest(sqlite3* database, std::uint32_t point, std::string_view part, std::uint32_t replicas,
                std::uint64_t digest) {
  const Row row = {std::int64_t{point}, part, std::int64_t{replicas}, Hex{digest}};
  RowStatement(database, "INSERT OR REPLACE INTO digest VALUES (?, ?, ?, ?)").bind(1, row).run();
}

}  // namespace gauntlet
