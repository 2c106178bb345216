#include "real/probes/host/disk_probes.hpp"

#include "core/time.hpp"
#include "real/probes/host/disk_traffic.hpp"
#include "real/probes/host/probe_file.hpp"
#include "real/system/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gauntlet {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kChunks = 64;
constexpr std::size_t kFileBytes = kChunk * kChunks;
constexpr std::size_t kRepetitions = 3;
// Of a rate, where they take little time: on a virtual disk the best of three reads was between 1,011 and 1,686 MB/s in 15 looks, while
// nothing else ran (`gauntlet probe --suite full --only disk_read,disk_write --json`).
constexpr std::size_t kRepetitionsOfRates = 6;
constexpr double kEnoughSeconds = 1.5;  // assumption: about the two seconds of the catalogue
constexpr std::size_t kRecord = 4096;
constexpr std::size_t kSyncs = 100;
// kubelet evicts pods below it (https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/).
constexpr double kLeftFree = 0.1;
// Reading 64 MiB of which more is in memory says nothing about the disk.
constexpr double kMostCached = 0.05;

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

double seconds_since(std::int64_t began) { return to_seconds(Duration(monotonic_ns() - began)); }

double megabytes_per_second(double seconds) { return static_cast<double>(kFileBytes) / 1e6 / seconds; }

/// No two words of a file are equal, so that a chunk at another place shows.
std::string chunk_of(std::size_t number) {
  std::string chunk(kChunk, '\0');
  std::uint64_t word = number * (kChunk / sizeof word);
  for (std::size_t at = 0; at < kChunk; at += sizeof word, ++word) {
    const std::uint64_t mixed = word * 0x9e3779b97f4a7c15U;  // odd: no two products are equal
    std::memcpy(chunk.data() + at, &mixed, sizeof mixed);
  }
  return chunk;
}

/// Without permission, or without the directory, nobody can look; any other error is one of the disk.
ProbeSample failed(const ProbedHost& host, const char* what, int error) {
  const std::string why = fmt::format("{}: {}: {}", host.directory, what, std::strerror(error));
  if (error == EACCES || error == EPERM || error == ENOENT || error == ENOTDIR)
    return unsupported_sample(why);
  ProbeSample sample;
  sample.errors.push_back(why);
  return sample;
}

std::string size_text(std::uint64_t bytes) {
  return fmt::format("{:.4g} GB", static_cast<double>(bytes) / 1e9);
}

/// Why no file of so many bytes is written; empty where there is room.
std::string lacks_room(const ProbedHost& host, const FileSystemSpace& space, std::uint64_t wanted) {
  if (space.in_memory) return host.directory + " is in memory (tmpfs); name a directory on a disk";
  const auto kept = static_cast<std::uint64_t>(kLeftFree * static_cast<double>(space.bytes));
  if (space.available >= wanted + kept) return {};
  return fmt::format("{} has {} available of {}; the probe leaves a tenth free", host.directory,
                     size_text(space.available), size_text(space.bytes));
}

ProbeSample sample_of(PartSample part) {
  ProbeSample sample;
  sample.parts.push_back(std::move(part));
  return sample;
}

PartSample of_value(double value, std::string remark) {
  return {.part = "", .kind = "", .values = {value}, .remark = std::move(remark)};
}

/// Seconds, or the errno of what failed.
struct Timed {
  double seconds = 0;
  int error = 0;
};

/// The rate of a file of the probe. A disk that others use is slow because of them: one repetition without them is enough.
class DiskRate {
 public:
  explicit DiskRate(const ProbedHost& host) : host_(host), before_(disk_bytes(host.root, host.directory)) {}
  void add_to(PartSample& part, double seconds) const {
    const auto after = disk_bytes(host_.root, host_.directory);
    const std::string why = before_ && after ? why_shared(kFileBytes, *after - *before_) : "";
    const bool was_alone = !part.values.empty() && part.excuse.empty();
    part.excuse = was_alone ? "" : why;
    part.values.push_back(megabytes_per_second(seconds));
  }

 private:
  const ProbedHost& host_;
  std::optional<std::uint64_t> before_;
};

Timed write_file_of(ProbeFile& file, const std::vector<std::string>& chunks) {
  if (const int error = file.clear()) return {.error = error};
  const std::int64_t began = monotonic_ns();
  for (const std::string& chunk : chunks)
    if (const int error = file.append(chunk)) return {.error = error};
  const int error = file.sync();
  return {.seconds = seconds_since(began), .error = error};
}

std::vector<std::string> chunks() {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kChunks; ++i) out.push_back(chunk_of(i));
  return out;
}

/// `repeat` adds a value, or gives what the probe has to say. It is called `kRepetitions` times, and up to `most` times while that is quick.
template <class Repeat>
ProbeSample on_a_file(const ProbedHost& host, std::uint64_t bytes, std::size_t most, const Repeat& repeat) {
  const FileSystemSpace space = host.space(host.directory);
  if (space.error != 0) return failed(host, "cannot be looked at", space.error);
  if (const std::string why = lacks_room(host, space, bytes); !why.empty()) return unsupported_sample(why);
  ProbeFile file(*host.files, host.directory);
  if (file.error() != 0) return failed(host, "no file can be made", file.error());
  PartSample part{};
  const std::int64_t began = monotonic_ns();
  for (std::size_t i = 0; i < most; ++i) {
    if (i >= kRepetitions && seconds_since(began) > kEnoughSeconds) break;
    if (std::optional<ProbeSample> sample = repeat(file, part)) return *sample;
  }
  return sample_of(std::move(part));
}

}  // namespace

ProbeSample probe_disk_space(const ProbedHost& host) {
  const FileSystemSpace space = host.space(host.directory);
  if (space.error != 0) return failed(host, "cannot be looked at", space.error);
  if (space.bytes == 0) return unsupported_sample(host.directory + " is on a file system that has no size");
  return sample_of(
      of_value(percent(space.available, space.bytes),
               fmt::format("{} available of {}", size_text(space.available), size_text(space.bytes))));
}

ProbeSample probe_disk_inodes(const ProbedHost& host) {
  const FileSystemSpace space = host.space(host.directory);
  if (space.error != 0) return failed(host, "cannot be looked at", space.error);
  if (space.inodes == 0)
    return unsupported_sample(host.directory + " is on a file system that makes inodes as they are needed");
  return sample_of(of_value(percent(space.free_inodes, space.inodes),
                            fmt::format("{} free of {}", space.free_inodes, space.inodes)));
}

ProbeSample probe_disk_write(const ProbedHost& host) {
  return on_a_file(host, kFileBytes, kRepetitionsOfRates,
                   [&, parts = chunks()](ProbeFile& file, PartSample& part) -> std::optional<ProbeSample> {
                     const DiskRate rate(host);
                     const Timed written = write_file_of(file, parts);
                     if (written.error != 0) return failed(host, "cannot be written", written.error);
                     rate.add_to(part, written.seconds);
                     return std::nullopt;
                   });
}

ProbeSample probe_disk_read(const ProbedHost& host) {
  const std::vector<std::string> written = chunks();
  const auto repeat = [&](ProbeFile& file, PartSample& part) -> std::optional<ProbeSample> {
    if (part.values.empty())
      if (const int error = write_file_of(file, written).error)
        return failed(host, "cannot be written", error);
    if (const int error = file.rewind()) return failed(host, "cannot be read from its begin", error);
    const std::optional<double> cached = file.cached_share(kFileBytes);
    const DiskRate rate(host);
    std::string back(kChunk, '\0');
    double seconds = 0;
    for (std::size_t i = 0; i < kChunks; ++i) {
      const std::int64_t began = monotonic_ns();
      if (const int error = file.read(back)) return failed(host, "cannot be read back", error);
      seconds += seconds_since(began);
      if (back == written[i]) continue;
      ProbeSample sample;
      sample.errors.push_back(fmt::format("{}: MiB {} of a file reads back differently from what was written",
                                          host.directory, i));
      return sample;
    }
    rate.add_to(part, seconds);
    if (cached.value_or(0) <= kMostCached) return std::nullopt;
    ProbeSample sample = sample_of(part);
    sample.inconclusive =
        fmt::format("{:.0f}% of the file was read from memory, not from the disk", 100 * *cached);
    return sample;
  };
  return on_a_file(host, kFileBytes, kRepetitionsOfRates, repeat);
}

ProbeSample probe_disk_fsync(const ProbedHost& host) {
  const std::string record(kRecord, 'g');
  return on_a_file(host, kRepetitions * kSyncs * kRecord, kRepetitions,
                   [&](ProbeFile& file, PartSample& part) -> std::optional<ProbeSample> {
                     std::vector<double> times;
                     for (std::size_t i = 0; i < kSyncs; ++i) {
                       const std::int64_t began = monotonic_ns();
                       if (const int error = file.append(record))
                         return failed(host, "cannot be written", error);
                       if (const int error = file.sync())
                         return failed(host, "cannot be made durable", error);
                       times.push_back(1e3 * seconds_since(began));
                     }
                     std::sort(times.begin(), times.end());
                     part.values.push_back(times[kSyncs * 99 / 100 - 1]);
                     return std::nullopt;
                   });
}

}  // namespace gauntlet
