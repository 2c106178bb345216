// What gauntlet-flow is asked, and what it answers: lines of text, words apart by blanks.
//
//   gauntlet-flow 1
//   link BANDWIDTH LATENCY        one direction of a wire: bytes per second, seconds; links count from 0 as they come
//   phase                         what follows begins together, once the phase before is over
//   flow BYTES LINK...            over these links
//   actor                         a program whose instructions follow, one after the other:
//   compute SECONDS
//   send MESSAGE BYTES LINK...    goes on when the bytes are there
//   receive MESSAGE               goes on when this message is there; each is sent once and received once
//   meet MEETING                  goes on when every actor with that meeting has come to it
//   end
//
// The answer has a line for each phase, and `end`:
//
//   phase SECONDS SECONDS...      until all was over; until each flow, then each actor, was done
//
// Messages and meetings are numbers, each phase has its own. An actor names a meeting once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

struct FlowLink {
  double bandwidth = 0;  // bytes per second
  double latency = 0;    // seconds
};

struct Transfer {
  double bytes = 0;
  std::vector<std::uint32_t> links;
};

struct Instruction {
  enum class Kind : std::uint8_t { compute, send, receive, meet };
  Kind kind = Kind::compute;
  double seconds = 0;        // compute
  std::uint32_t number = 0;  // of the message or meeting
  Transfer transfer;         // send
};

using Actor = std::vector<Instruction>;

struct FlowPhase {
  std::vector<Transfer> flows;
  std::vector<Actor> actors;
};

struct FlowProblem {
  std::vector<FlowLink> links;
  std::vector<FlowPhase> phases;
};

/// Seconds from the begin of the phase.
struct FlowTimes {
  double all = 0;
  std::vector<double> flows, actors;
};

std::string to_text(const FlowProblem& problem);
std::string to_text(const std::vector<FlowTimes>& times);

/// A text that is none: the line, from 1, and what is wrong with it.
struct FlowTextError {
  std::size_t line = 0;
  std::string why;
};

/// Throw FlowTextError.
FlowProblem parse_problem(std::string_view text);
/// `problem` says how many seconds to expect.
std::vector<FlowTimes> parse_answer(std::string_view text, const FlowProblem& problem);

}  // namespace gauntlet
