// SPDX-License-Identifier: Apache-2.0
// Messages between a replica and its hub: frames of the feed, answers, queries.
#include <cstdlib>
#include <string_view>

#include "collectors/hub/replica/answerer.h"
#include "collectors/wire/feed_frame.h"
#include "collectors/wire/payload_replay.h"
#include "model/null_recorder.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_store.h"

namespace {

using namespace runglass;

class NullMirror : public NullOf<MirrorRecorder> {
 public:
  void complete(SeriesId, std::int64_t, std::int64_t, const ScalarColumns&) override {}
  void summaries(SeriesId, const Summaries&) override {}
  void total(const Issue&) override {}
  void judge(const Judgements&) override {}
  void mark(const MirrorMark&) override {}
};

// A store with one row of each queried kind.
class Asked {
 public:
  Asked() {
    const std::string path = m_store.path();
    {
      auto writer = openStore(path).writer().value();
      const RunId run = writer->run({.uuid = "r", .name = "r", .time_domain = TimeDomain::kUtc});
      const AttemptId attempt = writer->attempt({.run = run, .key = "0"});
      const NodeId node = writer->node({.uuid = "n", .name = "n"});
      const SeriesId series = writer->series({.node = node, .metric = "power_watts"});
      const TrackId track = writer->track({.attempt = attempt, .rank = 0, .kind = "gpu_stream", .name = "7"});
      for (int i = 0; i < 1000; ++i) writer->sample(series, i * 1000, i);
      SpanColumns spans;
      for (int i = 0; i < 500; ++i) {
        spans.start.push_back(i * 1000), spans.dur.push_back(500), spans.name.push_back(0);
        spans.category.push_back(SpanCategory::kCompute);
      }
      spans.names = {"kernel"};
      writer->spans(track, spans);
      for (int i = 0; i < 50; ++i) writer->log({.time = i * 1000, .attempt = attempt, .node = node, .stream = "out", .text = "a line"});
      writer->capture({.time = 5, .attempt = attempt, .node = node, .kind = "stack", .text = "text"});
      m_names.pair(run, RunId{1}), m_names.pair(attempt, AttemptId{1}), m_names.pair(node, NodeId{1});
      m_names.pair(series, SeriesId{1}), m_names.pair(track, TrackId{1});
      RG_CHECK(writer->close().ok());
    }
    m_reader = openStore(path).reader().value();
  }
  Reader& reader() { return *m_reader; }
  const FeedNames& names() const { return m_names; }

 private:
  const TempStore m_store;
  FeedNames m_names;
  std::unique_ptr<Reader> m_reader;
};

RG_FUZZ(feed_payload) {
  PayloadReplay replay("fuzz");
  NullMirror out;
  (void)replay.playFeed({reinterpret_cast<const char*>(data), size}, out);
}

RG_FUZZ(feed_frame) {
  v1::FeedMessage message;
  if (!message.ParseFromArray(data, static_cast<int>(size)) || !message.has_frame()) return;
  const Result<std::string> payload = unpackFrame(message.frame());
  if (!payload.ok()) return;
  PayloadReplay replay("fuzz");
  NullMirror out;
  (void)replay.playFeed(*payload, out);
}

RG_FUZZ(answer) {
  v1::Answer answer;
  if (!answer.ParseFromArray(data, static_cast<int>(size))) return;
  FeedNames names;
  names.pair(TrackId{1}, TrackId{1});
  Crossing crossing{names};
  const SeriesId asked[] = {{1}, {2}, {3}};
  (void)samplesOf(answer.samples());
  (void)binsOf(answer.bins());
  (void)latestOf(answer.latest(), asked);
  (void)extentsOf(answer.extents(), asked);
  (void)storedSpansOf(answer.spans(), crossing);
  (void)pictureOf(answer.picture(), crossing);
  (void)linesOf(answer.logs(), crossing);
  (void)densityOf(answer.density());
  (void)capturesOf(answer.captures(), crossing);
  (void)usageOf(answer.usage());
  // And the hub's answer is parsed again.
  AnswerAssembly assembly;
  for (const v1::AnswerPart& part : partsOf(answer.SerializeAsString()))
    if (!assembly.add(part).ok()) return;
  if (!assembly.take().ok()) std::abort();
}

RG_FUZZ(question) {
  static Asked asked;
  v1::Question question;
  if (!question.ParseFromArray(data, static_cast<int>(size)) || question.unaligned()) return;
  const Result<std::string> answer = answerQuestion(question, asked.reader(), asked.names(), {});
  if (answer.ok() && answer->size() > kMaxAnswer) std::abort();
}

}  // namespace
