// The style and the scripts of a page, from the files beside this one.
#pragma once

#include <string_view>

namespace gauntlet {

std::string_view view_style();
/// The job as data: coordinates, groups, seats, states.
std::string_view view_model_script();
/// The two canvases: the cube of ranks, and the hosts.
std::string_view view_pictures_script();
/// The panel, the incidents, the keyboard.
std::string_view view_page_script();

}  // namespace gauntlet
