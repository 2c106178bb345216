#include "core/record/fields.hpp"

#include "core/record/describe.hpp"
#include "core/record/enumerators.hpp"

#include <string_view>
#include <type_traits>
#include <utility>

namespace gauntlet {
namespace {

std::string text_of(ComponentId who) {
  return std::string(enumerator(who.kind)) + ":" + std::to_string(who.index);
}

std::string text_of(const Scope& who) {
  const std::string every = "every " + std::string(enumerator(who.kind));
  switch (who.subset) {
    case Scope::Subset::one:
      return text_of(ComponentId{who.kind, who.index});
    case Scope::Subset::all:
      return every;
    case Scope::Subset::job:
      return every + " of job:" + std::to_string(who.index);
    case Scope::Subset::stage:
      return every + " of stage:" + std::to_string(who.stage) + " of job:" + std::to_string(who.index);
  }
  return "?";
}

class Fields {
 public:
  /// What is not named is the whole: its members have no prefix.
  template <class T>
  void put(const std::string& name, const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>) {
      add(name, value);
    } else if constexpr (std::is_enum_v<T>) {
      add(name, std::string(enumerator(value)));
    } else if constexpr (std::is_integral_v<T>) {
      add(name, static_cast<std::int64_t>(value));
    } else if constexpr (std::is_same_v<T, Duration>) {
      add(name + "_ns", std::int64_t{value.count()});
    } else if constexpr (std::is_same_v<T, Time>) {
      put(name, value.time_since_epoch());
    } else if constexpr (std::is_same_v<T, ComponentId> || std::is_same_v<T, Scope>) {
      add(name, text_of(value));
    } else if constexpr (kIsVariant<T>) {
      std::visit([&](const auto& alternative) { put_alternative(name, alternative); }, value);
    } else if constexpr (Described<T>) {
      put_members(name, value);
    } else {
      put(name, value.value);  // an id
    }
  }
  std::vector<Field> take() { return std::move(fields_); }

 private:
  template <class T>
  void put_alternative(const std::string& name, const T& value) {
    if constexpr (!std::is_same_v<T, std::monostate>) {
      add(name.empty() ? "kind" : name, std::string(Describe<T>::name));
      put_members(name, value);
    }
  }
  template <class T>
  void put_members(const std::string& name, const T& value) {
    for_each_member(value, [&](std::string_view member, const auto& each) {
      put((name.empty() ? "" : name + ".") + std::string(member), each);
    });
  }
  template <class T>
  void add(const std::string& name, T value) {
    fields_.push_back({.name = name, .value = std::move(value)});
  }

  std::vector<Field> fields_;
};

}  // namespace

std::vector<Field> fields_of(const Observation& seen) {
  Fields fields;
  fields.put("", seen);
  return fields.take();
}

std::vector<Field> fields_of(const Action& ordered) {
  Fields fields;
  fields.put("", ordered);
  return fields.take();
}

}  // namespace gauntlet
