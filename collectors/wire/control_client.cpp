// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/control_client.h"

#include <arpa/inet.h>
#include <grpcpp/grpcpp.h>

#include <chrono>

#include "collectors/wire/edit_message.h"
#include "collectors/wire/hub_target.h"
#include "collectors/wire/order_message.h"
#include "collectors/wire/pem_file.h"
#include "runglass/v1/control.grpc.pb.h"

namespace runglass {
namespace {

constexpr int kMaxMessage = 32 << 20;  // all notes of a store are in one frame

// A hub without TLS listens on loopback only. The address can come from a file next to the store, so a token is sent in clear text to no
// other host. Host names that merely begin like a loopback address are not local.
bool isLocal(const std::string& hub) {
  if (hub.starts_with("unix:")) return true;
  const std::string host = hub.substr(0, hub.rfind(':'));
  in_addr address{};
  return host == "localhost" || host == "[::1]" || (inet_pton(AF_INET, host.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

void prepare(grpc::ClientContext& context, const ControlTarget& target, DurNs patience) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::nanoseconds(patience));
  if (!target.token.empty()) context.AddMetadata("authorization", "Bearer " + target.token);
}

Status answerOf(const grpc::Status& status, const ControlTarget& target) {
  if (status.ok()) return {};
  std::string message = "hub: " + target.hub + ": " + status.error_message();
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) message = "hub: " + target.hub + ": did not answer in time";
  const bool silent = status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
  return {silent ? Code::kUnavailable : static_cast<Code>(status.error_code()), message};
}

}  // namespace

Result<std::shared_ptr<grpc::Channel>> hubChannel(const ControlTarget& target) {
  if (target.tls_ca.empty() && !isLocal(target.hub))
    return Status(Code::kFailedPrecondition,
                  "hub: " + target.hub + ": on another machine, so TLS is needed: give the CA of its certificate");
  grpc::SslCredentialsOptions pem;
  RG_ASSIGN(pem.pem_root_certs, readPem(target.tls_ca));
  RG_ASSIGN(pem.pem_cert_chain, readPem(target.tls_cert));
  RG_ASSIGN(pem.pem_private_key, readPem(target.tls_key));
  grpc::ChannelArguments arguments;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, int>>{
           {GRPC_ARG_KEEPALIVE_TIME_MS, 20'000},  // the hub's keepalive settings are in hub.cpp
           {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000},
           {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
           {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
           {GRPC_ARG_ENABLE_HTTP_PROXY, 0},
           {GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1},
           {GRPC_ARG_ENABLE_RETRIES, 0},
       })
    arguments.SetInt(name, value);
  arguments.SetMaxReceiveMessageSize(kMaxMessage);
  const std::string dialled = hubTarget(target.hub, arguments);
  return grpc::CreateCustomChannel(dialled, target.tls_ca.empty() ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(pem),
                                   arguments);
}

Status ControlClient::edit(const Edit& edit, const std::string& store_uuid) {
  RG_TRY(checkEdit(edit));
  RG_ASSIGN(const auto channel, hubChannel(m_target));
  const auto stub = v1::Control::NewStub(channel);
  grpc::ClientContext context;
  prepare(context, m_target, m_patience);
  v1::EditDone done;
  const auto writer = stub->Edit(&context, &done);
  // A failed write means that the hub has answered already: Finish() returns its status.
  for (const v1::EditPart& part : partsOf(edit, store_uuid))
    if (!writer->Write(part)) break;
  writer->WritesDone();
  return answerOf(writer->Finish(), m_target);
}

Result<OrderOutcome> ControlClient::order(const Order& order, const std::string& store_uuid) {
  RG_TRY(checkOrder(order));
  RG_ASSIGN(const auto channel, hubChannel(m_target));
  const auto stub = v1::Control::NewStub(channel);
  grpc::ClientContext context;
  prepare(context, m_target, m_patience);
  v1::OrderRequest request;
  request.set_store_uuid(store_uuid);
  fillOrder(request, order);
  v1::OrderReply reply;
  RG_TRY(answerOf(stub->Order(&context, request, &reply), m_target));
  OrderOutcome outcome;
  if (reply.has_first_step()) outcome.first_step = reply.first_step();
  for (const v1::NodeAnswer& one : reply.answer())
    outcome.answers.push_back({.node = one.node(),
                               .ranks = {one.rank().begin(), one.rank().end()},
                               .status = statusOf(one.code(), one.message()),
                               .note = oneWireLine(one.note())});
  return outcome;
}

}  // namespace runglass
