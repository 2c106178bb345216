// Words that can be explained, and what is said about each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

enum class WordKind : std::uint8_t {
  label,
  metric,
  phase,
  cause,
  key,
  policy,
  fault_model,
  signal,
  distribution,
};
/// By WordKind: of one word, and of several.
struct KindName {
  std::string_view one, several;
};
inline constexpr std::array<KindName, 9> kWordKinds = {{{"report label", "report labels"},
                                                        {"metric", "metrics"},
                                                        {"phase", "phases"},
                                                        {"cause", "causes"},
                                                        {"scenario key", "scenario keys"},
                                                        {"policy", "policies"},
                                                        {"fault model", "fault models"},
                                                        {"signal", "signals"},
                                                        {"distribution", "distributions"}}};
constexpr KindName name_of(WordKind kind) { return kWordKinds[static_cast<std::size_t>(kind)]; }

struct Word {
  WordKind kind = WordKind::label;
  std::string name;
  std::string meaning;             // without a full stop at its end
  std::string unit;                // empty where it has none
  std::string source;              // where its value comes from; empty where the meaning says it
  std::vector<std::string> see{};  // names of other words
};

std::string to_json(std::span<const Word> words);

}  // namespace gauntlet
