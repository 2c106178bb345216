#include "real/checkpoint/checkpointer_messages.hpp"

#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace gauntlet {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 4> kOfStep = {"saved", "failed", "done", "listens"};
constexpr std::array kKindsOfStep = {FromCheckpointer::Kind::saved, FromCheckpointer::Kind::failed,
                                     FromCheckpointer::Kind::done, FromCheckpointer::Kind::listens};

Json json_of(const RankHello& hello) {
  return {{"hello",
           {{"rank", hello.rank},
            {"start", hello.start},
            {"state_bytes", hello.state_bytes},
            {"seed", hello.job.seed},
            {"pp", hello.job.pp},
            {"dp", hello.job.dp},
            {"tp", hello.job.tp},
            {"directory", hello.directory},
            {"keep", hello.retention.keep},
            {"keep_every", hello.retention.every},
            {"longest_wait_ns", hello.longest_wait.count()},
            {"copies", hello.copies},
            {"address", hello.address},
            {"secret", hello.secret}}}};
}

Json json_of(const WriteOrder& order) {
  return {{"write", order.step},
          {"copy", order.copy},
          {"reach", kTierNames.at(static_cast<std::size_t>(order.reach))}};
}

Json json_of(const PeerHosts& peers) {
  Json list = Json::array();
  for (const HostAddress& each : peers) list.push_back({{"address", each.address}, {"port", each.port}});
  return {{"peers", std::move(list)}};
}

PeerHosts peers_in(const Json& json) {
  PeerHosts peers;
  for (const Json& each : json)
    peers.push_back({each.at("address").get<std::string>(), each.at("port").get<std::uint16_t>()});
  return peers;
}

RankHello hello_in(const Json& json) {
  RankHello hello;
  json.at("rank").get_to(hello.rank);
  json.at("start").get_to(hello.start);
  json.at("state_bytes").get_to(hello.state_bytes);
  json.at("seed").get_to(hello.job.seed);
  json.at("pp").get_to(hello.job.pp);
  json.at("dp").get_to(hello.job.dp);
  json.at("tp").get_to(hello.job.tp);
  json.at("directory").get_to(hello.directory);
  json.at("keep").get_to(hello.retention.keep);
  json.at("keep_every").get_to(hello.retention.every);
  json.at("copies").get_to(hello.copies);
  json.at("address").get_to(hello.address);
  json.at("secret").get_to(hello.secret);
  hello.longest_wait = Duration(json.at("longest_wait_ns").get<std::int64_t>());
  return hello;
}

std::optional<ToCheckpointer> order_in(const Json& json) {
  const auto name = json.at("reach").get<std::string>();
  for (std::size_t i = 0; i < kTiers; ++i)
    if (name == kTierNames.at(i))
      return WriteOrder{json.at("write").get<std::int64_t>(), json.at("copy").get<std::string>(),
                        static_cast<Tier>(i)};
  return std::nullopt;
}

/// A text is JSON of another shape, or no JSON: no message.
template <class Message, class Read>
std::optional<Message> parsed(std::string_view text, const Read& read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string to_text(const ToCheckpointer& message) {
  return std::visit([](const auto& each) { return json_of(each).dump(); }, message);
}

std::string to_text(const FromCheckpointer& message) {
  if (message.kind == FromCheckpointer::Kind::not_removed) return Json{{"not_removed", message.why}}.dump();
  Json json;
  for (std::size_t i = 0; i < kOfStep.size(); ++i)
    if (kKindsOfStep.at(i) == message.kind) json[kOfStep.at(i)] = message.step;
  if (message.kind == FromCheckpointer::Kind::failed) json["why"] = message.why;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<ToCheckpointer> parse_to_checkpointer(std::string_view text) {
  return parsed<ToCheckpointer>(text, [](const Json& json) -> std::optional<ToCheckpointer> {
    if (json.contains("hello")) return hello_in(json.at("hello"));
    if (json.contains("peers")) return peers_in(json.at("peers"));
    return order_in(json);
  });
}

std::optional<FromCheckpointer> parse_from_checkpointer(std::string_view text) {
  return parsed<FromCheckpointer>(text, [](const Json& json) -> std::optional<FromCheckpointer> {
    using Kind = FromCheckpointer::Kind;
    if (json.contains("not_removed"))
      return FromCheckpointer{.kind = Kind::not_removed, .why = json.at("not_removed").get<std::string>()};
    for (std::size_t i = 0; i < kOfStep.size(); ++i)
      if (json.contains(kOfStep.at(i)))
        return FromCheckpointer{.kind = kKindsOfStep.at(i),
                                .step = json.at(kOfStep.at(i)).get<std::int64_t>(),
                                .why = json.value("why", "")};
    return std::nullopt;
  });
}

bool send_message(int socket, const std::string& text) {
  ssize_t sent = 0;
  do sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(text.size());
}

std::optional<std::string> receive_message(int socket) {
  std::string text(kLongestCheckpointerMessage, '\0');
  ssize_t count = 0;
  do count = ::recv(socket, text.data(), text.size(), 0);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(count));
  return text;
}

}  // namespace gauntlet
