// An array that is written element by element has the bytes of the whole tree.
#include "study/summary/json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace gauntlet {
namespace {

/// Of every shape: a number, an empty object, a string that looks like the place of the array, an array of arrays.
Json element(std::size_t i) {
  const Json all[] = {Json(0.1), Json::object(), Json("\n  \"points\": null"),
                      Json({{"points", nullptr}, {"b", {{1, 2}, {}}}})};
  return all[i % std::size(all)];
}

Json around() {
  Json json;
  json["before"] = "\n  \"points\": null";
  json["nested"] = {{"points", nullptr}};
  json["points"] = nullptr;
  return json;
}

TEST(Document, OfAnArrayElementByElementIsThatOfTheTree) {
  for (const bool is_last : {false, true})
    for (std::size_t elements = 0; elements < 6; ++elements) {
      Json json = around();
      if (!is_last) json["after"] = {1, nullptr};
      const std::string text = document(json, "points", elements, element);
      json["points"] = Json::array();
      for (std::size_t i = 0; i < elements; ++i) json["points"].push_back(element(i));
      EXPECT_EQ(text, document(json));
    }
}

}  // namespace
}  // namespace gauntlet
