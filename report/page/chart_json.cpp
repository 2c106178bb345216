#include "report/page/chart_json.hpp"

#include "core/contract.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gauntlet {
namespace {

using Json = nlohmann::ordered_json;

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

std::string_view name_of(ChartLine line) {
  switch (line) {
    case ChartLine::straight:
      return "straight";
    case ChartLine::steps:
      return "steps";
    case ChartLine::none:
      return "none";
  }
  return "";
}

std::string_view name_of(BarKind kind) {
  switch (kind) {
    case BarKind::beside:
      return "beside";
    case BarKind::stacked:
      return "stacked";
    case BarKind::dots:
      return "dots";
  }
  return "";
}

double finite(double value) {
  expect(std::isfinite(value), "a chart shows numbers");
  return value;
}

/// Adds the interval and the details, where there are any: pages of many points stay small.
void add_rest(Json& json, const std::optional<double>& low, const std::optional<double>& high,
              const ChartDetails& details) {
  if (low && high) {
    json["low"] = finite(*low);
    json["high"] = finite(*high);
  }
  if (details.empty()) return;
  Json& lines = json["details"] = Json::array();
  for (const auto& [name, value] : details) lines.push_back(Json::array({name, value}));
}

Json json_of(const ChartAxis& axis) {
  Json json = {{"title", axis.title}, {"unit", name_of(axis.unit)}, {"scale", name_of(axis.scale)}};
  if (axis.span) json["span"] = {axis.span->first, axis.span->second};
  return json;
}

Json json_of(const ChartSeries& series) {
  Json points = Json::array();
  for (const ChartPoint& point : series.points) {
    Json each = {{"x", finite(point.x)}, {"x_text", point.x_text}, {"y", finite(point.y)}};
    add_rest(each, point.low, point.high, point.details);
    points.push_back(std::move(each));
  }
  return {{"name", series.name}, {"line", name_of(series.line)}, {"points", std::move(points)}};
}

Json json_of(const LineChart& chart) {
  Json json = {{"kind", "lines"},
               {"title", chart.title},
               {"x", json_of(chart.x)},
               {"y", json_of(chart.y)},
               {"series_title", chart.series_title}};
  Json& all = json["series"] = Json::array();
  for (const ChartSeries& series : chart.series) all.push_back(json_of(series));
  Json& marks = json["marks"] = Json::array();
  for (const ChartMark& mark : chart.marks)
    marks.push_back({{"x", finite(mark.x)}, {"x_text", mark.x_text}, {"text", mark.text}});
  json["bands_title"] = chart.bands_title;
  Json& bands = json["bands"] = Json::array();
  for (const ChartBand& band : chart.bands)
    bands.push_back(Json::array({finite(band.from), finite(band.to)}));
  return json;
}

Json json_of(const BarChart& chart) {
  Json json = {{"kind", "bars"},
               {"title", chart.title},
               {"bars_title", chart.bars_title},
               {"value", json_of(chart.value)},
               {"series", chart.series},
               {"form", name_of(chart.kind)}};
  Json& bars = json["bars"] = Json::array();
  for (const Bar& bar : chart.bars) {
    expect(bar.parts.size() == chart.series.size(), "a bar has a place for each series");
    Json parts = Json::array();
    for (const std::optional<BarPart>& part : bar.parts) {
      Json& each = parts.emplace_back(nullptr);
      if (!part) continue;
      each = {{"value", finite(part->value)}};
      add_rest(each, part->low, part->high, part->details);
    }
    bars.push_back({{"name", bar.name}, {"parts", std::move(parts)}});
  }
  return json;
}

Json json_of(const Distribution& of) {
  Json json = {{"kind", "distribution"}, {"title", of.title}, {"value", json_of(of.value)}, {"runs", of.runs},
               {"gave_up", of.gave_up},  {"edges", of.edges}, {"counts", of.counts}};
  Json& cdf = json["cdf"] = Json::array();
  for (const Distribution::Quantile& each : of.cdf) cdf.push_back(Json::array({each.value, each.share}));
  Json& percentiles = json["percentiles"] = Json::array();
  for (const auto& [name, value] : of.percentiles) percentiles.push_back(Json::array({name, finite(value)}));
  return json;
}

Json json_of(const HeatMap& map) {
  Json json = {
      {"kind", "heat"},
      {"title", map.title},
      {"x_title", map.x_title},
      {"y_title", map.y_title},
      {"x_values", map.x_values},
      {"y_values", map.y_values},
      {"value", json_of(map.value)},
      {"outline_title", map.outline_title},
      {"at_least", map.at_least ? Json::array({map.at_least->first, map.at_least->second}) : Json::array()}};
  Json& cells = json["cells"] = Json::array();
  for (const HeatCell& cell : map.cells) {
    Json each = {{"x_text", cell.x_text},
                 {"y_text", cell.y_text},
                 {"value", finite(cell.value)},
                 {"outlined", cell.outlined}};
    add_rest(each, {}, {}, cell.details);
    cells.push_back(std::move(each));
  }
  json["best"] = map.best ? Json::array({map.best->first, map.best->second}) : Json(nullptr);
  return json;
}

}  // namespace

Json chart_json(const Chart& chart) {
  return std::visit([](const auto& each) { return json_of(each); }, chart);
}

}  // namespace gauntlet
