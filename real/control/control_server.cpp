#include "real/control/control_server.hpp"

#include "real/control/control_wire_private.hpp"
#include "real/stream/acceptor.hpp"
#include "real/stream/listening.hpp"

#include <control.grpc.pb.h>
#include <grpcpp/grpcpp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

constexpr int kMostRequestBytes = 16 << 10;
constexpr int kIdleMilliseconds = 60'000;

}  // namespace

std::string control_socket(const std::string& directory) { return directory + "/control.sock"; }

class ControlServer::Service final : public control::Control::CallbackService {
 public:
  Service(const std::string& directory, OperatorDesk& desk) : path_(control_socket(directory)), desk_(desk) {
    ::unlink(path_.c_str());
    Listening listening;
    if (const auto problem = listen_at(path_, listening)) throw std::runtime_error(problem->text());
    struct stat made {};
    if (::chmod(path_.c_str(), 0600) != 0 || ::lstat(path_.c_str(), &made) != 0)
      throw std::runtime_error(path_ + ": its mode cannot be changed");
    inode_ = made.st_ino;
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMostRequestBytes);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleMilliseconds);
    arrivals_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    if (!server_) throw std::runtime_error(path_ + ": gRPC cannot start a server");
    acceptor_ = std::make_unique<ConnectionAcceptor>(
        std::move(listening.socket), Arrival::unix_socket,
        ConnectionAcceptor::Hooks{
            .admit = [this](Descriptor connection) { hand_over(std::move(connection)); },
            .refuse = [](const std::string&, const std::string&) {}});
  }

  ~Service() override {
    acceptor_.reset();
    struct stat there {};  // the socket of a driver that took over stays
    if (::lstat(path_.c_str(), &there) == 0 && there.st_ino == inode_) ::unlink(path_.c_str());
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
    server_->Wait();
  }

  grpc::ServerUnaryReactor* Act(grpc::CallbackServerContext* context, const control::Request* request,
                                control::Reply* reply) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    std::string wrong;
    std::optional<OperatorRequest> asked = from_wire(*request, wrong);
    if (!asked) {
      reactor->Finish({grpc::StatusCode::INVALID_ARGUMENT, wrong});
      return reactor;
    }
    desk_.post(std::move(*asked), [reactor, reply](const OperatorReply& answer) {
      *reply = to_wire(answer);
      reactor->Finish(grpc::Status::OK);
    });
    return reactor;
  }

 private:
  void hand_over(Descriptor connection) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters arrival;
    arrival.fd = connection.release();
    arrivals_->HandleNewConnection(&arrival);
  }

  const std::string path_;
  ino_t inode_ = 0;
  OperatorDesk& desk_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> arrivals_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<ConnectionAcceptor> acceptor_;
};

ControlServer::ControlServer(const std::string& directory, OperatorDesk& desk)
    : service_(std::make_unique<Service>(directory, desk)) {}
ControlServer::~ControlServer() = default;

}  // namespace gauntlet
