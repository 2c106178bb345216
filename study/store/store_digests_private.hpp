// The digests inside a store.
//
//   study.digest   of the study's row and of how the tables are made
//   digest         of a point, by (point, part, replicas):
//     "point", 0       its row
//     "replicas", n    the chain over its row, then its first n replicas, each followed by its incidents; n is every multiple
//                      of 16, and the number of all its replicas
//     "metrics", n     its statistics, which are of n replicas
//
// A chain also shows rows that are missing, and rows of another point. Where its links are does not depend on how replicas
// came into the store. The number of a point is in no digest, because Store::keep changes it.
#pragma once

#include "study/store/digest.hpp"
#include "study/store/sqlite_private.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace gauntlet {

/// The chain is written down after each so many replicas, whatever tasks they came in.
inline constexpr std::uint32_t kReplicasOfDigest = 16;

inline constexpr std::string_view kPointPart = "point", kReplicasPart = "replicas", kMetricsPart = "metrics";

/// Of what the database has now.
std::uint64_t digest_of_study(sqlite3* database);
std::uint64_t digest_of_point(sqlite3* database, std::uint32_t point);
std::uint64_t digest_of_metrics(sqlite3* database, std::uint32_t point);

/// What follows the first `from` replicas of a point, up to `end` of them.
struct ChainPart {
  std::uint32_t point = 0;
  std::uint32_t first_replica = 0;  // of the point
  std::uint32_t from = 0, end = 0;
};
struct ChainLength {
  std::uint32_t replicas = 0;  // with those before `from`
  std::uint64_t incidents = 0;
};
/// Goes on with a chain; calls `see` after each replica with how many there are by then.
ChainLength follow_chain(sqlite3* database, const ChainPart& part, std::uint64_t& chain,
                         const std::function<void(std::uint32_t replicas)>& see);

void put_study_digest(sqlite3* database);
/// A part has one digest of so many replicas: it replaces the one that is there.
void put_digest(sqlite3* database, std::uint32_t point, std::string_view part, std::uint32_t replicas,
                std::uint64_t digest);

}  // namespace gauntlet
