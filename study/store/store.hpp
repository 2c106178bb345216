// The results store: results.sqlite, in WAL mode while a study runs.
//
//   study     one row: format, command, arguments, version, seed, scenario (its name), text (the base scenario as TOML),
//             interval (what its intervals cover), digest
//   point     one row a point: point (its number), label, settings (JSON object path -> value), the facts of its scenario
//             (name, question, gpus, gpus_held, hosts, spares, peak_flops, tokens_per_step, flops_per_step, gpu_hour_usd,
//             window_ns, steps, give_up_after_ns, faults: JSON array of names), text (its whole scenario as TOML),
//             idle_gpu_hour_usd (null: gpu_hour_usd), storage_month_usd, replayed (JSON: names of faults
//             that a trace gives)
//   replica   one row a replica, by (point, replica): point, then the columns of replicas.csv (rows.hpp). Those of a fault
//             that the point's scenario does not have are null
//   incident  one row an incident, by (point, replica, incident): point, then the columns of incidents.csv; of the
//             replicas whose incidents were kept
//   metric    one row a metric of a point, by (point, name), written when the study is complete: point, replicas,
//             fingerprint, name, n, mean, sd, se, ci95_low, ci95_high, p5, p50, p95; unknown is null
//   digest    point, part, replicas, digest: what the rows above are checked against (store_digests_private.hpp), so that a store
//             that was damaged is not taken for a sound one
//
// Times are whole nanoseconds in the replica and incident tables, seconds in the metrics. Replicas of a point are there from
// 0 up without a gap; those of a run of one replica by number (command "run --replica K") from that number.
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

/// What a study is. A store takes up its study again and no other.
struct StudyIdentity {
  std::string command;    // "sweep"; of one replica by number "run --replica K"
  std::string arguments;  // what repeats the study, as a shell would read it
  std::string version;    // of the program
  std::uint64_t seed = 0;
  std::string scenario;  // the name of the base scenario
  std::string text;      // the base scenario as TOML without comments; of a comparison, all of them
};

/// A point as the store keeps it.
struct StoredPoint {
  std::string label;
  std::vector<std::pair<std::string, std::string>> settings;
  std::string text;
  ScenarioFacts facts;
};

/// Not thread-safe. What goes wrong while writing shows in problem() and stays; later writes do nothing. What cannot be read
/// is thrown, as std::runtime_error.
class Store {
 public:
  struct Opened {
    std::unique_ptr<Store> store;
    std::optional<Problem> problem;  // where there is no store
  };
  /// `faults`: the names of every fault kind of any point. A new file.
  static Opened create(const std::filesystem::path& file, const StudyIdentity& study,
                       std::span<const std::string> faults);
  /// In memory as far as it fits a cache of fixed size, and in a file without a name beyond.
  static std::unique_ptr<Store> temporary(const StudyIdentity& study, std::span<const std::string> faults);
  /// Goes on with a file: refused, with the difference, where it is of another study (study/store/same_study.hpp),
  /// version or format; refused where it is damaged, for which all of it is read. Its arguments are then those of `study`.
  static Opened resume(const std::filesystem::path& file, const StudyIdentity& study,
                       std::span<const std::string> faults);
  /// Reads a file that is complete or under way, and changes nothing.
  static Opened open_to_read(const std::filesystem::path& file);

  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const StudyIdentity& study() const;
  /// The names of every fault kind of any point.
  const std::vector<std::string>& faults() const;
  /// The number of the point with this text; a new one where there is none yet.
  std::uint32_t add_point(const StoredPoint& point);
  std::uint32_t points() const;
  const StoredPoint& point(std::uint32_t number) const;
  /// What does not match its digest, and where SQLite finds the file itself damaged; nothing where all is as it was written.
  /// Reads all of it.
  std::optional<std::string> damage() const;

  /// How many replicas of a point there are.
  std::uint32_t replicas(std::uint32_t point) const;
  /// Of all points.
  std::uint64_t replicas() const;
  /// The number of its first; 0 where one replica was not asked for by number.
  std::uint32_t first_replica(std::uint32_t point) const;
  /// For people: "1,234 replicas of 3 points".
  std::string holds() const;
  /// Brings what was added to the disk: until then a power cut may take the last tasks. (Closing does so too, and cannot say
  /// that it failed.)
  void sync();

  /// The next replicas of a point, `first` being the number that is there already (of the first ones any); in one
  /// transaction, which survives the death of this process. Their incidents too, where they have any.
  void add(std::uint32_t point, std::uint32_t first, std::span<const Figures> figures);

  /// Figures of replicas [first, first + count), which are there, without incidents, in their order.
  using See = std::function<void(std::uint32_t replica, const Figures& figures)>;
  void read(std::uint32_t point, std::uint32_t first, std::uint32_t count, const See& see) const;
  /// The kept incidents of a point, by replica and number.
  void read_incidents(
      std::uint32_t point,
      const std::function<void(std::uint32_t replica, std::size_t number, const Incident&)>& see) const;

  /// The same as rows of replica_columns(faults()) and incident_columns(); text in them lives until the next.
  using SeeRow = std::function<void(const Row& row)>;
  void read_rows(std::uint32_t point, std::uint32_t first, std::uint32_t count, const SeeRow& see) const;
  void read_incident_rows(std::uint32_t point, const SeeRow& see) const;

  /// Writes the statistics of a point in place of those that are there.
  void put_summary(std::uint32_t point, const Summary& summary);
  /// The statistics that were put for a point; nothing where none were.
  std::optional<Summary> summary(std::uint32_t point) const;
  /// A point that stays, with so many replicas from its first one on.
  struct Kept {
    std::uint32_t point = 0;
    std::uint32_t replicas = 0;
  };
  /// Drops every point and replica but these, and all statistics where there are others: the points are then 0, 1 and so
  /// on, in this order.
  void keep(std::span<const Kept> kept);
  /// Writes a file with the same content whose bytes depend on the content alone, not on how it came about.
  void write_canonical(const std::filesystem::path& file, Files& files = system_files());

  /// Why writing failed; nothing while all is well.
  const std::optional<Problem>& problem() const;

  struct Connection;  // store_private.hpp

 private:
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace gauntlet
