// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hub_problem.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace runglass {
namespace {

bool says(const std::string& message, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return message.find(word) != std::string::npos; });
}

// Messages of the TLS library, the resolver and the kernel, as reported by gRPC.
HubProblem unreachable(const std::string& message, const ControlTarget& hub) {
  if (says(message, {"certificate verify failed", "CERTIFICATE_VERIFY_FAILED"}))
    return {
        "its certificate is not one of the CA in " + hub.tls_ca,
        "Give the ca.pem of the folder that runglassctl pair made for this hub (readers/NAME/ca.pem). If it is the right one, the hub's "
        "certificate may have expired, or another server may be answering."};
  if (says(message, {"is not in peer certificate", "Hostname Verification Check failed", "Peer name"}))
    return {"its certificate is for another name",
            "Use a name that the certificate has, or add this one: runglassctl pair --out TRUST --hub NAME."};
  if (says(message, {"Ssl handshake failed", "Handshake failed", "SSL_ERROR"}))
    return {"the TLS handshake failed",
            "For a hub without certificates leave the CA out. If the hub requires client certificates, give yours with its key."};
  if (says(message, {"DNS resolution failed"}))
    return {"its name cannot be resolved", "Check the address; beyond a bastion, forward the hub's socket with ssh."};
  if (says(message, {"No such file or directory"}))
    return {"there is no such socket", "Is the ssh tunnel running? The hub's socket is the PATH of serve --listen unix:PATH."};
  if (says(message, {"Permission denied"})) return {"the socket is another user's", "It answers only the user who started the hub."};
  if (says(message, {"Connection refused"}))
    return {"no process listens there", "Is the hub running, and the tunnel to it, if there is one?"};
  if (says(message, {"No route to host", "Network is unreachable"}))
    return {"that machine cannot be reached", "Are you in its network? Through a bastion: ssh -J, see docs/operate/deploy.md."};
  if (says(message, {"timed out", "Timeout", "did not answer in time"}))
    return {"it does not answer", "A firewall may drop the packets; through a bastion: ssh -J, see docs/operate/deploy.md."};
  if (hub.tls_ca.empty() && says(message, {"Socket closed", "Connection reset"}))
    return {"it closes connections at once", "A hub with certificates: give its ca.pem and a token."};
  if (says(message, {"is stopping"})) return {"it is being stopped", {}};
  return {message, {}};
}

}  // namespace

HubProblem hubProblem(Code code, const std::string& message, const ControlTarget& hub) {
  switch (code) {
    case Code::kUnauthenticated:
      if (hub.token.empty() && hub.tls_cert.empty())
        return {"it requires a credential", "Give a token: runglassctl pair --reader NAME makes one, readers/NAME/token."};
      if (says(message, {"no longer counts", "expired", "revoked"}))
        return {"the credential is expired or revoked", "Ask the hub's administrator for a new token (runglassctl pair --renew NAME)."};
      return {"it does not know the credential", "Is this a valid token of this hub? runglassctl pair --out TRUST --list shows all."};
    case Code::kPermissionDenied:
      return {"the credential has no scope read",
              "An agent's token has the scope ingest only. runglassctl pair --reader NAME makes one for reading."};
    case Code::kFailedPrecondition:
      if (says(message, {"so TLS is needed"}))
        return {"it is on another machine, and no CA is configured",
                "Give the CA of its certificate, readers/NAME/ca.pem of runglassctl pair."};
      if (says(message, {"the copy is one of store", "this is a copy of store"}))
        return {"it writes another store than the source of this replica", "Use another file for the replica."};
      return {message, {}};
    case Code::kUnimplemented:
      return {"it does not support replicas: it is too old, or no hub", "Update the hub."};
    case Code::kUnavailable:
      return unreachable(message, hub);
    default:
      return {message, {}};
  }
}

std::string hubProblemWords(Code code, const std::string& message, const ControlTarget& hub) {
  const HubProblem problem = hubProblem(code, message, hub);
  return problem.what + (problem.todo.empty() ? "" : ". " + problem.todo);
}

std::string hubProblemText(Code code, const std::string& message, const ControlTarget& hub) {
  return "hub " + hub.hub + ": " + hubProblemWords(code, message, hub);
}

void silenceLibraries() { ::setenv("GRPC_VERBOSITY", "NONE", 0); }

}  // namespace runglass
