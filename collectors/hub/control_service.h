// SPDX-License-Identifier: Apache-2.0
// ControlService: people's edits and orders over gRPC, made and placed on the store writer's thread.
//
// Threading:  gRPC's callback threads, which never block.
// Ownership:  borrows the IngestThread, tokens and acceptor, which outlive the server.
// Units:      none.
// Errors:     gRPC statuses: FAILED_PRECONDITION another store is meant, RESOURCE_EXHAUSTED too many calls at once; else those of
//             Writer::edit() and OrderDesk.
// Cost:       memory <= kMaxCalls edits of kMaxShifts.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <string>

#include "collectors/hub/admission.h"
#include "collectors/hub/ingest_thread.h"
#include "runglass/v1/control.grpc.pb.h"

namespace runglass {

class ControlService final : public v1::Control::CallbackService {
 public:
  static constexpr int kMaxCalls = 16;

  ControlService(IngestThread& ingest, Admission& admission, std::string store_uuid)
      : m_ingest(ingest), m_admission(admission), m_store_uuid(std::move(store_uuid)) {}

  grpc::ServerReadReactor<v1::EditPart>* Edit(grpc::CallbackServerContext* context, v1::EditDone* done) override;
  grpc::ServerUnaryReactor* Order(grpc::CallbackServerContext* context, const v1::OrderRequest* request, v1::OrderReply* reply) override;
  void drain() { m_draining = true; }

 private:
  grpc::Status admit(const grpc::CallbackServerContext& context);

  IngestThread& m_ingest;
  Admission& m_admission;
  const std::string m_store_uuid;
  std::atomic<int> m_calls = 0;
  std::atomic<bool> m_draining = false;
};

}  // namespace runglass
