#include "core/record/codec.hpp"

#include "core/record/describe.hpp"
#include "core/record/enumerators.hpp"
#include "core/record/little_endian.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <concepts>
#include <type_traits>
#include <utility>

namespace gauntlet {
namespace {

template <class T>
constexpr bool kIsId = false;
template <class Tag, class Representation>
constexpr bool kIsId<Id<Tag, Representation>> = true;
template <class T>
constexpr bool kIsArray = false;
template <class Each, std::size_t N>
constexpr bool kIsArray<std::array<Each, N>> = true;

// --- bytes -------------------------------------------------------------------------------------------------------

class Writer {
 public:
  explicit Writer(ByteBuffer& out) : out_(out) {}

  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      put(std::bit_cast<std::uint64_t>(value));
    } else if constexpr (std::is_enum_v<T>) {
      put(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_integral_v<T>) {
      auto bits =
          static_cast<std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, char, T>>>(value);
      put_little_endian(bits, sizeof(T), out_);
    } else if constexpr (std::is_same_v<T, Duration>) {
      put(value.count());
    } else if constexpr (std::is_same_v<T, Time>) {
      put(value.time_since_epoch().count());
    } else if constexpr (kIsId<T>) {
      put(value.value);
    } else if constexpr (kIsVariant<T>) {
      put(static_cast<std::uint8_t>(value.index()));
      std::visit([this](const auto& alternative) { this->put(alternative); }, value);
    } else if constexpr (kIsVector<T> || kIsArray<T>) {
      if constexpr (kIsVector<T>) put(std::uint64_t{value.size()});
      for (const auto& each : value) put(each);
    } else if constexpr (!std::is_same_v<T, std::monostate>) {
      for_each_member(value, [this](std::string_view, const auto& each) { this->put(each); });
    }
  }

 private:
  ByteBuffer& out_;
};

/// The last value of each enumeration that is written.
template <class Enum>
constexpr Enum kLast;
template <>
constexpr ComponentKind kLast<ComponentKind> = ComponentKind::power;
template <>
constexpr Scope::Subset kLast<Scope::Subset> = Scope::Subset::stage;
template <>
constexpr Signal kLast<Signal> = Signal::last_collective;
template <>
constexpr Edge kLast<Edge> = Edge::sample;
template <>
constexpr Status kLast<Status> = Status::cancelled;
template <>
constexpr Verdict kLast<Verdict> = Verdict::faulty;
template <>
constexpr Ending kLast<Ending> = Ending::stopped;
template <>
constexpr OperatorAction kLast<OperatorAction> = OperatorAction::disarm;
template <>
constexpr StopReason kLast<StopReason> = StopReason::preempted;
template <>
constexpr Tier kLast<Tier> = Tier::storage;
template <>
constexpr Restore kLast<Restore> = Restore::every_rank;
template <>
constexpr TruthKind kLast<TruthKind> = TruthKind::grew;

class Reader {
 public:
  explicit Reader(std::string_view& in) : in_(in) {}
  bool good() const { return good_; }

  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, double>) {
      std::uint64_t bits = 0;
      get(bits);
      value = std::bit_cast<double>(bits);
    } else if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> bits{};
      get(bits);
      value = static_cast<T>(bits);
      if (value > kLast<T>) good_ = false;
    } else if constexpr (std::is_integral_v<T>) {
      if (in_.size() < sizeof(T)) {
        good_ = false;
        return;
      }
      const std::uint64_t bits = take_little_endian(in_, sizeof(T));
      value = static_cast<T>(bits);
      if (std::is_same_v<T, bool> && bits > 1) good_ = false;
    } else if constexpr (std::is_same_v<T, Duration>) {
      Duration::rep count = 0;
      get(count);
      value = Duration(count);
    } else if constexpr (std::is_same_v<T, Time>) {
      Duration::rep count = 0;
      get(count);
      value = Time(Duration(count));
    } else if constexpr (kIsId<T>) {
      get(value.value);
    } else if constexpr (kIsVariant<T>) {
      std::uint8_t index = 0;
      get(index);
      get_alternative(value, index, std::make_index_sequence<std::variant_size_v<T>>{});
    } else if constexpr (kIsVector<T>) {
      std::uint64_t count = 0;
      get(count);
      for (; good_ && count > 0; --count)
        get(value.emplace_back());  // each takes bytes: a wrong count ends soon
    } else if constexpr (kIsArray<T>) {
      for (auto& each : value) get(each);
    } else if constexpr (!std::is_same_v<T, std::monostate>) {
      for_each_member(value, [this](std::string_view, auto& each) { this->get(each); });
    }
  }

 private:
  template <class Variant, std::size_t... I>
  void get_alternative(Variant& value, std::size_t index, std::index_sequence<I...>) {
    const bool known = ((I == index && (get(value.template emplace<I>()), true)) || ...);
    if (!known) good_ = false;
  }

  std::string_view& in_;
  bool good_ = true;
};

template <class T>
std::optional<T> decode(std::string_view& bytes) {
  T value{};
  Reader reader(bytes);
  reader.get(value);
  return reader.good() ? std::optional<T>(value) : std::nullopt;
}

bool is_possible(const Cadence& cadence) {
  const auto further = [](const Cadence::Further& each) {
    return each.every >= 0 && each.taken >= 0 && each.stall >= Duration::zero();
  };
  return cadence.first >= 0 && cadence.every > 0 && cadence.stall >= Duration::zero() &&
         std::all_of(cadence.further.begin(), cadence.further.end(), further);
}

bool is_possible(const RunLogs& logs) {
  Time last = kStart;
  for (const Truth& each : logs.truth)
    if (each.at < std::exchange(last, each.at) || each.hosts == 0) return false;
  last = kStart;
  for (const Stretch& each : logs.progress.stretches) {
    if (each.begin < last || each.end < each.begin || each.origin > each.begin) return false;
    if (each.step <= Duration::zero() || each.healthy_step < Duration::zero()) return false;
    if (each.for_fewer < Duration::zero() || each.first_step < 0 || !is_possible(each.cadence)) return false;
    last = each.end;
  }
  last = kStart;
  for (const Pause& each : logs.progress.pauses)
    if (each.begin < std::exchange(last, each.end) || each.end < each.begin) return false;
  return true;
}

// --- fingerprints ------------------------------------------------------------------------------------------------

class Folder {
 public:
  explicit Folder(Fingerprint& into) : into_(into) {}

  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      into_.add(value);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      into_.add(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, Duration>) {
      put(value.count());
    } else if constexpr (std::is_same_v<T, Time>) {
      put(value.time_since_epoch().count());
    } else if constexpr (kIsId<T>) {
      put(value.value);
    } else if constexpr (kIsVariant<T>) {
      put(value.index());
      std::visit([this](const auto& alternative) { this->put(alternative); }, value);
    } else if constexpr (!std::is_same_v<T, std::monostate>) {
      for_each_member(value, [this](std::string_view, const auto& each) { this->put(each); });
    }
  }

 private:
  Fingerprint& into_;
};

// --- text --------------------------------------------------------------------------------------------------------

class Printer {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      text_ += value ? "yes" : "no";
    } else if constexpr (std::is_enum_v<T>) {
      text_ += enumerator(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      text_ += std::to_string(value);
    } else if constexpr (std::is_same_v<T, Duration>) {
      text_ += std::to_string(value.count()) + "ns";
    } else if constexpr (std::is_same_v<T, Time>) {
      put(value.time_since_epoch());
    } else if constexpr (std::is_same_v<T, ComponentId>) {
      text_ += enumerator(value.kind);
      text_ += ":" + std::to_string(value.index);
    } else if constexpr (std::is_same_v<T, Scope>) {
      if (value.subset == Scope::Subset::one) return put(ComponentId{value.kind, value.index});
      text_ += "every ";
      text_ += enumerator(value.kind);
      if (value.subset == Scope::Subset::job) text_ += " of job:" + std::to_string(value.index);
    } else if constexpr (kIsId<T>) {
      put(value.value);
    } else if constexpr (kIsVariant<T>) {
      std::visit([this](const auto& alternative) { this->put(alternative); }, value);
    } else if constexpr (std::is_same_v<T, std::monostate>) {
      text_ += "nothing";
    } else {
      text_ += Describe<T>::name;
      text_ += "{";
      bool first = true;
      for_each_member(value, [&](std::string_view name, const auto& each) {
        if (!std::exchange(first, false)) text_ += " ";
        text_ += name;
        text_ += "=";
        put(each);
      });
      text_ += "}";
    }
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

void encode(const Observed& value, ByteBuffer& out) { Writer(out).put(value); }
void encode(const Order& value, ByteBuffer& out) { Writer(out).put(value); }
void encode(const RunLogs& value, ByteBuffer& out) { Writer(out).put(value); }

void fold(const Order& value, Fingerprint& into) { Folder(into).put(value); }

std::optional<Observed> decode_observed(std::string_view& bytes) { return decode<Observed>(bytes); }
std::optional<Order> decode_order(std::string_view& bytes) { return decode<Order>(bytes); }
std::optional<RunLogs> decode_run_logs(std::string_view& bytes) {
  auto logs = decode<RunLogs>(bytes);
  return logs && is_possible(*logs) ? std::move(logs) : std::nullopt;
}

std::string to_text(const Observed& value) {
  Printer printer;
  printer.put(value.what);
  return printer.take();
}
std::string to_text(const Order& value) {
  Printer printer;
  printer.put(value.what);
  return printer.take();
}

bool same(const Order& a, const Order& b) {
  ByteBuffer bytes_a, bytes_b;
  encode(a, bytes_a);
  encode(b, bytes_b);
  return bytes_a == bytes_b;
}

}  // namespace gauntlet
