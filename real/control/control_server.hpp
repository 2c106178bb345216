// The driver's end of `gauntlet ctl`: a Unix socket in the drill's directory, for processes of our user and of root.
#pragma once

#include "real/control/operator_desk.hpp"

#include <memory>
#include <string>

namespace gauntlet {

/// The socket of the driver whose drill has this directory.
std::string control_socket(const std::string& directory);

class ControlServer {
 public:
  /// Requests go to the desk, which must outlive the server. A socket that an earlier driver left is replaced. Throws
  /// std::runtime_error where it cannot be listened on.
  ControlServer(const std::string& directory, OperatorDesk& desk);
  /// Requests that wait must have been answered, or are answered by the desk's close() before.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

}  // namespace gauntlet
