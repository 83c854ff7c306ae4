// SPDX-License-Identifier: Apache-2.0
// IngestService: gRPC service for agents. One reactor per agent stream, which never blocks: it passes messages to the IngestThread.
//
// Threading:  gRPC's callback threads.
// Ownership:  borrows the IngestThread and the Admission, which outlive the server.
// Errors:     gRPC statuses; see Ingest in ingest.proto.
// Cost:       one copy of each message.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>

#include "collectors/hub/server/admission.h"
#include "collectors/hub/server/ingest_thread.h"
#include "runglass/v1/ingest.grpc.pb.h"

namespace runglass {

class IngestService final : public v1::Ingest::WithRawCallbackMethod_Session<v1::Ingest::Service> {
 public:
  IngestService(IngestThread& ingest, Admission& admission, std::size_t max_agents)
      : m_ingest(ingest), m_admission(admission), m_max_agents(max_agents) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Session(grpc::CallbackServerContext* context) override;
  void drain() { m_draining = true; }

 private:
  Result<Pass> admit(const grpc::CallbackServerContext& context);

  IngestThread& m_ingest;
  Admission& m_admission;
  const std::size_t m_max_agents;
  std::atomic<std::size_t> m_sessions = 0;
  std::atomic<bool> m_draining = false;
};

}  // namespace runglass
