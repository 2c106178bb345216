// The files inside every page, as bytes of the program (report/page/CMakeLists.txt).
#pragma once

#include <string_view>

namespace gauntlet {

std::string_view d3_script();   // the library, minified
std::string_view d3_license();  // which it must carry
std::string_view page_style();  // page.css
// Scripts of the page, each building on those before it.
std::string_view numbers_script();       // numbers.js
std::string_view axes_script();          // axes.js
std::string_view marks_script();         // marks.js
std::string_view lines_script();         // lines.js
std::string_view bars_script();          // bars.js
std::string_view distribution_script();  // distribution.js
std::string_view heat_script();          // heat.js
std::string_view page_script();          // page.js

}  // namespace gauntlet
