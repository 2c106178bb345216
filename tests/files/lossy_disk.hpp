// What a disk holds, and what it may lose when the power is cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// The files under one directory as a disk knows them. It keeps every write to a file, and every change of a name, until a sync
/// makes it durable. A power cut keeps any part of the others: writes sector by sector, names one by one, in any order.
///
/// What POSIX leaves open is decided against the program: syncing a file does not make its name durable, and a new file whose
/// name survived may be empty. A rename is one change, also between two directories, and is durable once either is synced.
class LossyDisk {
 public:
  using Inode = std::size_t;

  /// What is under the root already is durable.
  explicit LossyDisk(std::filesystem::path root);

  /// The file or directory of that name, if the disk knows it.
  std::optional<Inode> find(const std::filesystem::path& path) const;
  /// Gives a new, empty file or directory that name.
  Inode create(const std::filesystem::path& path, bool is_directory);
  void remove(const std::filesystem::path& path);
  void rename(const std::filesystem::path& from, const std::filesystem::path& to);
  void exchange(const std::filesystem::path& one, const std::filesystem::path& other);

  void write(Inode file, std::uint64_t offset, std::string_view bytes);
  void append(Inode file, std::string_view bytes) { write(file, nodes_[file].size, bytes); }
  void truncate(Inode file, std::uint64_t size);

  /// Makes durable what is pending: of a file its bytes, of a directory its names.
  void sync(Inode node);
  void sync_everything();
  /// A sync of a file failed: half of what was pending is on the disk, and no later sync writes the rest.
  void fail_sync(Inode node);
  /// A sync of a file or directory said that all is well: the same, and of the names none is on the disk or ever will be.
  void lie_about_sync(Inode node);

  /// Writes the files that are left after a power cut into an empty directory. Seed 0 loses everything that may be lost; 1
  /// loses nothing; 2 loses bytes and no names; 3 loses names and no bytes; any other decides for each change.
  void cut_power(std::uint64_t seed, const std::filesystem::path& into) const;

 private:
  struct Change {
    std::uint64_t number = 0;  // among all of the disk
    bool is_truncation = false;
    std::uint64_t offset = 0;  // or the new size
    std::string bytes;
  };
  struct Node {
    bool is_directory = false;
    std::uint64_t size = 0;  // as the program sees it
    std::string durable;
    std::vector<Change> pending;
    std::map<std::string, Inode> names, durable_names;
  };
  struct Naming {
    Inode directory = 0;
    std::string name;
    std::optional<Inode> is;  // nothing: removed
  };
  /// Namings that happen at one instant.
  struct NameChange {
    std::uint64_t number = 0;
    std::vector<Naming> namings;
    bool touches(Inode directory) const;
  };
  struct Place {
    Inode directory = 0;
    std::string name;
  };

  void read_in(Inode directory, const std::filesystem::path& path);
  std::optional<Place> place_of(const std::filesystem::path& path) const;
  void name(std::vector<Naming> namings);
  void add(Inode file, Change change);
  void write_out(Inode node, const std::vector<std::map<std::string, Inode>>& names, std::uint64_t seed,
                 const std::filesystem::path& into) const;
  static std::string bytes_left(const Node& file, std::uint64_t seed);

  std::filesystem::path root_;
  std::vector<Node> nodes_;
  std::vector<NameChange> pending_names_;
  std::uint64_t changes_ = 0;
};

}  // namespace gauntlet
