// Why the answer is what it is, in a sentence, and what to try about it.
#pragma once

#include "study/summary/summary.hpp"

#include <string>

namespace gauntlet {

/// How much is lost, to which phases and which cause; empty where nothing is.
std::string why_text(const Summary& summary);

/// The constants that act on the phase which costs most, as `--set` takes them, on a second line; empty where nothing is
/// lost. A policy that computes its interval is not told to choose another.
std::string next_text(const Summary& summary);

}  // namespace gauntlet
