#include "real/checkpointer/copy_server.hpp"

#include "real/system/clock.hpp"

#include <chrono>
#include <cstring>
#include <exception>
#include <utility>

namespace gauntlet {
namespace {

// How long the end of the process waits for who has not come.
constexpr Duration kLookForEnd = std::chrono::milliseconds(100);

template <class Value>
std::span<const std::byte> as_sent(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

CopyServer::CopyServer(HostCopies& copies, const std::string& address, std::string secret, Duration patience)
    : copies_(copies),
      secret_(std::move(secret)),
      patience_(patience),
      place_(tcp_address(address, 0)),
      door_(sizeof(CopyRequest), copies_greeting()) {
  door_.open(place_);
  thread_ = std::thread([this] { run(); });
}

CopyServer::~CopyServer() {
  ending_ = true;
  thread_.join();
  for (Serving& each : serving_)
    if (each.thread.joinable()) each.thread.join();
}

void CopyServer::run() {
  while (!ending_) {
    serving_.remove_if([](Serving& each) {
      if (each.over) each.thread.join();
      return each.over.load();
    });
    try {
      auto guest = door_.next({.until_ns = monotonic_ns() + kLookForEnd.count(), .on_close = OnClose::tell});
      if (!guest) continue;
      Serving& serving = serving_.emplace_back();
      serving.thread = std::thread([this, &serving, from = std::move(*guest)] {
        try {
          serve(from);
        } catch (
            const std::exception&) {  // no memory, or a connection that failed: whoever asked sees it closed
        }
        serving.over = true;
      });
    } catch (const std::exception&) {  // one that came and failed
    }
  }
}

void CopyServer::serve(const Door::Guest& guest) const {
  CopyRequest request;
  std::memcpy(&request, guest.said.data(), sizeof request);
  if (!same(request.proof, proof_of_request(secret_, guest.challenge, request))) return;
  const Patience patience{.until_ns = monotonic_ns() + patience_.count(), .on_close = OnClose::tell};
  CopyAnswer answer;
  std::optional<std::string> shard;
  if (request.kind == CopyRequest::Kind::list) {
    const std::vector<CopyKey> keys = copies_.of_rank(request.rank);
    std::copy(keys.begin(), keys.end(), answer.keys.begin());
  }
  if (request.kind == CopyRequest::Kind::get) shard = copies_.find(request.rank, request.key);
  if (shard) answer.bytes = shard->size();
  answer.proof = proof_of_answer(secret_, request, answer);
  if (transfer({&guest.link, as_sent(answer)}, {}, patience) != TransferEnd::complete) return;
  if (request.kind == CopyRequest::Kind::put) return take(guest.link, request, patience);
  if (shard) transfer({&guest.link, std::as_bytes(std::span(*shard))}, {}, patience);
}

void CopyServer::take(const PeerLink& from, const CopyRequest& request, const Patience& patience) const {
  const auto fill = [&](std::span<char> shard) {
    return transfer({}, {&from, std::as_writable_bytes(shard)}, patience) == TransferEnd::complete;
  };
  if (!copies_.take(request.rank, request.key, request.bytes, fill)) return;
  const std::byte held{1};
  transfer({&from, as_sent(held)}, {}, patience);
}

}  // namespace gauntlet
