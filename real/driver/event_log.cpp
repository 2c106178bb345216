#include "real/driver/event_log.hpp"

#include "core/record/fields.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <variant>

namespace gauntlet {
namespace {

/// RFC 8259, section 7. Bytes that are no UTF-8 stay as they are.
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      out += '\\';
      out += each;
    } else if (byte < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      out += escaped;
    } else {
      out += each;
    }
  }
  return out + '"';
}

std::string text_of(const Field& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) return json_text(*text);
  if (const auto* yes = std::get_if<bool>(&field.value)) return *yes ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&field.value)) return std::to_string(*whole);
  const double number = std::get<double>(field.value);
  if (!std::isfinite(number)) return "null";
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", number);
  return digits;
}

std::string beginning(Time at, std::string_view event) {
  return "{\"at_ns\":" + std::to_string(at.time_since_epoch().count()) + ",\"event\":" + json_text(event);
}

std::string fields_text(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) text += "," + json_text(field.name) + ":" + text_of(field);
  return text;
}

}  // namespace

EventLog::EventLog(const std::string& path, const std::string& copy) {
  file_.emplace(path);
  if (!copy.empty()) copy_.emplace(copy);
}

void EventLog::add(const Observed& seen) {
  append(beginning(seen.at, "observation") + fields_text(fields_of(seen.what)) + "}");
}

void EventLog::add(Time at, const Order& order) {
  append(beginning(at, "order") + fields_text(fields_of(order.what)) +
         ",\"order\":" + std::to_string(order.id.value) + "}");
}

void EventLog::say(Time at, const std::string& text) {
  append(beginning(at, "message") + ",\"text\":" + json_text(text) + "}");
}

void EventLog::append(const std::string& line) {
  const std::lock_guard lock(mutex_);
  for (std::optional<LineFile>* each : {&file_, &copy_}) {
    if (!*each) continue;
    try {
      (*each)->append(line);
    } catch (const std::runtime_error& error) {
      std::fprintf(stderr, "gauntlet: %s; the drill goes on without this log\n", error.what());
      each->reset();
    }
  }
}

}  // namespace gauntlet
