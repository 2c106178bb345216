// A storage without rename, as object stores are: whole objects by name, which fail at a chosen call.
#pragma once

#include "real/checkpoint/storage.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// What goes wrong at which change, counted from 1.
struct StoreFault {
  enum class Kind {
    none,
    kill_before,  // this change and all later calls fail, and change nothing
    kill_after,   // this change is made and not answered; all later calls fail
    full,         // this put and all later ones fail
    lie,          // this put is acknowledged and will be lost
  } kind = Kind::none;
  std::uint64_t at = 0;
};

class ObjectStore final : public CheckpointStorage {
 public:
  using Key = std::pair<std::string, std::string>;  // folder, object

  explicit ObjectStore(StoreFault fault = {}) : fault_(fault) {}
  /// Another client of the same objects, for which nothing fails.
  explicit ObjectStore(std::map<Key, std::string>& shared) : shared_(&shared) {}

  /// What is there once the lie shows.
  std::map<Key, std::string> left() const;
  std::map<Key, std::string>& live() { return *shared_; }
  std::uint64_t changes() const { return changes_; }
  bool is_off() const { return is_off_; }

  std::string name() const override { return "objects"; }
  Names folders() override;
  Names objects(const std::string& folder) override;
  std::optional<Flaw> read(const std::string& folder, const std::string& object, const Sink& sink) override;
  std::optional<Problem> put(const std::string& folder, const std::string& object,
                             std::string_view bytes) override;
  std::optional<Problem> remove(const std::string& folder, const std::vector<std::string>& objects) override;
  /// Copies each object and then deletes it.
  std::optional<Problem> set_aside(const std::string& folder, const std::string& aside,
                                   const std::string& first) override;
  std::optional<Problem> remove_unfinished(const std::string&) override { return std::nullopt; }

 private:
  enum class Change : std::uint8_t { put, remove };
  enum class Answer : std::uint8_t { done, refused, lied, done_unheard };
  Answer meet(Change change);
  std::optional<Problem> put_one(const Key& key, std::string_view bytes);
  std::optional<Problem> remove_one(const Key& key);

  StoreFault fault_;
  std::uint64_t changes_ = 0;
  bool is_off_ = false;
  std::map<Key, std::string> own_;
  std::map<Key, std::string>* shared_ = &own_;
  std::vector<Key> lost_;
};

}  // namespace gauntlet
