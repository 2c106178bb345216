// The files inside every chart page, as bytes of the program (report/CMakeLists.txt).
#pragma once

#include <string_view>

namespace gauntlet {

std::string_view d3_script();     // the library, minified
std::string_view d3_license();    // which it must carry
std::string_view chart_script();  // chart_page.js
std::string_view chart_style();   // chart_page.css

}  // namespace gauntlet
