#include "commands/view/page_assets.hpp"
#include "commands/view/result.hpp"
#include "core/component.hpp"
#include "report/page/html.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string_view>

namespace gauntlet {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kNone = -1;  // in place of a number

/// Seconds, to the millisecond.
Json seconds_of(Duration time) { return std::round(to_seconds(time) * 1e3) / 1e3; }
Json seconds_of(Time at) { return seconds_of(at - kStart); }

int number_of(const std::optional<Dimension>& dimension) {
  return dimension ? static_cast<int>(*dimension) : kNone;
}

std::string_view text_of(ViewEvent::Kind kind) {
  switch (kind) {
    case ViewEvent::Kind::signal:
      return "signal";
    case ViewEvent::Kind::log_line:
      return "log";
    case ViewEvent::Kind::exit:
      return "exit";
    case ViewEvent::Kind::silence:
      return "silence";
    case ViewEvent::Kind::order:
      return "order";
    case ViewEvent::Kind::outcome:
      return "outcome";
    case ViewEvent::Kind::ranks_ended:
      return "ranks_ended";
    case ViewEvent::Kind::loaded:
      return "loaded";
    case ViewEvent::Kind::heartbeat:
      return "heartbeat";
    case ViewEvent::Kind::person:
      return "person";
  }
  return "";
}

std::string_view text_of(CulpritBasis basis) {
  switch (basis) {
    case CulpritBasis::truth:
      return "truth";
    case CulpritBasis::answers:
      return "answers";
    case CulpritBasis::exit:
      return "exit";
    case CulpritBasis::decision:
      return "decision";
    case CulpritBasis::nobody:
      return "nobody";
  }
  return "";
}

std::string_view unit_of(Signal signal) { return signal == Signal::traffic ? "of the usual traffic" : "s"; }

/// [first, how many, first, how many ...] of ascending numbers.
Json stretches_of(const std::vector<std::uint32_t>& numbers) {
  Json out = Json::array();
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    out.push_back(numbers[i]);
    out.push_back(end - i);
    i = end;
  }
  return out;
}

Json json_of(const ViewIncident& incident) {
  Json json = {{"opened", seconds_of(incident.opened)},
               {"closed", seconds_of(incident.closed)},
               {"cause", incident.cause},
               {"effect", incident.effect},
               {"component", incident.component},
               {"basis", text_of(incident.basis)},
               {"culprits", stretches_of(incident.culprits)}};
  std::vector<std::uint32_t> hosts;
  for (const HostId host : incident.culprit_hosts) hosts.push_back(host.value);
  json["hosts"] = stretches_of(hosts);
  json["detected"] = incident.detected_after ? seconds_of(*incident.detected_after) : Json();
  json["stops"] = incident.stops;
  json["restarts"] = incident.restarts;
  json["lost"] = seconds_of(incident.lost);
  Json& spread = json["spread"] = Json::array();  // ranks, wave, dimension; and so on
  for (const auto& [ranks, waiting] : incident.spread) {
    spread.push_back(ranks);
    spread.push_back(waiting.wave ? static_cast<int>(*waiting.wave) : kNone);
    spread.push_back(number_of(waiting.in));
  }
  Json& answers = json["answers"] = Json::array();  // slots, dimension; and so on
  for (const auto& [slots, dimension] : incident.answers) {
    answers.push_back(slots);
    answers.push_back(number_of(dimension));
  }
  json["asked"] = incident.asked_at ? seconds_of(*incident.asked_at) : Json();
  json["silent_slots"] = stretches_of(incident.silent_slots);
  Json& events = json["events"] = Json::array();
  for (const ViewEvent& each : incident.events)
    events.push_back(
        Json::array({seconds_of(each.at), each.host ? static_cast<std::int64_t>(each.host->value) : kNone,
                     text_of(each.kind), each.text}));
  json["events_left_out"] = incident.events_left_out;
  return json;
}

Json json_of(const ViewSignal& signal) {
  Json samples = Json::array();  // time, host, value; and so on
  for (const ViewSignal::Sample& each : signal.samples) {
    samples.push_back(std::round(to_seconds(each.at - kStart)));
    samples.push_back(each.host.value);
    samples.push_back(std::stod(fmt::format("{:.4g}", each.value)));
  }
  return {{"name", kSignalNames.at(static_cast<std::size_t>(signal.signal))},
          {"unit", unit_of(signal.signal)},
          {"samples", std::move(samples)},
          {"left_out", signal.left_out}};
}

Json json_of(const SeatLog& log) {
  Json seats = Json::array(), replicas = Json::array(), service = Json::array();
  for (const SeatChange& each : log.seats)
    seats.push_back(Json::array(
        {seconds_of(each.at), each.slot, each.host ? static_cast<std::int64_t>(each.host->value) : kNone}));
  for (const ReplicaChange& each : log.replicas)
    replicas.push_back(Json::array({seconds_of(each.at), each.replicas}));
  for (const ServiceChange& each : log.service)
    service.push_back(Json::array({seconds_of(each.at), each.host.value, each.out ? 1 : 0}));
  return {{"seats", std::move(seats)}, {"replicas", std::move(replicas)}, {"service", std::move(service)}};
}

}  // namespace

std::string to_json(const View& view) {
  const Inventory& inventory = view.seats.inventory;
  const Layout& layout = inventory.layout;
  Json json = {{"title", view.title},
               {"origin", view.origin},
               {"command", view.command},
               {"drill", view.drill},
               {"wall", seconds_of(view.wall)},
               {"layout",
                {{"tp", layout.tp},
                 {"cp", layout.cp},
                 {"ep", layout.ep},
                 {"dp", layout.dp},
                 {"pp", layout.pp},
                 {"virtual_stages", layout.virtual_stages}}},
               {"gpus_per_host", inventory.gpus_per_host},
               {"job_hosts", inventory.job_hosts},
               {"spares", inventory.spares},
               {"places",
                {{"group", view.places.hosts_per_group},
                 {"rack", view.places.hosts_per_rack},
                 {"pod", view.places.hosts_per_pod},
                 {"nics", view.places.nics_per_host}}},
               {"changes", json_of(view.seats)},
               {"numbered_from", view.numbered_from},
               {"incidents_left_out", view.incidents_left_out}};
  Json& incidents = json["incidents"] = Json::array();
  for (const ViewIncident& each : view.incidents) incidents.push_back(json_of(each));
  Json& signals = json["signals"] = Json::array();
  for (const ViewSignal& each : view.signals) signals.push_back(json_of(each));
  json["notes"] = view.notes;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_html(const View& view) {
  // Nothing in the data may end its element, nor open a comment in it.
  const std::string data = json_in_script(to_json(view));
  return fmt::format(
      "{}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n"
      "<body>\n<main></main>\n<script type=\"application/json\" id=\"data\">{}</script>\n"
      "<script>\n{}\n{}\n{}</script>\n</body>\n</html>\n",
      kViewBegins, escaped(view.title), view_style(), data, view_model_script(), view_pictures_script(),
      view_page_script());
}

}  // namespace gauntlet
