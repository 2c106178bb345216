// The files of certificates: their names, and how they are read and written.
#pragma once

#include "core/files/files.hpp"
#include "core/problem.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

inline constexpr const char* kAuthorityFile = "ca.pem";
inline constexpr const char* kAuthorityKeyFile = "ca-key.pem";
inline constexpr const char* kRevokedFile = "revoked.pem";
inline constexpr const char* kCertificateFile = "certificate.pem";
inline constexpr const char* kKeyFile = "key.pem";

/// Who may read a file: a key is its owner's alone.
enum class Readers : std::uint8_t { everybody, owner };

/// Writes it under a temporary name with its final mode, then names it. Why not, or nothing.
std::optional<Problem> write_pem(Files& files, const std::string& path, std::string_view pem,
                                 Readers readers);
/// A key that others may read is refused.
std::optional<Problem> read_pem(const std::string& path, Readers readers, std::string& out);

}  // namespace gauntlet
