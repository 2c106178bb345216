// Observations, orders and logs to bytes and back; observations and orders to text, and compared: the same on every machine.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "core/record/fingerprint.hpp"
#include "core/record/run_logs.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

using ByteBuffer = std::vector<std::uint8_t>;

/// Appends little-endian bytes.
void encode(const Observed& value, ByteBuffer& out);
void encode(const Order& value, ByteBuffer& out);
void encode(const RunLogs& value, ByteBuffer& out);

/// Reads from the front of `bytes` and shortens it. Nothing when the bytes are no such value.
std::optional<Observed> decode_observed(std::string_view& bytes);
std::optional<Order> decode_order(std::string_view& bytes);
/// Nothing, too, where times go backwards or stretches have a pace that nobody can compute with.
std::optional<RunLogs> decode_run_logs(std::string_view& bytes);

/// `Seen{watch=1 who=host:17 edge=began ...}`, for people.
std::string to_text(const Observed& value);
std::string to_text(const Order& value);

/// Folds an order, its id and every member, into a fingerprint.
void fold(const Order& value, Fingerprint& into);

/// Member by member.
bool same(const Order& a, const Order& b);

}  // namespace gauntlet
