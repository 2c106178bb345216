#include "commands/trace/records/read.hpp"

#include "commands/trace/records/date.hpp"
#include "commands/trace/records/names.hpp"
#include "tests/commands/trace/sample_trace.hpp"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

class TraceFile {
 public:
  explicit TraceFile(std::string_view text, const char* name = "records.csv")
      : folder_(std::filesystem::temp_directory_path() /
                ("gauntlet-trace-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" +
                 std::to_string(reinterpret_cast<std::uintptr_t>(this)))),
        path_((folder_ / name).string()) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TraceFile() { std::filesystem::remove_all(folder_); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

TraceRead read_text(std::string_view text, TraceFormat format = TraceFormat::detect) {
  const TraceFile file(text);
  return read_failures(file.path(), format);
}

constexpr std::string_view kLanlHeader =
    "System,machine type,nodes,nodenum,Prob Started,Prob Fixed,Down Time,Facilities,Hardware,Human "
    "Error,Network,"
    "Undetermined,Software,Same Event\n";

std::uint64_t all_rejected(const TraceReading& reading) {
  std::uint64_t sum = 0;
  for (const std::uint64_t times : reading.rejected) sum += times;
  return sum;
}

TEST(Dates, AreReadAsTheyAreWritten) {
  const auto minutes_of = [](std::optional<Date> date) { return date ? date->since_1970 / 1min : -1; };
  EXPECT_EQ(minutes_of(parse_month_first("1/1/1970 0:01")), 1);
  EXPECT_EQ(minutes_of(parse_month_first("2/29/2004 23:59")), (12'477LL * 24 * 60) + 24 * 60 - 1);
  for (const char* bad : {"", "2/29/2005 10:00", "13/1/2005 10:00", "6/21/05 10:54", "6/21/2005",
                          "6/21/2005 24:00", "6/21/2005 10:60", "6/21/2005 10:54 ", "6/21/2005 1054",
                          "21.6.2005 10:54", "0/1/2005 1:00", "6/21/9999 10:54"})
    EXPECT_FALSE(parse_month_first(bad)) << bad;

  EXPECT_EQ(parse_iso_date("1970-01-02")->since_1970, 24h);
  EXPECT_EQ(parse_iso_date("1970-01-01T00:00:01.25")->since_1970, 1250ms);
  EXPECT_EQ(parse_iso_date("1970-01-01 02:00+02:00")->since_1970, 0ns);
  EXPECT_EQ(parse_iso_date("1969-12-31T22:30:00-01:30")->since_1970, 0ns);
  EXPECT_TRUE(parse_iso_date("1970-01-01T00:00Z")->zoned);
  EXPECT_FALSE(parse_iso_date("1970-01-01T00:00")->zoned);
  for (const char* bad :
       {"", "2005-6-21", "2005-02-30", "2005-06-21T", "2005-06-21T10", "2005-06-21T10:54:60",
        "2005-06-21T10:54:07.", "2005-06-21T10:54Zulu", "2005-06-21T10:54+2", "6/21/2005 10:54", "now",
        "1776-07-04", "1899-12-31", "2190-01-01"})
    EXPECT_FALSE(parse_iso_date(bad)) << bad;
  EXPECT_EQ(iso_text(parse_iso_date("2004-02-29T10:54:07.9")->since_1970), "2004-02-29T10:54:07");
  EXPECT_EQ(iso_text(parse_iso_date("1969-12-31T23:59:59")->since_1970), "1969-12-31T23:59:59");
}

// The time between them once overflowed and was negative.
TEST(Dates, AnyTwoAreLessApartThanADurationHolds) {
  const TraceRead read =
      read_text("start,end,node,cause\n1900-01-01T00:00+23:59,2189-12-31T23:59:59.999999999-23:59,1,x\n");
  ASSERT_TRUE(read.trace);
  EXPECT_EQ(read.trace->records.at(0).repair, 24h * 105'921 + 2 * (23h + 59min) - 1ns);
}

TEST(Names, AreSortedAsPeopleDo) {
  EXPECT_TRUE(natural_less("node9", "node10"));
  EXPECT_FALSE(natural_less("node10", "node9"));
  EXPECT_TRUE(natural_less("07", "7") || natural_less("7", "07"));
  EXPECT_TRUE(natural_less("2", "10"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_FALSE(natural_less("a1", "a1"));
  EXPECT_EQ(cause_name("Human Error"), "human_error");
  EXPECT_EQ(cause_name(" NIC / (flap)"), "nic_flap");
  EXPECT_EQ(cause_name(""), "unrecorded");
  EXPECT_EQ(cause_name(std::string(99, 'x') + "/" + std::string(99, 'y')), std::string(99, 'x'));
  EXPECT_EQ(cause_name(std::string(200, 'x')), std::string(100, 'x'));
}

// 200,000 names in a line of 1 MiB once took a minute to compare.
TEST(ReadingTraces, RefusesAHeaderOfMoreColumnsThanAnyTraceHas) {
  std::string header = "start,end,node,cause";
  for (int column = 0; column < 100'000; ++column) header += "," + std::to_string(column);
  const TraceRead read = read_text(header + "\n");
  ASSERT_EQ(read.problems.size(), 1U);
  EXPECT_EQ(read.problems[0].why, "has 100004 columns");
  EXPECT_EQ(read.problems[0].suggestion, "a trace has at most 1000");
}

TEST(ReadingTraces, TakesCsvInAnyOrderOfColumns) {
  const TraceRead read = read_text(
      "\xef\xbb\xbf"
      "cause,node,start,end,system,rack\r\n"
      "\"GPU, lost\",b10,2024-01-02T00:00,2024-01-02T01:00,east,3\r\n"
      "\r\n"
      "nic,b9,2024-01-01T00:00,,east,3\r\n"
      "nic,,2024-01-03T00:00,2024-01-03T00:00,east,4\r\n"
      "nic,b9,2024-01-01T00:00,2024-01-01T00:30,west,3");
  ASSERT_TRUE(read.trace);
  const FailureTrace& trace = *read.trace;
  EXPECT_EQ(trace.reading.format, "csv");
  EXPECT_EQ(trace.reading.read, 4U);
  EXPECT_EQ(trace.reading.used, 4U);
  EXPECT_EQ(trace.reading.without_end, 1U);
  EXPECT_EQ(trace.reading.without_node, 1U);
  EXPECT_EQ(trace.reading.unread_columns, std::vector<std::string>{"rack"});
  EXPECT_EQ(trace.reading.out_of_order, 2U);  // lines 4 and 6 start before the line above them
  EXPECT_EQ(trace.reading.first_out_of_order, 4U);
  EXPECT_EQ(trace.causes, (std::vector<std::string>{"gpu_lost", "nic"}));
  ASSERT_EQ(trace.systems.size(), 2U);
  EXPECT_EQ(trace.systems[0].nodes, (std::vector<std::string>{"b9", "b10"}));
  ASSERT_EQ(trace.records.size(), 4U);
  EXPECT_EQ(trace.records[0].node, 0U);  // sorted: b9 on the first of January, without an end
  EXPECT_FALSE(trace.records[0].repair);
  EXPECT_EQ(trace.records[1].repair, 1h);
  EXPECT_EQ(trace.records[2].node, kNoNode);
  EXPECT_EQ(trace.records[2].repair, 0h);
  EXPECT_EQ(trace.records[3].system, 1U);
}

TEST(ReadingTraces, TakesLanlsColumns) {
  const TraceRead read = read_text(std::string(kLanlHeader) +
                                   "20,cluster,512,7,6/21/2005 10:54,6/21/2005 11:00,6,,CPU,,,,,No\n"
                                   "20,cluster,512,7,6/21/2005 10:00,6/21/2005 11:00,60,,,,,,,No\n"
                                   "20,cluster,512,3,1/1/2005 0:00,1/1/2005 2:00,60,,,Oops,,,,No\n"
                                   "17,,,,10/30/2004 23:30,10/31/2004 5:30,,,,,,,Other,No\n");
  ASSERT_TRUE(read.trace);
  const FailureTrace& trace = *read.trace;
  EXPECT_EQ(trace.reading.format, "lanl");
  EXPECT_EQ(trace.reading.used, 4U);
  EXPECT_EQ(trace.reading.out_of_order, 1U);  // of node 7; node 3 has records of its own
  EXPECT_EQ(trace.reading.first_out_of_order, 3U);
  EXPECT_EQ(trace.reading.without_node, 1U);
  EXPECT_EQ(trace.reading.other_duration, 1U);
  EXPECT_TRUE(trace.reading.unread_columns.empty());
  EXPECT_EQ(trace.causes, (std::vector<std::string>{"hardware", "human_error", "software", "unrecorded"}));
  ASSERT_EQ(trace.systems.size(), 2U);
  EXPECT_EQ(trace.systems[1].node_count(), 512U);
  EXPECT_EQ(trace.systems[0].node_count(), 0U);
  EXPECT_EQ(trace.records[0].repair, 6h);  // no Down Time: by the clocks
  EXPECT_EQ(trace.records[1].repair, 1h);  // Down Time, not the two hours between its dates
}

TEST(ReadingTraces, NamesEveryLineThatIsNoRecord) {
  struct Row {
    const char* line;
    Rejection reason;
    const char* says;
  };
  const Row rows[] = {
      {"2024-01-01,2024-01-02,a", Rejection::fields, "has 3 fields; the first line names 4"},
      {"2024-01-01,2024-01-02,a,b,c", Rejection::fields, "has 5 fields"},
      {"2024-01-01,2024-01-02,\"a,b", Rejection::quotes, "quotes"},
      {"2024-01-01,2024-01-02,a\"b,c", Rejection::quotes, "quotes"},
      {"yesterday,2024-01-02,a,b", Rejection::start, "start = \"yesterday\" is not a date; write ISO 8601"},
      {",2024-01-02,a,b", Rejection::start, "start is missing"},
      {"2024-01-01,2024-02-30,a,b", Rejection::end, "end = \"2024-02-30\" is not a date"},
      {"2024-01-02,2024-01-01,a,b", Rejection::negative,
       "end = \"2024-01-01\" is before the start, 2024-01-02"},
      {"2024-01-01T00:00Z,2024-01-02,a,b", Rejection::time_zone, "has a zone, and times above it have none"},
  };
  std::string text = "start,end,node,cause\n2024-01-01,2024-01-01,a,b\n";
  for (const Row& row : rows) text += std::string(row.line) + "\n";
  text += "2024-01-03,2024-01-03,a,b\n";
  const TraceRead read = read_text(text);
  ASSERT_TRUE(read.trace);
  const TraceReading& reading = read.trace->reading;
  EXPECT_EQ(reading.used, 2U);
  EXPECT_EQ(reading.read, reading.used + all_rejected(reading));
  ASSERT_EQ(reading.problems.size(), std::size(rows));
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const std::string said = reading.problems[i].text();
    EXPECT_EQ(reading.problems[i].line, i + 3) << said;
    EXPECT_NE(said.find(rows[i].says), std::string::npos) << said;
    EXPECT_FALSE(reading.problems[i].suggestion.empty()) << said;
    EXPECT_GT(reading.rejected[static_cast<std::size_t>(rows[i].reason)], 0U) << said;
  }
}

TEST(ReadingTraces, NamesEveryLineOfLanlsThatIsNoRecord) {
  struct Row {
    const char* line;
    Rejection reason;
    const char* says;
  };
  const Row rows[] = {
      {"20,,,1,2005-06-21T10:54,6/21/2005 11:00,6,,,,,,,No", Rejection::start, "write month/day/year"},
      {"20,,,1,6/21/2005 10:54,,6,,,,,,,No", Rejection::end, "end is missing"},
      {"20,,,1,6/21/2005 10:54,6/21/2005 10:53,6,,,,,,,No", Rejection::negative, "is before the start"},
      {"20,,,1,6/21/2005 10:54,6/21/2005 11:00,-6,,,,,,,No", Rejection::negative, "Down Time = \"-6\""},
      {"20,,,1,6/21/2005 10:54,6/21/2005 11:00,six,,,,,,,No", Rejection::duration,
       "is not a number of minutes"},
      {"20,,,1,6/21/2005 10:54,6/21/2005 11:00,6,Power,CPU,,,,,No", Rejection::cause,
       "is a second cause in addition to \"facilities\""},
  };
  std::string text = std::string(kLanlHeader) + "20,,,1,6/21/2005 10:54,6/21/2005 11:00,6,,,,,,,No\n";
  for (const Row& row : rows) text += std::string(row.line) + "\n";
  const TraceRead read = read_text(text);
  ASSERT_TRUE(read.trace);
  const TraceReading& reading = read.trace->reading;
  EXPECT_EQ(reading.read, 1 + std::size(rows));
  EXPECT_EQ(reading.read, reading.used + all_rejected(reading));
  ASSERT_EQ(reading.problems.size(), std::size(rows));
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const std::string said = reading.problems[i].text();
    EXPECT_EQ(reading.problems[i].line, i + 3) << said;
    EXPECT_NE(said.find(rows[i].says), std::string::npos) << said;
    EXPECT_GT(reading.rejected[static_cast<std::size_t>(rows[i].reason)], 0U) << said;
  }
}

TEST(ReadingTraces, CountsMoreThanItNames) {
  std::string text = "start,end,node,cause\n2024-01-01,2024-01-01,a,b\n";
  for (int i = 0; i < 1500; ++i) text += "never,,a,b\n";
  const TraceRead read = read_text(text);
  ASSERT_TRUE(read.trace);
  EXPECT_EQ(read.trace->reading.rejected[static_cast<std::size_t>(Rejection::start)], 1500U);
  EXPECT_EQ(read.trace->reading.problems.size(), kMostTold);
  EXPECT_EQ(read.trace->reading.untold, 1500U - kMostTold);
}

TEST(ReadingTraces, RefusesFilesWithoutWhatItNeeds) {
  struct Row {
    std::string text;
    TraceFormat format;
    const char* says;
  };
  const Row rows[] = {
      {"", TraceFormat::detect, "has no line that names its columns"},
      {"start,end,cause\n", TraceFormat::detect, ":1:1: the first line has no column \"node\""},
      {"begin,end,node,cause\n", TraceFormat::csv, "names \"begin\", \"end\", \"node\", \"cause\""},
      {"start,end,node,cause\n", TraceFormat::lanl, "has no column \"Prob Started\", \"Prob Fixed\""},
      {"start,end,node,cause,start\n", TraceFormat::csv, "names the column \"start\" twice"},
      {"start,end,node,cause\n", TraceFormat::csv, "has no record that can be used: 0 read"},
      {"start,end,node,cause\nx,,,\n", TraceFormat::csv, "has no record that can be used: 1 read"},
      {"start,\"end\n", TraceFormat::csv, "has no line that names its columns"},
      {std::string("\x00\xff\n\x01", 4), TraceFormat::detect, "has no column"},
      {"start,end,node,cause\n" + std::string(2 << 20, 'x'), TraceFormat::csv, "is longer than 1 MiB"},
  };
  for (const Row& row : rows) {
    const TraceRead read = read_text(row.text, row.format);
    EXPECT_FALSE(read.trace) << row.says;
    std::string said;
    for (const Problem& problem : read.problems) said += problem.text() + "\n";
    EXPECT_NE(said.find(row.says), std::string::npos) << said;
  }
  EXPECT_FALSE(read_failures("no/such/file.csv", TraceFormat::detect).trace);
  EXPECT_FALSE(read_failures("scenarios", TraceFormat::detect).trace);
}

template <class Compressor>
std::string compressed(const std::string& text, const Compressor& compressor) {
  std::ostringstream out;
  {
    boost::iostreams::filtering_ostream filter;
    filter.push(compressor);
    filter.push(out);
    filter << text;
  }
  return out.str();
}

TEST(ReadingTraces, TakesCompressedFilesWhole) {
  const std::string text = sample_trace(kSampleSeed);
  const TraceRead plain = read_text(text);
  ASSERT_TRUE(plain.trace);
  for (const std::string& bytes : {compressed(text, boost::iostreams::gzip_compressor()),
                                   compressed(text, boost::iostreams::lzma_compressor())}) {
    ASSERT_LT(bytes.size(), text.size());
    const TraceRead read = read_text(bytes);
    ASSERT_TRUE(read.trace) << read.problems.front().text();
    EXPECT_EQ(read.trace->records, plain.trace->records);
    // Half of it is not a trace, however many records it holds. With a changed byte it is not a trace either.
    const TraceRead half = read_text(bytes.substr(0, bytes.size() / 2));
    EXPECT_FALSE(half.trace);
    EXPECT_NE(half.problems.back().text().find("is damaged or was cut"), std::string::npos);
    std::string damaged = bytes;
    damaged[damaged.size() / 2] ^= 1;
    EXPECT_FALSE(read_text(damaged).trace);
  }
}

TEST(SampleTrace, IsWhatItsSeedGives) {
  const std::string text = sample_trace(kSampleSeed);
  if (std::getenv("GAUNTLET_REWRITE_SAMPLE") != nullptr) std::ofstream(kSampleFile, std::ios::binary) << text;
  std::ifstream file(kSampleFile, std::ios::binary);
  const std::string shipped{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(shipped, text)
      << "write it anew: GAUNTLET_REWRITE_SAMPLE=1 models_test --gtest_filter=SampleTrace.*";
  const TraceRead read = read_failures(kSampleFile, TraceFormat::detect);
  ASSERT_TRUE(read.trace);
  EXPECT_EQ(all_rejected(read.trace->reading), 0U);
  EXPECT_EQ(read.trace->reading.out_of_order, 0U);
}

}  // namespace
}  // namespace gauntlet
