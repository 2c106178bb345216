// Whole numbers as bytes, the lowest first: the same on every machine.
#pragma once

#include "core/contract.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gauntlet {

/// Appends the lowest `bytes` bytes of `value` to a string or a vector of bytes.
template <class Bytes>
void put_little_endian(std::uint64_t value, std::size_t bytes, Bytes& out) {
  for (std::size_t i = 0; i < bytes; ++i)
    out.push_back(static_cast<typename Bytes::value_type>(value >> (8 * i) & 0xff));
}

/// Takes `bytes` bytes from the front of `in`, which has as many.
inline std::uint64_t take_little_endian(std::string_view& in, std::size_t bytes) {
  expect(in.size() >= bytes, "there are as many bytes as are taken");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(in[i])) << (8 * i);
  in.remove_prefix(bytes);
  return value;
}

}  // namespace gauntlet
