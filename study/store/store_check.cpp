#include "study/store/store_check_private.hpp"
#include "study/store/store_digests_private.hpp"
#include "study/summary/fingerprint_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

/// The digest in the first column; nothing where that is none.
std::optional<std::uint64_t> digest_in(const RowStatement& row) {
  if (sqlite3_column_type(row.get(), 0) != SQLITE_TEXT) return std::nullopt;
  return fingerprint_of(row.text(0));
}

std::uint64_t count_of(sqlite3* database, const std::string& sql) {
  RowStatement count(database, sql);
  count.step();
  return static_cast<std::uint64_t>(count.integer(0));
}

/// Compares point after point with their digests, and counts what belongs to them.
class DigestCheck {
 public:
  DigestCheck(sqlite3* database, std::deque<Store::Connection::Entry>& points)
      : database_(database),
        points_(points),
        stored_(database, "SELECT digest FROM digest WHERE point = ? AND part = ? AND replicas = ?"),
        metrics_(database, "SELECT count(*), max(replicas) FROM metric WHERE point = ?") {}

  void run() {
    check_study();
    for (std::uint32_t point = 0; point < points_.size(); ++point) {
      check_point(point);
      check_metrics(point);
    }
    check_counts();
  }

 private:
  void check_study() {
    if (count_of(database_, "SELECT count(*) FROM study") != 1)
      sqlite::damaged("its table study does not have one row");
    RowStatement stored(database_, "SELECT digest FROM study");
    stored.step();
    if (digest_in(stored) != digest_of_study(database_))
      sqlite::damaged("the digest of its study does not match");
  }

  void check_point(std::uint32_t point) {
    Store::Connection::Entry& entry = points_[point];
    const std::string of_point = points_.size() > 1 ? fmt::format(" of point {}", point) : "";
    entry.chain = digest_of_point(database_, point);
    hold(point, kPointPart, 0, entry.chain, fmt::format("point {}", point));
    std::uint32_t held = 0;
    const ChainPart all{.point = point, .first_replica = entry.first, .from = 0, .end = entry.replicas};
    const auto link = [&](std::uint32_t replicas) {
      if (replicas % kReplicasOfDigest != 0 && replicas != entry.replicas) return;
      hold(point, kReplicasPart, replicas, entry.chain,
           fmt::format("replicas {} to {}{}", entry.first + held, entry.first + replicas - 1, of_point));
      held = replicas;
    };
    const ChainLength length = follow_chain(database_, all, entry.chain, link);
    if (length.replicas != entry.replicas) sqlite::damaged(fmt::format("replicas{} are missing", of_point));
    replicas_ += length.replicas;
    incidents_ += length.incidents;
  }

  void check_metrics(std::uint32_t point) {
    const Cell number[] = {std::int64_t{point}};
    metrics_.bind(1, number).step();
    const std::uint64_t rows = metrics_.count(0);
    const std::uint32_t replicas = metrics_.count(1);
    metrics_.reset();
    if (rows > 0)
      hold(point, kMetricsPart, replicas, digest_of_metrics(database_, point),
           fmt::format("the statistics of point {}", point));
    metric_rows_ += rows;
  }

  void check_counts() {
    const std::pair<const char*, std::uint64_t> tables[] = {
        {"replica", replicas_}, {"incident", incidents_}, {kMetricTable, metric_rows_}, {"digest", digests_}};
    for (const auto& [table, rows] : tables)
      if (count_of(database_, fmt::format("SELECT count(*) FROM {}", table)) != rows)
        sqlite::damaged(fmt::format("its table {} has rows that belong to nothing", table));
  }

  void hold(std::uint32_t point, std::string_view part, std::uint32_t replicas, std::uint64_t is,
            const std::string& what) {
    const Row key = {std::int64_t{point}, part, std::int64_t{replicas}};
    if (!stored_.bind(1, key).step()) sqlite::damaged(fmt::format("the digest of {} is missing", what));
    if (digest_in(stored_) != is) sqlite::damaged(fmt::format("the digest of {} does not match", what));
    stored_.reset();
    ++digests_;
  }

  sqlite3* database_;
  std::deque<Store::Connection::Entry>& points_;
  RowStatement stored_, metrics_;
  std::uint64_t replicas_ = 0, incidents_ = 0, metric_rows_ = 0, digests_ = 0;  // that belong to the points
};

}  // namespace

void check_digests(sqlite3* database, std::deque<Store::Connection::Entry>& points) {
  DigestCheck(database, points).run();
}

}  // namespace gauntlet
