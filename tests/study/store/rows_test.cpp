#include "study/store/rows.hpp"

#include "core/most_fault_kinds.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gauntlet {
namespace {

std::int64_t integer(const Row& row, const std::vector<Column>& columns, const std::string& name) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == name) return std::get<std::int64_t>(row[i]);
  ADD_FAILURE() << "no column " << name;
  return -1;
}

TEST(Rows, AReplicaHasACellForEveryColumn) {
  const std::vector<std::string> faults = sample_facts().faults;
  const std::vector<Column> columns = replica_columns(faults);
  const Figures figures = sample_figures(1);
  Row row;
  fill_replica_row(4, figures, places_of(faults, faults), row);
  ASSERT_EQ(row.size(), columns.size());
  EXPECT_EQ(columns[3].name, "wall_ns");
  EXPECT_EQ(columns[4].name, "effective_ns");
  EXPECT_EQ(columns[4 + kPhases].name, "lost.start.slowdown_ns");
  EXPECT_EQ(integer(row, columns, "replica"), 4);
  EXPECT_EQ(integer(row, columns, "wall_ns"), 3'600'000'000'000);
  EXPECT_EQ(integer(row, columns, "restarting_ns"), 101'000'000'000);
  EXPECT_EQ(integer(row, columns, "lost.start.restarting_ns"), 100'000'000'000);
  EXPECT_EQ(integer(row, columns, "lost.gpu.recomputing_ns"), 349'000'000'000);
  EXPECT_EQ(integer(row, columns, "lost.nic.planned_ns"), 0);
  EXPECT_EQ(integer(row, columns, "interruptions"), 4);
  EXPECT_EQ(integer(row, columns, "spares_max_in_use"), 2);
  EXPECT_EQ(integer(row, columns, "faults.gpu"), 3);
  EXPECT_EQ(integer(row, columns, "met.gpu"), 4);
  EXPECT_EQ(integer(row, columns, "missed_ns.gpu"), 40'000'000'000);
  EXPECT_EQ(integer(row, columns, "wrong_evictions_ns.gpu"), 20'000'000'000);
  EXPECT_EQ(integer(row, columns, "wrong_evictions_ns"), 25'000'000'000);
}

// https://www.sqlite.org/limits.html: 2,000 columns, as SQLite is built by default.
TEST(Rows, HaveRoomForAsManyKindsAsScenariosMayHave) {
  const std::vector<std::string> most(kMostFaultKinds), more(kMostFaultKinds + 1);
  EXPECT_LE(replica_columns(most).size(), 2000u);
  EXPECT_GT(replica_columns(more).size(), 2000u);
}

TEST(Rows, KindsThatAScenarioDoesNotHaveAreEmptyAndTheOthersAreInTheirPlace) {
  const std::vector<std::string> of_study = {"nic", "disk", "gpu"};
  const std::vector<Column> columns = replica_columns(of_study);
  const KindPlaces places = places_of(of_study, sample_facts().faults);
  const Figures figures = sample_figures(1);
  Row row;
  fill_replica_row(4, figures, places, row);
  ASSERT_EQ(row.size(), columns.size());
  EXPECT_EQ(integer(row, columns, "lost.gpu.recomputing_ns"), 349'000'000'000);
  EXPECT_EQ(integer(row, columns, "lost.nic.recomputing_ns"), 100'000'000'000);
  EXPECT_EQ(integer(row, columns, "faults.gpu"), 3);
  for (std::size_t i = 0; i < columns.size(); ++i)
    EXPECT_EQ(std::holds_alternative<std::monostate>(row[i]),
              columns[i].name.find("disk") != std::string::npos)
        << columns[i].name;
  Figures back;
  read_replica_row(row, places, back);
  EXPECT_EQ(back.lost, sample_figures(1).lost);
  EXPECT_EQ(back.faults, sample_figures(1).faults);
  EXPECT_EQ(back.fault_scores, sample_figures(1).fault_scores);
  EXPECT_EQ(back.compensated, sample_figures(1).compensated);
  EXPECT_EQ(back.compensated_work, sample_figures(1).compensated_work);
  EXPECT_EQ(back.tiltable_strikes, sample_figures(1).tiltable_strikes);
  EXPECT_EQ(back.tiltable_expected, sample_figures(1).tiltable_expected);
}

TEST(Rows, AnIncidentHasACellForEveryColumn) {
  const std::vector<Column> columns = incident_columns();
  const std::vector<std::string> causes = cause_names(sample_facts());
  Incident incident = sample_figures(0).incidents[0];
  Row row;
  fill_incident_row(4, 2, incident, causes, row);
  ASSERT_EQ(row.size(), columns.size());
  EXPECT_EQ(integer(row, columns, "incident"), 2);
  EXPECT_EQ(std::get<std::string_view>(row[4]), "gpu");  // the cause
  EXPECT_EQ(integer(row, columns, "component_index"), 5);
  EXPECT_EQ(integer(row, columns, "detection_latency_ns"), 30'000'000'000);
  EXPECT_EQ(integer(row, columns, "lost.restarting_ns"), 60'000'000'000);
  EXPECT_EQ(integer(row, columns, "noticed_by_person"), 0);
  EXPECT_EQ(integer(row, columns, "handled_without_person"), 1);
  EXPECT_EQ(integer(row, columns, "wrong_evictions_ns"), 20'000'000'000);

  incident.detected = false;
  fill_incident_row(4, 2, incident, causes, row);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(row[8])) << "a latency that nobody measured is not zero";
}

TEST(Rows, ColumnsHaveANameEach) {
  for (const auto& columns : {replica_columns(sample_facts().faults), incident_columns()}) {
    std::set<std::string> names;
    for (const Column& column : columns) EXPECT_TRUE(names.insert(column.name).second) << column.name;
  }
}

}  // namespace
}  // namespace gauntlet
