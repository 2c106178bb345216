// The plain data of a Python pickle, read without executing anything: no class is looked up and no function is called.
//
// A pickle is a program for a stack machine. Its opcodes for None, numbers, texts, lists, tuples and dictionaries are carried out
// here. Every other opcode is refused, among them all that import or call something (GLOBAL, REDUCE, BUILD, ...).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

/// Values that refer to each other by number. A value that is used twice is there once, and a list may hold itself.
class PickledData {
 public:
  using Node = std::uint32_t;
  using Items = std::vector<Node>;                     // of a list or a tuple
  using Entries = std::vector<std::pair<Node, Node>>;  // of a dictionary: keys and values
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string_view, Items, Entries>;

  const Value& at(Node node) const { return values_.at(node); }
  Node root() const { return root_; }
  /// The last value of that key. Nothing where `node` is not a dictionary or has no such key.
  std::optional<Node> find(Node node, std::string_view key) const;
  /// The value of that key if it is of that type; null otherwise.
  template <class Type>
  const Type* find_as(Node node, std::string_view key) const {
    const std::optional<Node> found = find(node, key);
    return found ? std::get_if<Type>(&values_[*found]) : nullptr;
  }

 private:
  friend class PickleMachine;
  std::vector<Value> values_;
  Node root_ = 0;
};

struct ReadPickle {
  PickledData data{};
  std::string why{};  // the bytes cannot be read; empty: they were
};

/// Protocols 1 to 5. The texts of the result lie in `bytes`. Memory and time are proportional to the bytes, and there are at most 2^20
/// values (a flight recorder of 2,000 collectives has 60,000).
ReadPickle read_pickle(std::string_view bytes);

}  // namespace gauntlet
