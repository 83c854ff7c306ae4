// SPDX-License-Identifier: Apache-2.0
// RawAgent: sends the Ingest protocol message by message, valid or invalid, for tests of the hub.
//
// Threading:  one thread.
// Ownership:  owns its stream; the destructor cancels an open one.
// Errors:     finish() returns the status with which the hub ended the stream.
// Cost:       one connection.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "collectors/agent/wire_recorder.h"
#include "model/crc32c.h"
#include "runglass/v1/ingest.grpc.pb.h"

namespace runglass::test {

class RawAgent {
 public:
  explicit RawAgent(const std::string& hub, const std::string& token = "",
                    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials(), bool compressed = false) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    m_stub = v1::Ingest::NewStub(grpc::CreateCustomChannel(hub, credentials, arguments));
    m_context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    if (compressed) m_context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    if (!token.empty()) m_context.AddMetadata("authorization", "Bearer " + token);
    m_stream = m_stub->Session(&m_context);
  }
  ~RawAgent() {
    if (m_finished) return;
    m_context.TryCancel();
    (void)finish();
  }

  static v1::Hello hello(const std::string& session = "s1", const std::string& uuid = "agent-1") {
    v1::Hello hello;
    hello.set_proto_version(1);
    hello.set_agent_uuid(uuid);
    hello.set_agent_version("test");
    hello.set_node_uuid("node-of-" + uuid);
    hello.set_node_name("n-" + uuid);
    hello.add_sessions()->set_session(session);
    hello.set_raw_ns(wallNow());
    return hello;
  }
  std::optional<v1::Welcome> join(const v1::Hello& hello) {
    v1::AgentMessage message;
    *message.mutable_hello() = hello;
    m_stream->Write(message);
    v1::HubMessage answer;
    if (!m_stream->Read(&answer) || !answer.has_welcome()) return std::nullopt;
    m_credit = answer.welcome().credit_bytes();
    return answer.welcome();
  }
  bool sendDefinitions(const std::string& records) {
    v1::AgentMessage message;
    message.mutable_definitions()->set_records(records);
    message.mutable_definitions()->set_crc32c(crc32c(records));
    return m_stream->Write(message);
  }
  static v1::Batch batch(std::uint32_t stream, std::uint64_t seq, const std::string& payload) {
    v1::Batch batch;
    batch.set_stream(stream);
    batch.set_seq(seq);
    batch.set_payload(payload);
    batch.set_crc32c(crc32c(payload));
    return batch;
  }
  bool send(const v1::Batch& batch) {
    v1::AgentMessage message;
    *message.mutable_batch() = batch;
    return m_stream->Write(message);
  }
  bool write(const v1::AgentMessage& message) { return m_stream->Write(message); }
  bool beat() {
    v1::AgentMessage message;
    message.mutable_heartbeat()->set_raw_ns(wallNow());
    return m_stream->Write(message);
  }
  // Reads until `stream` is acknowledged up to `next_seq`; false when the hub ended the stream first.
  bool waitForAck(std::uint32_t stream, std::uint64_t next_seq) {
    v1::HubMessage answer;
    while (read(answer))
      for (const v1::Resume& ack : answer.acks().ack())
        if (ack.stream() == stream && ack.next_seq() >= next_seq) return true;
    return false;
  }
  // Reads until the hub has granted a credit for which `is` returns true.
  bool waitForCredit(const std::function<bool(std::uint64_t)>& is) {
    v1::HubMessage answer;
    while (!is(m_credit))
      if (!read(answer)) return false;
    return true;
  }
  grpc::Status finish() {
    v1::HubMessage answer;
    while (m_stream->Read(&answer)) {
    }
    m_finished = true;
    return m_stream->Finish();
  }
  void done() { m_stream->WritesDone(); }

 private:
  bool read(v1::HubMessage& answer) {
    if (!m_stream->Read(&answer)) return false;
    if (answer.has_acks()) m_credit = answer.acks().credit_bytes();
    return true;
  }

  std::unique_ptr<v1::Ingest::Stub> m_stub;
  grpc::ClientContext m_context;
  std::unique_ptr<grpc::ClientReaderWriter<v1::AgentMessage, v1::HubMessage>> m_stream;
  bool m_finished = false;
  std::uint64_t m_credit = 0;
};

}  // namespace runglass::test
