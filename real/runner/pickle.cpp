#include "real/runner/pickle.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

namespace gauntlet {

namespace {

constexpr std::size_t kMostValues = std::size_t{1} << 20;
constexpr std::size_t kDeepest =
    1000;  // marks within each other; CPython's reader has no bound, PyTorch's dumps nest six

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The number of little-endian bytes.
std::uint64_t number_of(std::string_view bytes) {
  std::uint64_t number = 0;
  for (auto each = bytes.rbegin(); each != bytes.rend(); ++each)
    number = number << 8U | static_cast<unsigned char>(*each);
  return number;
}

/// The two's complement of up to eight little-endian bytes.
std::int64_t signed_of(std::string_view bytes) {
  std::uint64_t number = number_of(bytes);
  const std::size_t bits = 8 * bytes.size();
  if (bits > 0 && bits < 64 && (number >> (bits - 1)) != 0) number |= ~std::uint64_t{0} << bits;
  return static_cast<std::int64_t>(number);
}

}  // namespace

/// Names of opcodes are those of Python's pickletools.
class PickleMachine {
 public:
  explicit PickleMachine(std::string_view bytes) : bytes_(bytes) {}

  PickledData run() {
    while (step(take(1).front())) {
    }
    data_.root_ = pop();
    return std::move(data_);
  }

 private:
  using Node = PickledData::Node;
  using Value = PickledData::Value;

  /// Returns whether the program goes on.
  bool step(char opcode) {
    switch (opcode) {
      case '.':  // STOP
        return false;
      case '\x80':  // PROTO
        take(1);
        return true;
      case '\x95':  // FRAME
        take(8);
        return true;
      case '(':  // MARK
        if (marks_.size() == kDeepest) throw Refused("it nests deeper than " + std::to_string(kDeepest));
        marks_.push_back(stack_.size());
        return true;
      default:
        if (!constant(opcode) && !container(opcode) && !memory(opcode)) refuse(opcode);
        return true;
    }
  }

  bool constant(char opcode) {
    switch (opcode) {
      case 'N':  // NONE
        return push(std::monostate());
      case '\x88':  // NEWTRUE
      case '\x89':  // NEWFALSE
        return push(opcode == '\x88');
      case 'K':  // BININT1
        return push(static_cast<std::int64_t>(number_of(take(1))));
      case 'M':  // BININT2
        return push(static_cast<std::int64_t>(number_of(take(2))));
      case 'J':  // BININT
        return push(signed_of(take(4)));
      case '\x8a':  // LONG1
        return push(signed_of(long_digits()));
      case 'G': {  // BINFLOAT, the highest byte first
        std::string digits(take(8));
        std::reverse(digits.begin(), digits.end());
        return push(std::bit_cast<double>(number_of(digits)));
      }
      case 'X':  // BINUNICODE
        return push(take(number_of(take(4))));
      case '\x8c':  // SHORT_BINUNICODE
        return push(take(number_of(take(1))));
      default:
        return false;
    }
  }

  bool container(char opcode) {
    switch (opcode) {
      case ']':  // EMPTY_LIST
      case ')':  // EMPTY_TUPLE
        return push(PickledData::Items());
      case '}':  // EMPTY_DICT
        return push(PickledData::Entries());
      case 't':  // TUPLE
        return push(pop_to_mark());
      case '\x85':  // TUPLE1
      case '\x86':  // TUPLE2
      case '\x87':  // TUPLE3
        return push(pop_many(static_cast<std::size_t>(opcode - '\x85') + 1));
      case 'a':  // APPEND
        return append(pop_many(1));
      case 'e':  // APPENDS
        return append(pop_to_mark());
      case 's':  // SETITEM
        return set_items(pop_many(2));
      case 'u':  // SETITEMS
        return set_items(pop_to_mark());
      default:
        return false;
    }
  }

  bool memory(char opcode) {
    switch (opcode) {
      case 'q':  // BINPUT
        return keep(number_of(take(1)));
      case 'r':  // LONG_BINPUT
        return keep(number_of(take(4)));
      case '\x94':  // MEMOIZE
        return keep(memo_.size());
      case 'h':  // BINGET
        return push_again(number_of(take(1)));
      case 'j':  // LONG_BINGET
        return push_again(number_of(take(4)));
      default:
        return false;
    }
  }

  [[noreturn]] void refuse(char opcode) const {
    char text[120];
    std::snprintf(text, sizeof text,
                  "byte %zu is the opcode 0x%02x, which is not one of plain data; it is not executed",
                  next_ - 1, static_cast<unsigned>(static_cast<unsigned char>(opcode)));
    throw Refused(text);
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - next_)
      throw Refused("it ends after " + std::to_string(bytes_.size()) + " bytes, before its last opcode");
    next_ += count;
    return bytes_.substr(next_ - count, count);
  }

  std::string_view long_digits() {
    const std::uint64_t count = number_of(take(1));
    if (count > sizeof(std::int64_t)) throw Refused("it holds an integer of more than 64 bits");
    return take(count);
  }

  bool push(Value value) {
    if (data_.values_.size() == kMostValues)
      throw Refused("it holds more than " + std::to_string(kMostValues) + " values");
    data_.values_.push_back(std::move(value));
    stack_.push_back(static_cast<Node>(data_.values_.size() - 1));
    return true;
  }

  bool keep(std::uint64_t place) {
    if (memo_.size() == kMostValues)
      throw Refused("it keeps more than " + std::to_string(kMostValues) + " values");
    memo_[place] = top();
    return true;
  }

  bool push_again(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) throw Refused("it refers to a value that it has not kept");
    stack_.push_back(found->second);
    return true;
  }

  /// What lies above the last mark can be taken.
  std::size_t height() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  Node top() const {
    if (height() == 0) throw Refused("it takes a value from an empty stack");
    return stack_.back();
  }
  Node pop() {
    const Node node = top();
    stack_.pop_back();
    return node;
  }
  PickledData::Items pop_many(std::size_t count) {
    if (height() < count) throw Refused("it takes a value from an empty stack");
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    PickledData::Items items(first, stack_.end());
    stack_.erase(first, stack_.end());
    return items;
  }
  PickledData::Items pop_to_mark() {
    if (marks_.empty()) throw Refused("it ends a list that has not begun");
    PickledData::Items items = pop_many(height());
    marks_.pop_back();
    return items;
  }

  bool append(const PickledData::Items& items) {
    auto* list = std::get_if<PickledData::Items>(&data_.values_[top()]);
    if (list == nullptr) throw Refused("it appends to what is not a list");
    list->insert(list->end(), items.begin(), items.end());
    return true;
  }
  bool set_items(const PickledData::Items& items) {
    auto* entries = std::get_if<PickledData::Entries>(&data_.values_[top()]);
    if (entries == nullptr || items.size() % 2 != 0)
      throw Refused("it sets items of what is not a dictionary");
    for (std::size_t i = 0; i < items.size(); i += 2) entries->emplace_back(items[i], items[i + 1]);
    return true;
  }

  std::string_view bytes_;
  std::size_t next_ = 0;
  PickledData data_;
  std::vector<Node> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::map<std::uint64_t, Node> memo_;
};

std::optional<PickledData::Node> PickledData::find(Node node, std::string_view key) const {
  const auto* entries = std::get_if<Entries>(&values_.at(node));
  if (entries == nullptr) return std::nullopt;
  const auto found = std::find_if(entries->rbegin(), entries->rend(), [&](const auto& entry) {
    const auto* text = std::get_if<std::string_view>(&values_[entry.first]);
    return text != nullptr && *text == key;
  });
  return found == entries->rend() ? std::nullopt : std::optional(found->second);
}

ReadPickle read_pickle(std::string_view bytes) {
  try {
    return {.data = PickleMachine(bytes).run()};
  } catch (const Refused& refused) {
    return {.why = refused.what()};
  }
}

}  // namespace gauntlet
