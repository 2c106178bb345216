#include "tests/files/lossy_disk.hpp"

#include "core/contract.hpp"
#include "core/record/fingerprint.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSector = 512;  // bytes that are written as a whole or not at all
enum Seed : std::uint64_t { kLoseAll, kLoseNothing, kLoseBytes, kLoseNames, kLoseHalf };

/// Whether a change that was not synced reached the disk.
bool survives(std::uint64_t seed, std::uint64_t change, std::uint64_t part, bool is_name) {
  switch (seed) {
    case kLoseAll:
      return false;
    case kLoseNothing:
      return true;
    case kLoseBytes:
      return is_name;
    case kLoseNames:
      return !is_name;
    default:
      break;
  }
  Fingerprint hash;
  for (const std::uint64_t each : {seed, change, part}) hash.add(each);
  return hash.value() % 4 < seed % 3 + 1;  // a quarter, a half or three quarters of them
}

void put(std::string& bytes, std::uint64_t offset, std::string_view what) {
  bytes.resize(std::max<std::size_t>(bytes.size(), offset + what.size()), '\0');
  bytes.replace(offset, what.size(), what);
}

}  // namespace

LossyDisk::LossyDisk(fs::path root) : root_(std::move(root)) {
  nodes_.emplace_back().is_directory = true;
  read_in(0, root_);
}

void LossyDisk::read_in(Inode directory, const fs::path& path) {
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const Inode inode = nodes_.size();
    Node& node = nodes_.emplace_back();
    node.is_directory = entry.is_directory();
    if (!node.is_directory) {
      std::ifstream in(entry.path(), std::ios::binary);
      node.durable.assign(std::istreambuf_iterator<char>(in), {});
      node.size = node.durable.size();
    }
    const std::string name = entry.path().filename();
    nodes_[directory].names[name] = nodes_[directory].durable_names[name] = inode;
    if (entry.is_directory()) read_in(inode, entry.path());
  }
}

bool LossyDisk::NameChange::touches(Inode directory) const {
  return std::any_of(namings.begin(), namings.end(),
                     [&](const Naming& naming) { return naming.directory == directory; });
}

std::optional<LossyDisk::Place> LossyDisk::place_of(const fs::path& path) const {
  const fs::path within = path.lexically_normal().lexically_relative(root_);
  if (within.empty() || *within.begin() == "..") return std::nullopt;
  Place place;
  for (auto part = within.begin(); part != within.end(); ++part) {
    if (std::next(part) == within.end()) {
      place.name = *part;
      break;
    }
    const auto& names = nodes_[place.directory].names;
    const auto found = names.find(*part);
    if (found == names.end()) return std::nullopt;
    place.directory = found->second;
  }
  return place;
}

std::optional<LossyDisk::Inode> LossyDisk::find(const fs::path& path) const {
  const auto place = place_of(path);
  if (!place) return std::nullopt;
  if (place->name == ".") return place->directory;
  const auto& names = nodes_[place->directory].names;
  const auto found = names.find(place->name);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

void LossyDisk::name(std::vector<Naming> namings) {
  for (const Naming& naming : namings) {
    auto& names = nodes_[naming.directory].names;
    if (naming.is)
      names[naming.name] = *naming.is;
    else
      names.erase(naming.name);
  }
  pending_names_.push_back({.number = ++changes_, .namings = std::move(namings)});
}

LossyDisk::Inode LossyDisk::create(const fs::path& path, bool is_directory) {
  const auto place = place_of(path);
  expect(place.has_value(), "a new file is under the root, in a directory that the disk knows");
  nodes_.emplace_back().is_directory = is_directory;
  name({{place->directory, place->name, nodes_.size() - 1}});
  return nodes_.size() - 1;
}

void LossyDisk::remove(const fs::path& path) {
  if (!find(path)) return;  // a lock, say, that was made beside this
  const auto place = place_of(path);
  name({{place->directory, place->name, std::nullopt}});
}

void LossyDisk::rename(const fs::path& from, const fs::path& to) {
  const auto old_place = place_of(from), new_place = place_of(to);
  const auto node = find(from);
  expect(node && new_place, "what is renamed stays under the root");
  name(
      {{old_place->directory, old_place->name, std::nullopt}, {new_place->directory, new_place->name, node}});
}

void LossyDisk::exchange(const fs::path& one, const fs::path& other) {
  const auto first = place_of(one), second = place_of(other);
  const auto of_first = find(one), of_second = find(other);
  expect(of_first && of_second, "what swaps names is known");
  name({{first->directory, first->name, of_second}, {second->directory, second->name, of_first}});
}

void LossyDisk::add(Inode file, Change change) {
  change.number = ++changes_;
  nodes_[file].pending.push_back(std::move(change));
}

void LossyDisk::write(Inode file, std::uint64_t offset, std::string_view bytes) {
  add(file, {.offset = offset, .bytes = std::string(bytes)});
  nodes_[file].size = std::max(nodes_[file].size, offset + bytes.size());
}

void LossyDisk::truncate(Inode file, std::uint64_t size) {
  add(file, {.is_truncation = true, .offset = size, .bytes = {}});
  nodes_[file].size = size;
}

void LossyDisk::sync(Inode synced) {
  Node& node = nodes_[synced];
  node.durable = bytes_left(node, kLoseNothing);
  node.pending.clear();
  if (!node.is_directory) return;
  std::erase_if(pending_names_, [&](const NameChange& change) {
    if (!change.touches(synced)) return false;
    for (const Naming& naming : change.namings) {
      auto& names = nodes_[naming.directory].durable_names;
      if (naming.is)
        names[naming.name] = *naming.is;
      else
        names.erase(naming.name);
    }
    return true;
  });
}

void LossyDisk::sync_everything() {
  for (Inode node = 0; node < nodes_.size(); ++node) sync(node);
}

void LossyDisk::fail_sync(Inode synced) {
  Node& node = nodes_[synced];
  node.durable = bytes_left(node, kLoseHalf);
  node.pending.clear();
}

void LossyDisk::lie_about_sync(Inode synced) {
  fail_sync(synced);
  std::erase_if(pending_names_, [&](const NameChange& change) { return change.touches(synced); });
}

std::string LossyDisk::bytes_left(const Node& file, std::uint64_t seed) {
  std::string bytes = file.durable;
  for (const Change& change : file.pending) {
    if (change.is_truncation) {
      if (survives(seed, change.number, 0, false)) bytes.resize(change.offset, '\0');
      continue;
    }
    std::string_view left = change.bytes;
    for (std::uint64_t at = change.offset; !left.empty();) {
      const std::uint64_t size = std::min<std::uint64_t>(left.size(), kSector - at % kSector);
      if (survives(seed, change.number, at / kSector, false)) put(bytes, at, left.substr(0, size));
      left.remove_prefix(size);
      at += size;
    }
  }
  return bytes;
}

void LossyDisk::write_out(Inode node, const std::vector<std::map<std::string, Inode>>& names,
                          std::uint64_t seed, const fs::path& into) const {
  for (const auto& [name, inode] : names[node]) {
    if (nodes_[inode].is_directory) {
      fs::create_directory(into / name);
      write_out(inode, names, seed, into / name);
    } else {
      std::ofstream(into / name, std::ios::binary) << bytes_left(nodes_[inode], seed);
    }
  }
}

void LossyDisk::cut_power(std::uint64_t seed, const fs::path& into) const {
  std::vector<std::map<std::string, Inode>> names;
  for (const Node& node : nodes_) names.push_back(node.durable_names);
  for (const NameChange& change : pending_names_) {
    if (!survives(seed, change.number, 0, true)) continue;
    for (const Naming& naming : change.namings) {
      if (naming.is)
        names[naming.directory][naming.name] = *naming.is;
      else
        names[naming.directory].erase(naming.name);
    }
  }
  write_out(0, names, seed, into);
}

}  // namespace gauntlet
