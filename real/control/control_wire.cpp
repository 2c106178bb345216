#include "real/control/control_wire_private.hpp"

namespace gauntlet {

control::Request to_wire(const OperatorRequest& request) {
  control::Request out;
  out.set_verb(static_cast<control::Request::Verb>(request.verb));
  if (request.host) out.set_host(request.host->value);
  out.set_reason(request.reason);
  return out;
}

control::Reply to_wire(const OperatorReply& reply) {
  control::Reply out;
  out.set_done(reply.done);
  out.set_text(reply.text);
  for (const auto& row : reply.rows) {
    control::Row& into = *out.add_rows();
    for (const std::string& cell : row) into.add_cells(cell);
  }
  return out;
}

std::optional<OperatorRequest> from_wire(const control::Request& request, std::string& why) {
  const int verb = request.verb();
  if (const std::string wrong = problem_of_reason(request.reason()); !wrong.empty()) {
    why = "the reason " + wrong;
    return std::nullopt;
  }
  if (verb < 0 || verb >= static_cast<int>(kOperatorVerbs)) {
    why = "this driver does not know that request";
    return std::nullopt;
  }
  OperatorRequest out{.verb = static_cast<OperatorVerb>(verb), .reason = request.reason()};
  if (request.has_host()) out.host = HostId{request.host()};
  return out;
}

std::optional<OperatorReply> from_wire(const control::Reply& reply) {
  constexpr int kFewestCells = 2;
  OperatorReply out{.done = reply.done(), .text = reply.text()};
  for (const control::Row& row : reply.rows()) {
    if (row.cells_size() < kFewestCells || row.cells_size() != reply.rows(0).cells_size())
      return std::nullopt;
    out.rows.emplace_back(row.cells().begin(), row.cells().end());
  }
  return out;
}

}  // namespace gauntlet
