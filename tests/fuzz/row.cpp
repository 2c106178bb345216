// Rows of the store: whatever the cells hold, reading ends, and a row that is written of what was read reads as the same.
#include "study/store/rows.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <list>

using namespace gauntlet;

namespace {

/// Cells as SQLite gives them: nothing, whole numbers, real ones and texts. Texts live in `texts`.
Row make_row(FuzzedDataProvider& in, std::size_t cells, std::list<std::string>& texts) {
  Row row(cells);
  for (Cell& cell : row) {
    switch (in.ConsumeIntegralInRange(0, 4)) {
      case 0:
        break;
      case 1:
        cell = in.ConsumeIntegral<std::int64_t>();
        break;
      case 2:
        cell = in.ConsumeFloatingPoint<double>();
        break;
      case 3:
        cell = Hex{in.ConsumeIntegral<std::uint64_t>()};
        break;
      default:
        cell = std::string_view(texts.emplace_back(in.ConsumeRandomLengthString()));
    }
  }
  return row;
}

/// Cells as text, exactly: what two rows are compared by.
std::string to_text(const Row& row) {
  std::string out;
  for (const Cell& cell : row) {
    out += '|' + std::to_string(cell.index()) + ' ';
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) out += std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&cell)) out += std::to_string(*real);
    if (const auto* text = std::get_if<std::string_view>(&cell)) out += *text;
    if (const auto* hex = std::get_if<Hex>(&cell)) out += std::to_string(hex->value);
    if (const auto* latencies = std::get_if<const Latencies*>(&cell)) out += (*latencies)->text();
  }
  return out;
}

void try_replica(FuzzedDataProvider& in) {
  static const std::vector<std::string> of_study = {"gpu", "nic", "disk"}, of_scenario = {"disk", "gpu"};
  static const KindPlaces places = places_of(of_study, of_scenario);
  static const std::size_t cells = replica_columns(of_study).size();
  std::list<std::string> texts;
  const Row row = make_row(in, cells, texts);
  Figures figures, again;
  Row written, rewritten;
  read_replica_row(row, places, figures);
  fill_replica_row(7, figures, places, written);
  read_replica_row(written, places, again);
  fill_replica_row(7, again, places, rewritten);
  ensure(written.size() == cells, "a replica has a cell for each column");
  ensure(to_text(written) == to_text(rewritten), "a row of figures reads as the same figures");
}

void try_incident(FuzzedDataProvider& in) {
  static const std::vector<std::string> causes = {"start", "planned_stop", "gpu"};
  static const std::size_t cells = incident_columns().size();
  std::list<std::string> texts;
  Row row = make_row(in, cells, texts);
  if (in.ConsumeBool()) row[4] = std::string_view(causes[in.ConsumeIntegralInRange<std::size_t>(0, 2)]);
  const std::optional<Incident> incident = read_incident_row(row, causes);
  if (!incident) return;
  Row written, rewritten;
  fill_incident_row(7, 3, *incident, causes, written);
  const std::optional<Incident> again = read_incident_row(written, causes);
  ensure(again.has_value(), "a row of an incident reads as one");
  fill_incident_row(7, 3, *again, causes, rewritten);
  ensure(to_text(written) == to_text(rewritten), "a row of an incident reads as the same incident");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  if (in.ConsumeBool()) {
    try_replica(in);
  } else {
    try_incident(in);
  }
  return 0;
}
