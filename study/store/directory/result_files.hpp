// What is in a result directory, by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

inline constexpr std::string_view kResultFile = "result.json";
inline constexpr std::string_view kReportFile = "report.txt";
inline constexpr std::string_view kReplicasFile = "replicas.csv";
inline constexpr std::string_view kIncidentsFile = "incidents.csv";
inline constexpr std::string_view kOverTimeFile = "over-time.csv";
inline constexpr std::string_view kPointsFile = "points.csv";
inline constexpr std::string_view kDatabaseFile = "results.sqlite";
inline constexpr std::string_view kScenarioFile = "scenario.toml";
inline constexpr std::string_view kEnoughFile = "enough.toml";  // of plan: the scenario that is enough
inline constexpr std::string_view kPageFile = "report.html";
inline constexpr std::string_view kDrillRecordingFile = "drill.rec";
inline constexpr std::string_view kOldChartFile = "chart.html";  // of results that version 0.1.0 wrote
inline constexpr std::string_view kManifestFile = "manifest.txt";

/// Of `gauntlet drill --repeat`: its drills, counted from 1.
inline constexpr std::string_view kDrillsDirectory = "drills";
std::filesystem::path recording_of_drill(const std::filesystem::path& directory, std::uint32_t number);

/// Whether a file of that name may be in a result directory; `commit` writes no other.
bool is_result_file(const std::string& name);
/// Absolute, without a trailing slash, so that it has a parent and a name.
std::filesystem::path full_path(const std::filesystem::path& target);
/// DIR.part of DIR.
std::filesystem::path unfinished_directory(const std::filesystem::path& target);

/// A whole file; nothing where it cannot be read.
std::optional<std::string> text_of(const std::filesystem::path& file);

}  // namespace gauntlet
