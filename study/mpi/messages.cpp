#include "study/mpi/messages.hpp"

#include "study/mpi/figures_codec.hpp"
#include "study/mpi/wire.hpp"

#include <utility>

namespace gauntlet {
namespace {

// A new member does not compile until it is named here.
template <class Each, class TermsType>
void members(TermsType& terms, const Each& each) {
  auto& [study, threads] = terms;
  auto& [seed, incident_replicas, full_telemetry, bucket] = study;
  each(seed, incident_replicas, full_telemetry, bucket, threads);
}

class MessageEncoder {
 public:
  explicit MessageEncoder(std::string& out) : out_(out) {}

  void operator()(const Hello& hello) { all(hello.build, hello.host); }
  void operator()(const Terms& terms) {
    members(terms, [this](const auto&... each) { all(each...); });
  }
  void operator()(const PointText& point) { all(point.point, point.text, point.tilt); }
  void operator()(const Job& job) { all(job.number, job.task.point, job.task.first, job.task.count); }
  void operator()(const Done& done) {
    all(done.number, done.figures.size());
    for (const Figures& figures : done.figures) put(out_, figures);
  }
  void operator()(const Failed& failed) { all(failed.number, failed.why); }
  void operator()(const Leave& leave) { all(leave.together); }
  void operator()(Alive) {}
  void operator()(End) {}
  void operator()(Bye) {}

 private:
  template <class... Each>
  void all(const Each&... each) {
    (out_.put(each), ...);
  }

  WireWriter out_;
};

class MessageDecoder {
 public:
  explicit MessageDecoder(WireReader& in) : in_(in) {}

  void operator()(Hello& hello) { all(hello.build, hello.host); }
  void operator()(Terms& terms) {
    members(terms, [this](auto&... each) { all(each...); });
  }
  void operator()(PointText& point) { all(point.point, point.text, point.tilt); }
  void operator()(Job& job) { all(job.number, job.task.point, job.task.first, job.task.count); }
  void operator()(Done& done) {
    all(done.number);
    for (std::size_t left = in_.count(); left > 0 && in_.good(); --left)
      get(in_, done.figures.emplace_back());
  }
  void operator()(Failed& failed) { all(failed.number, failed.why); }
  void operator()(Leave& leave) { all(leave.together); }
  void operator()(Alive&) {}
  void operator()(End&) {}
  void operator()(Bye&) {}

 private:
  template <class... Each>
  void all(Each&... each) {
    (in_.get(each), ...);
  }

  WireReader& in_;
};

template <std::size_t... I>
Message alternative(std::size_t index, std::index_sequence<I...>) {
  Message message;
  static_cast<void>(((I == index && (static_cast<void>(message.emplace<I>()), true)) || ...));
  return message;
}

}  // namespace

std::string encode(const Message& message) {
  std::string bytes;
  WireWriter(bytes).put(message.index());
  std::visit(MessageEncoder(bytes), message);
  return bytes;
}

std::optional<Message> decode(std::string_view bytes) {
  WireReader in(bytes);
  std::size_t index = 0;
  in.get(index);
  if (!in.good() || index >= std::variant_size_v<Message>) return std::nullopt;
  Message message = alternative(index, std::make_index_sequence<std::variant_size_v<Message>>{});
  std::visit(MessageDecoder(in), message);
  return in.done() ? std::optional(std::move(message)) : std::nullopt;
}

}  // namespace gauntlet
