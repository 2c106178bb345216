// A directory of a test's own, removed with it.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace gauntlet {

class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& base = std::filesystem::temp_directory_path()) {
    std::string name = (base / "gauntlet-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path folder(const std::string& name) const {
    std::filesystem::create_directories(path_ / name);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

inline void put_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Inverts one bit of the byte at `place`.
inline void flip(const std::filesystem::path& path, std::size_t place) {
  std::string bytes = bytes_of(path);
  bytes.at(place) = static_cast<char>(bytes.at(place) ^ 1);
  put_bytes(path, bytes);
}

}  // namespace gauntlet
