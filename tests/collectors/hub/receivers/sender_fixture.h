// SPDX-License-Identifier: Apache-2.0
// Sender: a SenderSession into a store, without a hub's threads.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectors/hub/receivers/otlp/otlp_json.h"
#include "collectors/hub/receivers/sender_session.h"
#include "collectors/wire/payload_replay.h"
#include "storage/open_store.h"
#include "storage/travel/forwarding_reader.h"
#include "tests/collectors/hub/receivers/write_body.h"
#include "tests/support/temp_folder.h"

namespace runglass::test {

inline constexpr std::int64_t kNowMs = 1'800'000'000'000;

// Asks `check` before each read of samples or spans and at each search of log lines.
class CheckedReader : public ForwardingReader {
 public:
  CheckedReader(std::unique_ptr<Reader> inner, std::function<Status()> check)
      : ForwardingReader(std::move(inner)), m_check(std::move(check)) {}
  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop) override {
    RG_TRY(m_check());
    return ForwardingReader::samples(series, range, std::move(stop));
  }
  Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop) override {
    RG_TRY(m_check());
    return ForwardingReader::spans(track, range, std::move(stop));
  }
  Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop) override {
    RG_TRY(m_check());
    return ForwardingReader::searchLogs(query, std::move(stop));
  }

 private:
  std::function<Status()> m_check;
};

class Sender : public testing::Test {
 protected:
  Sender() : m_writer(openStore(m_folder.file("s.rgl")).writer({.replay = makeJournalReplay()}).value()) {
    m_port.deliver = [this](const ReceivedBatch& batch) {
      if (m_refuse) return batch.done(Status(Code::kUnavailable, "refused"));
      if (batch.begins) m_replay = std::make_unique<PayloadReplay>(batch.sender);
      m_replay->play(batch.definitions, *m_writer, m_writer.get());
      m_replay->play(batch.payload, *m_writer, m_writer.get());
      batch.done({});
    };
    m_port.settle = [] {};
    m_port.commit = [this] { return m_writer->flush(); };
    m_port.reader = [this] { return openStore(m_folder.file("s.rgl")).reader({.live = m_writer->liveTail()}); };
    m_port.node_uuid = [](const std::string& name) { return name == "gpu-01" ? std::string("machine-1") : std::string(); };
    m_port.this_node = "this-machine";
    restart();
  }
  // From now on sessions read through a CheckedReader.
  void readThrough(const std::function<Status()>& check) {
    m_port.reader = [check, inner = m_port.reader]() -> Result<std::unique_ptr<Reader>> {
      RG_ASSIGN(auto opened, inner());
      return std::unique_ptr<Reader>(std::make_unique<CheckedReader>(std::move(opened), check));
    };
    restart();
  }
  void restart() { m_session = std::make_unique<SenderSession>("receiver/prom", m_port, m_limits); }
  WriteOutcome send(const WriteBody& body, std::int64_t now_ms = kNowMs) {
    return take({.bytes = body.bytes(), .address = "127.0.0.1"}, now_ms);
  }
  // A request of OTLP in JSON.
  WriteOutcome send(OtlpSignal signal, const std::string& json, std::int64_t now_ms = kNowMs) {
    const Result<std::string> bytes = otlpFromJson(signal, json);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    if (!bytes.ok()) return {};
    const Result<OtlpCounts> counts = countOtlp(signal, *bytes);
    EXPECT_TRUE(counts.ok()) << counts.status().message();
    return take({.bytes = *bytes, .address = "127.0.0.1", .otlp = signal}, now_ms);
  }
  WriteOutcome take(const SenderRequest& request, std::int64_t now_ms) {
    m_status.reset();
    auto outcome = m_session->take(request, now_ms * kNsPerMs, [this](const Status& status) { m_status = status; });
    EXPECT_TRUE(outcome.ok()) << outcome.status().message();
    EXPECT_TRUE(m_status.has_value());
    return outcome.ok() ? *outcome : WriteOutcome();
  }
  std::unique_ptr<Reader> reader() {
    EXPECT_TRUE(m_writer->flush().ok());
    return m_port.reader().value();
  }
  std::vector<std::pair<std::int64_t, double>> points(const std::string& metric) {
    const auto open = reader();
    std::vector<std::pair<std::int64_t, double>> out;
    for (const Series& series : open->series({.metric = metric}).value()) {
      const SampleColumns columns = open->samples(series.id, {}).value();
      for (std::size_t i = 0; i < columns.size(); ++i) out.emplace_back(columns.time[i] / kNsPerMs, columns.value[i]);
    }
    return out;
  }

  test::TempFolder m_folder;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<PayloadReplay> m_replay;
  ReceiverPort m_port;
  SenderLimits m_limits;
  std::unique_ptr<SenderSession> m_session;
  std::optional<Status> m_status;
  bool m_refuse = false;
};

}  // namespace runglass::test
