#include "commands/explain/result.hpp"
#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

namespace gauntlet {

std::string to_json(std::span<const Word> words) {
  Json json = Json::array();
  for (const Word& word : words)
    json.push_back(Json{{"kind", name_of(word.kind).one},
                        {"name", word.name},
                        {"meaning", word.meaning},
                        {"unit", word.unit},
                        {"source", word.source},
                        {"see_also", word.see}});
  return document(json);
}

}  // namespace gauntlet
