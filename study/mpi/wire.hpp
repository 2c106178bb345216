// Numbers to bytes and back: small ones take few. The same bytes on every machine.
#pragma once

#include "core/record/little_endian.hpp"
#include "core/time.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace gauntlet {

/// Appends to a string: whole numbers in 7 bits a byte, the lowest first; signed ones zigzag (0, -1, 1, -2, ...); a double
/// in 8 bytes. (https://protobuf.dev/programming-guides/encoding/ describes both.)
class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}

  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      put_little_endian(std::bit_cast<std::uint64_t>(value), sizeof(double), out_);
    } else if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_signed_v<T>) {
      const auto wide = static_cast<std::int64_t>(value);
      number(static_cast<std::uint64_t>(wide) << 1 ^ static_cast<std::uint64_t>(wide >> 63));
    } else if constexpr (std::is_unsigned_v<T>) {
      number(value);
    } else if constexpr (std::is_same_v<T, Duration>) {
      put(value.count());
    } else if constexpr (std::is_same_v<T, Time>) {
      put(value.time_since_epoch().count());
    } else {
      text(value);
    }
  }

 private:
  void byte(std::uint64_t value) { out_.push_back(static_cast<char>(value & 0xff)); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte((value & 0x7f) | 0x80);
    byte(value);
  }
  void text(std::string_view value) {
    number(value.size());
    out_.append(value);
  }

  std::string& out_;
};

/// Reads what WireWriter wrote; bytes that nobody wrote make it bad and leave values as they come.
class WireReader {
 public:
  explicit WireReader(std::string_view in) : in_(in) {}
  bool good() const { return good_; }
  /// All was read, and well.
  bool done() const { return good_ && in_.empty(); }
  std::size_t left() const { return in_.size(); }
  void fail() { good_ = false; }

  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, double>) {
      if (in_.size() < sizeof(double)) return fail();
      value = std::bit_cast<double>(take_little_endian(in_, sizeof(double)));
    } else if constexpr (std::is_enum_v<T>) {
      const std::uint64_t bits = number();
      value = static_cast<T>(bits);
      if (static_cast<std::uint64_t>(value) != bits) fail();
    } else if constexpr (std::is_signed_v<T>) {
      const std::uint64_t bits = number();
      value = static_cast<T>(static_cast<std::int64_t>(bits >> 1 ^ (~(bits & 1) + 1)));
    } else if constexpr (std::is_same_v<T, bool>) {
      const std::uint64_t bits = number();
      value = bits == 1;
      if (bits > 1) fail();
    } else if constexpr (std::is_unsigned_v<T>) {
      const std::uint64_t bits = number();
      value = static_cast<T>(bits);
      if (value != bits) fail();
    } else if constexpr (std::is_same_v<T, Duration>) {
      Duration::rep count = 0;
      get(count);
      value = Duration(count);
    } else if constexpr (std::is_same_v<T, Time>) {
      Duration::rep count = 0;
      get(count);
      value = Time(Duration(count));
    } else {
      text(value);
    }
  }

  /// How many values follow, each of at least a byte: never more than there are bytes.
  std::size_t count() {
    const std::uint64_t count = number();
    if (count > in_.size()) fail();
    return good_ ? static_cast<std::size_t>(count) : 0;
  }

 private:
  std::uint8_t byte() {
    if (in_.empty()) {
      fail();
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(in_.front());
    in_.remove_prefix(1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7fU} << shift;
      if (shift == 63 && next > 1) break;  // beyond 64 bits
      if (next < 0x80) return value;
    }
    fail();
    return 0;
  }
  void text(std::string& value) {
    const std::size_t size = count();
    value.assign(in_.substr(0, size));
    in_.remove_prefix(size);
  }

  std::string_view in_;
  bool good_ = true;
};

}  // namespace gauntlet
