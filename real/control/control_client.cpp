#include "real/control/control_client.hpp"

#include "real/control/control_server.hpp"
#include "real/control/control_wire_private.hpp"
#include "real/system/descriptor.hpp"
#include "real/system/peer_user.hpp"

#include <control.grpc.pb.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

// The driver may wait for an agent that does not answer: for 20 s, and for another one to start.
constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kConnects = std::chrono::seconds(2);  // a driver accepts within milliseconds

struct Connected {
  Descriptor socket;
  std::string why;  // where there is none
};

/// To a driver of our user, or of root; root is connected to any.
Connected connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return {{}, "has a name that is too long for a Unix socket"};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // connect() waits for room in the listener's queue (unix(7)), and a listener need not make any.
  const timeval patience = {.tv_sec = kConnects.count(), .tv_usec = 0};
  if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EACCES) return {{}, "it is another user's; only that user and root are heard"};
    return {{}, errno == EAGAIN ? "it takes no connection" : std::generic_category().message(errno)};
  }
  const std::optional<uid_t> user = user_at_other_end(socket.get());
  const uid_t own = ::geteuid();
  if (!user || (!may_command(*user, own) && own != 0)) return {{}, "another user's process listens there"};
  return {std::move(socket), ""};
}

}  // namespace

std::string without_controls(std::string text) {
  constexpr unsigned char kC1Lead = 0xc2, kC1First = 0x80, kC1Last = 0x9f,
                          kDelete = 0x7f;  // U+0080 to U+009F in UTF-8
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : '\0';
    if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == kDelete) text[i] = '?';
    if (byte == kC1Lead && next >= kC1First && next <= kC1Last) text.replace(i, 2, "?");
  }
  return text;
}

bool has_driver(const std::string& directory) { return connect_to(control_socket(directory)).why.empty(); }

std::vector<std::string> running_drills(const std::string& base,
                                        const std::function<bool(const std::string& path)>& is_drill) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator(base, ignored)) {
    const std::string path = each.path().string();
    if (is_drill(path) && has_driver(path)) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<Problem> ask_driver(const std::string& directory, const OperatorRequest& request,
                                  OperatorReply& reply) {
  const std::string path = control_socket(directory);
  Connected connected = connect_to(path);
  if (!connected.why.empty())
    return Problem{
        .file = directory,
        .why = "has no driver that listens: " + connected.why,
        .suggestion = "name the directory of a running drill, which the drill prints when it begins"};
  const auto driver =
      control::Control::NewStub(grpc::CreateInsecureChannelFromFd("driver", connected.socket.release()));
  const control::Request asked = to_wire(request);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  control::Reply answer;
  const grpc::Status status = driver->Act(&context, asked, &answer);
  if (!status.ok())
    return Problem{.file = directory,
                   .why = "the driver does not answer: " + status.error_message(),
                   .suggestion = "the drill may have ended; else ask again"};
  std::optional<OperatorReply> read = from_wire(answer);
  if (!read)
    return Problem{.file = directory,
                   .why = "the driver's answer is not a table",
                   .suggestion = "ask with the program that runs the drill"};
  reply = std::move(*read);
  reply.text = without_controls(reply.text);
  for (std::vector<std::string>& row : reply.rows)
    for (std::string& cell : row) cell = without_controls(cell);
  return std::nullopt;
}

}  // namespace gauntlet
