// The directory of a certificate authority on disks that fail: whole or not there, and nothing revoked comes back.
#include "real/certs/authority.hpp"

#include "real/certs/host_certificates.hpp"
#include "real/certs/peer_check.hpp"
#include "tests/files/lossy_run.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace gauntlet {

// This program has no case of that suite: these cases take longer than a unit test may.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnLossyDisks);

namespace {

constexpr std::time_t kNow = 1'790'000'000;

/// Makes an authority, issues a certificate, revokes it, and issues another in its place.
struct AuthorityTrial {
  static constexpr const char* kName = "an authority";
  static std::filesystem::path begins_with() { return empty_directory(); }

  explicit AuthorityTrial(LossyPlace& on) : place(on) {}

  void run() {
    const std::string directory = (place.path() / "ca").string();
    made = !make_authority(directory, "lab-1", 10, kNow, place.files) && heard();
    if (!made) return;
    CertificateAuthority authority;
    if (authority.open(directory, place.files)) return;
    CertificateAuthority::Issued issued;
    const CertificateAuthority::Request request = {
        .role = PeerRole::agent, .host = "a", .days = 5, .now = kNow};
    if (authority.issue(request, issued)) return;
    if (heard()) first = issued.certificate.serial;
    std::vector<IssuedCertificate> gone;
    if (authority.revoke(PeerRole::agent, "a", kNow, gone)) return;
    revoked = heard();
    if (authority.issue(request, issued)) return;
    if (heard()) second = issued.certificate.serial;
  }

  void check(const std::filesystem::path& left) const {
    const std::string directory = (left / "ca").string();
    EXPECT_FALSE(harmless && second.empty()) << "a fault that can be got over was not";
    if (!std::filesystem::exists(directory)) {
      EXPECT_FALSE(made);
      return;
    }
    restore_modes(directory);
    CertificateAuthority authority;
    const auto problem = authority.open(directory);
    ASSERT_FALSE(problem) << problem->text();
    std::vector<IssuedCertificate> all;
    const auto unlisted = authority.list(all);
    ASSERT_FALSE(unlisted) << unlisted->text();
    bool first_listed = false, second_listed = false;
    for (const IssuedCertificate& each : all) {
      first_listed = first_listed || each.serial == first;
      second_listed = second_listed || each.serial == second;
      EXPECT_TRUE(each.revoked || each.serial != first || !revoked);
      EXPECT_FALSE(each.revoked && each.serial == second);
    }
    EXPECT_TRUE(first.empty() || first_listed);
    EXPECT_TRUE(second.empty() || second_listed);
    // A host's directory is whole wherever it is, and it is in the books.
    const std::string host = directory + "/agent-a";
    if (!std::filesystem::exists(host)) {
      EXPECT_TRUE(first.empty());
      return;
    }
    HostCertificates certificates;
    const auto incomplete = load_host_certificates(host, PeerRole::agent, kNow, certificates);
    const bool was_revoked = incomplete && incomplete->why.find("is revoked") != std::string::npos;
    EXPECT_TRUE(!incomplete || was_revoked) << (incomplete ? incomplete->text() : "");
    EXPECT_FALSE(all.empty());
    EXPECT_TRUE(second.empty() || !incomplete);
  }

  LossyPlace& place;
  bool made = false, revoked = false, harmless = false;
  std::string first, second;  // serials that were promised

 private:
  /// The disk keeps bytes and names alone.
  static void restore_modes(const std::filesystem::path& directory) {
    for (const auto& each : std::filesystem::recursive_directory_iterator(directory))
      if (each.path().filename().string().ends_with("key.pem"))
        std::filesystem::permissions(each.path(), std::filesystem::perms(0600));
  }
  bool heard() const { return !place.disk.is_off(); }
};

TEST(AuthorityOnLossyDisks, APowerCutAtAnyCallLosesNothingPromised) { cut_at_every_call<AuthorityTrial>(); }
// Seeds beyond the fourth decide for each change.
TEST(AuthorityOnLossyDisks, AFailingCallLosesNothingPromised) { fail_every_call<AuthorityTrial>(5); }

}  // namespace
}  // namespace gauntlet
