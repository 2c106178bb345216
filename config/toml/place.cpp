#include "config/toml/place.hpp"

namespace gauntlet {
namespace {

/// A whole table or a long list says less than its name.
std::string named(const std::string& path, const Value& value) {
  return value.table() != nullptr ? path : path + " = " + excerpt(value);
}

}  // namespace

std::string Place::path_of(std::string_view inside) const {
  if (inside.empty()) return path_;
  return path_.empty() ? std::string(inside) : path_ + "." + std::string(inside);
}

std::optional<Place> Place::find(std::string_view inside) const {
  Value* found = value_->find(inside);
  if (found == nullptr) return {};
  return Place(*found, path_of(inside), *mistakes_);
}

bool Place::given(std::string_view inside) const {
  const Value* found = value_->find(inside);
  return found != nullptr && found->at.written();
}

void Place::mistake(std::string why, std::string suggestion) const {
  mistakes_->add(value_->at, path_, named(path_, *value_), std::move(why), std::move(suggestion));
}

/// What a message about a member says of it, and where.
Place::Said Place::said_of(std::string_view inside) const {
  const auto found = find(inside);
  if (found && given(inside)) return {found->value().at, found->path(), named(found->path(), found->value())};
  // Nobody wrote it: the place is that of the table that it belongs to.
  const std::size_t dot = inside.rfind('.');
  const auto around = dot == std::string_view::npos ? std::nullopt : find(inside.substr(0, dot));
  const std::string path = path_of(inside);
  if (!found) return {around ? around->value().at : value_->at, path, path};
  const bool model = found->value().at.kind == Origin::Kind::model;
  const std::string what =
      path + " = " + excerpt(found->value()) + (model ? ", by its model," : ", by default,");
  return {around ? around->value().at : value_->at, path, what};
}

void Place::mistake_at(std::string_view inside, std::string why, std::string suggestion) const {
  const Said said = said_of(inside);
  mistakes_->add(said.at, said.path, said.what, std::move(why), std::move(suggestion));
}

void Place::warning_at(std::string_view inside, std::string why, std::string suggestion) const {
  const Said said = said_of(inside);
  mistakes_->warn(said.at, said.what, std::move(why), std::move(suggestion));
}

void Place::mistake_of_key(std::string_view key, std::string why, std::string suggestion) const {
  const auto found = value_->table()->find(key);
  const std::string path = path_of(key_to_toml(key));
  mistakes_->add(found->second.key_at, path, path, std::move(why), std::move(suggestion));
}

}  // namespace gauntlet
