// SPDX-License-Identifier: Apache-2.0
// rocpd traces of rocprofv3 (ROCm 7): SQLite files whose tables end in the id of a process, "rocpd_kernel_dispatch_00002f2b_…"; merged
// files hold several. Times are those of the machine's clock since boot, so that a run has no date.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/nsys/foreign_database.h"
#include "collectors/importers/timeline/kernel_category.h"
#include "collectors/importers/timeline/thread_row.h"
#include "collectors/importers/timeline/track_sorter.h"
#include "model/crc32c.h"

namespace runglass {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16), kDispatch = "rocpd_kernel_dispatch";
constexpr std::size_t kMaxTracks = 65'536, kMaxProcesses = 1'024;
constexpr std::int64_t kMaxIndex = 4'095;

class RocpdTrace {
 public:
  RocpdTrace(ForeignDatabase& db, const ImportTarget& target, Recorder& out) : m_db(db), m_target(target), m_out(out), m_sorter(out) {}

  Status read() {
    std::vector<std::string> suffixes;
    RG_TRY(m_db.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", [&](const ForeignRow& row) {
      const std::string_view name = row.text(0);
      if (!name.starts_with(kDispatch) || suffixes.size() >= kMaxProcesses) return;
      const std::string suffix(name.substr(kDispatch.size()));
      const bool plain = std::ranges::all_of(suffix, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
      });
      if (plain) suffixes.push_back(suffix);
    }));
    for (const std::string& suffix : suffixes) {
      m_suffix = suffix;
      RG_TRY(readAgents());
      RG_TRY(readKernels());
      RG_TRY(readCopies());
      RG_TRY(readRegions());
    }
    m_sorter.flush();
    declareDevices();
    if (m_sorter.renamed() > 0) issue("trace.too_many_names", m_sorter.renamed(), "spans without the numbers of their names");
    if (m_no_time > 0) issue("rocpd.no_time", m_no_time, "");
    if (m_no_track > 0) issue("rocpd.too_many_tracks", m_no_track, "spans beyond " + std::to_string(kMaxTracks) + " tracks");
    return {};
  }
  RunId run() const { return m_run; }

 private:
  void issue(const char* code, std::int64_t count, const std::string& detail) {
    m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }
  std::string table(const char* name) const { return name + m_suffix; }
  static std::string quoted(const std::string& name) { return '"' + name + '"'; }
  static std::string pick(const std::set<std::string>& columns, const char* name) {
    return columns.contains(name) ? "k.\"" + std::string(name) + '"' : std::string("NULL");
  }
  // The text that an id column refers to.
  std::string textOf(const std::set<std::string>& columns, const char* column, const char* of, const char* text) {
    if (!columns.contains(column) || !m_db.columns(table(of)).contains(text)) return "NULL";
    return "(SELECT " + quoted(text) + " FROM " + quoted(table(of)) + " WHERE id = k." + quoted(column) + ")";
  }

  // GPUs by the id that dispatches refer to.
  Status readAgents() {
    m_agents.clear();
    const std::string name = table("rocpd_info_agent");
    const auto columns = m_db.columns(name);
    if (!columns.contains("id")) return {};
    RG_TRY(m_db.query("SELECT k.id, " + pick(columns, "type") + ", " + pick(columns, "type_index") + ", " + pick(columns, "logical_index") +
                          ", " + pick(columns, "product_name") + ", " + pick(columns, "name") + " FROM " + quoted(name) + " k LIMIT 4096",
                      [this](const ForeignRow& row) {
                        if (row.text(1) != "GPU") return;
                        const auto index = row.optionalInt64(2) ? row.optionalInt64(2) : row.optionalInt64(3);
                        Device gpu{.kind = "gpu", .model = displayName(row.text(4).empty() ? row.text(5) : row.text(4))};
                        if (index && *index >= 0 && *index <= kMaxIndex) gpu.index = static_cast<std::int32_t>(*index);
                        m_agents[row.int64(0)] = gpu;
                      }));
    const std::string node = table("rocpd_info_node");
    if (m_db.columns(node).contains("hostname"))
      RG_TRY(m_db.query("SELECT hostname FROM " + quoted(node) + " LIMIT 1",
                        [this](const ForeignRow& row) { m_host = displayName(row.text(0)); }));
    return {};
  }

  Status readKernels() {
    const std::string name = table("rocpd_kernel_dispatch");
    const auto columns = m_db.columns(name);
    if (!columns.contains("start") || !columns.contains("end")) return {};
    static constexpr std::array kArgs = {std::pair{"grid_size_x", "grid x"},           std::pair{"grid_size_y", "grid y"},
                                         std::pair{"grid_size_z", "grid z"},           std::pair{"workgroup_size_x", "block x"},
                                         std::pair{"workgroup_size_y", "block y"},     std::pair{"workgroup_size_z", "block z"},
                                         std::pair{"group_segment_size", "LDS bytes"}, std::pair{"private_segment_size", "scratch bytes"}};
    std::string sql = "SELECT k.\"start\", k.\"end\", " + pick(columns, "agent_id") + ", " + pick(columns, "stream_id") + ", " +
                      pick(columns, "queue_id") + ", " + textOf(columns, "kernel_id", "rocpd_info_kernel_symbol", "display_name") + ", " +
                      textOf(columns, "kernel_id", "rocpd_info_kernel_symbol", "kernel_name");
    for (const auto& [column, shown] : kArgs) sql += ", " + pick(columns, column);
    return m_db.query(sql + " FROM " + quoted(name) + " k", [this](const ForeignRow& row) {
      std::string args;
      for (std::size_t i = 0; i < kArgs.size(); ++i)
        if (const auto value = row.optionalInt64(7 + static_cast<int>(i)))
          args += (args.empty() ? "{\"" : ",\"") + std::string(kArgs[i].second) + "\":" + std::to_string(*value);
      if (!args.empty()) args += '}';
      const std::string shown(row.text(5)), mangled(row.text(6)), kernel = shown.empty() ? mangled : shown;
      add(stream(row.optionalInt64(2), row.optionalInt64(3) ? row.optionalInt64(3) : row.optionalInt64(4)), row,
          {.category = m_categories.of(kernel)}, kernel.empty() ? "kernel" : kernel, args);
    });
  }

  Status readCopies() {
    const std::string name = table("rocpd_memory_copy");
    const auto columns = m_db.columns(name);
    if (!columns.contains("start") || !columns.contains("end")) return {};
    const std::string sql = "SELECT k.\"start\", k.\"end\", " + pick(columns, "dst_agent_id") + ", " + pick(columns, "src_agent_id") +
                            ", " + pick(columns, "stream_id") + ", " + pick(columns, "size") + ", " +
                            textOf(columns, "name_id", "rocpd_string", "string") + " FROM " + quoted(name) + " k";
    return m_db.query(sql, [this](const ForeignRow& row) {
      // A copy belongs to the GPU at one of its ends, the destination first.
      const auto to = row.optionalInt64(2), from = row.optionalInt64(3);
      const auto gpu = to && m_agents.contains(*to) ? to : from;
      const std::string kind(row.text(6));
      add(stream(gpu, row.optionalInt64(4)), row, {.category = SpanCategory::kMemcpy, .bytes = row.optionalInt64(5).value_or(kAbsent)},
          kind.empty() ? "Memcpy" : kind, {});
    });
  }

  // Calls of HIP and HSA and ranges of ROCTX, on their threads.
  Status readRegions() {
    const std::string name = table("rocpd_region");
    const auto columns = m_db.columns(name);
    if (!columns.contains("start") || !columns.contains("end")) return {};
    const std::string sql = "SELECT k.\"start\", k.\"end\", " + textOf(columns, "pid", "rocpd_info_process", "pid") + ", " +
                            textOf(columns, "tid", "rocpd_info_thread", "tid") + ", " +
                            textOf(columns, "name_id", "rocpd_string", "string") + " FROM " + quoted(name) + " k";
    return m_db.query(sql, [this](const ForeignRow& row) {
      const std::string call(row.text(4));
      const bool runtime = call.starts_with("hip") || call.starts_with("hsa_") || call.starts_with("roc");
      add(track("thread", threadRow(number(row.optionalInt64(2)), number(row.optionalInt64(3)))), row,
          {.category = runtime ? SpanCategory::kRuntime : SpanCategory::kAnnotation}, call, {});
    });
  }

  static std::string number(const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : std::string("?"); }
  TrackId stream(std::optional<std::int64_t> agent, std::optional<std::int64_t> stream) {
    std::string gpu = number(agent);
    if (const auto known = agent ? m_agents.find(*agent) : m_agents.end(); known != m_agents.end()) {
      m_gpus.try_emplace(known->second.index.value_or(-1), known->second);
      if (known->second.index) gpu = std::to_string(*known->second.index);
    }
    return track("gpu_stream", "GPU " + gpu + " stream " + number(stream));
  }
  TrackId track(const char* kind, const std::string& name) {
    begin();
    const auto [known, fresh] = m_tracks.try_emplace(name);
    if (fresh && m_tracks.size() > kMaxTracks) {
      m_tracks.erase(known);
      return {};
    }
    if (fresh) known->second = m_out.track({.attempt = m_attempt, .rank = m_rank, .kind = kind, .name = name});
    return known->second;
  }
  void begin() {
    if (m_attempt) return;
    m_rank = rankOfName(m_target.file_name);
    m_run = m_out.run({.name = m_target.run_name, .time_domain = TimeDomain::kRelative});
    m_attempt = m_out.attempt({.run = m_run, .key = m_target.attempt_key});
    if (m_rank) m_out.rank({.attempt = m_attempt, .rank = *m_rank});
  }
  // Columns 0 and 1 of every query are begin and end.
  void add(TrackId track, const ForeignRow& row, TraceSpan span, std::string_view name, std::string_view args) {
    if (!track) return void(++m_no_track);
    const auto from = row.wholeNumber(0), to = row.wholeNumber(1);
    if (!from || !to || __builtin_sub_overflow(*to, *from, &span.dur) || span.dur < 0) return void(++m_no_time);
    span.start = *from;
    m_sorter.add(track, span, name, args);
    if (m_sorter.full()) m_sorter.flush();
  }
  void declareDevices() {
    if (!m_attempt || m_gpus.empty()) return;
    const std::string name = m_host.empty() ? m_target.run_name : m_host;
    const NodeId node = m_out.node({.uuid = "name:" + name, .name = name});
    m_out.fact({.attempt = m_attempt, .node = node, .key = "telemetry_file", .value = displayName(m_target.file_name)});
    DeviceId last;
    for (auto& [index, gpu] : m_gpus) {
      gpu.node = node;
      gpu.uuid = "name:" + name + "/gpu" + (gpu.index ? std::to_string(*gpu.index) : std::string());
      last = m_out.device(gpu);
      m_out.event({.attempt = m_attempt, .node = node, .device = last, .kind = "device_facts", .message = R"({"vendor":"AMD"})"});
    }
    if (m_rank) m_out.rank({.attempt = m_attempt, .rank = *m_rank, .node = node, .device = m_gpus.size() == 1 ? last : DeviceId{}});
  }

  ForeignDatabase& m_db;
  const ImportTarget& m_target;
  Recorder& m_out;
  TrackSorter m_sorter;
  KernelCategories m_categories;
  std::string m_suffix, m_host;
  std::map<std::int64_t, Device> m_agents;  // of the current process
  std::map<std::int32_t, Device> m_gpus;    // with recorded work, by index
  RunId m_run;
  AttemptId m_attempt;
  std::optional<std::int32_t> m_rank;
  std::map<std::string, TrackId> m_tracks;
  std::int64_t m_no_time = 0, m_no_track = 0;
};

class RocpdImporter : public Importer {
 public:
  std::string_view kind() const override { return "rocpd"; }
  Grouping grouping() const override { return Grouping::kRankFiles; }
  std::string identity(const ImportProbe& probe) const override { return "rocpd:" + std::to_string(crc32c(probe.head)); }
  int recognise(const ImportProbe& probe) const override {
    return probe.head.starts_with(kMagic) && probe.head.find("rocpd_") != std::string_view::npos ? 95 : 0;
  }
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RG_ASSIGN(const auto database, ForeignDatabase::open(in, target.path, stop));
    report.committed_offset = in.offset();
    if (target.resume_at >= in.offset()) return {};
    RocpdTrace trace(*database, target, out);
    RG_TRY(trace.read());
    report.run = trace.run();
    if (!report.run) report.skipped_reason = "no table of this trace holds spans";
    return {};
  }
};

}  // namespace

std::unique_ptr<Importer> makeRocpdImporter() { return std::make_unique<RocpdImporter>(); }

}  // namespace runglass
