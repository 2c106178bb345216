// agent.proto's messages to plain types and back: the one place that knows both.
#pragma once

#include "real/stream/messages.hpp"

#include <agent.pb.h>

#include <optional>

namespace gauntlet {

agent::ToAgent to_wire(const DriverMessage& message);
agent::FromAgent to_wire(const AgentMessage& message);

/// Nothing when the bytes hold no message that this program knows.
std::optional<DriverMessage> from_wire(const agent::ToAgent& message);
std::optional<AgentMessage> from_wire(const agent::FromAgent& message);

}  // namespace gauntlet
