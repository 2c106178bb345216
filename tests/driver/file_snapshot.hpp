// The files of a folder as they are at one moment: what a process that was killed leaves, whatever its code did after that.
#pragma once

#include "tests/real/scratch.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace gauntlet {

class FileSnapshot {
 public:
  explicit FileSnapshot(std::filesystem::path folder) : folder_(std::move(folder)) {
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder_))
      files_.emplace(each.path(), each.is_directory() ? std::string() : bytes_of(each.path()));
    for (const auto& [path, bytes] : files_) modes_.emplace(path, std::filesystem::status(path));
  }

  void restore() const {
    for (const auto& each : std::filesystem::directory_iterator(folder_))
      std::filesystem::remove_all(each.path());
    for (const auto& [path, bytes] : files_) {  // a folder before what is in it
      if (std::filesystem::is_directory(modes_.at(path))) {
        std::filesystem::create_directory(path);
      } else {
        put_bytes(path, bytes);
      }
      std::filesystem::permissions(path, modes_.at(path).permissions());
    }
  }

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::string> files_;
  std::map<std::filesystem::path, std::filesystem::file_status> modes_;
};

}  // namespace gauntlet
