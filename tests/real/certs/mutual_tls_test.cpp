// Agents that listen on TCP, and everybody who connects without the right certificate: real handshakes on loopback.
#include "tests/real/agent_harness.hpp"
#include "tests/real/certs/lab_certificates.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <string>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// A list is read, and streams are checked, within this time each.
static_assert(2 * kRevocationsReadEvery <= 10s, "a revocation acts within 10 s, on open streams too");

std::size_t occurrences(const std::string& text, const std::string& of) {
  std::size_t count = 0;
  for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++count;
  return count;
}

/// Runs a command of the shell in a process; its exit code.
int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A connection of TCP to loopback.
class RawConnection {
 public:
  explicit RawConnection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("nobody listens");
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  void say(const std::string& text) const {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  void say_no_more() const { ::shutdown(socket_, SHUT_WR); }
  /// Whether the other end has closed it, waited for.
  bool is_closed() const {
    const timeval patience = {.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char bytes[256];
    ssize_t count = 0;
    do count = ::recv(socket_, bytes, sizeof bytes, 0);
    while (count > 0);  // an alert of TLS
    return count == 0 || errno == ECONNRESET;
  }

 private:
  int socket_;
};

/// One agent on loopback, and the lab that it is of.
struct MutualTls : testing::Test {
  void start_agent() {
    agent = std::make_unique<AgentUnderTest>(
        directory, trainer.program(),
        std::vector<std::string>{"--listen", "localhost:0", "--certs", agent_certificates});
    agent->await_said("listens on");
  }

  static std::shared_ptr<PeerTrust> trust(HostCertificates own) {
    return std::make_shared<PeerTrust>(std::move(own), [](const std::string&) {});
  }
  std::shared_ptr<PeerTrust> right_trust() { return trust(lab.certificates(PeerRole::driver, "localhost")); }
  AgentEndpoint endpoint(std::shared_ptr<PeerTrust> with) const {
    return {.path = agent->address_file(), .trust = std::move(with)};
  }

  std::uint16_t port() const {
    const std::string line = bytes_of(agent->address_file());
    return static_cast<std::uint16_t>(std::stoul(line.substr(line.find(':') + 1)));
  }

  /// A driver that takes our agent for what it is, and shows what it should not.
  HostCertificates imposter(const HostCertificates& shown) {
    HostCertificates own = LabCertificates::unchecked(agent_certificates);  // its authority and list
    own.identity = {.cluster = "lab-1", .role = PeerRole::driver, .host = "localhost"};
    own.certificate = shown.certificate;
    own.key = shown.key;
    return own;
  }
  /// It is refused for that reason, which is said once however often it comes, and counted.
  void expect_refused(const HostCertificates& shown, const std::string& why) {
    start_agent();
    DriverUnderTest driver(endpoint(trust(imposter(shown))), 1);
    std::string said;
    EXPECT_FALSE(driver.link.connect(1s, said));
    EXPECT_FALSE(driver.link.connect(1s, said));
    agent->await_said(why);
    EXPECT_EQ(driver.left<AgentAttending>(), 0U);
    expect_right_driver();
    agent->signal(SIGTERM);
    EXPECT_EQ(agent->exit_code(), 0);
    EXPECT_EQ(occurrences(agent->said(), why), 1U) << agent->said();
    EXPECT_THAT(agent->said(), HasSubstr(" connections and streams in all"));
  }
  /// The agent is well, and obeys whom it should.
  void expect_right_driver() {
    DriverUnderTest driver(endpoint(right_trust()), 10);
    driver.attend();
    EXPECT_EQ(driver.await<AgentAttending>().epoch, 10U);
  }

  OwnDirectory directory;
  PuppetTrainer trainer{directory, 1};
  LabCertificates lab;
  std::string agent_certificates = lab.issue(PeerRole::agent, "localhost");
  std::unique_ptr<AgentUnderTest> agent;
};

TEST_F(MutualTls, ADriverOfTheLabGivesOrders) {
  start_agent();
  DriverUnderTest driver(endpoint(right_trust()), 1, {.heartbeat_period = 20ms});
  driver.attend();
  EXPECT_THAT(driver.await<AgentAttending>().identity.address, HasSubstr("localhost:"));
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  const AgentDone started = driver.await_done(5);
  EXPECT_TRUE(started.ok) << started.why;
  driver.await<AgentHeartbeat>([](const AgentHeartbeat& beat) { return beat.ranks_alive == 1; });
  driver.link.quit();
  EXPECT_EQ(agent->exit_code(), 0);
  EXPECT_EQ(agent->said().find("refused"), std::string::npos) << agent->said();
}

// A new agent writes its address while the driver still dials where the one before it listened.
TEST_F(MutualTls, AnAddressThatADeadAgentLeftIsNotDialledForEver) {
  start_agent();
  const std::string right = bytes_of(agent->address_file());
  const int dead = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(dead, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(dead, 1), 0);
  ASSERT_EQ(::getsockname(dead, reinterpret_cast<sockaddr*>(&address), &size), 0);
  std::ofstream(agent->address_file()) << "localhost:" << ntohs(address.sin_port) << '\n';

  DriverUnderTest driver(endpoint(right_trust()), 1);
  std::string why;
  auto answers = std::async(std::launch::async, [&] { return driver.link.connect(60s, why); });
  const int dialled = ::accept(dead, nullptr, nullptr);
  ::close(dialled);
  ::close(dead);
  std::ofstream(agent->address_file()) << right;
  EXPECT_TRUE(answers.get()) << why;
}

TEST_F(MutualTls, AClientWithoutACertificateIsRefused) {
  start_agent();
  EXPECT_GE(shell("exec openssl s_client -connect 127.0.0.1:" + std::to_string(port()) +
                  " -alpn h2 -CAfile " + agent_certificates + "/ca.pem </dev/null >/dev/null 2>&1"),
            0);
  agent->await_said("refused a peer without a name: it has no certificate");
  expect_right_driver();
}

TEST_F(MutualTls, ACertificateOfAnotherAuthorityIsRefused) {
  LabCertificates other("lab-1");
  expect_refused(other.certificates(PeerRole::driver, "localhost"),
                 "another authority issued its certificate");
}

// Our authority never signs one; whoever has its key might.
TEST_F(MutualTls, ACertificateOfAnotherClusterIsRefused) {
  const std::string forged = directory.file("forged");
  std::filesystem::create_directory(forged);
  std::ofstream(forged + "/extensions")
      << "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage="
         "clientAuth\n"
         "subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"
         "subjectAltName=URI:gauntlet://lab-2/driver/localhost,DNS:localhost\n";
  const std::string quiet = " >/dev/null 2>&1";
  ASSERT_EQ(
      shell(
          "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /O=lab-2/CN=x -keyout " +
          forged + "/key.pem -out " + forged + "/request.pem" + quiet),
      0);
  ASSERT_EQ(shell("openssl x509 -req -in " + forged + "/request.pem -CA " + lab.directory() +
                  "/ca.pem -CAkey " + lab.directory() + "/ca-key.pem -set_serial 77 -days 3 -extfile " +
                  forged + "/extensions -out " + forged + "/certificate.pem" + quiet),
            0);
  expect_refused({.identity = {},
                  .certificate = bytes_of(forged + "/certificate.pem"),
                  .key = bytes_of(forged + "/key.pem"),
                  .authority = {},
                  .revoked_file = {}},
                 "refused gauntlet://lab-2/driver/localhost: its certificate is of cluster lab-2");
}

TEST_F(MutualTls, AnExpiredCertificateIsRefused) {
  const std::string expired = lab.issue(PeerRole::driver, "late", 10, 20);
  expect_refused(LabCertificates::unchecked(expired),
                 "refused gauntlet://lab-1/driver/late: its certificate expired on");
}

TEST_F(MutualTls, ARevokedCertificateIsRefusedAtTheHandshake) {
  const HostCertificates revoked = lab.certificates(PeerRole::driver, "gone");
  lab.revoke(PeerRole::driver, "gone");
  expect_refused(revoked, "refused gauntlet://lab-1/driver/gone: its certificate is revoked");
}

TEST_F(MutualTls, AnAgentsCertificateGivesNoOrders) {
  expect_refused(lab.certificates(PeerRole::agent, "other"),
                 "refused gauntlet://lab-1/agent/other: its certificate is not for the role of driver");
}

TEST_F(MutualTls, AClientThatDoesNotSpeakTlsIsRefused) {
  start_agent();
  const RawConnection plain(port());
  plain.say("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  EXPECT_TRUE(plain.is_closed());
  agent->await_said("refused 127.0.0.1: it does not speak TLS");
  const RawConnection silent(port());
  silent.say_no_more();
  EXPECT_TRUE(silent.is_closed());
  agent->await_said("refused 127.0.0.1: it said nothing");
  expect_right_driver();
}

TEST_F(MutualTls, AHandshakeThatIsNoneIsCutOff) {
  start_agent();
  const RawConnection broken(port());
  broken.say(std::string("\x16\x03\x01\x00\x05", 5) + "hello");
  EXPECT_TRUE(broken.is_closed());
  expect_right_driver();
}

TEST_F(MutualTls, ARevocationEndsAnOpenStreamAndItsOrders) {
  start_agent();
  DriverUnderTest driver(endpoint(right_trust()), 1);
  driver.attend();
  driver.await<AgentAttending>();
  lab.revoke(PeerRole::driver, "localhost");
  EXPECT_THAT(driver.await_loss(), HasSubstr("its certificate is revoked"));
  agent->await_said("refused gauntlet://lab-1/driver/localhost: its certificate is revoked");
  std::string why;
  DriverUnderTest again(
      endpoint(trust(imposter(LabCertificates::unchecked(lab.directory() + "/driver-localhost")))), 2);
  EXPECT_FALSE(again.link.connect(1s, why));
  expect_right_driver();  // with the next certificate
}

TEST_F(MutualTls, ADriverLeavesAnAgentWhoseCertificateIsRevoked) {
  start_agent();
  HostCertificates own = lab.certificates(PeerRole::driver, "localhost");
  DriverUnderTest driver(endpoint(trust(own)), 1);
  driver.attend();
  driver.await<AgentAttending>();
  lab.revoke(PeerRole::agent, "localhost");
  EXPECT_THAT(driver.await_loss(), HasSubstr("its certificate is revoked"));
  DriverUnderTest again(endpoint(trust(own)), 2);
  std::string why;
  EXPECT_FALSE(again.link.connect(kPatience, why));
  EXPECT_THAT(why, HasSubstr("refused: its certificate is revoked"));
}

TEST_F(MutualTls, AnAgentOfAnotherLabGetsNoOrders) {
  start_agent();
  LabCertificates other("lab-1");
  DriverUnderTest driver(endpoint(trust(other.certificates(PeerRole::driver, "localhost"))), 1);
  std::string why;
  EXPECT_FALSE(driver.link.connect(kPatience, why));
  EXPECT_THAT(why, HasSubstr("refused: another authority issued its certificate"));
}

TEST_F(MutualTls, AnAgentUnderAnotherNameGetsNoOrders) {
  start_agent();
  const std::string file = directory.file("other.address");
  std::ofstream(file) << "127.0.0.1:" << port() << "\n";
  DriverUnderTest driver(AgentEndpoint{.path = file, .trust = right_trust()}, 1);
  std::string why;
  EXPECT_FALSE(driver.link.connect(kPatience, why));
  EXPECT_THAT(why, HasSubstr("its certificate is of host localhost, and it was reached as 127.0.0.1"));
}

TEST_F(MutualTls, AnAgentWhoseNameIsNotKnownIsSaidToBe) {
  const std::string file = directory.file("other.address");
  std::ofstream(file) << "nowhere.invalid:7400\n";
  DriverUnderTest driver(AgentEndpoint{.path = file, .trust = right_trust()}, 1);
  std::string why;
  EXPECT_FALSE(driver.link.connect(100ms, why));
  EXPECT_THAT(why, HasSubstr("nowhere.invalid:7400: "));  // and what the resolver says
  EXPECT_EQ(why.find("no agent has said"), std::string::npos) << why;
  std::ofstream(file) << "nonsense\n";
  EXPECT_FALSE(driver.link.connect(100ms, why));
  EXPECT_THAT(why, HasSubstr("no agent has said where it listens"));
}

TEST_F(MutualTls, ADriversCertificateMakesNoAgent) {
  agent_certificates = lab.issue(PeerRole::driver, "d");
  agent = std::make_unique<AgentUnderTest>(
      directory, trainer.program(),
      std::vector<std::string>{"--listen", "localhost:0", "--certs", agent_certificates});
  EXPECT_EQ(agent->exit_code(), 2);
  EXPECT_THAT(agent->said(), HasSubstr("is not for the role of agent; issue one: gauntlet certs issue"));
}

TEST_F(MutualTls, AnAgentThatCannotListenSaysWhy) {
  const auto refusal = [&](const std::string& where, const std::string& certificates) {
    AgentUnderTest refused(directory, trainer.program(),
                           std::vector<std::string>{"--listen", where, "--certs", certificates});
    EXPECT_EQ(refused.exit_code(), 2);
    return refused.said();
  };
  EXPECT_THAT(refusal("localhost", agent_certificates), HasSubstr("is not a host and a port; write such as"));
  EXPECT_THAT(refusal("localhost:70000", agent_certificates), HasSubstr("is not a host and a port"));
  EXPECT_THAT(refusal("nowhere.invalid:0", agent_certificates),
              HasSubstr("is not an address of this machine"));
  EXPECT_THAT(refusal("localhost:0", directory.name()),
              HasSubstr("take a directory that gauntlet certs issue wrote"));
  start_agent();
  OwnDirectory second;
  AgentUnderTest late(second, trainer.program(),
                      std::vector<std::string>{"--listen", "localhost:" + std::to_string(port()), "--certs",
                                               agent_certificates});
  EXPECT_EQ(late.exit_code(), 2);
  EXPECT_THAT(late.said(), HasSubstr("choose another port; 0 takes any that is free"));
}

}  // namespace
}  // namespace gauntlet
