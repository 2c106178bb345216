#include "report/chart.hpp"

#include "core/contract.hpp"
#include "report/chart_assets.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gauntlet {
namespace {

using Json = nlohmann::ordered_json;
using Details = std::vector<std::pair<std::string, std::string>>;

std::string_view name_of(ChartUnit unit) {
  switch (unit) {
    case ChartUnit::number:
      return "number";
    case ChartUnit::percent:
      return "percent";
    case ChartUnit::duration:
      return "duration";
    case ChartUnit::bytes:
      return "bytes";
    case ChartUnit::bandwidth:
      return "bandwidth";
    case ChartUnit::money:
      return "money";
  }
  return "";
}

std::string_view name_of(ChartScale scale) {
  switch (scale) {
    case ChartScale::linear:
      return "linear";
    case ChartScale::logarithmic:
      return "logarithmic";
    case ChartScale::category:
      return "category";
  }
  return "";
}

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const ChartAxis& axis) {
  return {{"title", axis.title}, {"unit", name_of(axis.unit)}, {"scale", name_of(axis.scale)}};
}

Json json_of(const Details& details) {
  Json lines = Json::array();
  for (const auto& [name, value] : details) lines.push_back(Json::array({name, value}));
  return lines;
}

Json json_of(const ChartPoint& point) {
  expect(std::isfinite(point.x) && std::isfinite(point.y), "a chart shows numbers");
  return {{"x", point.x},
          {"x_text", point.x_text},
          {"y", point.y},
          {"low", json_of(point.low)},
          {"high", json_of(point.high)},
          {"details", json_of(point.details)}};
}

Json json_of(const LineChart& chart) {
  Json json = {{"title", chart.title},
               {"x", json_of(chart.x)},
               {"y", json_of(chart.y)},
               {"series_title", chart.series_title}};
  Json& all = json["series"] = Json::array();
  for (const ChartSeries& series : chart.series) {
    Json points = Json::array();
    for (const ChartPoint& point : series.points) points.push_back(json_of(point));
    all.push_back({{"name", series.name}, {"line", series.line}, {"points", std::move(points)}});
  }
  std::vector<ChartMark> marks = chart.marks;  // the lowest label first
  std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.x > b.x; });
  Json& shown = json["marks"] = Json::array();
  for (std::size_t row = 0; row < marks.size(); ++row)
    shown.push_back(
        {{"x", marks[row].x}, {"x_text", marks[row].x_text}, {"text", marks[row].text}, {"row", row}});
  return json;
}

Json json_of(const HeatMap& map) {
  Json json = {{"title", map.title},       {"x_title", map.x_title},   {"y_title", map.y_title},
               {"x_values", map.x_values}, {"y_values", map.y_values}, {"value", json_of(map.value)}};
  Json& cells = json["cells"] = Json::array();
  for (const HeatCell& cell : map.cells)
    cells.push_back({{"x_text", cell.x_text},
                     {"y_text", cell.y_text},
                     {"value", cell.value},
                     {"details", json_of(cell.details)}});
  json["best"] = map.best ? Json::array({map.best->first, map.best->second}) : Json(nullptr);
  return json;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// Text between tags.
std::string escaped(const std::string& text) {
  return replaced(replaced(replaced(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
}

}  // namespace

ChartUnit unit_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::duration:
      return ChartUnit::duration;
    case FieldKind::bytes:
      return ChartUnit::bytes;
    case FieldKind::bandwidth:
      return ChartUnit::bandwidth;
    case FieldKind::money:
      return ChartUnit::money;
    case FieldKind::text:
    case FieldKind::number:
    case FieldKind::flop_rate:
      return ChartUnit::number;
  }
  return ChartUnit::number;
}

std::string to_html(const ChartPage& page) {
  Json json = {{"title", page.title}, {"subtitle", page.subtitle}, {"currency", page.currency}};
  Json& lines = json["lines"] = Json::array();
  for (const LineChart& chart : page.lines) lines.push_back(json_of(chart));
  Json& maps = json["maps"] = Json::array();
  for (const HeatMap& map : page.maps) maps.push_back(json_of(map));
  json["note"] = page.note;
  // Nothing in the data may end its element, nor open a comment in it.
  const std::string data =
      replaced(json.dump(-1, ' ', false, Json::error_handler_t::replace), "<", "\\u003c");
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n"
      "<body>\n<main></main>\n<script type=\"application/json\" id=\"data\">{}</script>\n"
      "<!--\n{}-->\n<script>\n{}\n</script>\n<script>\n{}</script>\n</body>\n</html>\n",
      escaped(page.title), chart_style(), data, d3_license(), d3_script(), chart_script());
}

}  // namespace gauntlet
