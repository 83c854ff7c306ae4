// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Every reactor reaches Finish exactly once: at the first rejection, or on the store writer's thread after the edit.
// 2. A call that was cut off or cannot be parsed makes no edit: an alignment states its number of shifts, a note is one part.
#include "collectors/hub/server/control_service.h"

#include "collectors/hub/server/admission.h"
#include "collectors/wire/edit_message.h"
#include "collectors/wire/order_message.h"

namespace runglass {
namespace {

class EditReactor final : public grpc::ServerReadReactor<v1::EditPart> {
 public:
  EditReactor(IngestThread& ingest, ClientCalls& calls, std::string client, const grpc::CallbackServerContext& context,
              const std::string& store_uuid)
      : m_ingest(ingest), m_calls(calls), m_client(std::move(client)), m_context(context), m_store_uuid(store_uuid) {
    StartRead(&m_part);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return all();
    Status status = m_edit.add(m_part);
    if (status.ok() && !m_edit.storeUuid().empty() && m_edit.storeUuid() != m_store_uuid)
      status = Status(Code::kFailedPrecondition, "edit: this hub writes another store");
    if (!status.ok()) return end(wireStatus(status));
    StartRead(&m_part);
  }
  void OnDone() override { delete this; }

 private:
  // Released before the answer, since its receiver may call again at once and OnDone() can be late on a busy machine.
  void end(const grpc::Status& status) {
    m_calls.give(m_client);
    Finish(status);
  }
  void all() {
    if (m_context.IsCancelled()) return end(grpc::Status::CANCELLED);
    Result<Edit> edit = m_edit.take();
    if (!edit.ok()) return end(wireStatus(edit.status()));
    m_ingest.edit(std::move(edit).value(), [this](const Status& status) { end(wireStatus(status)); });
  }

  IngestThread& m_ingest;
  ClientCalls& m_calls;
  const std::string m_client;
  const grpc::CallbackServerContext& m_context;
  const std::string& m_store_uuid;
  v1::EditPart m_part;
  EditAssembly m_edit;
};

void fillReply(v1::OrderReply& reply, const OrderOutcome& outcome) {
  if (outcome.first_step) reply.set_first_step(*outcome.first_step);
  for (const OrderAnswer& one : outcome.answers) {
    v1::NodeAnswer& answer = *reply.add_answer();
    answer.set_node(one.node);
    answer.set_code(static_cast<std::uint32_t>(one.status.code()));
    answer.set_message(one.status.message());
    answer.set_note(one.note);
    for (const std::int32_t rank : one.ranks) answer.add_rank(rank);
  }
}

// Ends a rejected call without reading.
class RefusedEdits final : public grpc::ServerReadReactor<v1::EditPart> {
 public:
  explicit RefusedEdits(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

std::string ClientCalls::take(const std::string& client) {
  const MutexLock lock(m_mutex);
  int& own = m_of[client];
  std::string why;
  if (own >= kMaxOfClient)
    why = client + " has " + std::to_string(kMaxOfClient) + " calls open already; try again when one has ended";
  else if (m_all >= kMaxCalls)
    why = "answers " + std::to_string(kMaxCalls) + " calls already; try again";
  if (why.empty()) ++own, ++m_all;
  if (own == 0) m_of.erase(client);
  return why;
}

void ClientCalls::give(const std::string& client) {
  const MutexLock lock(m_mutex);
  --m_all;
  if (--m_of[client] == 0) m_of.erase(client);
}

grpc::Status ControlService::admit(const grpc::CallbackServerContext& context, std::string& client) {
  if (m_draining) return {grpc::StatusCode::UNAVAILABLE, "is stopping"};
  const Result<Pass> pass = m_admission.admit(context, Scope::kAdmin);
  if (!pass.ok()) return wireStatus(pass.status());
  // Without a name: its address without the port.
  client = pass->name.empty() ? context.peer().substr(0, context.peer().rfind(':')) : pass->name;
  if (const std::string why = m_calls.take(client); !why.empty()) return {grpc::StatusCode::RESOURCE_EXHAUSTED, why};
  return grpc::Status::OK;
}

grpc::ServerUnaryReactor* ControlService::Order(grpc::CallbackServerContext* context, const v1::OrderRequest* request,
                                                v1::OrderReply* reply) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  std::string client;
  grpc::Status refused = admit(*context, client);
  const bool taken = refused.ok();
  if (refused.ok() && !request->store_uuid().empty() && request->store_uuid() != m_store_uuid)
    refused = {grpc::StatusCode::FAILED_PRECONDITION, "order: this hub writes another store"};
  const Result<runglass::Order> order = orderOf(*request);
  if (refused.ok() && !order.ok()) refused = wireStatus(order.status());
  if (!refused.ok()) {
    if (taken) m_calls.give(client);
    reactor->Finish(refused);
    return reactor;
  }
  m_ingest.order(*order, [this, reactor, reply, client](const Result<OrderOutcome>& outcome) {
    if (outcome.ok()) fillReply(*reply, *outcome);
    m_calls.give(client);
    reactor->Finish(outcome.ok() ? grpc::Status::OK : wireStatus(outcome.status()));
  });
  return reactor;
}

grpc::ServerReadReactor<v1::EditPart>* ControlService::Edit(grpc::CallbackServerContext* context, v1::EditDone*) {
  std::string client;
  if (const grpc::Status status = admit(*context, client); !status.ok()) return new RefusedEdits(status);
  return new EditReactor(m_ingest, m_calls, std::move(client), *context, m_store_uuid);
}

}  // namespace runglass
