// gauntlet certs: the certificates of a lab.
#include "cli/commands.hpp"
#include "real/certs/authority.hpp"
#include "report/table.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint32_t kMostDays = 36'500;

struct CertsRequest {
  std::string directory;
  std::string cluster;
  std::string role;
  std::string host;
  std::uint32_t authority_days = 1825;
  std::uint32_t days = 90;

  PeerRole peer_role() const { return *peer_role_of(role); }
};

std::time_t now() { return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()); }

/// What could not be done leaves everything as it was; wrong input and a full disk alike.
int certs(const std::function<int()>& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    complain(error.what());
    return kFailed;
  }
}

int init(const CertsRequest& request) {
  if (const auto problem = make_authority(request.directory, request.cluster, request.authority_days, now()))
    return wrong_input(*problem);
  const std::string text = fmt::format(
      "{} holds the authority of cluster {}; keep it on one machine, and its key secret.\n"
      "Try next: gauntlet certs issue {} --role driver --host HOST\n",
      request.directory, request.cluster, request.directory);
  return print(text) ? kSuccess : kFailed;
}

int issue(const CertsRequest& request) {
  CertificateAuthority authority;
  if (const auto problem = authority.open(request.directory)) return wrong_input(*problem);
  CertificateAuthority::Issued issued;
  if (const auto problem = authority.issue(
          {.role = request.peer_role(), .host = request.host, .days = request.days, .now = now()}, issued))
    return wrong_input(*problem);
  const IssuedCertificate& each = issued.certificate;
  const std::string text = fmt::format(
      "{} holds the certificate of {} until {}.\nCopy the directory to that host with its modes.\n",
      issued.directory, uri_of(each.identity), date_text(each.end));
  return print(text) ? kSuccess : kFailed;
}

int revoke(const CertsRequest& request) {
  CertificateAuthority authority;
  if (const auto problem = authority.open(request.directory)) return wrong_input(*problem);
  std::vector<IssuedCertificate> revoked;
  if (const auto problem = authority.revoke(request.peer_role(), request.host, now(), revoked))
    return wrong_input(*problem);
  std::string text;
  for (const IssuedCertificate& each : revoked)
    text += fmt::format("revoked {} (serial {})\n", uri_of(each.identity), each.serial);
  text += fmt::format(
      "Copy {}/revoked.pem over the revoked.pem of each host that keeps its own: it is read every 2 s.\n",
      request.directory);
  return print(text) ? kSuccess : kFailed;
}

std::string state_of(const IssuedCertificate& each, std::time_t at) {
  if (each.revoked) return "revoked " + date_text(*each.revoked);
  return each.end <= at ? "expired" : "valid";
}

int list(const CertsRequest& request) {
  CertificateAuthority authority;
  if (const auto problem = authority.open(request.directory)) return wrong_input(*problem);
  std::vector<IssuedCertificate> all;
  if (const auto problem = authority.list(all)) return wrong_input(*problem);
  if (all.empty()) return print("no certificate was issued\n") ? kSuccess : kFailed;
  TextTable table;
  table.header = {"role", "host", "expires", "state", "serial"};
  const std::time_t at = now();
  for (const IssuedCertificate& each : all)
    table.rows.push_back({std::string(name_of(each.identity.role)), each.identity.host, date_text(each.end),
                          state_of(each, at), each.serial});
  return print(to_text(table)) ? kSuccess : kFailed;
}

Option directory_of(Command& command, const std::shared_ptr<CertsRequest>& request) {
  return command.value("directory", request->directory, "Directory of the authority")
      .type_name("DIR")
      .required();
}

void add_peer(Command& command, const std::shared_ptr<CertsRequest>& request) {
  command.value("--role", request->role, "Role: a driver gives orders, an agent obeys them")
      .one_of({"driver", "agent"})
      .required();
  command.value("--host", request->host, "Name or IPv4 address by which others reach the host")
      .type_name("HOST")
      .required();
}

void add_certs_options(Command& certs_command) {
  const auto request = std::make_shared<CertsRequest>();
  Command init_command = certs_command.subcommand("init", "Make the certificate authority of a cluster",
                                                  "  gauntlet certs init lab-ca --cluster lab-1");
  init_command.value("directory", request->directory, "Directory to make; nothing may have this name")
      .type_name("DIR")
      .required();
  init_command.value("--cluster", request->cluster, "Name of the cluster, as each certificate states it")
      .type_name("NAME")
      .required();
  init_command.value("--days", request->authority_days, "Days until the authority expires")
      .type_name("N")
      .between(1U, kMostDays)
      .shows_default();
  init_command.runs([request] { return certs([&] { return init(*request); }); });

  Command issue_command =
      certs_command.subcommand("issue", "Issue the certificate of a driver or an agent, with its key",
                               "  gauntlet certs issue lab-ca --role agent --host node-7.lab --days 30");
  directory_of(issue_command, request);
  add_peer(issue_command, request);
  issue_command.value("--days", request->days, "Days until the certificate expires")
      .type_name("N")
      .between(1U, kMostDays)
      .shows_default();
  issue_command.runs([request] { return certs([&] { return issue(*request); }); });

  Command revoke_command =
      certs_command.subcommand("revoke", "Revoke the certificate of a driver or an agent",
                               "  gauntlet certs revoke lab-ca --role agent --host node-7.lab");
  directory_of(revoke_command, request);
  add_peer(revoke_command, request);
  revoke_command.runs([request] { return certs([&] { return revoke(*request); }); });

  Command list_command = certs_command.subcommand(
      "list", "List every certificate that was issued, with its state", "  gauntlet certs list lab-ca");
  directory_of(list_command, request);
  list_command.runs([request] { return certs([&] { return list(*request); }); });
  certs_command.requires_subcommand();
}

}  // namespace

void add_certs(Program& program) {
  program.command("certs", "Issue and revoke the certificates of drivers and agents of a lab",
                  "  gauntlet certs init lab-ca --cluster lab-1\n"
                  "  gauntlet certs issue lab-ca --role driver --host localhost\n"
                  "  gauntlet certs issue lab-ca --role agent --host localhost --days 30\n"
                  "  gauntlet certs revoke lab-ca --role agent --host localhost\n"
                  "  gauntlet certs list lab-ca",
                  add_certs_options);
}

}  // namespace gauntlet
