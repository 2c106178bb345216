#include "score/latencies.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::uint32_t kBits = 7;
constexpr std::uint64_t kPerDoubling = 1U << kBits;

// Values below 2^(kBits + 1) have a bin each; above, the highest kBits + 1 bits are kept.
std::uint32_t bin_of_value(std::uint64_t value) {
  if (value < 2 * kPerDoubling) return static_cast<std::uint32_t>(value);
  const auto dropped = static_cast<std::uint32_t>(std::bit_width(value)) - kBits - 1;
  return static_cast<std::uint32_t>((value >> dropped) + dropped * kPerDoubling);
}

const std::uint32_t kLastBin = bin_of_value(std::numeric_limits<std::int64_t>::max());

bool read(std::string_view& text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool skip(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::uint32_t Latencies::bin_of(Duration latency) {
  expect(latency >= Duration::zero(), "nothing takes less than no time");
  return bin_of_value(static_cast<std::uint64_t>(latency.count()));
}

Duration Latencies::middle_of(std::uint32_t bin) {
  if (bin < 2 * kPerDoubling) return Duration(bin);
  const auto dropped = static_cast<std::uint32_t>(bin / kPerDoubling) - 1;
  const std::uint64_t lowest = (bin - dropped * kPerDoubling) << dropped;
  return Duration(static_cast<std::int64_t>(lowest + (std::uint64_t{1} << dropped) / 2));
}

void Latencies::add(Bin bin) {
  const auto place =
      std::lower_bound(bins_.begin(), bins_.end(), bin.number,
                       [](const Bin& each, std::uint32_t number) { return each.number < number; });
  if (place != bins_.end() && place->number == bin.number) {
    place->count += bin.count;
  } else {
    bins_.insert(place, bin);
  }
}

void Latencies::add(const Latencies& other) {
  if (bins_.empty()) {
    bins_ = other.bins_;
    return;
  }
  auto place = bins_.begin();  // both are in order: the search goes on where it stood
  for (const Bin& bin : other.bins_) {
    place = std::lower_bound(place, bins_.end(), bin.number,
                             [](const Bin& each, std::uint32_t number) { return each.number < number; });
    if (place != bins_.end() && place->number == bin.number) {
      place->count += bin.count;
    } else {
      place = bins_.insert(place, bin);
    }
  }
}

std::uint64_t Latencies::count() const {
  std::uint64_t sum = 0;
  for (const Bin& bin : bins_) sum += bin.count;
  return sum;
}

std::optional<Duration> Latencies::quantile(double p) const {
  expect(p > 0 && p <= 1, "a quantile is asked for by a probability");
  if (bins_.empty()) return std::nullopt;
  const double rank = std::ceil(p * static_cast<double>(count()));
  std::uint64_t seen = 0;
  for (const Bin& bin : bins_) {
    seen += bin.count;
    if (static_cast<double>(seen) >= rank) return middle_of(bin.number);
  }
  return middle_of(bins_.back().number);
}

std::string Latencies::text() const {
  std::string out;
  out.reserve(8 * bins_.size());
  char digits[24];  // more than the longest number has
  const auto put = [&](std::uint64_t number) {
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  };
  for (const Bin& bin : bins_) {
    if (!out.empty()) out += ' ';
    put(bin.number);
    out += ':';
    put(bin.count);
  }
  return out;
}

std::optional<Latencies> Latencies::from_text(std::string_view text) {
  std::vector<Bin> bins;
  bins.reserve(static_cast<std::size_t>(std::ranges::count(text, ':')));
  while (!text.empty()) {
    std::uint64_t number = 0, count = 0;
    if (!bins.empty() && !skip(text, ' ')) return std::nullopt;
    if (!read(text, number) || number > kLastBin || !skip(text, ':') || !read(text, count))
      return std::nullopt;
    bins.push_back({static_cast<std::uint32_t>(number), count});
  }
  return from_bins(std::move(bins));
}

std::optional<Latencies> Latencies::from_bins(std::vector<Bin> bins) {
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const bool ascending = i == 0 || bins[i - 1].number < bins[i].number;
    if (!ascending || bins[i].count == 0 || bins[i].number > kLastBin) return std::nullopt;
  }
  Latencies out;
  out.bins_ = std::move(bins);
  return out;
}

}  // namespace gauntlet
