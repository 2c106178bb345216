// Fingerprints as every file has them: 16 hexadecimal digits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

inline constexpr std::size_t kFingerprintDigits = 16;

/// "0123456789abcdef", without an allocation.
constexpr std::array<char, kFingerprintDigits> fingerprint_digits(std::uint64_t fingerprint) {
  std::array<char, kFingerprintDigits> digits{};
  for (std::size_t i = kFingerprintDigits; i-- > 0; fingerprint >>= 4)
    digits[i] = "0123456789abcdef"[fingerprint & 0xf];
  return digits;
}

inline std::string fingerprint_text(std::uint64_t fingerprint) {
  const auto digits = fingerprint_digits(fingerprint);
  return {digits.data(), digits.size()};
}

/// Nothing where the text is not a fingerprint.
constexpr std::optional<std::uint64_t> fingerprint_of(std::string_view text) {
  if (text.size() != kFingerprintDigits) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return value;
}

}  // namespace gauntlet
