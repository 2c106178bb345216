#include "core/files/read.hpp"
#include "study/store/directory/not_as_written.hpp"
#include "study/store/directory/result_check_private.hpp"
#include "study/store/export/csv.hpp"
#include "study/store/export/over_time.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEnd = 3, kSteps = 6, kPhase = 8;  // places of columns

/// Reads the file row by row, and knows what each row has to be.
class OverTimeCheck {
 public:
  OverTimeCheck(const fs::path& file, const ScenarioFacts& facts)
      : file_(file), reader_(file), columns_(over_time_columns()), rows_(facts) {
    const auto header = reader_.next();
    if (!header || *header != csv_fields(without_newline(OverTimeRows::header())))
      found(file_, "the columns are not those of this study's results", 1);
  }

  void check(std::uint32_t replica, const Figures& figures) {
    Sums left;  // what the rows have to add up to
    for (std::size_t phase = 0; phase < kPhases; ++phase) left[phase] = bits(figures.phases[phase].count());
    left[kPhases] = bits(figures.steps);
    Duration at{};
    for (std::size_t number = 0; at < figures.wall; ++number)
      at = check_row(replica, number, figures.wall, left);
    for (std::size_t phase = 0; phase < kPhases; ++phase)
      if (left[phase] != 0)
        found(file_, fmt::format("the rows of replica {} do not add up to {}_ns = {}", replica,
                                 kPhaseNames[phase], figures.phases[phase].count()));
    if (left[kPhases] != 0)
      found(file_, fmt::format("the rows of replica {} do not add up to steps = {}", replica, figures.steps));
    fixed_ = fixed_ || (bucket_ && figures.wall > *bucket_);
  }

  void end() {
    if (reader_.next()) found(file_, "is a row of no replica", reader_.line());
  }

 private:
  /// Of the phases, then the steps; modulo 2^64, because hostile numbers must not overflow a sum.
  using Sums = std::array<std::uint64_t, kPhases + 1>;
  static std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

  static std::string without_newline(std::string line) {
    line.pop_back();
    return line;
  }

  std::int64_t whole(const std::vector<std::string>& fields, std::size_t place) const {
    const std::string& text = fields[place];
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      found(file_, fmt::format("{} = \"{}\" is not a whole number", columns_[place].name, text),
            reader_.line());
    return value;
  }

  /// The end of the part that the next row is of.
  Duration check_row(std::uint32_t replica, std::size_t number, Duration wall, Sums& left) {
    const auto fields = reader_.next();
    if (!fields) found(file_, fmt::format("ends before replica {} does", replica));
    if (!reader_.whole()) found(file_, "the line is cut short", reader_.line());
    if (fields->size() != columns_.size())
      found(file_, fmt::format("{} fields where there are {} columns", fields->size(), columns_.size()),
            reader_.line());
    TimeBucket of;
    of.steps = whole(*fields, kSteps);
    for (std::size_t phase = 0; phase < kPhases; ++phase)
      of.phases[phase] = Duration(whole(*fields, kPhase + phase));
    if (number == 0) {  // the length of all parts, unless the replica is shorter
      const Duration first(whole(*fields, kEnd));
      if (first <= Duration::zero()) found(file_, "end_ns is not above zero", reader_.line());
      if (!fixed_ && (!bucket_ || first > *bucket_)) bucket_ = first;
    }
    std::string line;
    rows_.append(replica, number, of, *bucket_, wall, line);
    const std::vector<std::string> wanted = csv_fields(without_newline(line));
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if ((*fields)[i] != wanted[i])
        found(file_,
              fmt::format("{} = \"{}\", and it should be \"{}\"", columns_[i].name, (*fields)[i], wanted[i]),
              reader_.line());
    for (std::size_t phase = 0; phase < kPhases; ++phase) left[phase] -= bits(of.phases[phase].count());
    left[kPhases] -= bits(of.steps);
    return Duration(whole(*fields, kEnd));
  }

  fs::path file_;
  CsvReader reader_;
  std::vector<Column> columns_;
  OverTimeRows rows_;
  std::optional<Duration> bucket_;
  bool fixed_ = false;  // a replica was longer than one part
};

}  // namespace

void check_over_time(const FoundResults& results) {
  const fs::path file = results.directory / kOverTimeFile;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return;  // manifest.txt says whether it was written
  if (auto why = not_a_file(file)) found(file, *why);
  const Store& store = *results.store;
  if (store.points() != 1) found(file, "is of a study with several points");
  OverTimeCheck check(file, store.point(0).facts);
  store.read(0, store.first_replica(0), store.replicas(0),
             [&](std::uint32_t replica, const Figures& figures) { check.check(replica, figures); });
  check.end();
}

}  // namespace gauntlet
