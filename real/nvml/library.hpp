// NVIDIA's management library, opened when the program runs: a table of its functions, and what its answers mean.
#pragma once

#include "real/nvml/api.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace gauntlet::nvml {

/// As the driver installs it.
inline constexpr const char* kLibrary = "libnvidia-ml.so.1";

/// Why a question has no answer.
struct Trouble {
  std::string why;  // empty: it has one
  Return code = Return::success;
  explicit operator bool() const { return !why.empty(); }
  /// The GPU has fallen off its bus.
  bool lost() const { return code == Return::gpu_is_lost; }
  /// Nothing is wrong: there is no such thing to ask for, as a link beyond the last one.
  bool absent() const { return code == Return::invalid_argument || code == Return::not_supported; }
};

class Library {
 public:
  /// Opens and initialises it. `path`: as dlopen(3) takes it.
  explicit Library(const std::string& path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Why no GPU can be asked at all: no driver, an old one, no permission. Empty: they can.
  const std::string& why_not() const { return why_not_; }
  const Table& functions() const { return table_; }

  /// Calls a function of the table. Of one that the library lacks, the trouble names it.
  template <class... Parameters, class... Arguments>
  Trouble ask(const char* name, Call<Parameters...> function, Arguments... arguments) const {
    if (function == nullptr)
      return {.why = std::string("this driver has no ") + name, .code = Return::function_not_found};
    return trouble_of(name, function(arguments...));
  }
  /// With the library's words for it.
  Trouble trouble_of(const char* name, Return code) const;

  std::string driver_version() const;
  Trouble count(std::uint32_t& gpus) const;
  Trouble device(std::uint32_t index, Device& device) const;

 private:
  bool load(const std::string& path);

  struct Closes {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Closes> library_;
  Table table_{};
  bool initialised_ = false;
  std::string why_not_;
};

}  // namespace gauntlet::nvml
