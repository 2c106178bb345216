#include "real/trainer/secret.hpp"

#include "core/contract.hpp"
#include "core/problem.hpp"
#include "real/trainer/failure.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace gauntlet {

Challenge new_challenge() {
  Challenge challenge{};
  if (::getrandom(challenge.data(), challenge.size(), 0) != static_cast<ssize_t>(challenge.size()))
    throw Failure({.what = "no random bits",
                   .why = "(" + std::generic_category().message(errno) + ")",
                   .suggestion = {}});
  return challenge;
}

Proof prove(const std::string& secret, std::string_view purpose,
            std::initializer_list<std::span<const std::byte>> parts) {
  std::vector<std::byte> text;
  const auto add = [&](std::span<const std::byte> part) {
    text.insert(text.end(), part.begin(), part.end());
  };
  add(std::as_bytes(std::span(purpose)));
  text.push_back(std::byte{0});
  for (const std::span<const std::byte> part : parts) add(part);
  Proof proof{};
  unsigned size = 0;
  const unsigned char* made = ::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                                     reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                                     reinterpret_cast<unsigned char*>(proof.data()), &size);
  expect(made != nullptr && size == proof.size(), "OpenSSL has SHA-256");
  return proof;
}

bool same(const Proof& one, const Proof& other) {
  return ::CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace gauntlet
