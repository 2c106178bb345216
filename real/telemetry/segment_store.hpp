// The times of the segments of a drill in a SQLite database, which may be read while it is written.
//
//   drill(format, scenario, seed)
//   seat(run, rank, host, pp, dp, cp, tp)            one row for each rank of each start of the job
//   segment(run, step, name, rank, took_ns, reported_ns)  one row for each name in each step of each rank
#pragma once

#include "core/problem.hpp"
#include "core/sqlite/sqlite.hpp"
#include "real/telemetry/segment_sink.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

class SegmentStore final : public SegmentSink {
 public:
  struct Opened {
    std::unique_ptr<SegmentStore> store;
    std::optional<Problem> problem;
  };
  /// If it `continues`, a file of the same drill is written further, and what is reported again replaces what it has. Else there must be no
  /// such file. A new file that got no segment is removed at the end. `say` takes a sentence, once, when the file can no longer be written:
  /// nothing more is stored then, and the drill goes on.
  static Opened open(const std::string& file, const SegmentOrigin& origin, bool continues,
                     std::function<void(const std::string&)> say);
  ~SegmentStore() override;
  SegmentStore(const SegmentStore&) = delete;
  SegmentStore& operator=(const SegmentStore&) = delete;

  void begin(std::uint32_t run, std::span<const RankSeat> seats) override;
  void add(const SegmentTime& segment) override;
  /// Brings what was added to the file. While another program holds it, all of that waits.
  void flush() override;

 private:
  struct Seats {
    std::uint32_t run;
    std::vector<RankSeat> seats;
  };
  SegmentStore(std::string path, bool is_new, sqlite::Handle database,
               std::function<void(const std::string&)> say);
  void insert();

  std::string path_;
  std::function<void(const std::string&)> say_;
  sqlite::Handle database_;
  sqlite::Statement add_seat_, add_segment_;
  std::vector<Seats> seats_;           // not in the file yet
  std::vector<SegmentTime> segments_;  // likewise
  bool empty_;                         // the file was made by this store, and no segment is in it
  bool failed_ = false;
};

}  // namespace gauntlet
