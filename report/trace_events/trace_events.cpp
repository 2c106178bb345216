#include "report/trace_events/trace_events.hpp"

#include "core/contract.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

using Json = nlohmann::ordered_json;

/// JSON of a text. The characters that begin HTML are escaped, so that a page may hold the file as it is; what is not UTF-8 is
/// replaced.
std::string quote(std::string_view text) {
  const std::string json = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(json.size());
  for (const char each : json) {
    if (each == '<' || each == '>' || each == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(each));
    } else {
      out += each;
    }
  }
  return out;
}

/// Microseconds, exact to the nanosecond.
std::string microseconds(Duration time) {
  expect(time >= Duration::zero(), "a trace begins at zero");
  const auto whole = time.count() / 1000, rest = time.count() % 1000;
  return rest == 0 ? fmt::format("{}", whole) : fmt::format("{}.{:03}", whole, rest);
}

std::string json_of(const TraceValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quote(*text);
  if (const auto* number = std::get_if<double>(&value))  // JSON knows no other numbers
    return std::isfinite(*number) ? Json(*number).dump() : quote(fmt::format("{}", *number));
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return fmt::format("{}", std::get<std::int64_t>(value));
}

std::string members_of(const TraceArguments& arguments) {
  std::string out;
  for (const auto& [name, value] : arguments)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", quote(name), json_of(value));
  return out;
}

/// ,"pid":1,"tid":1001; without a track of the process ,"pid":1
std::string place_of(TraceTrack track) {
  return fmt::format(",\"pid\":{}", track.process) +
         (track.number == 0 ? "" : fmt::format(",\"tid\":{}", track.number));
}

std::string tail_of(TraceTrack track, const TraceLabel& label) {
  std::string out =
      fmt::format(",\"name\":{},\"cat\":{}", quote(label.name), quote(label.category)) + place_of(track);
  if (!label.colour.empty()) out += fmt::format(",\"cname\":{}", quote(label.colour));
  if (!label.arguments.empty()) out += fmt::format(",\"args\":{{{}}}", members_of(label.arguments));
  return out + "}";
}

}  // namespace

std::string trace_begins(std::string_view what) {
  return fmt::format("{{\"otherData\":{{\"what\":\"{}\"", what);
}

TraceEvents::TraceEvents(std::string_view what, const TraceArguments& about) : head_(trace_begins(what)) {
  if (!about.empty()) head_ += "," + members_of(about);
  head_ += "},\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
}

void TraceEvents::name(std::string_view what, TraceTrack track, std::string_view member,
                       const std::string& value) {
  names_.push_back(fmt::format("{{\"ph\":\"M\",\"name\":\"{}\"{},\"args\":{{\"{}\":{}}}}}", what,
                               place_of(track), member, value));
}

void TraceEvents::name_process(std::uint32_t process, const std::string& text) {
  expect(process >= 1 && process <= kMostProcesses, "processes count from 1");
  name("process_name", {process, 0}, "name", quote(text));
  name("process_sort_index", {process, 0}, "sort_index", fmt::format("{}", process));
}

TraceTrack TraceEvents::add_track(std::uint32_t process, const std::string& text) {
  const TraceTrack track = {process, kMostProcesses + ++tracks_};
  name("thread_name", track, "name", quote(text));
  name("thread_sort_index", track, "sort_index", fmt::format("{}", track.number));
  return track;
}

void TraceEvents::add_slice(TraceTrack track, Duration begin, Duration end, const TraceLabel& label) {
  expect(begin <= end, "a slice does not end before it begins");
  events_.push_back({begin, fmt::format("{{\"ph\":\"X\",\"ts\":{},\"dur\":{}{}", microseconds(begin),
                                        microseconds(end - begin), tail_of(track, label))});
}

void TraceEvents::add_instant(TraceTrack track, Duration at, const TraceLabel& label) {
  events_.push_back(
      {at, fmt::format("{{\"ph\":\"i\",\"s\":\"t\",\"ts\":{}{}", microseconds(at), tail_of(track, label))});
}

void TraceEvents::add_count(std::uint32_t process, const std::string& name, const std::string& member,
                            Duration at, double value) {
  expect(std::isfinite(value), "a counter is a number");
  events_.push_back(
      {at, fmt::format(
               "{{\"ph\":\"C\",\"ts\":{}{}", microseconds(at),
               tail_of({process, 0}, {.name = name, .category = "count", .arguments = {{member, value}}}))});
}

void TraceEvents::arrow(char kind, TraceArrow arrow, TraceTrack track, Duration at, std::string_view name) {
  // "bp":"e": to the slice around that time, not to the next one.
  events_.push_back({at, fmt::format("{{\"ph\":\"{}\",\"id\":{},\"ts\":{}{}{}", kind, arrow.id,
                                     microseconds(at), kind == 'f' ? ",\"bp\":\"e\"" : "",
                                     tail_of(track, {.name = std::string(name), .category = "arrow"}))});
}

void TraceEvents::begin_arrow(TraceArrow of, TraceTrack track, Duration at, std::string_view name) {
  arrow('s', of, track, at, name);
}
void TraceEvents::end_arrow(TraceArrow of, TraceTrack track, Duration at, std::string_view name) {
  arrow('f', of, track, at, name);
}

std::string TraceEvents::text() const {
  std::vector<const Event*> in_order;
  in_order.reserve(events_.size());
  std::size_t bytes = head_.size();
  for (const Event& each : events_) {
    in_order.push_back(&each);
    bytes += each.json.size() + 2;
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Event* a, const Event* b) { return a->at < b->at; });
  std::string out = head_;
  out.reserve(bytes + 200 * names_.size());
  const char* separator = "\n";
  const auto add = [&](const std::string& json) {
    out += std::exchange(separator, ",\n");
    out += json;
  };
  for (const std::string& each : names_) add(each);
  for (const Event* each : in_order) add(each->json);
  return out + "\n]}\n";
}

}  // namespace gauntlet
