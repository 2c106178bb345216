#include "config/fields/argument_vector.hpp"

#include "config/fields/types.hpp"

namespace gauntlet {
namespace {

constexpr std::string_view kArgumentForm = "a list of texts such as [\"python3\", \"train.py\"]";

void read_arguments(const Place& place, std::vector<std::string>& into) {
  if (place.value().array() == nullptr) return wrong_type(place, kArgumentForm);
  into.clear();
  for (std::size_t i = 0; i < place.value().array()->size(); ++i) {
    const Place each = element(place, i);
    const std::string* text = read_text(each, "a text; there is no shell, and each argument is one text");
    if (text == nullptr) continue;
    if (holds_zero(*text)) each.mistake("holds a zero byte, which no argument can");
    into.push_back(*text);
  }
  if (place.value().array()->empty() || (!into.empty() && into.front().empty()))
    place.mistake("names no program", "write " + std::string(kArgumentForm));
}

}  // namespace

bool holds_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

Type argument_vector(std::vector<std::string>& into) {
  return {[] { return R"({"type": "array", "items": {"type": "string"}, "minItems": 1})"; },
          [&into](const Place& place) { read_arguments(place, into); }};
}

}  // namespace gauntlet
