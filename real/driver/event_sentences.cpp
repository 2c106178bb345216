#include "real/driver/event_sentences.hpp"

#include "real/control/control_client.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

using Json = nlohmann::ordered_json;

std::string text_in(const Json& event, const char* name) {
  const auto found = event.find(name);
  if (found == event.end()) return "?";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

bool is_true(const Json& event, const char* name) {
  const auto found = event.find(name);
  return found != event.end() && found->is_boolean() && found->get<bool>();
}

long number_in(const Json& event, const char* name) {
  const auto found = event.find(name);
  return found != event.end() && found->is_number() ? found->get<long>() : 0;
}

/// "host:1" as "host 1", and "job:0" as "the job".
std::string who_in(const Json& event, const char* name) {
  std::string who = text_in(event, name);
  if (who == "job:0") return "the job";
  if (const auto of_job = who.find(" of job:0"); of_job != std::string::npos) who.erase(of_job);
  if (const auto colon = who.find(':'); colon != std::string::npos) who[colon] = ' ';
  return who;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string words_of(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string of_order(const Json& event, const std::string& kind) {
  if (kind == "Stop") return fmt::format("The policy stops the job ({})", text_in(event, "reason"));
  if (kind == "Start") return "The policy starts the job";
  if (kind == "Probe")
    return fmt::format("Probe {} runs on {}", text_in(event, "probe"), who_in(event, "who"));
  if (kind == "Acquire") return "The policy requests a host";
  if (kind == "Release") return "The policy releases the hosts of the job";
  if (kind == "Checkpoint") return "The policy orders a checkpoint";
  if (kind == "Ask") return "The policy asks a person for the culprit";
  if (kind == "Alert") return fmt::format("The policy alerts a person: {}", who_in(event, "who"));
  if (kind == "StandBy") return fmt::format("Host {} stands by", text_in(event, "host"));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOfHosts = {
      {{"Evict", "evicts"}, {"Readmit", "readmits"}, {"Retire", "retires"}}};
  for (const auto& [name, does] : kOfHosts)
    if (kind == name) return fmt::format("The policy {} host {}", does, text_in(event, "host"));
  return "";  // watches and timers
}

std::string of_signal(const Json& event, const std::string& signal) {
  const std::string who = who_in(event, "who");
  const long more = number_in(event, "more");
  const std::string others =
      more == 0 ? ""
                : fmt::format("; {} more {} the same", more, more == 1 ? "host reports" : "hosts report");
  if (signal == "process_exit")
    return fmt::format("A rank of {} exits with code {}{}", who, number_in(event, "value"), others);
  if (signal == "log_line") return capital(who) + " logs a line that a detector looks for" + others;
  if (text_in(event, "edge") == "ended")
    return fmt::format("{}: {} is as usual again{}", capital(who), words_of(signal), others);
  if (signal == "heartbeat") return capital(who) + " is silent: no heartbeat" + others;
  if (signal == "step") return "The job completes no step";
  return fmt::format("{}: {} is not as usual{}", capital(who), words_of(signal), others);
}

std::string of_outcome(const Json& event, const std::string& kind_of_order) {
  const std::string result = text_in(event, "result");
  if (text_in(event, "status") == "failed")
    return kind_of_order == "Start" ? "The start fails" : fmt::format("The order fails: {}", kind_of_order);
  if (result == "Loaded") return fmt::format("Training goes on after step {}", text_in(event, "result.step"));
  if (result == "Saved")
    return fmt::format("The checkpoint of step {} is durable", text_in(event, "result.step"));
  if (result == "Granted") return fmt::format("Host {} joins the job", text_in(event, "result.host"));
  if (result == "Probed")
    return fmt::format("The probe finds {} {}", who_in(event, "result.component"),
                       text_in(event, "result.verdict"));
  if (result == "Answered")
    return is_true(event, "result.found")
               ? fmt::format("A person names host {}", text_in(event, "result.choice"))
               : "A person finds no culprit";
  return "";
}

}  // namespace

void EventSentences::add(const std::string& line) {
  const Json event = Json::parse(line, nullptr, false);
  if (!event.is_object() || !event.contains("at_ns") || !event["at_ns"].is_number_integer()) return;
  const std::string what = text_in(event, "event"), kind = text_in(event, "kind");
  std::string said;
  if (what == "message") {
    said = text_in(event, "text");
  } else if (what == "order") {
    if (kind == "Watch") signals_[number_in(event, "Watch.id")] = text_in(event, "signal");
    said = of_order(event, kind);
    orders_[number_in(event, "id")] = kind;
  } else if (kind == "Seen") {
    const auto signal = signals_.find(number_in(event, "watch"));
    said = of_signal(event, signal == signals_.end() ? "a signal" : signal->second);
  } else if (kind == "Outcome") {
    const auto order = orders_.find(number_in(event, "order"));
    said = of_outcome(event, order == orders_.end() ? "an order of the beginning" : order->second);
    if (order != orders_.end()) orders_.erase(order);
  } else if (kind == "Started") {
    said = fmt::format("The drill starts with {} hosts and {} spares", text_in(event, "inventory.job_hosts"),
                       text_in(event, "inventory.spares"));
  } else if (kind == "HostReturned") {
    said = fmt::format("Host {} is repaired", text_in(event, "host"));
  } else if (kind == "OperatorActed") {
    said = fmt::format("An operator orders: {}", text_in(event, "what"));
  } else if (kind == "Finished") {
    said = fmt::format("The run ends: {}", words_of(text_in(event, "ending")));
  } else if (kind == "StopRequest") {
    said = is_true(event, "preempted") ? "The job is preempted" : "An operator requests a planned stop";
  } else if (kind == "Noticed") {
    said = "A person notices that the job stands still";
  } else if (kind == "Overflow") {
    said = fmt::format("{} values were dropped", text_in(event, "dropped"));
  }
  if (said.empty()) return;
  sentences_.push_back(
      without_controls(fmt::format("{:.3f}s  {}", 1e-9 * event["at_ns"].get<double>(), said)));
  if (sentences_.size() > most_) sentences_.erase(sentences_.begin());
}

}  // namespace gauntlet
