// SPDX-License-Identifier: Apache-2.0
// ControlService: users' edits and commands over gRPC, carried out on the store writer's thread.
//
// Threading:  gRPC's callback threads, which never block.
// Ownership:  borrows the IngestThread and the Admission, which outlive the server.
// Errors:     gRPC statuses: FAILED_PRECONDITION the call names another store, RESOURCE_EXHAUSTED too many calls at once; else those of
//             Writer::edit() and OrderDispatcher.
// Cost:       memory <= ClientCalls::kMaxCalls edits of kMaxShifts.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <string>

#include "collectors/hub/server/admission.h"
#include "collectors/hub/server/ingest_thread.h"
#include "model/mutex.h"
#include "runglass/v1/control.grpc.pb.h"

namespace runglass {

// Number of open calls, of all clients and of each.
class ClientCalls {
 public:
  static constexpr int kMaxCalls = 32, kMaxOfClient = 8;

  // Takes a place until give(). The reason if there is none; empty: taken.
  std::string take(const std::string& client);
  void give(const std::string& client);

 private:
  Mutex m_mutex;
  int m_all RG_GUARDED_BY(m_mutex) = 0;
  std::map<std::string, int> m_of RG_GUARDED_BY(m_mutex);
};

class ControlService final : public v1::Control::CallbackService {
 public:
  ControlService(IngestThread& ingest, Admission& admission, std::string store_uuid)
      : m_ingest(ingest), m_admission(admission), m_store_uuid(std::move(store_uuid)) {}

  grpc::ServerReadReactor<v1::EditPart>* Edit(grpc::CallbackServerContext* context, v1::EditDone* done) override;
  grpc::ServerUnaryReactor* Order(grpc::CallbackServerContext* context, const v1::OrderRequest* request, v1::OrderReply* reply) override;
  void drain() { m_draining = true; }

 private:
  // OK: the call counts for `client` until m_calls.give().
  grpc::Status admit(const grpc::CallbackServerContext& context, std::string& client);

  IngestThread& m_ingest;
  Admission& m_admission;
  const std::string m_store_uuid;
  ClientCalls m_calls;
  std::atomic<bool> m_draining = false;
};

}  // namespace runglass
