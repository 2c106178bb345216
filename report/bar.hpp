// Bars of text, to both sides of a middle line.
#pragma once

#include <string>

namespace gauntlet {

/// "      ####|######": from `low` to `high` around zero, `widest` being ten characters.
std::string bar_text(double low, double high, double widest);

}  // namespace gauntlet
