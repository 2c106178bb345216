// Transfers from one network card of this host to another one, or to itself, by UCX.
#pragma once

#include "core/time.hpp"
#include "real/probes/host/network_cards.hpp"

#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace gauntlet::ucx {

/// A card that can send and receive. One thread makes and uses it. Throws std::runtime_error with UCX's words where it cannot be used.
class UcxCard {
 public:
  explicit UcxCard(const NetworkCard& card);
  ~UcxCard();
  UcxCard(const UcxCard&) = delete;
  UcxCard& operator=(const UcxCard&) = delete;

 private:
  friend class UcxPath;
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

/// A transfer that UCX neither ends nor takes back: it may still read and write the memory of both cards' transfers.
struct StuckTransfer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Both cards must outlive it.
class UcxPath {
 public:
  /// Throws std::runtime_error with UCX's words, also from transfer().
  UcxPath(UcxCard& from, UcxCard& to);
  ~UcxPath();
  UcxPath(const UcxPath&) = delete;
  UcxPath& operator=(const UcxPath&) = delete;

  /// Seconds until all bytes have arrived. Both are as long as each other. After StuckTransfer neither cards nor memory may be released.
  double transfer(std::span<const char> from, std::span<char> to, Duration within);

 private:
  UcxCard::Handles& from_;
  UcxCard::Handles& to_;
  struct Endpoint;
  std::unique_ptr<Endpoint> endpoint_;
};

/// "the host", "the host and CUDA": whose memory UCX can send here.
std::string memory_reached();
std::string ucx_version();

}  // namespace gauntlet::ucx
