// The results store: results.sqlite, in WAL mode while a study runs.
//
//   study     one row: format, command, arguments, version, seed, scenario (its name), text (the base scenario as TOML),
//             interval (what its intervals cover), digest
//   point     one row per point: point (its number), label, settings (JSON object path -> value), the facts of its scenario
//             (name, question, gpus, gpus_held, hosts, spares, peak_flops, tokens_per_step, flops_per_step, gpu_hour_usd,
//             window_ns, steps, give_up_after_ns, faults: JSON array of names), text (its whole scenario as TOML),
//             idle_gpu_hour_usd (null: gpu_hour_usd), storage_month_usd, replayed (JSON: names of faults
//             that a trace gives), currency (ISO 4217: of gpu_hour_usd and the others, whatever their names say)
//   replica   one row per replica, by (point, replica): point, then the columns of replicas.csv (rows.hpp). The columns of a
//             fault that the point's scenario does not have are null
//   incident  one row per incident, by (point, replica, incident): point, then the columns of incidents.csv. Only for
//             replicas whose incidents were kept
//   metric    one row per metric of a point, by (point, name), written when the study is complete: point, replicas,
//             fingerprint, name, n, mean, sd, se, ci95_low, ci95_high, p1, p5, p50, p95, p99,
//             worst_5_mean; unknown is null
//   digest    point, part, replicas, digest: the digests of the rows above (store_digests_private.hpp). They reveal a
//             damaged store
//
// Times are whole nanoseconds in the replica and incident tables, and seconds in the metrics. The replicas of a point
// have the numbers 0, 1 and so on, without a gap. In a run of one replica (command "run --replica K") they begin at
// K.
#pragma once

#include "core/files/files.hpp"
#include "core/problem.hpp"
#include "score/figures.hpp"
#include "study/store/rows.hpp"
#include "study/summary/facts.hpp"
#include "study/summary/summary.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// What identifies a study. A store continues its own study only.
struct StudyIdentity {
  std::string command;    // such as "sweep"; "run --replica K" for one replica
  std::string arguments;  // arguments that repeat the study, quoted for a shell
  std::string version;    // of the program
  std::uint64_t seed = 0;
  std::string scenario;  // the name of the base scenario
  std::string text;      // the base scenario as TOML without comments; all scenarios of a comparison
};

/// A point as the store keeps it.
struct StoredPoint {
  std::string label;
  std::vector<std::pair<std::string, std::string>> settings;
  std::string text;
  ScenarioFacts facts;
};

/// Not thread-safe. problem() keeps the first error of a write; later writes do nothing. An error of a read is thrown as
/// std::runtime_error.
class Store {
 public:
  struct Opened {
    std::unique_ptr<Store> store;
    std::optional<Problem> problem;  // set if there is no store
  };
  /// Creates a new file. `faults`: the names of every fault kind of any point.
  static Opened create(const std::filesystem::path& file, const StudyIdentity& study,
                       std::span<const std::string> faults);
  /// Creates a temporary store: in memory up to a cache of fixed size, and in a file without a name beyond that size.
  static std::unique_ptr<Store> temporary(const StudyIdentity& study, std::span<const std::string> faults);
  /// Continues a file. A file of another study, version or format is refused, and the problem states the difference
  /// (study/store/same_study.hpp). A damaged file is refused; to find damage, all of the file is read. The arguments of the
  /// file are then those of `study`.
  static Opened resume(const std::filesystem::path& file, const StudyIdentity& study,
                       std::span<const std::string> faults);
  /// Opens a complete or unfinished file for reading, and changes nothing.
  static Opened open_to_read(const std::filesystem::path& file);

  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const StudyIdentity& study() const;
  /// The names of every fault kind of any point.
  const std::vector<std::string>& faults() const;
  /// Returns the number of the point with this text. Adds the point if the store does not have it yet.
  std::uint32_t add_point(const StoredPoint& point);
  std::uint32_t points() const;
  const StoredPoint& point(std::uint32_t number) const;
  /// Reads all of the file, and returns what is damaged: rows that do not match their digest, or what SQLite finds. Nothing
  /// if the file is sound.
  std::optional<std::string> damage() const;

  /// The number of replicas of a point.
  std::uint32_t replicas(std::uint32_t point) const;
  /// The number of replicas of all points.
  std::uint64_t replicas() const;
  /// The number of the first replica of a point: 0, unless one replica was requested by number.
  std::uint32_t first_replica(std::uint32_t point) const;
  /// For people: "1,234 replicas of 3 points".
  std::string holds() const;
  /// Writes all added rows to the disk. Until then a power cut may destroy the last tasks. The destructor does the
  /// same, but
  /// it cannot report an error.
  void sync();

  /// Adds the next replicas of a point, and their incidents if they have any, in one transaction. What was added survives the
  /// death of this process. `first` is the number after the last replica of the point; the first replicas of a point may have
  /// any number.
  void add(std::uint32_t point, std::uint32_t first, std::span<const Figures> figures);

  /// Reads the figures of replicas [first, first + count) in their order, without incidents. The store must have them.
  using See = std::function<void(std::uint32_t replica, const Figures& figures)>;
  void read(std::uint32_t point, std::uint32_t first, std::uint32_t count, const See& see) const;
  /// The kept incidents of a point, by replica and number.
  void read_incidents(
      std::uint32_t point,
      const std::function<void(std::uint32_t replica, std::size_t number, const Incident&)>& see) const;

  /// Reads the same as rows of replica_columns(faults()) and incident_columns(). The text in a row is valid until the next row.
  using SeeRow = std::function<void(const Row& row)>;
  void read_rows(std::uint32_t point, std::uint32_t first, std::uint32_t count, const SeeRow& see) const;
  void read_incident_rows(std::uint32_t point, const SeeRow& see) const;

  /// Writes the statistics of a point, and replaces the present ones.
  void put_summary(std::uint32_t point, const Summary& summary);
  /// The statistics that were written for a point, if there are any.
  std::optional<Summary> summary(std::uint32_t point) const;
  /// A point to keep, with this many of its replicas, counted from its first one.
  struct Kept {
    std::uint32_t point = 0;
    std::uint32_t replicas = 0;
  };
  /// Drops every other point and replica. If that changes anything, it also drops all statistics. The points then have the
  /// numbers 0, 1 and so on, in this order.
  void keep(std::span<const Kept> kept);
  /// Writes a file with the same content. Its bytes depend on the content alone, not on how the content was written.
  void write_canonical(const std::filesystem::path& file, Files& files = system_files());

  /// Why writing failed; nothing while all is well.
  const std::optional<Problem>& problem() const;

  struct Connection;  // store_private.hpp

 private:
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace gauntlet
