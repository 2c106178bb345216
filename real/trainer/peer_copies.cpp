#include "real/trainer/peer_copies.hpp"

#include "real/system/clock.hpp"
#include "real/trainer/failure.hpp"

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kCopiesGreeting = "gauntlet copies 1";

static_assert(std::has_unique_object_representations_v<CopyRequest> &&
                  std::has_unique_object_representations_v<CopyAnswer>,
              "they travel without gaps");

bool moved(const Sending& sending, const Receiving& receiving, const Patience& patience) {
  return transfer(sending, receiving, patience) == TransferEnd::complete;
}

template <class Value>
std::span<std::byte> bytes_of(Value& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

std::vector<std::byte> copies_greeting() {
  const auto text = std::as_bytes(std::span(kCopiesGreeting));
  return {text.begin(), text.end()};
}

Proof proof_of_request(const std::string& secret, const Challenge& theirs, CopyRequest request) {
  request.proof = {};
  return prove(secret, "copies request", {theirs, bytes_of(request)});
}

Proof proof_of_answer(const std::string& secret, const CopyRequest& request, CopyAnswer answer) {
  answer.proof = {};
  return prove(secret, "copies answer", {request.challenge, bytes_of(answer)});
}

Patience PeerCopies::patience() const {
  return {.until_ns = monotonic_ns() + patience_.count(), .on_close = OnClose::tell};
}

std::optional<PeerCopies::Asked> PeerCopies::ask(const TcpAddress& at, CopyRequest request,
                                                 const Patience& patience) const {
  std::optional<PeerLink> link = connect_to(at, {}, patience);
  if (!link) return std::nullopt;
  std::vector<std::byte> greeting(copies_greeting().size());
  Challenge theirs{};
  if (!moved({}, {&*link, greeting}, patience) || greeting != copies_greeting() ||
      !moved({}, {&*link, bytes_of(theirs)}, patience))
    return std::nullopt;
  request.challenge = new_challenge();
  request.proof = proof_of_request(secret_, theirs, request);
  Asked asked{.link = std::move(*link), .answer = {}};
  if (!moved({&asked.link, bytes_of(request)}, {}, patience) ||
      !moved({}, {&asked.link, bytes_of(asked.answer)}, patience) ||
      !same(asked.answer.proof, proof_of_answer(secret_, request, asked.answer)))
    return std::nullopt;
  return asked;
}

std::vector<CopyKey> PeerCopies::list(const TcpAddress& at, std::uint32_t rank) const try {
  std::vector<CopyKey> keys;
  const auto asked = ask(at, {.kind = CopyRequest::Kind::list, .rank = rank}, patience());
  if (!asked) return keys;
  for (const CopyKey& key : asked->answer.keys)
    if (key.step > 0) keys.push_back(key);
  return keys;
} catch (const Failure&) {
  return {};
}

std::optional<std::string> PeerCopies::get(const TcpAddress& at, std::uint32_t rank, const CopyKey& key) const
    try {
  const Patience until = patience();
  const auto asked = ask(at, {.kind = CopyRequest::Kind::get, .rank = rank, .key = key}, until);
  if (!asked || asked->answer.bytes == 0) return std::nullopt;
  std::string shard(asked->answer.bytes, '\0');
  if (!moved({}, {&asked->link, std::as_writable_bytes(std::span(shard))}, until)) return std::nullopt;
  return shard;
} catch (const Failure&) {
  return std::nullopt;
}

bool PeerCopies::put(const TcpAddress& at, std::uint32_t rank, const CopyKey& key,
                     std::string_view shard) const try {
  const Patience until = patience();
  const auto asked =
      ask(at, {.kind = CopyRequest::Kind::put, .rank = rank, .key = key, .bytes = shard.size()}, until);
  std::byte held{};
  return asked && moved({&asked->link, std::as_bytes(std::span(shard))}, {}, until) &&
         moved({}, {&asked->link, bytes_of(held)}, until);
} catch (const Failure&) {
  return false;
}

}  // namespace gauntlet
