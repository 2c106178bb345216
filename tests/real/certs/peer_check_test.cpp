// Which certificates a driver or an agent accepts, and why it refuses the others.
#include "real/certs/peer_check.hpp"

#include "tests/real/certs/lab_certificates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::time_t kNow = 1'790'000'000;

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// An agent that checks drivers, and the same the other way round.
struct PeerChecks : testing::Test {
  PeerChecks() { EXPECT_FALSE(check.renew()); }

  std::string why(const std::string& host_directory, PeerRole role, std::time_t now = kNow,
                  const std::string& host = "") const {
    const std::string pem = text_of_file(host_directory + "/certificate.pem");
    return check.check(pem, {.role = role, .host = host}, now).why;
  }

  LabCertificates lab{"lab-1", kNow};
  HostCertificates own = lab.certificates(PeerRole::agent, "a");
  PeerCheck check{own};
};

TEST_F(PeerChecks, ADriverOfTheSameLabPasses) {
  const std::string driver = lab.issue(PeerRole::driver, "d");
  const auto verdict =
      check.check(text_of_file(driver + "/certificate.pem"), {.role = PeerRole::driver}, kNow);
  EXPECT_EQ(verdict.why, "");
  ASSERT_TRUE(verdict.peer);
  EXPECT_EQ(uri_of(*verdict.peer), "gauntlet://lab-1/driver/d");
  EXPECT_FALSE(verdict.serial.empty());
}

TEST_F(PeerChecks, NoCertificateIsRefused) {
  EXPECT_EQ(check.check("", {.role = PeerRole::driver}, kNow).why, "it has no certificate");
  EXPECT_EQ(check.check("-----BEGIN", {.role = PeerRole::driver}, kNow).why,
            "what it sent is not a certificate");
}

TEST_F(PeerChecks, AnAgentsCertificateIsNotADrivers) {
  const std::string other = lab.issue(PeerRole::agent, "b");
  EXPECT_EQ(why(other, PeerRole::driver), "its certificate is not for the role of driver");
  EXPECT_EQ(why(other, PeerRole::agent), "");
  const std::string driver = lab.issue(PeerRole::driver, "d");
  EXPECT_EQ(why(driver, PeerRole::agent), "its certificate is not for the role of agent");
}

TEST_F(PeerChecks, AnotherLabsCertificateIsRefusedAlsoUnderTheSameName) {
  LabCertificates other("lab-1", kNow);
  EXPECT_EQ(why(other.issue(PeerRole::driver, "d"), PeerRole::driver),
            "another authority issued its certificate");
  LabCertificates third("lab-2", kNow);
  EXPECT_EQ(why(third.issue(PeerRole::driver, "d"), PeerRole::driver),
            "another authority issued its certificate");
}

TEST_F(PeerChecks, ItsOwnAuthoritysCertificateIsNotAPeers) {
  const std::string pem = text_of_file(lab.directory() + "/ca.pem");
  EXPECT_NE(check.check(pem, {.role = PeerRole::driver}, kNow).why, "");
  EXPECT_NE(check.check(pem, {.role = PeerRole::agent}, kNow).why, "");
}

// Five minutes of clock skew are allowed at the beginning, none at the end.
TEST_F(PeerChecks, ACertificateHoldsFromItsBeginToItsEnd) {
  const std::string driver = lab.issue(PeerRole::driver, "d", 10);
  EXPECT_EQ(why(driver, PeerRole::driver, kNow + 10 * kLabDay - 1), "");
  EXPECT_THAT(why(driver, PeerRole::driver, kNow + 10 * kLabDay),
              StartsWith("its certificate expired on 2026-10-01 14:13 UTC"));
  EXPECT_EQ(why(driver, PeerRole::driver, kNow - 299), "");
  EXPECT_NE(why(driver, PeerRole::driver, kNow - 301), "");
}

TEST_F(PeerChecks, ARevokedCertificateIsRefusedOnceTheListIsReadAgain) {
  const std::string driver = lab.issue(PeerRole::driver, "d");
  const std::string pem = text_of_file(driver + "/certificate.pem");
  lab.revoke(PeerRole::driver, "d");
  EXPECT_EQ(check.check(pem, {.role = PeerRole::driver}, kNow).why, "");
  EXPECT_FALSE(check.renew());
  EXPECT_EQ(check.check(pem, {.role = PeerRole::driver}, kNow).why, "its certificate is revoked");
  // Another certificate of the same host has another serial number.
  EXPECT_EQ(why(lab.issue(PeerRole::driver, "d"), PeerRole::driver), "");
}

TEST_F(PeerChecks, AnOlderListDoesNotBringARevokedCertificateBack) {
  const std::string driver = lab.issue(PeerRole::driver, "d");
  const std::string old = text_of_file(own.revoked_file);
  lab.revoke(PeerRole::driver, "d");
  EXPECT_FALSE(check.renew());
  std::ofstream(own.revoked_file) << old;
  const auto problem = check.renew();
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->text(), HasSubstr("is older"));
  EXPECT_EQ(why(driver, PeerRole::driver), "its certificate is revoked");
}

TEST_F(PeerChecks, AListThatCannotBeUsedIsSaidAndTheLastOneStays) {
  lab.issue(PeerRole::driver, "d");
  LabCertificates other("lab-1", kNow);
  for (const std::string& text :
       {std::string(), std::string("nothing"), text_of_file(other.directory() + "/revoked.pem")}) {
    std::ofstream(own.revoked_file) << text;
    const auto problem = check.renew();
    ASSERT_TRUE(problem);
    EXPECT_THAT(problem->text(), HasSubstr("is not a list of revoked certificates"));
  }
  fs::remove(own.revoked_file);
  EXPECT_TRUE(check.renew());
  EXPECT_EQ(why(lab.directory() + "/driver-d", PeerRole::driver), "");
}

TEST_F(PeerChecks, WithoutAListNobodyPasses) {
  const PeerCheck unread(own);
  const std::string pem = text_of_file(lab.issue(PeerRole::driver, "d") + "/certificate.pem");
  EXPECT_THAT(unread.check(pem, {.role = PeerRole::driver}, kNow).why, HasSubstr("was never read"));
}

TEST_F(PeerChecks, AnAgentIsReachedUnderTheNameOfItsCertificate) {
  const std::string agent = lab.issue(PeerRole::agent, "b");
  EXPECT_EQ(why(agent, PeerRole::agent, kNow, "b"), "");
  EXPECT_EQ(why(agent, PeerRole::agent, kNow, "c"), "its certificate is of host b, and it was reached as c");
}

TEST_F(PeerChecks, AKeyThatOthersReadIsRefused) {
  const std::string driver = lab.issue(PeerRole::driver, "d");
  HostCertificates read;
  EXPECT_FALSE(load_host_certificates(driver, PeerRole::driver, kNow, read));
  fs::permissions(driver + "/key.pem", fs::perms::group_read, fs::perm_options::add);
  const auto problem = load_host_certificates(driver, PeerRole::driver, kNow, read);
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->text(), HasSubstr("is a key that other users can read"));
}

TEST_F(PeerChecks, CertificatesOfAHostThatNoPeerWouldAcceptAreRefusedAtOnce) {
  const std::string driver = lab.issue(PeerRole::driver, "d");
  HostCertificates read;
  const auto text = [&](PeerRole role, std::time_t now) {
    const auto problem = load_host_certificates(driver, role, now, read);
    return problem ? problem->text() : "";
  };
  EXPECT_THAT(text(PeerRole::agent, kNow), HasSubstr("is not for the role of agent"));
  EXPECT_THAT(text(PeerRole::driver, kNow + 11 * kLabDay), HasSubstr("expired on"));
  // The key of another certificate.
  fs::copy(lab.issue(PeerRole::agent, "b") + "/key.pem", driver + "/key.pem",
           fs::copy_options::overwrite_existing);
  EXPECT_THAT(text(PeerRole::driver, kNow), HasSubstr("does not hold the key of certificate.pem"));
  fs::remove(driver + "/key.pem");
  EXPECT_THAT(text(PeerRole::driver, kNow), HasSubstr("cannot be read"));
}

TEST(PeerIdentities, AUriReadsBackAsWhatItNames) {
  const PeerIdentity identity = {.cluster = "lab-1", .role = PeerRole::agent, .host = "node-7.lab"};
  EXPECT_EQ(uri_of(identity), "gauntlet://lab-1/agent/node-7.lab");
  EXPECT_EQ(identity_of_uri(uri_of(identity)), identity);
  for (const char* wrong :
       {"", "gauntlet://", "gauntlet://lab-1/agent", "gauntlet://lab-1/agent/", "gauntlet://lab-1/king/a",
        "gauntlet:///agent/a", "http://lab-1/agent/a", "gauntlet://lab-1/agent/a/b",
        "gauntlet://lab-1/agent/A", "gauntlet://lab.1/agent/a", "gauntlet://lab-1/agent/a b"})
    EXPECT_FALSE(identity_of_uri(wrong)) << wrong;
}

TEST(PeerIdentities, NamesOfHosts) {
  for (const char* right : {"a", "localhost", "node-7.lab", "10.0.0.1", "7up.example"})
    EXPECT_EQ(problem_of_host_name(right), "") << right;
  for (const std::string& wrong :
       {std::string(), std::string("a_b"), std::string("-a"), std::string("a-"), std::string("a..b"),
        std::string("a."), std::string("A"), std::string("10.0.0"), std::string("10.0.0.256"),
        std::string(64, 'a'), std::string("a,DNS:b"), std::string("a/b"), std::string("\n"),
        std::string("a:1")})
    EXPECT_NE(problem_of_host_name(wrong), "") << wrong;
  EXPECT_NE(problem_of_cluster_name("lab.1"), "");
  EXPECT_EQ(problem_of_cluster_name("lab-1"), "");
}

}  // namespace
}  // namespace gauntlet
