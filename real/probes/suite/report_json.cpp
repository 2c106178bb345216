#include "real/probes/suite/report_json.hpp"

#include "core/time.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace gauntlet {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Spread& spread) {
  return {{"median", spread.median}, {"low", spread.low}, {"high", spread.high}, {"n", spread.n}};
}

Json json_of(const ProbeReport& report) {
  Json parts = Json::array();
  for (const PartSample& part : report.sample.parts)
    parts.push_back({{"part", part.part}, {"metric", json_of(spread_of(part.values))}});
  Json facts = Json::object();
  for (const auto& [name, value] : report.sample.facts) facts[name] = value;
  return {{"probe", report.name},
          {"verdict", name_of(report.finding.verdict)},
          {"part", report.finding.part},
          {"unit", report.unit},
          {"metric", report.finding.metric ? json_of(*report.finding.metric) : Json()},
          {"compared", report.finding.compared},
          {"why", report.finding.why},
          {"parts", std::move(parts)},
          {"facts", std::move(facts)},
          {"seconds", to_seconds(report.took)},
          {"expected_seconds", to_seconds(report.expected)}};
}

/// Returns nothing if no measurement can have these values.
std::optional<Spread> spread_in(const Json& metric) {
  if (!metric.at("n").is_number_unsigned()) return std::nullopt;
  const Spread spread{.median = metric.at("median").get<double>(),
                      .low = metric.at("low").get<double>(),
                      .high = metric.at("high").get<double>(),
                      .n = metric.at("n").get<std::uint32_t>()};
  const bool ordered = spread.low <= spread.median && spread.median <= spread.high;
  if (!ordered || !std::isfinite(spread.low) || !std::isfinite(spread.high) || spread.n == 0)
    return std::nullopt;
  return spread;
}

}  // namespace

nlohmann::ordered_json json_of(const ExaminedHost& host) {
  Json probes = Json::array();
  for (const ProbeReport& report : host.reports) probes.push_back(json_of(report));
  return {{"host", host.name},
          {"suite", host.suite},
          {"verdict", name_of(verdict_of(host.reports))},
          {"probes", std::move(probes)}};
}

std::optional<PeerReport> peer_report(const std::string& json) {
  try {
    PeerReport out;
    const Json whole = Json::parse(json);
    for (const Json& report : whole.at("probes")) {
      const std::string probe = report.at("probe").get<std::string>();
      if (const Json& metric = report.at("metric"); !metric.is_null()) {
        const auto spread = spread_in(metric);
        if (!spread) return std::nullopt;
        out.metrics[probe] = *spread;
      }
      if (const Json& facts = report.at("facts"); !facts.empty()) facts.get_to(out.facts[probe]);
    }
    return out;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace gauntlet
