// A store that was damaged is refused, or says what it said before: no number in it may change unseen.
#include "study/store/store.hpp"
#include "study/summary/metrics.hpp"
#include "tests/study/store/damage.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <vector>

namespace gauntlet::damage {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kKinds = {"gpu", "nic", "disk"};

StudyIdentity identity() {
  return {.command = "sweep",
          .arguments = "gauntlet sweep sample --vary checkpoint.interval=5min,10min",
          .version = "0.1.0",
          .seed = 7,
          .scenario = "sample",
          .text = "name = \"sample\"\n"};
}

/// Point 0 has two kinds of faults, point 1 one that the other does not have.
void add_replicas(Store& store, std::uint32_t number, std::uint32_t count) {
  StoredPoint point{.label = "p" + std::to_string(number),
                    .settings = {{"checkpoint.interval", std::to_string(number) + "min"}},
                    .text = "point = " + std::to_string(number) + "\n",
                    .facts = sample_facts()};
  if (number == 1) point.facts.faults = {"disk"};
  ASSERT_EQ(store.add_point(point), number);
  for (std::uint32_t k = store.replicas(number); k < count; ++k) {
    const Figures figures = random_figures(1000 * number + k, number == 1 ? 1 : 2, k < 3 ? k + 1 : 0);
    store.add(number, k, {&figures, 1});
  }
}

class StoreDamage : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gauntlet-damage-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    scratch_ = name;
    file_ = scratch_ / "results.sqlite";
  }
  void TearDown() override { fs::remove_all(scratch_); }

  std::unique_ptr<Store> create(const fs::path& file) {
    auto opened = Store::create(file, identity(), kKinds);
    EXPECT_TRUE(opened.store) << opened.problem->text();
    return std::move(opened.store);
  }
  /// A finished store of two points, as a result directory has it.
  std::string whole() {
    {
      const auto store = create(scratch_ / "making");
      add_replicas(*store, 0, 40);
      add_replicas(*store, 1, 20);
      for (const std::uint32_t point : {0U, 1U}) store->put_summary(point, sample_summary(3));
      store->write_canonical(scratch_ / "whole");
    }
    return bytes_of(scratch_ / "whole");
  }
  /// Without what SQLite left beside another one.
  void place(const std::string& bytes) const {
    for (const char* beside : {"-wal", "-shm", "-journal"}) fs::remove(file_.string() + beside);
    put(file_, bytes);
  }
  /// What the store says of itself when it is read and checked; empty where it finds nothing wrong.
  std::string found_by_check() const {
    const auto opened = Store::open_to_read(file_);
    if (!opened.store) return opened.problem->text();
    return opened.store->damage().value_or("");
  }
  std::string found_by_resume() const {
    const auto opened = Store::resume(file_, identity(), kKinds);
    return opened.store ? "" : opened.problem->text();
  }
  void expect_found_or_unchanged(const std::string& content) {
    if (found_by_check().empty()) {
      EXPECT_EQ(content_of(file_), content) << "not found";
    }
    if (found_by_resume().empty()) {
      EXPECT_EQ(content_of(file_), content) << "goes on from it";
    }
  }

  fs::path scratch_, file_;
};

TEST_F(StoreDamage, OfItsBytesIsFoundOrChangesNothing) {
  const std::string sound = whole();
  place(sound);
  EXPECT_EQ(found_by_check(), "");
  const auto content = content_of(file_);
  ASSERT_TRUE(content);
  for (std::uint64_t number = 0; number < 250; ++number) {
    const Damaged damage = damaged(sound, number);
    SCOPED_TRACE(damage.what);
    place(damage.bytes);
    expect_found_or_unchanged(*content);
  }
}

TEST_F(StoreDamage, OfItsHeadersIsFoundOrChangesNothing) {
  const std::string sound = whole();
  place(sound);
  const auto content = content_of(file_);
  // Every bit of the file's header, of the first page's, and of each later page's.
  constexpr std::size_t kPage = 8192;
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < 108; ++at) places.push_back(at);
  for (std::size_t page = kPage; page < sound.size(); page += kPage)
    for (std::size_t at = 0; at < 8; ++at) places.push_back(page + at);
  for (const std::size_t at : places) {
    for (const int bit : {0, 3}) {
      SCOPED_TRACE("bit " + std::to_string(bit) + " of byte " + std::to_string(at));
      std::string bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      place(bytes);
      expect_found_or_unchanged(*content);
    }
  }
}

/// Some statement that changes, drops, doubles or swaps rows of a store.
std::string some_edit(const Database& database, std::uint64_t number) {
  TestNumbers numbers(number * 0x9e3779b97f4a7c15U + 5);
  const char* tables[] = {"study", "point", "replica", "replica", "incident", "metric", "digest"};
  const std::string table = tables[numbers.below(std::size(tables))];
  std::vector<std::string> columns;
  std::string names = database.rows("SELECT name FROM pragma_table_info('" + table + "')").value_or("");
  for (std::size_t at = 0; (at = names.find("3:")) != std::string::npos;) {  // as `rows` writes text
    names.erase(0, at + 2);
    columns.push_back("\"" + names.substr(0, names.find('|')) + "\"");
    names.erase(0, names.find('\n'));
  }
  const std::string column = columns[numbers.below(columns.size())];
  const std::string keys = table == "replica"    ? "point, replica"
                           : table == "incident" ? "point, replica, incident"
                           : table == "metric"   ? "point, name"
                           : table == "digest"   ? "point, part, replicas"
                                                 : "rowid";
  const std::string which = "(" + keys + ") = (SELECT " + keys + " FROM " + table + " LIMIT 1 OFFSET " +
                            std::to_string(numbers.below(table == "study"   ? 1
                                                         : table == "point" ? 2
                                                                            : 60)) +
                            ")";
  const auto update = [&](const std::string& value) {
    return "UPDATE " + table + " SET " + column + " = " + value + " WHERE " + which;
  };
  switch (numbers.below(9)) {
    case 0:
      return "DELETE FROM " + table + " WHERE " + which;
    case 1:
      return update("NULL");
    case 2:
      return update("CAST(" + column + " AS BLOB)");
    case 3:
      return update("0");
    case 4:
      return update(column + " || 'x'");
    case 5:
      return update(column + " * 2 + 1");
    case 6:
      return update(column + " + 1e-9");
    case 7:
      return update("(SELECT " + column + " FROM " + table + " ORDER BY 1 DESC LIMIT 1)");
    default:
      return update(column + " + 1");
  }
}

TEST_F(StoreDamage, OfItsCellsIsFoundOrChangesNothing) {
  const std::string sound = whole();
  place(sound);
  const auto content = content_of(file_);
  int changed = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    place(sound);
    {
      Database database(file_);
      const std::string edit = some_edit(database, number);
      SCOPED_TRACE("edit " + std::to_string(number) + ": " + edit);
      if (!database.execute(edit)) continue;  // two rows of one key
    }
    changed += content_of(file_) != content;
    SCOPED_TRACE("edit " + std::to_string(number));
    expect_found_or_unchanged(*content);
  }
  EXPECT_GT(changed, 100) << "most edits change something";
}

TEST_F(StoreDamage, SaysWhatIsDamagedAndWhatToDo) {
  const std::string sound = whole();
  const auto after = [&](const char* sql) {
    place(sound);
    EXPECT_TRUE(Database(file_).execute(sql)) << sql;
    const std::string by_resume = found_by_resume(), what = found_by_check();
    EXPECT_EQ(by_resume, file_.string() + ": is damaged: " + what +
                             "; start again with --force, or bring the file back from a copy");
    return what;
  };
  EXPECT_EQ(after("UPDATE replica SET steps = steps + 1 WHERE point = 0 AND replica = 17"),
            "the digest of replicas 16 to 31 of point 0 does not match");
  EXPECT_EQ(after("UPDATE replica SET steps = steps + 1 WHERE point = 1 AND replica = 19"),
            "the digest of replicas 16 to 19 of point 1 does not match");
  EXPECT_EQ(after("UPDATE incident SET stops = stops + 1 WHERE point = 1 AND replica = 2 AND incident = 1"),
            "the digest of replicas 0 to 15 of point 1 does not match");
  EXPECT_EQ(after("DELETE FROM incident WHERE point = 1 AND replica = 2"),
            "the digest of replicas 0 to 15 of point 1 does not match");
  EXPECT_EQ(after("UPDATE incident SET replica = 50 WHERE point = 1 AND replica = 2 AND incident = 2"),
            "the digest of replicas 0 to 15 of point 1 does not match");
  EXPECT_EQ(after("INSERT INTO incident (point, replica, incident) VALUES (1, 50, 0)"),
            "its table incident has rows that belong to nothing");
  EXPECT_EQ(after("DELETE FROM replica WHERE point = 0 AND replica = 39"),
            "the digest of replicas 32 to 38 of point 0 is missing");
  EXPECT_EQ(after("DELETE FROM replica WHERE point = 0"),
            "its table incident has rows that belong to nothing");
  EXPECT_EQ(after("UPDATE point SET gpus = 65 WHERE point = 0"), "the digest of point 0 does not match");
  EXPECT_EQ(after("UPDATE study SET seed = '8'"), "the digest of its study does not match");
  EXPECT_EQ(after("ALTER TABLE replica RENAME steps TO stops"), "the digest of its study does not match");
  EXPECT_EQ(after("UPDATE metric SET mean = 0.5 WHERE point = 0 AND name = 'ettr'"),
            "the digest of the statistics of point 0 does not match");
  EXPECT_EQ(after("DELETE FROM metric WHERE point = 0"), "its table digest has rows that belong to nothing");
  EXPECT_EQ(after("DELETE FROM digest WHERE point = 0 AND part = 'replicas' AND replicas = 16"),
            "the digest of replicas 0 to 15 of point 0 is missing");
}

// A study that was killed leaves a log beside its store; SQLite drops a log from where it is damaged on.
TEST_F(StoreDamage, OfAnUnfinishedStudyIsFoundOrCostsReplicasAlone) {
  const std::string wanted = whole();
  const auto store = create(scratch_ / "running");
  add_replicas(*store, 0, 40);
  add_replicas(*store, 1, 7);
  const fs::path log = file_.string() + "-wal";
  const std::string database = bytes_of(scratch_ / "running"), entries = bytes_of(scratch_ / "running-wal");
  ASSERT_GT(entries.size(), 10'000U);
  int went_on = 0;
  for (std::uint64_t number = 0; number < 60; ++number) {
    const bool of_log = number % 3 != 0;
    const Damaged damage = damaged(of_log ? entries : database, number);
    SCOPED_TRACE((of_log ? "log, " : "database, ") + damage.what);
    place(of_log ? database : damage.bytes);
    put(log, of_log ? damage.bytes : entries);
    const auto resumed = Store::resume(file_, identity(), kKinds);
    if (!resumed.store) continue;
    ++went_on;
    add_replicas(*resumed.store, 0, 40);
    add_replicas(*resumed.store, 1, 20);
    for (const std::uint32_t point : {0U, 1U}) resumed.store->put_summary(point, sample_summary(3));
    resumed.store->write_canonical(scratch_ / "went-on");
    EXPECT_TRUE(bytes_of(scratch_ / "went-on") == wanted);
  }
  EXPECT_GT(went_on, 10);
}

TEST_F(StoreDamage, AStoreThatIsNoFileIsNeverOpened) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const std::string why = file_.string() + ": is a FIFO, not a file; ";
  EXPECT_EQ(found_by_check().substr(0, why.size()), why);
  EXPECT_EQ(found_by_resume().substr(0, why.size()), why);
}

}  // namespace
}  // namespace gauntlet::damage
