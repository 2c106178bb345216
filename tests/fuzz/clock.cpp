// Exchanges with an agent's clock, also repeated, out of order and impossible ones: what is known stays a bound.
#include "real/clocks/agent_clock.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <fuzzer/FuzzedDataProvider.h>

using namespace gauntlet;

namespace {

/// Any number, or one that is near to another.
std::int64_t time_in(FuzzedDataProvider& in, std::int64_t near) {
  constexpr std::int64_t kNear = 1'000'000'000;
  if (in.ConsumeBool()) return in.ConsumeIntegral<std::int64_t>();
  const std::int64_t apart = in.ConsumeIntegralInRange<std::int64_t>(-kNear, kNear);
  std::int64_t sum = 0;
  return __builtin_add_overflow(near, apart, &sum) ? near : sum;
}

void ensure_bounds(const AgentClock& clock, std::int64_t agent_ns) {
  const auto offset = clock.offset(agent_ns);
  const auto time = clock.to_driver(agent_ns);
  ensure(offset.has_value() == time.has_value(), "both are known after the first exchange");
  if (!offset) return;
  ensure(offset->low_ns <= offset->high_ns, "the bounds are an interval");
  ensure(time->error >= Duration::zero(), "an error is not negative");
  ensure(time->error.count() <= offset->high_ns - offset->low_ns, "the middle is within the bounds");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  AgentClock clock;
  ClockExchange last;
  while (in.remaining_bytes() > 0) {
    ClockExchange exchange = last;  // a frame that is repeated
    if (in.ConsumeBool()) {
      exchange.asked_ns = time_in(in, last.asked_ns);
      exchange.read_ns = time_in(in, last.read_ns);
      exchange.answered_ns = time_in(in, exchange.asked_ns);
    }
    clock.add(exchange);
    last = exchange;
    ensure_bounds(clock, exchange.read_ns);
    ensure_bounds(clock, time_in(in, exchange.read_ns));
    if (const auto known = clock.known())
      ensure(known->offset.low_ns <= known->offset.high_ns, "what is known is a bound");
  }
  return 0;
}
