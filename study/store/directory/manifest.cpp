#include "study/store/directory/manifest.hpp"

#include "core/files/durable.hpp"
#include "core/files/read.hpp"
#include "core/system_advice.hpp"
#include "study/store/digest.hpp"
#include "study/store/directory/not_as_written.hpp"
#include "study/store/directory/result_files.hpp"
#include "study/summary/fingerprint_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "gauntlet-manifest-1";

/// What a manifest says, by name.
using Listed = std::map<std::string, FileDigest>;

std::string manifest_text(const Listed& listed) {
  std::string text(kHeader);
  for (const auto& [name, file] : listed)
    text += fmt::format("\n{} {} {}", fingerprint_text(file.digest), file.size, name);
  return text + '\n';
}

std::string_view take_until(char end, std::string_view& text) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

/// Nothing where the text is not what `manifest_text` makes of some list, byte for byte.
std::optional<Listed> parsed(const std::string& text) {
  Listed listed;
  std::string_view left = text;
  take_until('\n', left);
  while (!left.empty()) {
    std::string_view line = take_until('\n', left);
    FileDigest file;
    file.digest = fingerprint_of(take_until(' ', line)).value_or(0);
    const std::string_view size = take_until(' ', line);
    std::from_chars(size.data(), size.data() + size.size(), file.size);
    listed.emplace(line, file);
  }
  return manifest_text(listed) == text ? std::optional(std::move(listed)) : std::nullopt;
}

void check_file(const fs::path& file, const FileDigest& wanted) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error)))
    found(file, fmt::format("is not there; {} lists it", kManifestFile));
  const ReadDigest is = digest_of_file(file);
  if (!is.digest) found(file, is.why);
  if (is.digest->size != wanted.size)
    found(file, fmt::format("has {} bytes, and was written with {}", is.digest->size, wanted.size));
  if (*is.digest != wanted)
    found(file,
          fmt::format("is not as it was written: its digest is {}, where {} has {}",
                      fingerprint_text(is.digest->digest), kManifestFile, fingerprint_text(wanted.digest)));
}

Listed manifest_of(const fs::path& directory) {
  const fs::path manifest = directory / kManifestFile;
  if (auto why = not_a_file(manifest)) found(manifest, *why);
  const auto text = text_of(manifest);
  if (!text) found(manifest, "cannot be read");
  auto listed = parsed(*text);
  if (!listed) found(manifest, "is damaged");
  return *std::move(listed);
}

void check_all(const fs::path& directory) {
  const Listed listed = manifest_of(directory);
  for (const auto& [name, file] : listed) check_file(directory / name, file);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error))
    if (const std::string name = entry.path().filename().string();
        is_result_file(name) && name != kManifestFile && !listed.contains(name))
      found(entry.path(), fmt::format("is not in {}", kManifestFile));
  if (error) found(directory, "cannot be read: " + error.message());
}

}  // namespace

std::optional<std::string> write_manifest(const fs::path& directory, Files& files) {
  Listed listed;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    const ReadDigest digest = digest_of_file(entry.path());
    if (!digest.digest) return fmt::format("{}: {}", entry.path().filename().string(), digest.why);
    listed.emplace(entry.path().filename().string(), *digest.digest);
  }
  if (error) return error.message();
  const int failed = write_file(files, directory / kManifestFile, manifest_text(listed));
  return failed == 0 ? std::nullopt : std::optional(system_message(failed));
}

std::optional<Problem> check_listed(const fs::path& directory, const std::string& name) {
  try {
    const Listed listed = manifest_of(directory);
    const auto file = listed.find(name);
    if (file == listed.end()) found(directory / name, fmt::format("is not in {}", kManifestFile));
    check_file(directory / name, file->second);
  } catch (const Found& wrong) {
    return wrong.problem;
  }
  return std::nullopt;
}

std::optional<Problem> check_manifest(const fs::path& directory) {
  try {
    check_all(directory);
  } catch (const Found& wrong) {
    return wrong.problem;
  }
  return std::nullopt;
}

}  // namespace gauntlet
