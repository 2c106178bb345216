// Digests of files and of rows: what a store and a result directory are checked against. They find accidents (a flipped bit,
// an edited cell, a file that was cut), and not a forger, who can compute them too.
//
// The mixing step is the fingerprint's: a bijection of the number that is added, so that one changed number always shows,
// and any other damage stays unseen once in 2^64.
#pragma once

#include "core/record/fingerprint.hpp"
#include "study/store/rows.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// The digest of a sequence of values. A value's type and length count: 1, 1.0, "1" and nothing differ.
class Digest {
 public:
  void add_null() { mixed_.add(kNull); }
  void add(std::int64_t value);
  /// As SQLite keeps it: not a number is null, and zero has no sign.
  void add(double value);
  void add(std::string_view text);
  void add_blob(std::string_view bytes);
  void add(const Cell& cell);

  std::uint64_t value() const { return mixed_.value(); }

 private:
  enum Type : std::uint64_t { kNull, kInteger, kReal, kText, kBlob };
  void add_bytes(Type type, std::string_view bytes);

  Fingerprint mixed_;
};

std::uint64_t digest_of(std::span<const Cell> row);
/// The digest of what `before` is the digest of, followed by something with the digest `next`.
std::uint64_t chained(std::uint64_t before, std::uint64_t next);

/// How long a file is, and the digest of its bytes.
struct FileDigest {
  std::uint64_t size = 0, digest = 0;
  friend bool operator==(const FileDigest&, const FileDigest&) = default;
};
struct ReadDigest {
  std::optional<FileDigest> digest;
  std::string why;  // where there is none
};
ReadDigest digest_of_file(const std::filesystem::path& file);

}  // namespace gauntlet
