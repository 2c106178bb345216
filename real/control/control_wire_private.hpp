// control.proto's messages to plain types and back: the one place that knows both.
#pragma once

#include "real/control/operator_desk.hpp"

#include <control.pb.h>

#include <optional>
#include <string>

namespace gauntlet {

control::Request to_wire(const OperatorRequest& request);
control::Reply to_wire(const OperatorReply& reply);

/// Nothing, with `why`, where it is not a request that a driver may take.
std::optional<OperatorRequest> from_wire(const control::Request& request, std::string& why);
/// Nothing where its rows are no table: each has as many cells as the first, two or more.
std::optional<OperatorReply> from_wire(const control::Reply& reply);

}  // namespace gauntlet
