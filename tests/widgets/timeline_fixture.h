// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineViewTest: a small store and a timeline that shows it, for tests of the timeline.
//
// Threading:  GUI thread.
// Ownership:  the fixture owns store, queries and view.
// Units:      TimeNs.
// Errors:     a store that cannot be written fails the test.
// Cost:       a store of ten spans per test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QTest>

#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/widgets/fake_edits.h"
#include "tests/widgets/offscreen.h"
#include "widgets/timeline/timeline_view.h"

namespace runglass {

inline constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

// With plain spaces between numbers and units.
inline std::string plain(QString text) {
  return text.replace(QChar(0xa0), QLatin1Char(' ')).replace(QChar(0x202f), QLatin1Char(' ')).toStdString();
}

// Two ranks with a stream and a thread each: a launch, its kernel, and a collective that rank 1 enters 3 ms late.
class TimelineViewTest : public ::testing::Test {
 protected:
  // Additional content of the store.
  virtual void record(Writer&, RunId, AttemptId) {}
  virtual void closed() {}
  void SetUp() override {
    auto opened = m_store.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    auto writer = std::move(*opened);
    const RunId run = writer->run({.name = "r", .start = kStart, .end = kStart + 100 * kNsPerMs});
    const AttemptId attempt = writer->attempt({.run = run, .layout = {.world = 2}});
    for (std::int32_t r = 0; r < 2; ++r) {
      const std::string name = "n" + std::to_string(r);
      const NodeId node = writer->node({.uuid = name, .name = name});
      writer->clock({.node = node, .session = "s", .raw = kStart, .offset = 0, .error = 2 * kNsPerMs, .source = "hello"});
      writer->rank({.attempt = attempt, .rank = r, .node = node});
      m_stream[r] = writer->track({.attempt = attempt, .rank = r, .kind = "gpu_stream", .name = "GPU 0 stream 7"});
      const TrackId thread = writer->track({.attempt = attempt, .rank = r, .kind = "thread", .name = "main"});
      SpanColumns launch;
      launch.start = {kStart + 10 * kNsPerMs}, launch.dur = {10'000}, launch.name = {0}, launch.category = {SpanCategory::kRuntime};
      launch.correlation = {77}, launch.names = {"cudaLaunchKernel"};
      writer->spans(thread, launch);
      SpanColumns spans;
      spans.start = {kStart + 20 * kNsPerMs, kStart + 60 * kNsPerMs + r * 3 * kNsPerMs},
      spans.dur = {20 * kNsPerMs, (10 - 3 * r) * kNsPerMs};
      spans.name = {0, 1}, spans.category = {SpanCategory::kCompute, SpanCategory::kComm};
      spans.correlation = {77, kAbsent}, spans.group = {kAbsent, 5}, spans.seq = {kAbsent, 12}, spans.bytes = {kAbsent, 1 << 20};
      spans.args = {R"({"grid":[1,2,3],"note":"<b>"})", ""}, spans.names = {"void gemm<float>", "ncclDevKernel_AllReduce"};
      writer->spans(m_stream[r], spans);
    }
    record(*writer, run, attempt);
    ASSERT_TRUE(writer->close().ok());
    closed();
    m_queries = std::make_unique<QueryService>([this] { return m_store.reader(); }, 2);
    m_view =
        std::make_unique<TimelineView>(ViewContext{m_queries.get(), &m_state, [] { return kStart + kNsPerSecond; }, &m_edits}, nullptr);
    QObject::connect(&m_state, &SharedState::changed, m_view.get(), [this] { m_view->applyState(m_state.state()); });
    m_view->resize(1200, 800);
    m_view->show();
    m_view->applyState(m_state.state());
    settle();
  }
  void settle() {
    ASSERT_TRUE(waitFor([this] { return m_view->isFinal() && m_view->canvas()->isRendered(); }));
  }
  // The screen position of a time on the open rank's stream.
  QPoint at(TimeNs time) const {
    const TimelineCanvas* canvas = m_view->canvas();
    const XMap map{canvas->t0(), canvas->t1(), static_cast<double>(TimelineCanvas::kGutter), static_cast<double>(canvas->timeWidth())};
    return {static_cast<int>(map.toPixel(time)),
            TimelineCanvas::kHeader + RowList::kGroupHeight + 2 + RowList::kStripHeight + 2 + RowList::kLaneHeight / 2};
  }
  TempStore m_store;
  TrackId m_stream[2];
  SharedState m_state;
  FakeEdits m_edits;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<TimelineView> m_view;
};

}  // namespace runglass
