// SPDX-License-Identifier: GPL-3.0-or-later
// EvidenceTest: a small store with a problem, and its evidence cards as they are read and painted.
//
// Threading:  GUI thread.
// Ownership:  the fixture owns the store and its reader.
// Units:      a step per second from kBegin on.
// Errors:     a store that cannot be written fails the test.
// Cost:       a store of 8 ranks x 100 steps per test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QBuffer>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <memory>

#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/evidence/evidence.h"

namespace runglass {

inline constexpr TimeNs kBegin = 1'790'000'000LL * kNsPerSecond;
inline constexpr std::int64_t kSteps = 100, kSlowFrom = 40, kSlowTo = 60;
inline constexpr std::int32_t kRanks = 8, kSlow = 5;
inline constexpr TimeNs timeOf(std::int64_t step) { return kBegin + step * kNsPerSecond; }

// With plain spaces between numbers and units.
inline std::string plain(QString text) {
  return text.replace(QChar(0xa0), QLatin1Char(' ')).replace(QChar(0x202f), QLatin1Char(' ')).toStdString();
}

inline QByteArray svgOf(const Evidence& evidence, double width, const Theme& theme) {
  QBuffer out;
  out.open(QIODevice::WriteOnly);
  const QRectF area(0, 0, width, heightOf(evidence, width));
  QSvgGenerator svg;
  svg.setOutputDevice(&out);
  svg.setSize(area.size().toSize());
  svg.setViewBox(area);
  QPainter painter(&svg);
  paintEvidence(painter, area, evidence, theme);
  painter.end();
  return out.data();
}

inline int shapesIn(const QByteArray& svg) {
  return static_cast<int>(svg.count("<path") + svg.count("<rect") + svg.count("<poly") + svg.count("<circle"));
}

inline QImage imageOf(const Evidence& evidence, int width, const Theme& theme) {
  QImage image(width, static_cast<int>(heightOf(evidence, width)), QImage::Format_RGB32);
  image.fill(theme.surface);
  QPainter painter(&image);
  paintEvidence(painter, QRectF(image.rect()), evidence, theme);
  return image;
}

inline int pixelsOf(const QImage& image, const QColor& color) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) count += image.pixel(x, y) == color.rgb() ? 1 : 0;
  return count;
}

class EvidenceTest : public ::testing::Test {
 protected:
  // Additional content of the store.
  virtual void record(Writer&) {}
  virtual bool recordsUsual() const { return true; }
  virtual bool recordsSpans() const { return false; }

  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    auto writer = std::move(*opened);
    m_run = writer->run({.name = "r", .start = kBegin, .end = timeOf(kSteps)});
    m_attempt = writer->attempt({.run = m_run, .start = kBegin, .end = timeOf(kSteps), .layout = {.world = kRanks}});
    if (recordsUsual()) recordUsual(*writer);
    record(*writer);
    ASSERT_TRUE(writer->close().ok());
    auto reader = m_store.reader();
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    m_reader = std::move(*reader);
  }

  SeriesId scalarOf(Writer& writer, const char* metric, const char* unit, std::optional<std::int32_t> rank = {}) {
    SeriesKey key;
    key.attempt = m_attempt, key.metric = metric, key.unit = unit, key.kind = SeriesKind::kScalar, key.rank = rank;
    return writer.series(key);
  }

  // Eight ranks on two nodes, a GPU each; rank 5 takes a fifth longer in steps 40 to 59, its power falls, the loss spikes at step 50.
  void recordUsual(Writer& writer) {
    const SeriesId loss = scalarOf(writer, "loss", ""), norm = scalarOf(writer, "grad_norm", "");
    for (std::int64_t step = 0; step < kSteps; ++step) {
      writer.scalar(loss, step, timeOf(step), step == 50 ? 9.5 : 2.0 + 0.001 * static_cast<double>(step % 7));
      writer.scalar(norm, step, timeOf(step), step == 50 ? 33.0 : 0.8);
    }
    for (std::int32_t n = 0; n < 2; ++n) m_nodes[n] = writer.node({.uuid = "n" + std::to_string(n), .name = "n" + std::to_string(n)});
    for (std::int32_t r = 0; r < kRanks; ++r) {
      const NodeId node = m_nodes[r / 4];
      const DeviceId gpu = writer.device({.uuid = "GPU-" + std::to_string(r), .node = node, .index = r % 4, .kind = "gpu"});
      writer.rank({.attempt = m_attempt, .rank = r, .node = node, .device = gpu});
      const SeriesId steps = scalarOf(writer, "step_time_ns", "ns", r);
      SeriesKey key;
      key.node = node, key.device = gpu, key.metric = "power_watts", key.unit = "watts";
      const SeriesId power = writer.series(key);
      for (std::int64_t step = 0; step < kSteps; ++step) {
        const bool slow = r == kSlow && step >= kSlowFrom && step < kSlowTo;
        writer.scalar(steps, step, timeOf(step), slow ? 1.2e9 : 1e9);
        writer.sample(power, timeOf(step), slow ? 300 : 600);
      }
    }
    Event xid;
    xid.time = timeOf(45), xid.node = m_nodes[1], xid.kind = "xid", xid.code = "79", xid.severity = Severity::kCritical,
    xid.message = "Xid 79";
    writer.event(xid);
    for (std::int32_t r = 0; r < kRanks; ++r)
      writer.log({.time = timeOf(46),
                  .attempt = m_attempt,
                  .node = m_nodes[r / 4],
                  .rank = r,
                  .stream = "stderr",
                  .severity = Severity::kError,
                  .text = "[Rank " + std::to_string(r) + "] NCCL timeout after 600 s"});
    writer.log({.time = timeOf(47),
                .attempt = m_attempt,
                .node = m_nodes[0],
                .rank = 0,
                .stream = "stdout",
                .severity = Severity::kInfo,
                .text = "a quiet line"});
    for (const NodeId node : m_nodes)
      writer.clock({.node = node, .session = "s", .raw = kBegin, .offset = 0, .error = kNsPerMs, .source = "hello"});
    if (recordsSpans()) recordSpans(writer);
  }

  // In step 45 all ranks compute, rank 5 longer; then they enter a collective, in which the others wait for it.
  void recordSpans(Writer& writer) {
    for (std::int32_t r = 0; r < kRanks; ++r) {
      const TrackId track = writer.track({.attempt = m_attempt, .rank = r, .kind = "gpu_stream", .name = "GPU stream 7"});
      const DurNs work = r == kSlow ? 800 * kNsPerMs : 400 * kNsPerMs;
      SpanColumns spans;
      spans.start = {timeOf(45), timeOf(45) + work}, spans.dur = {work, 900 * kNsPerMs - work};
      spans.name = {0, 1}, spans.category = {SpanCategory::kCompute, SpanCategory::kComm};
      spans.group = {kAbsent, 5}, spans.seq = {kAbsent, 12}, spans.names = {"gemm_forward", "AllReduce"};
      writer.spans(track, spans);
    }
    CommGroup group;
    group.attempt = m_attempt, group.id = 5, group.kind = "dp";
    for (std::int32_t r = 0; r < kRanks; ++r) group.ranks.push_back(r);
    writer.group(group);
  }

  EvidenceQuestion question(const char* kind, const char* select = "", bool ranged = true) const {
    EvidenceQuestion out;
    out.run = m_run;
    out.card.kind = kind, out.card.select = select;
    if (ranged) out.card.range = TimeRange{timeOf(kSlowFrom), timeOf(kSlowTo)};
    return out;
  }
  Evidence read(const EvidenceQuestion& question) {
    auto read = readEvidence(*m_reader, question, {});
    EXPECT_TRUE(read.ok()) << read.status().message();
    return read.ok() ? *read : Evidence();
  }
  Evidence read(const char* kind, const char* select = "", bool ranged = true) { return read(question(kind, select, ranged)); }

  // The rows of the evidence's own query; the store must accept it.
  std::vector<std::vector<SqlValue>> rowsOf(const Evidence& evidence) {
    std::vector<std::vector<SqlValue>> rows;
    Reader::SqlSink sink;
    sink.columns = [](const std::vector<std::string>&) {};
    sink.row = [&](const std::vector<SqlValue>& row) {
      rows.push_back(row);
      return true;
    };
    const Status status = m_reader->query(evidence.sql, sink, {});
    EXPECT_TRUE(status.ok()) << status.message() << "\n" << evidence.sql;
    return rows;
  }

  TempStore m_store;
  RunId m_run;
  AttemptId m_attempt;
  NodeId m_nodes[2];
  std::unique_ptr<Reader> m_reader;
};

class TracedEvidenceTest : public EvidenceTest {
 protected:
  bool recordsSpans() const override { return true; }
};

}  // namespace runglass
