// A value of the scenario while it is being read: what it is, where it stands, and where mistakes about it go.
#pragma once

#include "config/toml/mistakes.hpp"
#include "config/toml/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {

/// A view; the tree and the mistakes outlive it.
class Place {
 public:
  Place(Value& value, std::string path, Mistakes& mistakes)
      : value_(&value), path_(std::move(path)), mistakes_(&mistakes) {}

  Value& value() const { return *value_; }
  const std::string& path() const { return path_; }
  Mistakes& mistakes() const { return *mistakes_; }

  /// The path of what `inside` names here.
  std::string path_of(std::string_view inside) const;
  /// A member, or a member of a member ("layout.tp").
  std::optional<Place> find(std::string_view inside) const;
  /// There, and not by default.
  bool given(std::string_view inside) const;
  /// No mistake in it, around it or in what belongs to it.
  bool sound(std::string_view inside) const { return mistakes_->sound(path_of(inside)); }
  template <class... Paths>
  bool all_sound(Paths... inside) const {
    return (sound(inside) && ...);
  }

  /// `job.layout.tp = 3 divides nothing; write 4`
  void mistake(std::string why, std::string suggestion = {}) const;
  /// About a member; where nobody wrote it, the place is that of the table around it.
  void mistake_at(std::string_view inside, std::string why, std::string suggestion = {}) const;
  /// No mistake, but its consequence is seldom meant.
  void warning_at(std::string_view inside, std::string why, std::string suggestion = {}) const;
  /// About a key of this table that should not be there.
  void mistake_of_key(std::string_view key, std::string why, std::string suggestion) const;

 private:
  struct Said {
    Origin at;
    std::string path, what;
  };
  Said said_of(std::string_view inside) const;

  Value* value_;
  std::string path_;
  Mistakes* mistakes_;
};

}  // namespace gauntlet
