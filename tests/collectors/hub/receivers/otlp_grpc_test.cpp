// SPDX-License-Identifier: Apache-2.0
// OTLP over gRPC: what is stored, the statuses that OTLP has for the rest, and what a call costs that is not admitted, too large or never
// complete. The hub behind it is a stand-in.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/sync_stream.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <future>

#include "collectors/hub/access/pairing.h"
#include "collectors/hub/receivers/otlp/otlp_json.h"
#include "collectors/hub/receivers/otlp/otlp_value.h"
#include "collectors/hub/receivers/receivers.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/receivers/receivers_fixture.h"
#include "tests/support/gzipped.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using grpc::StatusCode;
using testing::HasSubstr;

const std::string kMetricsExport = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
const std::string kLogsExport = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
const std::string kTraceExport = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

std::string nowNanos() { return "\"" + std::to_string(wallNow()) + "\""; }

// Gauges of one point each; unnamed ones cannot be stored.
std::string gauges(int count, const std::string& name = "g") {
  std::string items;
  for (int i = 0; i < count; ++i)
    items += std::string(i == 0 ? "" : ",") + R"({"name":")" + (name.empty() ? name : name + std::to_string(i)) +
             R"(","gauge":{"dataPoints":[{"timeUnixNano":)" + nowNanos() + R"(,"asDouble":1}]}})";
  return otlpFromJson(OtlpSignal::kMetrics, R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[)" + items + "]}]}]}").value();
}

struct Said {
  grpc::Status status;
  std::string response;
};

class OtlpGrpc : public ReceiversFixture {
 protected:
  void SetUp() override {
    m_options.listen_grpc = "127.0.0.1:0";
    ReceiversFixture::SetUp();
  }
  void start() {
    ReceiversFixture::start();
    if (HasFatalFailure()) return;
    m_channel = channel();
  }
  // With a connection of its own.
  std::shared_ptr<grpc::Channel> channel(
      const std::shared_ptr<grpc::ChannelCredentials>& credentials = grpc::InsecureChannelCredentials()) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    arguments.SetMaxSendMessageSize(-1);
    const std::string address = m_receivers->grpcAddress();
    return grpc::CreateCustomChannel("localhost" + address.substr(address.rfind(':')), credentials, arguments);
  }
  static grpc::ByteBuffer bufferOf(const std::string& bytes) {
    const grpc::Slice slice(bytes);
    return {&slice, 1};
  }
  static std::string textOfBuffer(const grpc::ByteBuffer& buffer) {
    std::vector<grpc::Slice> slices;
    std::string out;
    if (buffer.Valid() && buffer.Dump(&slices).ok())
      for (const grpc::Slice& slice : slices) out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    return out;
  }
  Said ask(const std::string& method, const std::string& bytes, const std::string& token = "",
           grpc_compression_algorithm packing = GRPC_COMPRESS_NONE) {
    return ask(m_channel, method, bytes, token, packing);
  }
  static Said ask(const std::shared_ptr<grpc::Channel>& channel, const std::string& method, const std::string& bytes,
                  const std::string& token = "", grpc_compression_algorithm packing = GRPC_COMPRESS_NONE) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    if (packing != GRPC_COMPRESS_NONE) context.set_compression_algorithm(packing);
    grpc::GenericStub stub(channel);
    const grpc::ByteBuffer request = bufferOf(bytes);
    grpc::ByteBuffer response;
    std::promise<grpc::Status> done;
    stub.UnaryCall(&context, method, grpc::StubOptions(), &request, &response,
                   [&done](grpc::Status status) { done.set_value(std::move(status)); });
    Said said{.status = done.get_future().get(), .response = {}};
    said.response = textOfBuffer(response);
    return said;
  }
  // The call as a stream, with any number of messages.
  grpc::Status stream(const std::vector<std::string>& messages, bool ends) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    const grpc::internal::RpcMethod method(kMetricsExport.c_str(), grpc::internal::RpcMethod::BIDI_STREAMING);
    const std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>> call(
        grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>::Create(m_channel.get(), method, &context));
    for (const std::string& message : messages) call->Write(bufferOf(message));
    if (ends) call->WritesDone();
    grpc::ByteBuffer response;
    while (call->Read(&response)) continue;
    return call->Finish();
  }
  static std::int64_t retryAfter(const grpc::Status& status) {
    const std::string_view any = bytesOf(status.error_details(), 3);
    if (bytesOf(any, 1) != "type.googleapis.com/google.rpc.RetryInfo") return 0;
    const std::string_view duration = bytesOf(bytesOf(any, 2), 1);
    WireReader reader(duration);
    return reader.next() && reader.field() == 1 ? static_cast<std::int64_t>(reader.varint()) : 0;
  }
  std::string tokenOf(const std::string& folder) const {
    std::ifstream in(m_folder.file("trust/" + folder + "/token"));
    std::string secret;
    in >> secret;
    return secret;
  }

  std::shared_ptr<grpc::Channel> m_channel;
};

TEST_F(OtlpGrpc, EachSignalIsAnsweredOnceItIsDurable) {
  start();
  EXPECT_EQ(m_receivers->address(), "") << "no HTTP unless it is asked for";
  Said said = ask(kMetricsExport, gauges(2));
  EXPECT_TRUE(said.status.ok()) << said.status.error_message();
  EXPECT_EQ(said.response, "");
  const std::string line = R"({"timeUnixNano":)" + nowNanos() + R"(,"body":{"stringValue":"said"}})";
  said = ask(kLogsExport, otlpFromJson(OtlpSignal::kLogs, R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[)" + line + "]}]}]}").value());
  EXPECT_TRUE(said.status.ok()) << said.status.error_message();
  const std::string span =
      R"({"traceId":"0123456789abcdef0123456789abcdef","spanId":"0123456789abcdef","name":"rollout","startTimeUnixNano":)" + nowNanos() +
      R"(,"endTimeUnixNano":)" + nowNanos() + "}";
  said = ask(kTraceExport, otlpFromJson(OtlpSignal::kTraces, R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + span + "]}]}]}").value());
  EXPECT_TRUE(said.status.ok()) << said.status.error_message();
  EXPECT_TRUE(ask(kMetricsExport, "").status.ok()) << "an empty request";
  EXPECT_EQ(m_receivers->stats().samples, 4);
  m_status = Status(Code::kUnavailable, "store: cannot take data now: disk full");
  said = ask(kMetricsExport, gauges(1));
  EXPECT_EQ(said.status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_THAT(said.status.error_message(), HasSubstr("disk full"));
  EXPECT_EQ(retryAfter(said.status), 5);
}

TEST_F(OtlpGrpc, GzipIsReadAndOtherCompressionIsRefused) {
  start();
  const std::string many = gauges(2'000);
  EXPECT_TRUE(ask(kMetricsExport, many, "", GRPC_COMPRESS_GZIP).status.ok());
  EXPECT_EQ(m_receivers->stats().samples, 2'000);
  EXPECT_EQ(ask(kMetricsExport, many, "", GRPC_COMPRESS_DEFLATE).status.error_code(), StatusCode::UNIMPLEMENTED);
  // gRPC's client has neither: the frame of an empty text in zstd, and the begin of framed snappy.
  for (const std::string& message : {std::string("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00", 9), std::string("\xff\x06\x00\x00sNaPpY", 10)})
    EXPECT_EQ(ask(kMetricsExport, message).status.error_code(), StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(m_receivers->stats().samples, 2'000);
}

TEST_F(OtlpGrpc, RefusalsHaveTheirStatus) {
  m_options.sender.new_series_burst = 2;
  start();
  EXPECT_EQ(ask("/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export", "").status.error_code(),
            StatusCode::UNIMPLEMENTED);
  Said said = ask(kMetricsExport, "\xff\xff");
  EXPECT_EQ(said.status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(retryAfter(said.status), 0);
  EXPECT_EQ(stream({}, true).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(stream({gauges(1), gauges(1)}, true).error_code(), StatusCode::INVALID_ARGUMENT) << "unary";
  EXPECT_EQ(m_delivered, 0);
  // Stored in part.
  said = ask(kMetricsExport, gauges(3, ""));
  EXPECT_TRUE(said.status.ok());
  const std::string_view partial = bytesOf(said.response, 1);
  WireReader reader(partial);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.varint(), 3U);
  EXPECT_THAT(std::string(bytesOf(partial, 2)), HasSubstr("3 without a metric name"));
  // To be sent again, after a pause.
  said = ask(kMetricsExport, gauges(5));
  EXPECT_EQ(said.status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(retryAfter(said.status), 10);
  EXPECT_THAT(said.status.error_message(), HasSubstr("new series"));
  m_room = false;
  said = ask(kMetricsExport, gauges(1));
  EXPECT_EQ(said.status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(retryAfter(said.status), 1);
  EXPECT_EQ(m_receivers->stats().refused_requests, 4) << "malformed, in part, too fast, no room";
}

TEST_F(OtlpGrpc, BombsCostTheirLimit) {
  m_options.http.body = 1U << 20;
  m_options.http.all_bodies = 3U << 20;
  start();
  Said said = ask(kMetricsExport, test::gzipped(std::string(80U << 20, '\n')));
  EXPECT_EQ(said.status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(said.status.error_message(), HasSubstr("64 MiB unpacked"));
  EXPECT_EQ(retryAfter(said.status), 0) << "final";
  EXPECT_EQ(ask(kMetricsExport, std::string(2U << 20, '\n')).status.error_code(), StatusCode::RESOURCE_EXHAUSTED)
      << "larger than a message";
  EXPECT_TRUE(ask(channel(), kMetricsExport, gauges(1)).status.ok());
}

TEST_F(OtlpGrpc, MessagesTogetherStayWithinTheLimit) {
  m_options.http.all_bodies = 1'000;
  start();
  EXPECT_NE(ask(kMetricsExport, std::string(2'000, '\n')).status.error_code(), StatusCode::OK);
  EXPECT_TRUE(test::waitUntil([&] { return ask(channel(), kMetricsExport, gauges(1)).status.ok(); })) << "its bytes are free again";
  EXPECT_EQ(m_receivers->stats().cut_connections, 1);
}

TEST_F(OtlpGrpc, ARequestThatNeverBecomesCompleteIsEnded) {
  m_options.http.whole = 600 * kNsPerMs;
  start();
  const grpc::Status status = stream({gauges(1)}, false);
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("not complete in time"));
  EXPECT_EQ(m_delivered, 0);
}

TEST_F(OtlpGrpc, ATokenOfScopeReceiveIsNeededBeforeAMessageIsRead) {
  auto pairing = Pairing::open({.folder = m_folder.file("trust")}).value();
  ASSERT_TRUE(pairing.addSender("otel").ok());
  ASSERT_TRUE(pairing.addReader("alice", false).ok());
  m_options.token_file = m_folder.file("trust/access");
  start();
  EXPECT_EQ(ask(kMetricsExport, gauges(1)).status.error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ask(kMetricsExport, gauges(1), "rg1_00000000_wrong").status.error_code(), StatusCode::UNAUTHENTICATED);
  const Said reader = ask(kMetricsExport, gauges(1), tokenOf("readers/alice"));
  EXPECT_EQ(reader.status.error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(reader.status.error_message(), HasSubstr("good for read, not for receive"));
  EXPECT_NE(ask(channel(), kMetricsExport, std::string(8U << 20, '\n')).status.error_code(), StatusCode::OK) << "8 MiB without a token";
  EXPECT_EQ(m_delivered, 0);
  EXPECT_TRUE(ask(channel(), kMetricsExport, gauges(1), tokenOf("senders/otel")).status.ok());
}

TEST_F(OtlpGrpc, ConnectionsOfAnAddressAreLimited) {
  m_options.http.connections_per_address = 2;
  start();
  std::vector<std::shared_ptr<grpc::Channel>> held;
  for (int i = 0; i < 2; ++i) {
    held.push_back(channel());
    EXPECT_TRUE(ask(held.back(), kMetricsExport, gauges(1)).status.ok());
  }
  const Said third = ask(channel(), kMetricsExport, gauges(1));
  EXPECT_EQ(third.status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_THAT(third.status.error_message(), HasSubstr("number of connections"));
  held.clear();
  EXPECT_TRUE(test::waitUntil([&] { return ask(channel(), kMetricsExport, gauges(1)).status.ok(); }));
}

TEST_F(OtlpGrpc, TokensOfOtherScopesTakeNoPlaceOfSenders) {
  auto pairing = Pairing::open({.folder = m_folder.file("trust")}).value();
  ASSERT_TRUE(pairing.addSender("otel").ok());
  ASSERT_TRUE(pairing.addReader("alice", false).ok());
  m_options.token_file = m_folder.file("trust/access");
  m_options.http.connections_per_address = 2;
  start();
  std::vector<std::shared_ptr<grpc::Channel>> held;
  for (int i = 0; i < 2; ++i) {
    held.push_back(channel());
    EXPECT_EQ(ask(held.back(), kMetricsExport, gauges(1), tokenOf("readers/alice")).status.error_code(), StatusCode::PERMISSION_DENIED);
  }
  EXPECT_TRUE(ask(channel(), kMetricsExport, gauges(1), tokenOf("senders/otel")).status.ok());
}

TEST_F(OtlpGrpc, BeyondTheLoopbackTlsAndTokensAreNeeded) {
  m_options.listen_grpc = "0.0.0.0:0";
  EXPECT_EQ(Receivers::start(m_options, m_port).status().code(), Code::kFailedPrecondition);
  auto pairing = Pairing::open({.folder = m_folder.file("trust")}).value();
  ASSERT_TRUE(pairing.certifyHub({"hub"}).ok());
  ASSERT_TRUE(pairing.addSender("otel").ok());
  m_options.token_file = m_folder.file("trust/access");
  m_options.tls_cert = m_folder.file("trust/hub.pem");
  m_options.tls_key = m_folder.file("trust/hub.key");
  start();
  std::stringstream authority;
  authority << std::ifstream(m_folder.file("trust/ca.pem")).rdbuf();
  const auto secure = channel(grpc::SslCredentials({.pem_root_certs = authority.str(), .pem_private_key = {}, .pem_cert_chain = {}}));
  const Said said = ask(secure, kMetricsExport, gauges(1), tokenOf("senders/otel"));
  EXPECT_TRUE(said.status.ok()) << said.status.error_message();
  EXPECT_EQ(ask(secure, kMetricsExport, gauges(1)).status.error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_FALSE(ask(kMetricsExport, gauges(1), tokenOf("senders/otel")).status.ok()) << "no plain text";
}

TEST_F(OtlpGrpc, AnEndedReceiverAnswersWhatItHas) {
  std::promise<void> delivered;
  std::promise<ReceivedBatch> kept;
  m_port.deliver = [&](ReceivedBatch batch) {
    kept.set_value(std::move(batch));
    delivered.set_value();
  };
  start();
  auto answer = std::async(std::launch::async, [&] { return ask(kMetricsExport, gauges(1)); });
  delivered.get_future().wait();
  auto stopped = std::async(std::launch::async, [&] { m_receivers->stop(); });
  kept.get_future().get().done({});
  EXPECT_TRUE(answer.get().status.ok());
  stopped.wait();
}

}  // namespace
}  // namespace runglass
