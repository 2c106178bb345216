// The visitor that fills structs from a tree, and completes the tree with the defaults that held.
#pragma once

#include "config/fields/fields.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

class Reader final : public Fields {
 public:
  /// What to try where something is missing, before the field's example; empty where nothing is known to help.
  using Hint = std::function<std::string()>;

  /// The table at `place` is what is being described.
  explicit Reader(const Place& place, Hint hint = no_hint) : place_(place), hint_(std::move(hint)) {}

  void alternatives(std::initializer_list<std::string_view> names) override;
  void field(std::string_view name, const Type& type, const Fallback& fallback,
             std::string_view doc) override;
  void table(std::string_view name, const Describe& describe, std::string_view doc) override;
  void inline_table(std::string_view name, const Describe& describe, std::string_view doc) override;
  void catalogue(std::string_view name, std::string_view folder, const Describe& describe,
                 std::string_view doc) override;
  void entries(std::string_view name, const DescribeEntry& describe, std::string_view doc) override;
  void check(const std::function<void(const Place&)>& check) override;

  /// After the description: what is unknown or missing is reported. A check does it before it runs.
  void finish();

 private:
  struct Missing {
    std::string name, example;
  };

  static std::string no_hint() { return {}; }
  void read_table(const Place& place, const Describe& describe, Hint hint = no_hint);
  void remember(std::string_view name) { known_.push_back(name); }

  Place place_;
  std::vector<std::string_view> known_;  // literals of the description
  Hint hint_;
  std::vector<Missing> missing_;
  bool finished_ = false;
};

}  // namespace gauntlet
