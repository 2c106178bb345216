// PyTorch's flight recorder: dumps of its documented structure are read, and a pickle that would execute something is refused.
//
// The dumps are written by Python's pickle module, with the keys and types of torch/csrc/distributed/c10d/FlightRecorder.hpp. No NCCL job
// wrote them: that needs GPUs.
#include "real/runner/flight_recorder.hpp"

#include "real/runner/pickle.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

namespace gauntlet {
namespace {

using testing::HasSubstr;

/// What the Python expressions are once they are pickled. `entry(id, state)` and `dump(entries)` are those of the flight recorder.
std::vector<std::string> pickled_all(const std::vector<std::string>& expressions, int protocol = 2) {
  static const std::string kProgram = R"(
import os, pickle, sys
FRAME = {"name": "all_reduce", "filename": "distributed_c10d.py", "line": 2696}
def entry(id, state, **more):
    return {"frames": [FRAME, FRAME], "record_id": id, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": id + 1,
            "p2p_seq_id": 0, "op_id": id + 1, "profiling_name": "nccl:all_reduce", "time_created_ns": 1700000000000000000 + id * 10**9,
            "duration_ms": 0.5, "input_sizes": [[3, 4]], "input_dtypes": ["Float"], "output_sizes": [[3, 4]], "output_dtypes": ["Float"],
            "state": state, "time_discovered_started_ns": 1700000000100000000, "time_discovered_completed_ns": None, "retired": False,
            "timeout_ms": 600000, "is_p2p": False, **more}
def dump(entries, version="2.10"):
    return {"version": version, "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}, "comm_lib_version": "2.21.5",
            "pg_status": {"0": {"last_enqueued_collective": 4, "last_started_collective": 3, "last_completed_collective": 2}},
            "entries": entries}
class Call:
    def __reduce__(self):
        return os.system, ("touch executed",)
class Thing:
    def __init__(self):
        self.value = 1
for i, expression in enumerate(sys.argv[3:]):
    with open(sys.argv[1] + str(i), "wb") as file:
        file.write(pickle.dumps(eval(expression), protocol=int(sys.argv[2])))
)";
  const Scratch scratch;
  put_bytes(scratch.path() / "write.py", kProgram);
  const std::string out = (scratch.path() / "out").string();
  std::string command =
      "python3 '" + (scratch.path() / "write.py").string() + "' '" + out + "' " + std::to_string(protocol);
  for (const std::string& each : expressions) command += " '" + each + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<std::string> all;
  for (std::size_t i = 0; i < expressions.size(); ++i) all.push_back(bytes_of(out + std::to_string(i)));
  return all;
}
std::string pickled(const std::string& expression, int protocol = 2) {
  return pickled_all({expression}, protocol).front();
}

const std::string kStuck =
    R"(dump([entry(0, "completed"), entry(1, "completed"), entry(2, "started"), entry(3, "scheduled")]))";

TEST(FlightRecorder, NamesTheFirstCollectiveThatIsNotComplete) {
  for (const int protocol : {2, 4, 5}) {
    const FlightRecord record = parse_flight_record(pickled(kStuck, protocol), 1'700'000'000'000'000'000);
    EXPECT_EQ(record.why, "");
    ASSERT_TRUE(record.last);
    EXPECT_EQ(place_of_rank({*record.last}, 5'200'000'000),  // it was scheduled at 2 s
              "inside collective 3 (all_reduce of default_pg), which it entered 3.2 s before");
    EXPECT_EQ(waits_in({*record.last}), Dimension::data);
  }
}

TEST(FlightRecorder, NamesTheLastCollectiveWhereAllAreComplete) {
  const std::string done = pickled(
      R"(dump([entry(0, "completed"), entry(1, "completed", profiling_name="nccl:send", is_p2p=True, )"
      R"(p2p_seq_id=7, process_group=("3", "pp"))]))");
  const FlightRecord record = parse_flight_record(done, 0);
  ASSERT_TRUE(record.last) << record.why;
  EXPECT_EQ(place_of_rank({*record.last}, 0), "after collective 7 (send of pp)");
  EXPECT_EQ(waits_in({*record.last}), std::nullopt);
}

TEST(FlightRecorder, AGroupWithoutADescriptionHasItsName) {
  const std::string bytes = pickled(R"(dump([entry(0, "started", process_group=("7", "undefined"))]))");
  const FlightRecord record = parse_flight_record(bytes, 0);
  ASSERT_TRUE(record.last) << record.why;
  EXPECT_EQ(record.last->group, "7");
}

TEST(FlightRecorder, SaysNothingOfADumpWithoutCollectives) {
  for (const std::string& each : pickled_all({"dump([])", R"({"version": "2.3"})"})) {
    const FlightRecord record = parse_flight_record(each, 0);
    EXPECT_FALSE(record.last);
    EXPECT_EQ(record.why, "");
  }
  EXPECT_FALSE(read_flight_record("/nowhere/at/all").last);
  EXPECT_EQ(read_flight_record("/nowhere/at/all").why, "");
}

TEST(FlightRecorder, RefusesWhatIsNotADump) {
  const std::map<std::string, std::string> cases = {
      {"[1, 2]", "it has no version"},
      {"dump([], version=3)", "it has no version"},
      {R"(dump([], version="3.0"))", "its version is 3.0, and only version 2 is known"},
      {R"(dump([7]))", "its entry 1 is not a collective"},
      {R"(dump([entry(0, "completed"), {"state": "started"}]))", "its entry 2 is not a collective"},
      {R"(dump([entry(0, 5)]))", "its entry 1 is not a collective"},
      {R"(dump([entry(0, "completed", time_created_ns=-1)]))", "its entry 1 is not a collective"},
      {R"(dump([dict(entry(0, "completed"), **{str(i): i for i in range(64)})]))",
       "its entry 1 is not a collective"},
      {R"(dump([entry(0, "completed")] * 100001))", "it holds more than 100000 collectives"},
      {"10**30", "it holds an integer of more than 64 bits"}};
  std::vector<std::string> expressions;
  for (const auto& [expression, why] : cases) expressions.push_back(expression);
  const std::vector<std::string> dumps = pickled_all(expressions);
  for (std::size_t i = 0; i < dumps.size(); ++i) {
    const FlightRecord record = parse_flight_record(dumps[i], 0);
    EXPECT_EQ(record.why, cases.at(expressions[i])) << expressions[i];
    EXPECT_FALSE(record.last) << expressions[i];
  }
}

TEST(FlightRecorder, ExecutesNothing) {
  for (const int protocol : {0, 2, 4}) {
    const std::vector<std::string> dumps =
        pickled_all({"dump([Call()])", "os.system", "Thing()", "frozenset((1,))", "b\"bytes\""}, protocol);
    for (std::size_t i = 0; i < dumps.size(); ++i) {
      const FlightRecord record = parse_flight_record(dumps[i], 0);
      EXPECT_THAT(record.why, HasSubstr("which is not one of plain data; it is not executed")) << i;
      EXPECT_FALSE(record.last);
    }
  }
  EXPECT_FALSE(std::filesystem::exists("executed"));
}

TEST(FlightRecorder, ADumpThatIsCutShortIsRefused) {
  const std::string whole = pickled(kStuck);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const FlightRecord record = parse_flight_record(whole.substr(0, length), 0);
    EXPECT_THAT(record.why, HasSubstr("before its last opcode")) << length;
  }
}

TEST(Pickle, RefusesWhatNoPicklerWrites) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {".", "it takes a value from an empty stack"},
      {"(.", "it takes a value from an empty stack"},
      {"N(0", "byte 2 is the opcode 0x30"},
      {"t.", "it ends a list that has not begun"},
      {"NNa.", "it appends to what is not a list"},
      {"]K\1s.", "it takes a value from an empty stack"},
      {"K\1K\2K\3s.", "it sets items of what is not a dictionary"},
      {"}(Nu.", "it sets items of what is not a dictionary"},
      {"h\5.", "it refers to a value that it has not kept"},
      {std::string("X\xff\xff\xff\xff", 5) + "text.", "before its last opcode"},
      {std::string(1001, '('), "it nests deeper than 1000"},
      {std::string((std::size_t{1} << 20) + 1, 'N'), "it holds more than 1048576 values"},
      {"N" + std::string((std::size_t{1} << 20) + 1, '\x94'), "it keeps more than 1048576 values"}};
  for (const auto& [bytes, why] : cases)
    EXPECT_THAT(read_pickle(bytes).why, HasSubstr(why)) << bytes.substr(0, 20);
}

/// "A billion laughs": each list holds the one before ten times. A list is there once, whoever refers to it.
TEST(Pickle, AValueThatIsUsedOftenIsThereOnce) {
  std::string bytes = "]q";
  bytes += '\0';
  for (char level = 1; level < 100; ++level) {
    bytes += "](";
    for (int i = 0; i < 10; ++i) bytes += std::string("h") + static_cast<char>(level - 1);
    bytes += std::string("eq") + level;
  }
  bytes += '.';
  const ReadPickle read = read_pickle(bytes);
  EXPECT_EQ(read.why, "");
  EXPECT_EQ(std::get<PickledData::Items>(read.data.at(read.data.root())).size(), 10U);
}

TEST(Pickle, AListMayHoldItself) {
  const ReadPickle read = read_pickle(std::string("]q\0h\0a.", 7));
  EXPECT_EQ(read.why, "");
  EXPECT_THAT(std::get<PickledData::Items>(read.data.at(read.data.root())),
              testing::ElementsAre(read.data.root()));
}

TEST(Pickle, NumbersHaveTheirSign) {
  const std::vector<std::string> numbers = {
      "0", "255", "256", "65535", "65536", "-1", "-2147483648", "2147483648", "-9223372036854775808"};
  const std::vector<std::string> all = pickled_all(numbers);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ReadPickle read = read_pickle(all[i]);
    EXPECT_EQ(std::to_string(std::get<std::int64_t>(read.data.at(read.data.root()))), numbers[i]) << read.why;
  }
  const ReadPickle read = read_pickle(pickled("-0.5"));
  EXPECT_EQ(std::get<double>(read.data.at(read.data.root())), -0.5);
}

}  // namespace
}  // namespace gauntlet
