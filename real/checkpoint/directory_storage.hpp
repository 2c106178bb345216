// Checkpoints as files in a directory that all ranks of a job see. A file is written under a temporary name, synced and renamed.
#pragma once

#include "core/files/files.hpp"
#include "real/checkpoint/storage.hpp"

#include <string>

namespace gauntlet {

/// Folders are directories below `path`, which exists; objects are the files in them.
class DirectoryStorage final : public CheckpointStorage {
 public:
  explicit DirectoryStorage(std::string path, Files& files = system_files());

  std::string name() const override { return path_; }
  Names folders() override;
  Names objects(const std::string& folder) override;
  std::optional<Flaw> read(const std::string& folder, const std::string& object, const Sink& sink) override;
  std::optional<Problem> put(const std::string& folder, const std::string& object,
                             std::string_view bytes) override;
  std::optional<Problem> remove(const std::string& folder, const std::vector<std::string>& objects) override;
  std::optional<Problem> set_aside(const std::string& folder, const std::string& aside,
                                   const std::string& first) override;
  std::optional<Problem> remove_unfinished(const std::string& folder) override;

 private:
  std::optional<Problem> sync(const std::string& directory) const;
  std::optional<Problem> remove_if_empty(const std::string& folder);

  std::string path_;
  Files& files_;
};

}  // namespace gauntlet
