// How the ranks of a start prove to each other that they are of it: each knows the start's secret, and answers a challenge of the other by the
// HMAC-SHA256 (RFC 2104) of what both know. The secret itself is never sent.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

using Challenge = std::array<std::byte, 16>;
using Proof = std::array<std::byte, 32>;

/// As many hexadecimal digits hold 128 bits.
inline constexpr std::size_t kLeastSecret = 32;  // characters

/// Of the system's random bits. Throws Failure.
Challenge new_challenge();

/// `purpose`: a proof for one is none for another. The parts have the same sizes for the same purpose.
Proof prove(const std::string& secret, std::string_view purpose,
            std::initializer_list<std::span<const std::byte>> parts);
/// In the same time wherever they differ.
bool same(const Proof& one, const Proof& other);

}  // namespace gauntlet
