// Text in HTML.
#pragma once

#include <string>
#include <string_view>

namespace gauntlet {

/// Of a text between tags, or in an attribute: nothing of it is read as a tag.
std::string escaped(std::string_view text);

/// `text` with every `what` replaced.
std::string replaced(std::string text, std::string_view what, std::string_view by);

/// JSON inside a script element, which no text of it can end.
std::string json_in_script(std::string json);

}  // namespace gauntlet
