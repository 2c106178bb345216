// Segments through the broker that librdkafka has built in: over TCP of loopback, in this process.
#include "real/telemetry/segment_queue.hpp"

#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct EndClient {
  void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
  void operator()(rd_kafka_mock_cluster_t* cluster) const { rd_kafka_mock_cluster_destroy(cluster); }
};

void be_silent(const rd_kafka_t*, int, const char*, const char*) {}

std::unique_ptr<rd_kafka_t, EndClient> client_of(
    rd_kafka_type_t type, const std::vector<std::pair<const char*, std::string>>& settings) {
  std::array<char, 512> why{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set_log_cb(conf, be_silent);
  for (const auto& [name, value] : settings) {
    const auto set = rd_kafka_conf_set(conf, name, value.c_str(), why.data(), why.size());
    EXPECT_EQ(set, RD_KAFKA_CONF_OK) << why.data();
  }
  rd_kafka_t* client = rd_kafka_new(type, conf, why.data(), why.size());
  EXPECT_NE(client, nullptr) << why.data();
  return std::unique_ptr<rd_kafka_t, EndClient>(client);
}

/// Accepts connections, and never answers.
class SilentBroker {
 public:
  SilentBroker() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* address = reinterpret_cast<sockaddr*>(&address_);
    socklen_t length = sizeof address_;
    EXPECT_EQ(::bind(socket_, address, length), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, address, &length), 0);
  }
  ~SilentBroker() { ::close(socket_); }
  SilentBroker(const SilentBroker&) = delete;
  SilentBroker& operator=(const SilentBroker&) = delete;
  std::string server() const { return "127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }

 private:
  int socket_;
  sockaddr_in address_{};
};

class SegmentQueues : public testing::Test {
 protected:
  std::string settings(const std::string& text) const {
    const std::string path = (scratch_.path() / "kafka.conf").string();
    put_bytes(path, text);
    return path;
  }
  SegmentQueue::Opened open(const std::string& text) {
    return SegmentQueue::open(settings(text), {.scenario = "planted \"job\"", .seed = 7},
                              [this](const std::string& what) { said_.push_back(what); });
  }
  std::string problem(const std::string& text) {
    const auto opened = open(text);
    const std::string whole = opened.problem ? opened.problem->text() : "";
    const std::string path = (scratch_.path() / "kafka.conf").string();
    return whole.substr(whole.find(path) == 0 ? path.size() : 0);
  }
  static void fill(SegmentQueue& queue, std::int64_t steps) {
    constexpr Layout kLayout = {.tp = 2, .pp = 2, .dp = 1};
    std::vector<RankSeat> seats;
    for (std::uint32_t rank = 0; rank < kLayout.ranks(); ++rank)
      seats.push_back({.rank = rank, .host = 10 + rank / 2, .at = kLayout.coordinates(rank)});
    queue.begin(1, seats);
    for (std::int64_t step = 1; step <= steps; ++step) {
      for (std::uint32_t rank = 0; rank < kLayout.ranks(); ++rank)
        queue.add({.run = 1,
                   .rank = rank,
                   .step = step,
                   .name = "forward",
                   .took = std::chrono::microseconds(step),
                   .reported = kStart + std::chrono::milliseconds(step)});
    }
  }

  Scratch scratch_;
  std::vector<std::string> said_;
};

TEST_F(SegmentQueues, HaveEachSegment) {
  const auto broker = client_of(RD_KAFKA_PRODUCER, {{"client.id", "broker"}});
  const std::unique_ptr<rd_kafka_mock_cluster_t, EndClient> cluster(
      rd_kafka_mock_cluster_new(broker.get(), 1));
  ASSERT_TRUE(cluster);
  ASSERT_EQ(rd_kafka_mock_topic_create(cluster.get(), "segments", 1, 1), RD_KAFKA_RESP_ERR_NO_ERROR);
  const std::string brokers = rd_kafka_mock_cluster_bootstraps(cluster.get());
  constexpr std::int64_t kSteps = 50;
  {
    const auto opened =
        open("# where\n\n topic = segments \nbootstrap.servers=" + brokers + "\nlinger.ms=5\n");
    ASSERT_FALSE(opened.problem) << opened.problem->text();
    fill(*opened.queue, kSteps);
    opened.queue->add({.run = 2, .rank = 0, .step = 1, .name = "of no start", .took = {}, .reported = {}});
    opened.queue->add({.run = 1, .rank = 9, .step = 1, .name = "of no rank", .took = {}, .reported = {}});
  }
  EXPECT_THAT(said_, IsEmpty());

  const auto consumer =
      client_of(RD_KAFKA_CONSUMER,
                {{"bootstrap.servers", brokers}, {"group.id", "test"}, {"auto.offset.reset", "earliest"}});
  rd_kafka_topic_partition_list_t* part = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(part, "segments", 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
  EXPECT_EQ(rd_kafka_assign(consumer.get(), part), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_topic_partition_list_destroy(part);
  std::int64_t first = 0, end = 0;
  EXPECT_EQ(rd_kafka_query_watermark_offsets(consumer.get(), "segments", 0, &first, &end, 30'000),
            RD_KAFKA_RESP_ERR_NO_ERROR);
  std::map<std::pair<std::uint32_t, std::int64_t>, nlohmann::json> found;  // by rank and step
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (std::int64_t offset = -1; offset + 1 < end && std::chrono::steady_clock::now() < until;) {
    rd_kafka_message_t* message = rd_kafka_consumer_poll(consumer.get(), 1000);
    if (message == nullptr) continue;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      offset = message->offset;
      const auto json =
          nlohmann::json::parse(std::string(static_cast<const char*>(message->payload), message->len));
      const std::uint32_t rank = json["rank"];
      EXPECT_EQ(std::string(static_cast<const char*>(message->key), message->key_len),
                "1/" + std::to_string(rank));
      found[{rank, json["step"]}] = json;
    }
    rd_kafka_message_destroy(message);
  }
  EXPECT_EQ(rd_kafka_consumer_close(consumer.get()), RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_EQ(found.size(), 4U * kSteps);
  for (const auto& [key, json] : found) {
    const auto& [rank, step] = key;
    EXPECT_EQ(json, (nlohmann::json{{"scenario", "planted \"job\""},
                                    {"seed", 7},
                                    {"run", 1},
                                    {"step", step},
                                    {"name", "forward"},
                                    {"rank", rank},
                                    {"host", 10 + rank / 2},
                                    {"pp", rank / 2},
                                    {"dp", 0},
                                    {"cp", 0},
                                    {"tp", rank % 2},
                                    {"took_ns", 1000 * step},
                                    {"reported_ns", 1'000'000 * step}}));
  }
}

TEST_F(SegmentQueues, WithoutABrokerSayHowManyAreLost) {
  {
    // Nobody listens at port 1; messages are given up soon.
    const auto opened = open("topic=segments\nbootstrap.servers=127.0.0.1:1\nmessage.timeout.ms=50\n");
    ASSERT_FALSE(opened.problem) << opened.problem->text();
    fill(*opened.queue, 3);
  }
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_THAT(said_[0], HasSubstr("warning: segments do not reach the topic segments: "));
  EXPECT_THAT(said_[1],
              HasSubstr("warning: 12 of 12 segments were not acknowledged by the topic segments: "));
}

TEST_F(SegmentQueues, ThatAreFullDoNotWait) {
  {
    const SilentBroker broker;
    const auto opened = open("topic=segments\nbootstrap.servers=" + broker.server() +
                             "\nmessage.timeout.ms=50\nqueue.buffering.max.messages=5\n");
    ASSERT_FALSE(opened.problem) << opened.problem->text();
    fill(*opened.queue, 3);
  }
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_THAT(said_[0], HasSubstr("Queue full"));
  EXPECT_THAT(said_[1], HasSubstr("12 of 12 segments were not acknowledged by the topic"));
}

TEST_F(SegmentQueues, AreRefusedWhereTheirSettingsAreWrong) {
  EXPECT_EQ(problem("bootstrap.servers=x:1\n"), ": names no topic; write topic=NAME");
  EXPECT_EQ(problem("topic=segments\n"), ": names no broker; write bootstrap.servers=HOST:PORT");
  EXPECT_EQ(problem("topic=segments\nbrokers\n"), ":2:1: is not a setting; write NAME=VALUE");
  EXPECT_THAT(problem("topic=segments\nno.such.thing=1\n"),
              HasSubstr(":2:1: No such configuration property: \"no.such.thing\""));
  EXPECT_THAT(problem("\ntopic=segments\nlinger.ms=soon\n"), HasSubstr(":3:1: "));
  const auto folder = SegmentQueue::open(scratch_.path().string(), {}, {});
  ASSERT_TRUE(folder.problem);
  EXPECT_THAT(folder.problem->text(), HasSubstr("cannot be read; name a file"));
  const auto absent = SegmentQueue::open((scratch_.path() / "absent").string(), {}, {});
  ASSERT_TRUE(absent.problem);
  EXPECT_THAT(absent.problem->text(),
              HasSubstr("absent: cannot be read; name a file with the topic and bootstrap.servers"));
}

}  // namespace
}  // namespace gauntlet
