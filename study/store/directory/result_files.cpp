#include "study/store/directory/result_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

// What a result directory may hold.
constexpr std::array kOurFiles = {kResultFile,   kReportFile, kReplicasFile,       kIncidentsFile,
                                  kOverTimeFile, kPointsFile, kDatabaseFile,       kScenarioFile,
                                  kEnoughFile,   kPageFile,   kDrillRecordingFile, kManifestFile,
                                  kOldChartFile};

}  // namespace

fs::path full_path(const fs::path& target) {
  std::error_code error;
  fs::path full = fs::absolute(target, error).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

bool is_result_file(const std::string& name) {
  return std::find(kOurFiles.begin(), kOurFiles.end(), name) != kOurFiles.end();
}

fs::path unfinished_directory(const fs::path& target) {
  fs::path part = full_path(target);
  part += ".part";
  return part;
}

std::optional<std::string> text_of(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::filesystem::path recording_of_drill(const std::filesystem::path& directory, std::uint32_t number) {
  return directory / kDrillsDirectory / (std::to_string(number) + ".rec");
}

}  // namespace gauntlet
