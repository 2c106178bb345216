#include "tests/files/object_store.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

Problem refused(const ObjectStore::Key& key) {
  return {.file = key.first + "/" + key.second, .what = "was not changed", .why = "(the store failed)"};
}

}  // namespace

std::map<ObjectStore::Key, std::string> ObjectStore::left() const {
  auto left = *shared_;
  for (const Key& key : lost_) left.erase(key);
  return left;
}

ObjectStore::Answer ObjectStore::meet(Change change) {
  using Kind = StoreFault::Kind;
  if (is_off_) return Answer::refused;
  ++changes_;
  if (changes_ < fault_.at) return Answer::done;
  const bool now = changes_ == fault_.at, puts = change == Change::put;
  if (fault_.kind == Kind::full && puts) return Answer::refused;
  if (!now) return Answer::done;
  is_off_ = fault_.kind == Kind::kill_before || fault_.kind == Kind::kill_after;
  if (fault_.kind == Kind::kill_before) return Answer::refused;
  if (fault_.kind == Kind::kill_after) return Answer::done_unheard;
  return fault_.kind == Kind::lie && puts ? Answer::lied : Answer::done;
}

std::optional<Problem> ObjectStore::put_one(const Key& key, std::string_view bytes) {
  const Answer answer = meet(Change::put);
  if (answer == Answer::refused) return refused(key);
  std::erase(lost_, key);
  (*shared_)[key] = bytes;
  if (answer == Answer::lied) lost_.push_back(key);
  return answer == Answer::done_unheard ? std::optional(refused(key)) : std::nullopt;
}

std::optional<Problem> ObjectStore::remove_one(const Key& key) {
  const Answer answer = meet(Change::remove);
  if (answer == Answer::refused) return refused(key);
  shared_->erase(key);
  return answer == Answer::done_unheard ? std::optional(refused(key)) : std::nullopt;
}

CheckpointStorage::Names ObjectStore::folders() {
  if (is_off_) return {{}, refused({})};
  Names found;
  for (const auto& [key, bytes] : *shared_)
    if (found.names.empty() || found.names.back() != key.first) found.names.push_back(key.first);
  return found;
}

CheckpointStorage::Names ObjectStore::objects(const std::string& folder) {
  if (is_off_) return {{}, refused({folder, ""})};
  Names found;
  for (const auto& [key, bytes] : *shared_)
    if (key.first == folder) found.names.push_back(key.second);
  return found;
}

std::optional<Flaw> ObjectStore::read(const std::string& folder, const std::string& object,
                                      const Sink& sink) {
  const Key key{folder, object};
  if (is_off_) return Flaw{refused(key), Flaw::Kind::passing};
  const auto found = shared_->find(key);
  if (found == shared_->end()) return Flaw{refused(key), Flaw::Kind::missing};
  // In two pieces, as a network has them.
  const std::string_view bytes = found->second;
  sink(bytes.substr(0, bytes.size() / 2));
  sink(bytes.substr(bytes.size() / 2));
  return std::nullopt;
}

std::optional<Problem> ObjectStore::put(const std::string& folder, const std::string& object,
                                        std::string_view bytes) {
  return put_one({folder, object}, bytes);
}

std::optional<Problem> ObjectStore::remove(const std::string& folder,
                                           const std::vector<std::string>& objects) {
  for (const std::string& object : objects)
    if (auto problem = remove_one({folder, object})) return problem;
  return std::nullopt;
}

std::optional<Problem> ObjectStore::set_aside(const std::string& folder, const std::string& aside,
                                              const std::string& first) {
  std::vector<std::string> all = objects(folder).names;
  std::stable_partition(all.begin(), all.end(), [&](const std::string& name) { return name == first; });
  for (const std::string& each : all) {
    if (auto problem = put_one({aside, each}, shared_->at({folder, each}))) return problem;
    if (auto problem = remove_one({folder, each})) return problem;
  }
  return std::nullopt;
}

}  // namespace gauntlet
