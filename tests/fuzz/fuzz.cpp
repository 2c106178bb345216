#include "tests/fuzz/fuzz.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace gauntlet {

MemoryFile::MemoryFile() : descriptor_(::memfd_create("fuzz", 0)) {
  ensure(descriptor_ >= 0, "a file in memory can be made");
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

void MemoryFile::put(std::string_view bytes) const {
  const bool empty = ::ftruncate(descriptor_, 0) == 0;
  const auto written = ::pwrite(descriptor_, bytes.data(), bytes.size(), 0);
  ensure(empty && written == static_cast<ssize_t>(bytes.size()), "a file in memory takes an input");
}

std::size_t mutate_and_mend(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                            const std::function<std::string(std::string_view)>& mend) {
  size = LLVMFuzzerMutate(data, size, most);
  if (seed % 4 == 0) return size;  // what is damaged is an input, too
  const std::string mended = mend(text_of(data, size));
  if (mended.size() > most) return size;
  std::memcpy(data, mended.data(), mended.size());
  return mended.size();
}

}  // namespace gauntlet
