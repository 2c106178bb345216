#include "real/driver/event_log.hpp"

#include "core/record/fields.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using Line = nlohmann::ordered_json;

Line beginning(Time at, std::string_view event) {
  return {{"at_ns", at.time_since_epoch().count()}, {"event", event}};
}

/// The first field is the kind.
void put_fields(const std::vector<Field>& fields, Line& line) {
  const std::string& kind = std::get<std::string>(fields.front().value);
  for (const Field& field : fields) {
    const std::string name = line.contains(field.name) ? kind + "." + field.name : field.name;
    std::visit([&](const auto& value) { line[name] = value; }, field.value);
  }
}

std::string text_of(const Line& line) {
  constexpr int kOneLine = -1;
  return line.dump(kOneLine, ' ', false, Line::error_handler_t::replace);
}

/// Of a file that ends within a line: what is appended would be joined to it.
bool ends_within_a_line(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.seekg(-1, std::ios::end) && file.get() != '\n';
}

}  // namespace

std::string in_utf8(const std::string& text) { return Line::parse(text_of(text)).get<std::string>(); }

EventLog::EventLog(const std::string& path, const std::string& copy) {
  file_.emplace(path);
  if (copy.empty()) return;
  copy_.emplace(copy, AppendFile::AtItsEnd{});
  if (ends_within_a_line(copy)) append(copy_, "");
}

void EventLog::add(const Observed& seen) {
  Line line = beginning(seen.at, "observation");
  put_fields(fields_of(seen.what), line);
  append(text_of(line));
}

void EventLog::add(Time at, const Order& order) {
  Line line = beginning(at, "order");
  line["id"] = order.id.value;
  put_fields(fields_of(order.what), line);
  append(text_of(line));
}

void EventLog::say(Time at, const std::string& text) {
  Line line = beginning(at, "message");
  line["text"] = text;
  append(text_of(line));
}

void EventLog::append(const std::string& line) {
  const std::lock_guard lock(mutex_);
  append(file_, line);
  append(copy_, line);
}

template <class File>
void EventLog::append(std::optional<File>& file, const std::string& line) {
  if (!file) return;
  try {
    if constexpr (std::is_same_v<File, AppendFile>)
      file->append(line + '\n');
    else
      file->append(line);
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "gauntlet: %s; the drill goes on without this log\n", error.what());
    file.reset();
  }
}

}  // namespace gauntlet
