#include "real/probes/link/shared_secret.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>

namespace gauntlet {
namespace {

constexpr std::size_t kNonceBytes = 32;
using Nonce = std::array<char, kNonceBytes>;
using Proof = std::array<char, 32>;  // SHA-256

struct Nonces {
  Nonce client{}, server{};
};

bool make_proof(const Nonces& nonces, LinkRole role, const std::string& secret, Proof& out) {
  std::string said(1, static_cast<char>(role));
  said.append(nonces.client.data(), kNonceBytes);
  said.append(nonces.server.data(), kNonceBytes);
  unsigned size = 0;
  return ::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                reinterpret_cast<const unsigned char*>(said.data()), said.size(),
                reinterpret_cast<unsigned char*>(out.data()), &size) != nullptr &&
         size == out.size();
}

}  // namespace

bool prove_secret(LinkSocket& socket, LinkRole own, const std::string& secret) {
  Nonces nonces;
  const bool is_client = own == LinkRole::client;
  Nonce& mine = is_client ? nonces.client : nonces.server;
  Nonce& theirs = is_client ? nonces.server : nonces.client;
  if (::RAND_bytes(reinterpret_cast<unsigned char*>(mine.data()), kNonceBytes) != 1) return false;
  if (!socket.send(mine) || !socket.receive_all(theirs)) return false;
  Proof proof{}, expected{}, got{};
  if (!make_proof(nonces, own, secret, proof)) return false;
  if (!make_proof(nonces, is_client ? LinkRole::server : LinkRole::client, secret, expected)) return false;
  if (is_client && !socket.send(proof)) return false;
  if (!socket.receive_all(got) || ::CRYPTO_memcmp(got.data(), expected.data(), got.size()) != 0) return false;
  return is_client || socket.send(proof);
}

}  // namespace gauntlet
