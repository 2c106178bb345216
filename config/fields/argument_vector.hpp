// The program and the arguments of a command: one text each, because no shell reads them.
#pragma once

#include "config/fields/fields.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// At least the program.
Type argument_vector(std::vector<std::string>& into);

/// No argument and no variable of a process can hold one.
bool holds_zero(std::string_view text);

}  // namespace gauntlet
