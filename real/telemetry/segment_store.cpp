#include "real/telemetry/segment_store.hpp"

#include "real/telemetry/segment_tables_private.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

// The driver of a drill waits no longer for a program that holds the file.
constexpr int kPatienceMs = 20;
constexpr int kPatienceAtTheEndMs = 5000;
// Between two flushes, and while the file is held: a million rows are some hundred megabytes.
constexpr std::size_t kFlushAt = 10'000;
constexpr std::size_t kMostWaiting = 1'000'000;

void create_tables(sqlite3* database, const SegmentOrigin& origin) {
  sqlite::execute(database, "BEGIN");
  sqlite::execute(database, kSegmentTables);
  sqlite::Statement insert(database, "INSERT INTO drill VALUES (?, ?, ?)");
  insert.bind(1, kSegmentFormat);
  insert.bind(2, std::string_view(origin.scenario));
  insert.bind(3, static_cast<std::int64_t>(origin.seed));
  insert.run();
  sqlite::execute(database, "COMMIT");
}

/// Why a file cannot be continued; empty where it is of this drill.
std::string problem_of_origin(sqlite3* database, const SegmentOrigin& origin) {
  if (std::string why = problem_of_tables(database); !why.empty()) return why;
  sqlite::Statement drill(database, "SELECT scenario, seed FROM drill");
  if (drill.step() && drill.text(0) == origin.scenario &&
      drill.integer(1) == static_cast<std::int64_t>(origin.seed))
    return "";
  return "holds the segments of another scenario or seed";
}

/// Makes the file, so that no other drill has it. Why that is not possible; empty where it is.
std::string problem_of_new(const std::string& path) {
  // SQLite would take what lies there for its own, and remove it.
  for (const char* const beside : {"-wal", "-shm", "-journal"}) {
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(path + beside, ignored)))
      return "is the name of a new database, and there is already " + path + beside;
  }
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0) return std::string("cannot be written: ") + std::strerror(errno);
  ::close(made);
  return "";
}

}  // namespace

SegmentStore::Opened SegmentStore::open(const std::string& file, const SegmentOrigin& origin, bool continues,
                                        std::function<void(const std::string&)> say) {
  const std::string path = fs::absolute(file);  // SQLite has names of its own, such as ":memory:"
  const auto refused = [&](std::string why) {
    return Opened{.store = nullptr, .problem = problem_of(file, std::move(why), "choose another --segments")};
  };
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(path, ignored).type();
  const bool there = type == fs::file_type::regular;
  if (!fs::path(path).has_filename() || (!there && type != fs::file_type::not_found))
    return refused("is not a regular file");
  if (there && !continues) return refused("exists and is not overwritten");
  if (!there)
    if (std::string why = problem_of_new(path); !why.empty()) return refused(std::move(why));
  try {
    sqlite::Handle database = sqlite::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    const bool has_tables = there && sqlite::Statement(database.get(), "SELECT 1 FROM sqlite_master").step();
    if (has_tables)
      if (const std::string why = problem_of_origin(database.get(), origin); !why.empty())
        return refused(why);
    // A crash of the machine may lose the last segments. The disk is waited for when SQLite moves its log into the file, and not before.
    sqlite::execute(database.get(), "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    if (!has_tables) create_tables(database.get(), origin);
    sqlite3_busy_timeout(database.get(), kPatienceMs);
    return {.store = std::unique_ptr<SegmentStore>(
                new SegmentStore(path, !there, std::move(database), std::move(say))),
            .problem = std::nullopt};
  } catch (const sqlite::Error& error) {
    if (!there) fs::remove(path, ignored);
    return refused(std::string("cannot be written: ") + error.what());
  }
}

SegmentStore::SegmentStore(std::string path, bool is_new, sqlite::Handle database,
                           std::function<void(const std::string&)> say)
    : path_(std::move(path)),
      say_(std::move(say)),
      database_(std::move(database)),
      add_seat_(database_.get(), "INSERT OR REPLACE INTO seat VALUES (?, ?, ?, ?, ?, ?, ?)"),
      add_segment_(database_.get(), "INSERT OR REPLACE INTO segment VALUES (?, ?, ?, ?, ?, ?)"),
      empty_(is_new) {}

SegmentStore::~SegmentStore() {
  sqlite3_busy_timeout(database_.get(), kPatienceAtTheEndMs);
  flush();
  if (!segments_.empty())
    say_("warning: " + path_ + ": " + std::to_string(segments_.size()) +
         " segments were not stored: another program holds the file");
  add_seat_ = {};
  add_segment_ = {};
  // One file without others beside it. If a reader has it open, it stays as it is.
  if (!failed_) sqlite3_exec(database_.get(), "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
  database_.reset();
  std::error_code ignored;
  if (!fs::exists(path_, ignored)) {
    say_("warning: " + path_ + " was removed while the drill ran, and the segments with it");
  } else if (empty_) {
    fs::remove(path_, ignored);
    if (!failed_)
      say_("warning: no rank told the time of a segment, so there is no " + path_ +
           "; put parts of a step into rank.segment(NAME)");
  }
}

void SegmentStore::begin(std::uint32_t run, std::span<const RankSeat> seats) {
  if (failed_) return;
  seats_.push_back({run, {seats.begin(), seats.end()}});
  flush();
}

void SegmentStore::add(const SegmentTime& segment) {
  if (failed_) return;
  segments_.push_back(segment);
  if (segments_.size() % kFlushAt == 0) flush();
}

void SegmentStore::flush() {
  if (failed_ || (seats_.empty() && segments_.empty())) return;
  try {
    sqlite::execute(database_.get(), "BEGIN IMMEDIATE");
    insert();
    sqlite::execute(database_.get(), "COMMIT");
    empty_ = empty_ && segments_.empty();
    seats_.clear();
    segments_.clear();
  } catch (const sqlite::Error& error) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr,
                 nullptr);  // fails where nothing is left to undo
    if (error.code == SQLITE_BUSY && segments_.size() < kMostWaiting) return;
    failed_ = true;
    seats_.clear();
    segments_.clear();
    say_("warning: " + path_ + ": segments are no longer stored: " + error.what());
  }
}

void SegmentStore::insert() {
  for (const auto& [run, seats] : seats_) {
    for (const RankSeat& seat : seats) {
      int parameter = 0;
      for (const std::uint32_t value :
           {run, seat.rank, seat.host, seat.at.pp, seat.at.dp, seat.at.cp, seat.at.tp})
        add_seat_.bind(++parameter, std::int64_t{value});
      add_seat_.run();
    }
  }
  for (const SegmentTime& segment : segments_) {
    add_segment_.bind(1, std::int64_t{segment.run});
    add_segment_.bind(2, segment.step);
    add_segment_.bind(3, std::string_view(segment.name));
    add_segment_.bind(4, std::int64_t{segment.rank});
    add_segment_.bind(5, segment.took.count());
    add_segment_.bind(6, segment.reported.time_since_epoch().count());
    add_segment_.run();
  }
}

}  // namespace gauntlet
