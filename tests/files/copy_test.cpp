// A file that is copied and then named, as a study that goes on from results does it.
#include "core/files/durable.hpp"
#include "tests/files/lossy_run.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace gauntlet {
namespace {

class NamedCopy {
 public:
  static constexpr const char* kName = "copies";
  static std::filesystem::path begins_with() {
    static const Memory place;
    put_bytes(place.path() / "original", whole());
    return place.path();
  }
  explicit NamedCopy(LossyPlace& place) : place_(place) {}

  void run() {
    const std::string unnamed = place_.path() / "unnamed", copy = place_.path() / "copy";
    error_ = copy_file(place_.files, place_.path() / "original", unnamed);
    if (error_ == 0) error_ = place_.files.rename(unnamed, copy);
    if (error_ == 0) error_ = sync_name(place_.files, copy);
  }
  void check(const std::filesystem::path& left) const {
    const bool is_there = std::filesystem::exists(left / "copy");
    if (error_ == 0 && !place_.disk.is_off()) {
      EXPECT_TRUE(is_there);
    }
    if (is_there) {
      EXPECT_EQ(bytes_of(left / "copy"), whole());
    }
    EXPECT_EQ(bytes_of(left / "original"), whole());
    if (harmless) {
      EXPECT_EQ(error_, 0);
    }
  }

  bool harmless = false;

 private:
  static std::string whole() { return std::string(3000, 'x') + "end"; }  // several sectors

  LossyPlace& place_;
  int error_ = 0;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Copies, OnLossyDisks, NamedCopy);

}  // namespace
}  // namespace gauntlet
