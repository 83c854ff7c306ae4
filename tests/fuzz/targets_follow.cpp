// SPDX-License-Identifier: Apache-2.0
// What a copy and its hub tell each other: frames of the feed, answers, questions.
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "collectors/feed/answerer.h"
#include "collectors/feed/feed_frame.h"
#include "collectors/hub/payload_replay.h"
#include "storage/writer.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace runglass;

// Ids as a store gives them; nothing is kept.
class NullMirror final : public MirrorRecorder {
 public:
  NodeId node(const Node&) override { return {++m_next}; }
  DeviceId device(const Device&) override { return {++m_next}; }
  RunId run(const Run&) override { return {++m_next}; }
  AttemptId attempt(const Attempt&) override { return {++m_next}; }
  void rank(const Rank&) override {}
  void fact(const Fact&) override {}
  void checkpoint(const Checkpoint&) override {}
  void group(const CommGroup&) override {}
  SeriesId series(const SeriesKey&) override { return {++m_next}; }
  TrackId track(const TrackKey&) override { return {++m_next}; }
  void samples(SeriesId, std::span<const TimeNs>, std::span<const double>) override {}
  void scalars(SeriesId, std::span<const std::int64_t>, std::span<const TimeNs>, std::span<const double>) override {}
  void spans(TrackId, const SpanColumns&) override {}
  void event(const Event&) override {}
  void log(const LogLine&) override {}
  void progress(const Progress&) override {}
  void issue(const Issue&) override {}
  void label(const Label&) override {}
  void clock(const ClockReading&) override {}
  void capture(const Capture&) override {}
  Status flush() override { return {}; }
  void complete(SeriesId, std::int64_t, std::int64_t, const ScalarColumns&) override {}
  void total(const Issue&) override {}
  void judge(const Judgements&) override {}
  void mark(const MirrorMark&) override {}

 private:
  std::uint64_t m_next = 0;
};

// A store with one of what is asked for.
class Asked {
 public:
  Asked() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rg-fuzz-XXXXXX").string();
    RG_CHECK(::mkdtemp(pattern.data()) != nullptr);
    m_folder = pattern;
    const std::string path = m_folder + "/asked.rgl";
    {
      auto writer = Writer::open(path).value();
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
    m_reader = Reader::open(path).value();
  }
  ~Asked() { std::filesystem::remove_all(m_folder); }
  Reader& reader() { return *m_reader; }
  const FeedNames& names() const { return m_names; }

 private:
  std::string m_folder;
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
  // And what a hub sends of it comes back.
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
  if (answer.ok() && answer->size() > kMostAnswer) std::abort();
}

}  // namespace
