// The files of a folder as they are at one moment: what a process that was killed leaves, whatever its code did after that.
#pragma once

#include "tests/real/scratch.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {

/// The files themselves are kept, by a second name of each beside the folder, and not their bytes alone: another process
/// that holds one open, or its lock, does so after restore() too. One at a time per folder.
class FileSnapshot {
 public:
  explicit FileSnapshot(const std::filesystem::path& folder)
      : folder_(folder), kept_(folder.string() + ".kept") {
    std::filesystem::create_directory(kept_);
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder_)) {
      Entry entry{.status = each.symlink_status(), .bytes = {}, .kept = {}};
      if (each.is_regular_file()) {
        entry.bytes = bytes_of(each.path());
        entry.kept = kept_ / std::to_string(entries_.size());
        std::filesystem::create_hard_link(each.path(), entry.kept);
      }
      entries_.emplace(each.path(), std::move(entry));
    }
  }
  ~FileSnapshot() {
    std::error_code ignored;
    std::filesystem::remove_all(kept_, ignored);
  }
  FileSnapshot(const FileSnapshot&) = delete;
  FileSnapshot& operator=(const FileSnapshot&) = delete;

  void restore() const {
    std::vector<std::filesystem::path> later;
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder_))
      if (!entries_.contains(each.path())) later.push_back(each.path());
    for (const auto& path : later) std::filesystem::remove_all(path);
    for (const auto& [path, entry] : entries_) {  // a folder before what is in it
      if (entry.kept.empty()) {
        std::filesystem::create_directory(path);
      } else {
        if (!std::filesystem::exists(path) || !std::filesystem::equivalent(path, entry.kept)) {
          std::filesystem::remove(path);
          std::filesystem::create_hard_link(entry.kept, path);
        }
        if (bytes_of(path) != entry.bytes) put_bytes(path, entry.bytes);
      }
      std::filesystem::permissions(path, entry.status.permissions());
    }
  }

 private:
  struct Entry {
    std::filesystem::file_status status;
    std::string bytes;
    std::filesystem::path kept;  // its second name; none of a folder
  };

  std::filesystem::path folder_, kept_;
  std::map<std::filesystem::path, Entry> entries_;
};

}  // namespace gauntlet
