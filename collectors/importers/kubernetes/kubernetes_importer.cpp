// SPDX-License-Identifier: Apache-2.0
// Objects of Kubernetes as kubectl prints them: lists and single objects of `kubectl get -o json`, the stream of `kubectl get -w -o json`
// with or without types of changes, and answers of the API itself. What they mean is in collectors/kubernetes.
#include <algorithm>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/read_pieces.h"
#include "collectors/kubernetes/cluster_record.h"
#include "collectors/kubernetes/object_stream.h"
#include "model/null_recorder.h"

namespace runglass {
namespace {

constexpr std::size_t kHead = 4'096;
constexpr std::size_t kMaxPendingData = 256U << 20;  // of the ConfigMaps of a list that is not complete

// For the part of a grown file that is recorded already: ids are needed, rows are not.
class Declarations : public NullRecorder {
 public:
  explicit Declarations(Recorder& out) : m_out(out) {}
  NodeId node(const Node& node) override { return m_out.node(node); }
  RunId run(const Run& run) override { return m_out.run(run); }
  AttemptId attempt(const Attempt& attempt) override { return m_out.attempt(attempt); }
  TrackId track(const TrackKey& key) override { return m_out.track(key); }

 private:
  Recorder& m_out;
};

class ObjectsFile {
 public:
  ObjectsFile(const ImportTarget& target, Recorder& out)
      : m_target(target), m_out(out), m_record({.run_name = target.run_name, .only_run = target.run_named, .snapshot = true}) {}

  void take(std::string_view piece) {
    if (const std::uint64_t recorded = m_target.resume_at - std::min(m_target.resume_at, m_offset); recorded > 0) {
      push(piece.substr(0, recorded));
      piece.remove_prefix(std::min<std::size_t>(recorded, piece.size()));
      if (m_offset < m_target.resume_at) return;
      Declarations known(m_out);
      m_record.record(known, std::nullopt);
    }
    push(piece);
  }

  // A list that is still being written counts once it is complete, unless nothing more will come.
  void finish(ImportReport& report) {
    m_record.record(m_out, std::nullopt);
    report.run = m_record.firstRun();
    report.end_time = m_record.newest();
    report.committed_offset = std::max(m_target.final ? m_offset : m_stream.completeEnd(), m_target.resume_at);
    if (m_target.final && m_stream.cut()) {
      report.partial_reason = "the file ends within an object";
      issue("import.truncated", 1, report.partial_reason);
    }
    issue("kubernetes.bad_object", m_bad + m_stream.garbage() + m_record.badValues(), m_why);
    issue("kubernetes.too_large", m_stream.tooLarge() + m_stream.tooDeep(), "");
    issue("kubernetes.left_out", m_record.leftOut(), "");
  }
  bool recorded() const { return m_record.firstRun() || m_record.recordedEvents(); }
  bool empty() const { return m_objects == 0; }

 private:
  void push(std::string_view piece) {
    m_offset += piece.size();
    m_stream.push(piece, [this](std::string_view json, std::string_view list_kind) {
      auto change = parseKubeChange(json, list_kind);
      if (!change.ok()) {
        if (m_bad++ == 0) m_why = change.status().message();
        return;
      }
      if (change->type != KubeChange::Type::kList) {
        for (const auto& [key, value] : change->object.data) m_pending_data += value.size();
        m_pending.push_back(std::move(*change)), ++m_objects;
      }
      if (list_kind.empty() || m_target.final || m_pending.size() >= ClusterRecord::kMaxObjects || m_pending_data >= kMaxPendingData)
        settle();
    });
  }
  void settle() {
    for (KubeChange& change : m_pending) m_record.take(std::move(change), std::nullopt);
    m_pending.clear();
    m_pending_data = 0;
  }
  void issue(const char* code, std::int64_t count, const std::string& detail) {
    if (count > 0) m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  ClusterRecord m_record;
  ObjectStream m_stream;
  std::vector<KubeChange> m_pending;
  std::size_t m_pending_data = 0;  // bytes, of ConfigMaps
  std::uint64_t m_offset = 0;
  std::int64_t m_bad = 0, m_objects = 0;
  std::string m_why;
};

class KubernetesImporter : public Importer {
 public:
  std::string_view kind() const override { return "kubernetes"; }

  int recognise(const ImportProbe& probe) const override {
    const std::string_view head = probe.head.substr(0, kHead);
    const std::size_t brace = head.find_first_not_of(" \t\r\n");
    if (brace == std::string_view::npos || head[brace] != '{') return 0;
    const std::size_t quote = head.find_first_not_of(" \t\r\n", brace + 1);
    if (quote == std::string_view::npos) return 0;
    const std::string_view key = head.substr(quote);
    const bool watch = key.starts_with("\"type\"") && head.find("\"object\"") != std::string_view::npos;
    const bool object = key.starts_with("\"apiVersion\"") || key.starts_with("\"kind\"");
    const bool rest = head.find("\"apiVersion\"") != std::string_view::npos && head.find("\"kind\"") != std::string_view::npos;
    return (watch || object) && rest ? 95 : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    ObjectsFile file(target, out);
    const Status status = readPieces(in, target, stop, [&](std::string_view piece) { file.take(piece); });
    file.finish(report);
    if (!file.recorded() && target.resume_at == 0)
      report.skipped_reason = file.empty() ? "no object of Kubernetes" : "no pod, workload or event of a training job, and no fault";
    return endOfImport(status, report);
  }
};

}  // namespace

std::unique_ptr<Importer> makeKubernetesImporter() { return std::make_unique<KubernetesImporter>(); }

}  // namespace runglass
