#include "flow/program/simulate.hpp"

#include <simgrid/s4u.hpp>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

namespace gauntlet {
namespace {

namespace s4u = simgrid::s4u;

/// Ideal sharing: CM02 with no bound by a TCP window and no bandwidth for acknowledgements (SimGrid's manual, "Configuring
/// SimGrid", network/*). Small stacks: an actor needs little.
constexpr std::array kOptions = {"gauntlet-flow",
                                 "--cfg=network/model:CM02",
                                 "--cfg=network/TCP-gamma:1e12",
                                 "--cfg=network/crosstraffic:0",
                                 "--cfg=contexts/stack-size:64",
                                 "--log=root.thresh:critical",
                                 "--log=no_loc"};

/// The links, and a host at the far end of each path. In a star every host has a route of its own to the middle, so a path is a
/// host's way to one common sink, and there is no table of routes between all pairs.
class Platform {
 public:
  explicit Platform(const FlowProblem& problem) : star_(s4u::create_star_zone("fabric")) {
    for (const FlowLink& link : problem.links) {
      links_.push_back(star_->create_link("link" + std::to_string(links_.size()), link.bandwidth));
      links_.back()->set_latency(link.latency)->seal();
    }
    sink_ = star_->create_host("sink", 1.0);
    star_->add_route(nullptr, sink_->get_netpoint(), nullptr, nullptr, std::vector<s4u::LinkInRoute>{},
                     false);
    for (const FlowPhase& phase : problem.phases) {
      for (const Transfer& flow : phase.flows) add_path(flow);
      for (const Actor& actor : phase.actors)
        for (const Instruction& does : actor)
          if (does.kind == Instruction::Kind::send) add_path(does.transfer);
    }
    star_->seal();
  }

  s4u::Host* sink() const { return sink_; }

  s4u::CommPtr begin(const Transfer& transfer) const {
    s4u::CommPtr comm = s4u::Comm::sendto_init(begins_.at(transfer.links), sink_);
    comm->set_payload_size(static_cast<std::uint64_t>(std::llround(transfer.bytes)));
    comm->vetoable_start();
    return comm;
  }

 private:
  void add_path(const Transfer& transfer) {
    s4u::Host*& host = begins_[transfer.links];
    if (host != nullptr) return;
    host = star_->create_host("path" + std::to_string(begins_.size()), 1.0);
    std::vector<s4u::LinkInRoute> route;
    for (const std::uint32_t link : transfer.links) route.emplace_back(links_[link]);
    star_->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, route, false);
  }

  s4u::NetZone* star_;
  std::vector<s4u::Link*> links_;
  std::map<std::vector<std::uint32_t>, s4u::Host*> begins_;
  s4u::Host* sink_ = nullptr;
};

/// What the actors of one phase wait for.
struct Signals {
  std::map<std::uint32_t, s4u::SemaphorePtr> messages;
  std::map<std::uint32_t, s4u::BarrierPtr> meetings;
};

Signals signals_of(const FlowPhase& phase) {
  Signals out;
  std::map<std::uint32_t, unsigned> members;
  for (const Actor& actor : phase.actors)
    for (const Instruction& does : actor) {
      if (does.kind == Instruction::Kind::receive) out.messages[does.number] = s4u::Semaphore::create(0);
      if (does.kind == Instruction::Kind::meet) ++members[does.number];
    }
  for (const auto& [number, count] : members) out.meetings[number] = s4u::Barrier::create(count);
  return out;
}

void act(const Actor& actor, const Platform& platform, const Signals& signals) {
  for (const Instruction& does : actor) {
    switch (does.kind) {
      case Instruction::Kind::compute:
        s4u::this_actor::sleep_for(does.seconds);
        break;
      case Instruction::Kind::send: {
        if (does.transfer.bytes >= 1) platform.begin(does.transfer)->wait();
        const auto waits = signals.messages.find(does.number);
        if (waits != signals.messages.end()) waits->second->release();
        break;
      }
      case Instruction::Kind::receive:
        signals.messages.at(does.number)->acquire();
        break;
      case Instruction::Kind::meet:
        signals.meetings.at(does.number)->wait();
        break;
    }
  }
}

FlowTimes run(const FlowPhase& phase, const Platform& platform) {
  const double begin = s4u::Engine::get_clock();
  const Signals signals = signals_of(phase);
  FlowTimes times;
  times.actors.resize(phase.actors.size());
  std::vector<s4u::ActorPtr> actors;
  for (std::size_t i = 0; i < phase.actors.size(); ++i)
    actors.push_back(s4u::Actor::create("actor" + std::to_string(i), platform.sink(), [&, i] {
      act(phase.actors[i], platform, signals);
      times.actors[i] = s4u::Engine::get_clock() - begin;
    }));
  std::vector<s4u::CommPtr> flows;
  for (const Transfer& flow : phase.flows) flows.push_back(flow.bytes >= 1 ? platform.begin(flow) : nullptr);
  for (const s4u::CommPtr& flow : flows) {
    if (flow != nullptr) flow->wait();
    times.flows.push_back(flow != nullptr ? flow->get_finish_time() - begin : 0);
  }
  for (const s4u::ActorPtr& actor : actors) actor->join();
  times.all = s4u::Engine::get_clock() - begin;
  return times;
}

}  // namespace

std::vector<FlowTimes> simulate(const FlowProblem& problem) {
  auto options = kOptions;
  int count = static_cast<int>(options.size());
  s4u::Engine engine(&count, const_cast<char**>(options.data()));
  s4u::Engine::on_deadlock_cb([] {
    std::fputs("gauntlet-flow: the actors wait for each other forever\n", stderr);
    _exit(1);
  });
  const Platform platform(problem);
  std::vector<FlowTimes> times;
  s4u::Actor::create("phases", platform.sink(), [&] {
    for (const FlowPhase& phase : problem.phases) times.push_back(run(phase, platform));
  });
  engine.run();
  return times;
}

}  // namespace gauntlet
