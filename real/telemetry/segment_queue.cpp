#include "real/telemetry/segment_queue.hpp"

#include <librdkafka/rdkafka.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

// A drill is over, and its report waits.
constexpr int kFlushWithinMs = 5000;
constexpr const char* kTopic = "topic";

struct Destroy {
  void operator()(rd_kafka_conf_t* settings) const { rd_kafka_conf_destroy(settings); }
  void operator()(rd_kafka_error_t* error) const { rd_kafka_error_destroy(error); }
};
using Settings = std::unique_ptr<rd_kafka_conf_t, Destroy>;
using Refusal = std::unique_ptr<rd_kafka_error_t, Destroy>;
using Message = std::array<char, 512>;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

struct ReadSettings {
  Settings settings;
  std::string topic;
  std::optional<Problem> problem;
};

ReadSettings read_settings(const std::string& path) {
  ReadSettings read{.settings = Settings(rd_kafka_conf_new()), .topic = "", .problem = {}};
  std::error_code ignored;
  std::ifstream file;  // a pipe without a writer would hold up the drill
  if (std::filesystem::is_regular_file(path, ignored)) file.open(path);
  std::uint32_t number = 0;
  bool has_broker = false;
  const auto wrong = [&](std::string why, std::string suggestion) {
    read.problem = problem_of(path, std::move(why), std::move(suggestion));
    read.problem->line = number;
    read.problem->column = number > 0 ? 1 : 0;
  };
  if (!file.is_open()) wrong("cannot be read", "name a file with the topic and bootstrap.servers");
  for (std::string line; !read.problem && std::getline(file, line);) {
    ++number;
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) continue;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      wrong("is not a setting", "write NAME=VALUE");
      break;
    }
    const std::string name(trimmed(text.substr(0, equals))), value(trimmed(text.substr(equals + 1)));
    if (name == kTopic) {
      read.topic = value;
      continue;
    }
    has_broker = has_broker || name == "bootstrap.servers" || name == "metadata.broker.list";
    Message why{};
    if (rd_kafka_conf_set(read.settings.get(), name.c_str(), value.c_str(), why.data(), why.size()) !=
        RD_KAFKA_CONF_OK)
      wrong(why.data(), "see librdkafka's CONFIGURATION.md");
  }
  number = 0;
  if (!read.problem && file.bad()) wrong("cannot be read to its end", "copy it to another disk");
  if (!read.problem && read.topic.empty()) wrong("names no topic", "write topic=NAME");
  if (!read.problem && !has_broker) wrong("names no broker", "write bootstrap.servers=HOST:PORT");
  return read;
}

}  // namespace

struct SegmentQueue::Producer {
  SegmentOrigin origin;
  std::function<void(const std::string&)> say;
  std::string topic{};
  std::map<std::uint32_t, std::map<std::uint32_t, RankSeat>> seats{};  // by run and rank
  std::uint64_t sent = 0, arrived = 0;
  std::string last_error{};  // the first one was said
  struct Destroy {
    void operator()(rd_kafka_t* destroyed) const {
      rd_kafka_purge(destroyed, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
      rd_kafka_destroy(destroyed);
    }
  };
  std::unique_ptr<rd_kafka_t, Destroy> client{};  // goes first, for it calls back

  /// Callbacks of librdkafka, all on the thread that polls.
  static void delivered(rd_kafka_t*, const rd_kafka_message_t* message, void* producer) {
    auto& of = *static_cast<Producer*>(producer);
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
      ++of.arrived;
    else
      of.warn(rd_kafka_err2str(message->err));
  }
  /// One broker that is away, or an idle connection that is closed, is not reported: the library connects again.
  static void failed(rd_kafka_t* client, int error, const char* reason, void* producer) {
    auto& of = *static_cast<Producer*>(producer);
    Message fatal{};
    if (error == RD_KAFKA_RESP_ERR__FATAL && rd_kafka_fatal_error(client, fatal.data(), fatal.size()) != 0)
      of.warn(fatal.data());
    else if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || error == RD_KAFKA_RESP_ERR__AUTHENTICATION)
      of.warn(reason);
  }
  static void be_silent(const rd_kafka_t*, int, const char*, const char*) {}

  /// At once, since a drill may take days; the end says how many segments are concerned.
  void warn(const std::string& why) {
    if (last_error.empty()) say("warning: segments do not reach the topic " + topic + ": " + why);
    last_error = why;
  }
};

SegmentQueue::Opened SegmentQueue::open(const std::string& settings, const SegmentOrigin& origin,
                                        std::function<void(const std::string&)> say) {
  ReadSettings read = read_settings(settings);
  if (read.problem) return {.queue = nullptr, .problem = std::move(read.problem)};
  auto producer = std::make_unique<Producer>(Producer{.origin = origin, .say = std::move(say)});
  producer->topic = read.topic;
  rd_kafka_conf_set_opaque(read.settings.get(), producer.get());
  rd_kafka_conf_set_dr_msg_cb(read.settings.get(), Producer::delivered);
  rd_kafka_conf_set_error_cb(read.settings.get(), Producer::failed);
  // Segments that arrived are counted.
  static_cast<void>(
      rd_kafka_conf_set(read.settings.get(), "delivery.report.only.error", "false", nullptr, 0));
  rd_kafka_conf_set_log_cb(read.settings.get(), Producer::be_silent);
  Message why{};
  producer->client.reset(rd_kafka_new(RD_KAFKA_PRODUCER, read.settings.get(), why.data(), why.size()));
  if (!producer->client)
    return {.queue = nullptr,
            .problem = problem_of(settings, why.data(), "see librdkafka's CONFIGURATION.md")};
  static_cast<void>(read.settings.release());  // the client's now
  return {.queue = std::unique_ptr<SegmentQueue>(new SegmentQueue(std::move(producer))), .problem = {}};
}

SegmentQueue::SegmentQueue(std::unique_ptr<Producer> producer) : producer_(std::move(producer)) {}

SegmentQueue::~SegmentQueue() {
  rd_kafka_t* client = producer_->client.get();
  static_cast<void>(rd_kafka_flush(client, kFlushWithinMs));
  if (producer_->arrived < producer_->sent)
    producer_->say("warning: " + std::to_string(producer_->sent - producer_->arrived) + " of " +
                   std::to_string(producer_->sent) + " segments were not acknowledged by the topic " +
                   producer_->topic + (producer_->last_error.empty() ? "" : ": " + producer_->last_error));
}

void SegmentQueue::begin(std::uint32_t run, std::span<const RankSeat> seats) {
  // Late segments are of the run before, at most.
  std::erase_if(producer_->seats, [run](const auto& each) { return each.first + 1 < run; });
  for (const RankSeat& seat : seats) producer_->seats[run][seat.rank] = seat;
}

void SegmentQueue::add(const SegmentTime& segment) {
  static_cast<void>(rd_kafka_poll(producer_->client.get(), 0));
  const auto run = producer_->seats.find(segment.run);
  if (run == producer_->seats.end()) return;
  const auto found = run->second.find(segment.rank);
  if (found == run->second.end()) return;
  const RankSeat& seat = found->second;
  const nlohmann::ordered_json json = {{"scenario", producer_->origin.scenario},
                                       {"seed", producer_->origin.seed},
                                       {"run", segment.run},
                                       {"step", segment.step},
                                       {"name", segment.name},
                                       {"rank", segment.rank},
                                       {"host", seat.host},
                                       {"pp", seat.at.pp},
                                       {"dp", seat.at.dp},
                                       {"cp", seat.at.cp},
                                       {"tp", seat.at.tp},
                                       {"took_ns", segment.took.count()},
                                       {"reported_ns", segment.reported.time_since_epoch().count()}};
  std::string value = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string key = std::to_string(segment.run) + "/" + std::to_string(segment.rank);
  std::array<rd_kafka_vu_t, 4> message{};
  message[0].vtype = RD_KAFKA_VTYPE_TOPIC;
  message[0].u.cstr = producer_->topic.c_str();
  message[1].vtype = RD_KAFKA_VTYPE_KEY;
  message[1].u.mem = {key.data(), key.size()};
  message[2].vtype = RD_KAFKA_VTYPE_VALUE;
  message[2].u.mem = {value.data(), value.size()};
  message[3].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  message[3].u.i = RD_KAFKA_MSG_F_COPY;
  ++producer_->sent;
  // A queue that is full, as where no broker answers, must not hold up the drill.
  const Refusal refusal(rd_kafka_produceva(producer_->client.get(), message.data(), message.size()));
  if (refusal) producer_->warn(rd_kafka_error_string(refusal.get()));
}

void SegmentQueue::flush() { static_cast<void>(rd_kafka_poll(producer_->client.get(), 0)); }

}  // namespace gauntlet
