#include "study/mpi/ranks.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

namespace gauntlet {

std::unique_ptr<Ranks> open_mpi_ranks() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string module = (program.parent_path() / "gauntlet-mpi.so").string();
  // Never closed. Open MPI loads components of its own, which look for its symbols: hence RTLD_GLOBAL.
  void* library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* maker = library != nullptr ? ::dlsym(library, "gauntlet_make_ranks") : nullptr;
  if (maker == nullptr) {
    const char* why = ::dlerror();
    throw std::runtime_error(
        std::string("MPI cannot be used: ") + (why != nullptr ? why : "no reason given") +
        "; gauntlet-mpi.so belongs beside the program and needs Open MPI (Debian: openmpi-bin)");
  }
  return std::unique_ptr<Ranks>(reinterpret_cast<Ranks* (*)()>(maker)());
}

}  // namespace gauntlet
