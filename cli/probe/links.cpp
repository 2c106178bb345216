#include "cli/probe/links.hpp"

#include "real/probes/link/link_server.hpp"
#include "real/stream/listening.hpp"
#include "shell/exit_code.hpp"
#include "shell/interrupt.hpp"
#include "shell/terminal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace gauntlet {
namespace {

// 128 bits in hexadecimal: whoever hears a proof of the secret can try secrets against it.
constexpr std::size_t kShortestSecret = 32;

Problem wrong_address(const std::string& option, const std::string& text) {
  return {.what = option + " " + text,
          .why = "is not a host and a port",
          .suggestion = "write such as node-8:7500"};
}

std::optional<Problem> read_secret(const std::string& path, std::string& secret) {
  const auto problem = [&](const std::string& why, const std::string& suggestion) {
    return Problem{.file = path, .why = why, .suggestion = suggestion};
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found {};
  std::array<char, 4096> bytes{};
  ssize_t size = -1;
  if (file && ::fstat(file.get(), &found) == 0) size = ::read(file.get(), bytes.data(), bytes.size());
  if (size < 0) return problem(std::strerror(errno), "name the file of the secret");
  if (!S_ISREG(found.st_mode) || (found.st_mode & 077) != 0)
    return problem("can be read by others than its owner", "run chmod 600 " + path);
  secret.assign(bytes.data(), static_cast<std::size_t>(size));
  secret.erase(secret.find_last_not_of(" \r\n\t") + 1);
  if (secret.size() < kShortestSecret)
    return problem("has a secret of " + std::to_string(secret.size()) + " characters, and " +
                       std::to_string(kShortestSecret) + " are the minimum",
                   "write one with head -c 32 /dev/urandom | base64");
  return std::nullopt;
}

}  // namespace

std::optional<Problem> read_address(const std::string& option, const std::string& text, Neighbour& address) {
  const std::optional<HostPort> read = host_port_of(text);
  if (!read || read->port == 0) return wrong_address(option, text);
  address = {.host = read->host, .port = read->port};
  return std::nullopt;
}

std::optional<Problem> read_links(const LinkRequest& request, std::vector<Neighbour>& neighbours,
                                  std::string& secret) {
  for (const std::string& text : request.neighbours)
    if (auto problem = read_address("--pair", text, neighbours.emplace_back())) return problem;
  if (neighbours.empty() && request.serve.empty()) return std::nullopt;
  if (request.secret_file.empty())
    return Problem{
        .what = "--secret-file",
        .why = "is missing: neighbours know each other by a secret",
        .suggestion = "write one with head -c 32 /dev/urandom | base64, and copy the file to both hosts"};
  return read_secret(request.secret_file, secret);
}

int serve_links(const LinkRequest& request) {
  std::vector<Neighbour> none;
  std::string secret;
  if (const auto problem = read_links(request, none, secret)) return wrong_input(*problem);
  const std::optional<HostPort> address = host_port_of(request.serve);
  if (!address) return wrong_input(wrong_address("--serve", request.serve));
  const std::atomic<bool>& stop = stop_on_interrupt();
  LinkServer server({{.host = address->host, .port = address->port}}, secret);
  if (!server.problem().empty())
    return wrong_input(Problem{.what = "--serve " + request.serve,
                               .why = "cannot listen: " + server.problem(),
                               .suggestion = "name an address of this host and a free port"});
  if (!print("listens on " + address->host + ":" + std::to_string(server.port()) + "; Ctrl-C ends it\n"))
    return kFailed;
  server.serve([&stop] { return !stop; }, [] {});
  const int signal = interrupting_signal();
  return signal == 0 ? kSuccess : kSignalBase + signal;
}

}  // namespace gauntlet
