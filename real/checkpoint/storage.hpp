// Where checkpoints are kept: folders of objects. A directory is one (directory_storage.hpp), and so is what has no rename.
#pragma once

#include "core/problem.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// Why an object could not be read, or is not what it should be.
struct Flaw {
  enum class Kind : std::uint8_t {
    missing,
    lasting,  // it stays as it is
    passing,  // another try may read it: no descriptor was left, no permission
  };
  Problem problem;
  Kind kind = Kind::lasting;
};

/// Any number of processes may use one storage, as long as no two put, remove or set aside the same object at one time.
class CheckpointStorage {
 public:
  virtual ~CheckpointStorage() = default;

  /// For messages: the path of the directory.
  virtual std::string name() const = 0;

  struct Names {
    std::vector<std::string> names;  // sorted
    std::optional<Problem> problem;  // they cannot be read; no names are given
  };
  virtual Names folders() = 0;
  /// The objects of a folder that were put whole; none where there is no such folder.
  virtual Names objects(const std::string& folder) = 0;

  using Sink = std::function<void(std::string_view piece)>;
  /// Hands the bytes to the sink, from the first to the last. Returns why they could not be read to the end.
  virtual std::optional<Flaw> read(const std::string& folder, const std::string& object,
                                   const Sink& sink) = 0;

  /// Makes the object, and the folder with it. A reader finds all bytes, or what was there before. When this returns nothing, the object survives
  /// a power cut. After a problem it is there or not.
  virtual std::optional<Problem> put(const std::string& folder, const std::string& object,
                                     std::string_view bytes) = 0;
  /// Removes these objects, in any order, and the folder if it is empty then. What is not there is no problem. When this returns nothing, they
  /// stay removed after a power cut.
  virtual std::optional<Problem> remove(const std::string& folder,
                                        const std::vector<std::string>& objects) = 0;
  /// Moves the objects of a folder to another one that is empty: `first` before the others. After a death half-way, each is in either
  /// folder, or in both.
  virtual std::optional<Problem> set_aside(const std::string& folder, const std::string& aside,
                                           const std::string& first) = 0;
  /// Removes what writers that died left of objects of this folder. Nobody may be writing to it.
  virtual std::optional<Problem> remove_unfinished(const std::string& folder) = 0;

  struct Object {
    std::optional<std::string> bytes;
    Flaw flaw;  // where there are none
  };
  /// All bytes at once.
  Object read_whole(const std::string& folder, const std::string& object) {
    std::string bytes;
    if (auto flaw = read(folder, object, [&](std::string_view piece) { bytes += piece; }))
      return {{}, std::move(*flaw)};
    return {std::move(bytes), {}};
  }
  /// For messages.
  std::string path_of(const std::string& folder, const std::string& object = {}) const {
    return name() + "/" + folder + (object.empty() ? "" : "/" + object);
  }
};

}  // namespace gauntlet
