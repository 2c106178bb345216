#include "study/store/digest.hpp"

#include "core/files/read.hpp"
#include "study/summary/fingerprint_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <system_error>
#include <variant>

namespace gauntlet {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBlock = 1 << 16;  // whole words
static_assert(std::endian::native == std::endian::little, "digests are the same on every machine");

/// Word after word; zeros fill the last one, so whoever calls this adds the length too.
void add_words(std::string_view bytes, Fingerprint& to) {
  std::uint64_t word = 0;
  for (; bytes.size() >= kWord; bytes.remove_prefix(kWord)) {
    std::memcpy(&word, bytes.data(), kWord);
    to.add(word);
  }
  if (bytes.empty()) return;
  word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  to.add(word);
}

}  // namespace

void Digest::add(std::int64_t value) {
  mixed_.add(kInteger);
  mixed_.add(static_cast<std::uint64_t>(value));
}

void Digest::add(double value) {
  if (std::isnan(value)) return add_null();
  mixed_.add(kReal);
  mixed_.add(value == 0 ? 0.0 : value);
}

void Digest::add(std::string_view text) { add_bytes(kText, text); }
void Digest::add_blob(std::string_view bytes) { add_bytes(kBlob, bytes); }

void Digest::add_bytes(Type type, std::string_view bytes) {
  mixed_.add(type);
  mixed_.add(std::uint64_t{bytes.size()});
  add_words(bytes, mixed_);
}

void Digest::add(const Cell& cell) {
  struct Add {
    Digest& to;
    void operator()(std::monostate) const { to.add_null(); }
    void operator()(std::int64_t value) const { to.add(value); }
    void operator()(double value) const { to.add(value); }
    void operator()(std::string_view text) const { to.add(text); }
    void operator()(Hex print) const {
      const auto digits = fingerprint_digits(print.value);
      to.add(std::string_view(digits.data(), digits.size()));
    }
    void operator()(const Latencies* latencies) const { to.add(std::string_view(latencies->text())); }
  };
  std::visit(Add{*this}, cell);
}

std::uint64_t digest_of(std::span<const Cell> row) {
  Digest digest;
  for (const Cell& cell : row) digest.add(cell);
  return digest.value();
}

std::uint64_t chained(std::uint64_t before, std::uint64_t next) {
  Fingerprint mixed;
  mixed.add(before);
  mixed.add(next);
  return mixed.value();
}

ReadDigest digest_of_file(const std::filesystem::path& file) {
  if (auto why = not_a_file(file)) return {.digest = std::nullopt, .why = *why};
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  Fingerprint mixed;
  std::uint64_t size = 0;
  std::array<char, kBlock> block;
  while (in) {
    in.read(block.data(), block.size());
    add_words({block.data(), static_cast<std::size_t>(in.gcount())}, mixed);
    size += static_cast<std::uint64_t>(in.gcount());
  }
  if (!in.eof())
    return {.digest = std::nullopt,
            .why = "cannot be read: " + std::generic_category().message(errno != 0 ? errno : EIO)};
  mixed.add(size);
  return {.digest = FileDigest{.size = size, .digest = mixed.value()}, .why = {}};
}

}  // namespace gauntlet
