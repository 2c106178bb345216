#include "real/probes/cuda/sample.hpp"

#include <cmath>
#include <cstdio>

namespace gauntlet::cuda {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
      out += '?';
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string number(double value) {
  if (!std::isfinite(value)) return "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

template <class T, class Text>
std::string list(const std::vector<T>& all, const Text& text) {
  std::string out = "[";
  for (const T& each : all) out += (out.size() > 1 ? "," : "") + text(each);
  return out + "]";
}

std::string text_of(const Part& part) {
  return "{\"part\":" + quoted(part.part) + ",\"kind\":" + quoted(part.kind) +
         ",\"values\":" + list(part.values, number) + ",\"remark\":" + quoted(part.remark) +
         ",\"neighbour\":\"\",\"excuse\":\"\"}";
}

}  // namespace

std::string to_json(const Sample& sample) {
  return "{\"parts\":" + list(sample.parts, text_of) + ",\"errors\":" + list(sample.errors, quoted) +
         ",\"unsupported\":" + quoted(sample.unsupported) +
         ",\"inconclusive\":" + quoted(sample.inconclusive) + ",\"facts\":" +
         list(sample.facts,
              [](const auto& fact) { return "[" + quoted(fact.first) + "," + quoted(fact.second) + "]"; }) +
         "}";
}

}  // namespace gauntlet::cuda
