// SPDX-License-Identifier: Apache-2.0
// Nsight Systems reports from `nsys export --type sqlite`: which tables and columns exist depends on the data and on the version.
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
#include "collectors/text/display_name.h"
#include "model/crc32c.h"

namespace runglass {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kMaxTracks = 65'536, kMaxDevices = 4'096;
constexpr std::int64_t kPidUnit = 0x1000000;  // globalTid: machine, then 24 bits of process, then 24 of thread

const char* copyKind(std::int64_t kind) {
  switch (kind) {
    case 1:
      return "Memcpy HtoD";
    case 2:
      return "Memcpy DtoH";
    case 8:
      return "Memcpy DtoD";
    case 10:
      return "Memcpy PtoP";
    default:
      return "Memcpy";
  }
}

// Converts one report.
class NsysReport {
 public:
  NsysReport(ForeignDatabase& db, const ImportTarget& target, Recorder& out) : m_db(db), m_target(target), m_out(out), m_sorter(out) {}

  Status read() {
    RG_TRY(readSession());
    RG_TRY(readKernels());
    RG_TRY(readCopies());
    RG_TRY(readSynchronization());
    RG_TRY(readCalls("CUPTI_ACTIVITY_KIND_RUNTIME", SpanCategory::kRuntime, ""));
    RG_TRY(readRanges());
    RG_TRY(readCalls("OSRT_API", SpanCategory::kOther, " OS"));
    m_sorter.flush();
    if (m_attempt) tellWhole();
    if (m_sorter.renamed() > 0) issue("trace.too_many_names", m_sorter.renamed(), "spans without the numbers of their names");
    if (m_no_time > 0)
      issue("nsys.no_time", m_no_time, "rows whose begin or end is no whole number, or whose end is before their begin or beyond 64 bits");
    if (m_no_track > 0) issue("nsys.too_many_tracks", m_no_track, "spans beyond " + std::to_string(kMaxTracks) + " tracks");
    return {};
  }
  RunId run() const { return m_run; }
  std::optional<TimeNs> newest() const { return m_newest; }

 private:
  void issue(const char* code, std::int64_t count, const std::string& detail) {
    m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }

  Status readSession() {
    if (m_db.columns("TARGET_INFO_SESSION_START_TIME").contains("utcEpochNs"))
      RG_TRY(m_db.query("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME",
                        [this](const ForeignRow& row) { m_epoch = row.wholeNumber(0); }));
    RG_TRY(readDevices());
    if (m_db.columns("META_DATA_EXPORT").contains("value"))
      RG_TRY(m_db.query("SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT_VERSION'",
                        [this](const ForeignRow& row) { m_version = row.text(0); }));
    return {};
  }

  // The machine's GPUs; tables of older and smaller reports lack some columns.
  Status readDevices() {
    const std::set<std::string> system = m_db.columns("TARGET_INFO_SYSTEM_ENV");
    if (system.contains("name") && system.contains("value"))
      RG_TRY(m_db.query("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'",
                        [this](const ForeignRow& row) { m_host = displayName(row.text(0)); }));
    const std::set<std::string> columns = m_db.columns("TARGET_INFO_GPU");
    if (!columns.contains("name")) return {};
    return m_db.query("SELECT k.name, " + pick(columns, "cuDevice") + ", " + pick(columns, "id") + ", " + pick(columns, "uuid") + ", " +
                          pick(columns, "totalMemory") + " FROM TARGET_INFO_GPU k LIMIT " + std::to_string(kMaxDevices),
                      [this](const ForeignRow& row) {
                        Device gpu{.kind = "gpu", .model = displayName(row.text(0)), .memory_bytes = row.optionalInt64(4)};
                        const auto index = row.optionalInt64(1) ? row.optionalInt64(1) : row.optionalInt64(2);
                        if (index && *index >= 0 && *index < std::int64_t{kMaxDevices}) gpu.index = static_cast<std::int32_t>(*index);
                        // Drivers that report no UUID leave zeros.
                        if (const std::string_view uuid = row.text(3); uuid.find_first_not_of("0-") != std::string_view::npos)
                          gpu.uuid = (uuid.starts_with("GPU-") ? "" : "GPU-") + displayName(uuid);
                        m_gpus.push_back(std::move(gpu));
                      });
  }

  // "k.column" if the table has it, else NULL.
  static std::string pick(const std::set<std::string>& columns, const char* name) {
    return columns.contains(name) ? std::string("k.") + name : std::string("NULL");
  }
  // Query for the text that an id column refers to.
  std::string textOf(const std::set<std::string>& columns, const char* name) {
    return columns.contains(name) && m_db.hasTable("StringIds") ? "(SELECT value FROM StringIds WHERE id = k." + std::string(name) + ")"
                                                                : std::string("NULL");
  }

  Status readKernels() {
    const char* const table = "CUPTI_ACTIVITY_KIND_KERNEL";
    const std::set<std::string> columns = m_db.columns(table);
    if (!columns.contains("start") || !columns.contains("end")) return {};
    static constexpr std::array kArgs = {std::pair{"gridX", "grid x"},
                                         std::pair{"gridY", "grid y"},
                                         std::pair{"gridZ", "grid z"},
                                         std::pair{"blockX", "block x"},
                                         std::pair{"blockY", "block y"},
                                         std::pair{"blockZ", "block z"},
                                         std::pair{"registersPerThread", "registers per thread"},
                                         std::pair{"staticSharedMemory", "static shared memory"},
                                         std::pair{"dynamicSharedMemory", "dynamic shared memory"},
                                         std::pair{"graphNodeId", "graph node id"}};
    std::string sql = "SELECT k.start, k.\"end\", " + pick(columns, "deviceId") + ", " + pick(columns, "streamId") + ", " +
                      pick(columns, "correlationId") + ", " + textOf(columns, "demangledName") + ", " + textOf(columns, "shortName");
    for (const auto& [column, shown] : kArgs) sql += ", " + pick(columns, column);
    return m_db.query(sql + " FROM " + table + " k", [this](const ForeignRow& row) {
      std::string args;
      for (std::size_t i = 0; i < kArgs.size(); ++i)
        if (const auto value = row.optionalInt64(7 + static_cast<int>(i)))
          args += (args.empty() ? "{\"" : ",\"") + std::string(kArgs[i].second) + "\":" + std::to_string(*value);
      if (!args.empty()) args += '}';
      const std::string full(row.text(5)), brief(row.text(6));
      TraceSpan span{.category = m_categories.of(full.empty() ? brief : full), .correlation = row.optionalInt64(4).value_or(kAbsent)};
      add(stream(row), row, span, full.empty() ? brief : full, args);
    });
  }

  Status readCopies() {
    for (const auto& [table, category] :
         {std::pair{"CUPTI_ACTIVITY_KIND_MEMCPY", SpanCategory::kMemcpy}, std::pair{"CUPTI_ACTIVITY_KIND_MEMSET", SpanCategory::kMemset}}) {
      const std::set<std::string> columns = m_db.columns(table);
      if (!columns.contains("start") || !columns.contains("end")) continue;
      const std::string sql = "SELECT k.start, k.\"end\", " + pick(columns, "deviceId") + ", " + pick(columns, "streamId") + ", " +
                              pick(columns, "correlationId") + ", " + pick(columns, "bytes") + ", " + pick(columns, "copyKind") + " FROM " +
                              table + " k";
      RG_TRY(m_db.query(sql, [this, kind = category](const ForeignRow& row) {
        const TraceSpan span{
            .category = kind, .correlation = row.optionalInt64(4).value_or(kAbsent), .bytes = row.optionalInt64(5).value_or(kAbsent)};
        add(stream(row), row, span, kind == SpanCategory::kMemset ? "Memset" : copyKind(row.int64(6)), {});
      }));
    }
    return {};
  }

  Status readSynchronization() {
    const char* const table = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
    const std::set<std::string> columns = m_db.columns(table);
    if (!columns.contains("start") || !columns.contains("end")) return {};
    const bool named = columns.contains("syncType") && m_db.columns("ENUM_CUPTI_SYNC_TYPE").contains("label");
    const std::string sql = "SELECT k.start, k.\"end\", " + pick(columns, "deviceId") + ", " + pick(columns, "streamId") + ", " +
                            pick(columns, "correlationId") + ", " +
                            (named ? "(SELECT label FROM ENUM_CUPTI_SYNC_TYPE WHERE id = k.syncType)" : "NULL") + " FROM " + table + " k";
    return m_db.query(sql, [this](const ForeignRow& row) {
      const std::string_view name = row.text(5);
      add(stream(row), row, {.category = SpanCategory::kSync, .correlation = row.optionalInt64(4).value_or(kAbsent)},
          name.empty() ? "synchronize" : name, {});
    });
  }

  // Calls of the CUDA runtime or of the operating system, on their threads.
  Status readCalls(const char* table, SpanCategory category, const char* row_name) {
    const std::set<std::string> columns = m_db.columns(table);
    if (!columns.contains("start") || !columns.contains("end")) return {};
    const std::string sql = "SELECT k.start, k.\"end\", " + pick(columns, "globalTid") + ", " + pick(columns, "correlationId") + ", " +
                            textOf(columns, "nameId") + " FROM " + table + " k";
    return m_db.query(sql, [this, category, row_name](const ForeignRow& row) {
      add(thread(row.int64(2), row_name), row, {.category = category, .correlation = row.optionalInt64(3).value_or(kAbsent)}, row.text(4),
          {});
    });
  }

  // NVTX push/pop ranges nest on their thread; start/end ranges can overlap and have their own row. Marks have no end.
  Status readRanges() {
    const std::set<std::string> columns = m_db.columns("NVTX_EVENTS");
    if (!columns.contains("start") || !columns.contains("end")) return {};
    const std::string sql = "SELECT k.start, k.\"end\", " + pick(columns, "globalTid") + ", " + pick(columns, "eventType") + ", " +
                            pick(columns, "text") + ", " + textOf(columns, "textId") + " FROM NVTX_EVENTS k WHERE k.\"end\" IS NOT NULL";
    return m_db.query(sql, [this](const ForeignRow& row) {
      constexpr std::int64_t kStartEnd = 60;
      const std::string text(row.text(4));
      add(thread(row.int64(2), row.int64(3) == kStartEnd ? " ranges" : ""), row, {.category = SpanCategory::kAnnotation},
          text.empty() ? row.text(5) : text, {});
    });
  }

  TrackId stream(const ForeignRow& row) {
    const auto number = [&](int column) {
      const auto value = row.optionalInt64(column);
      return value ? std::to_string(*value) : std::string("?");
    };
    if (const auto device = row.optionalInt64(2); device && *device >= 0 && *device < std::int64_t{kMaxDevices})
      m_used.insert(static_cast<std::int32_t>(*device));
    return track("gpu_stream", "GPU " + number(2) + " stream " + number(3));
  }
  TrackId thread(std::int64_t global, const char* row_name) {
    return track("thread", threadRow(std::to_string(global / kPidUnit % kPidUnit), std::to_string(global % kPidUnit)) + row_name);
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
    m_run = m_out.run({.name = m_target.run_name, .time_domain = m_epoch ? TimeDomain::kUtc : TimeDomain::kRelative});
    m_attempt = m_out.attempt({.run = m_run, .key = m_target.attempt_key});
    if (m_rank) m_out.rank({.attempt = m_attempt, .rank = *m_rank});
  }

  // Columns 0 and 1 of every query are begin and end.
  void add(TrackId track, const ForeignRow& row, TraceSpan span, std::string_view name, std::string_view args) {
    if (!track) {
      ++m_no_track;
      return;
    }
    const std::optional<std::int64_t> from = row.wholeNumber(0), to = row.wholeNumber(1);
    std::int64_t end = 0;
    if (!from || !to || __builtin_add_overflow(*from, m_epoch.value_or(0), &span.start) ||
        __builtin_add_overflow(*to, m_epoch.value_or(0), &end) || __builtin_sub_overflow(end, span.start, &span.dur) || span.dur < 0) {
      ++m_no_time;
      return;
    }
    m_sorter.add(track, span, name, args);
    m_oldest = std::min(m_oldest.value_or(span.start), span.start);
    m_newest = std::max(m_newest.value_or(end), end);
    if (m_sorter.full()) m_sorter.flush();
  }

  void tellWhole() {
    if (m_epoch) {
      m_out.run({.name = m_target.run_name, .start = m_oldest, .end = m_newest});
      m_out.attempt({.run = m_run, .key = m_target.attempt_key, .start = m_oldest, .end = m_newest});
    }
    tellDevices();
    if (!m_version.empty()) m_out.fact({.attempt = m_attempt, .rank = m_rank, .key = "nsys_version", .value = printable(m_version)});
  }

  // Declares the report's GPUs on its node; those known only from their work have no model.
  void tellDevices() {
    for (const std::int32_t index : m_used)
      if (std::ranges::find(m_gpus, std::optional(index), &Device::index) == m_gpus.end())
        m_gpus.push_back({.index = index, .kind = "gpu"});
    if (m_gpus.empty()) return;
    const std::string name = m_host.empty() ? m_target.run_name : m_host;
    const NodeId node = m_out.node({.uuid = "name:" + name, .name = name});
    m_out.fact({.attempt = m_attempt, .node = node, .key = "telemetry_file", .value = displayName(m_target.file_name)});
    std::optional<DeviceId> own;
    for (Device& gpu : m_gpus) {
      gpu.node = node;
      if (gpu.uuid.empty()) gpu.uuid = "name:" + name + "/gpu" + (gpu.index ? std::to_string(*gpu.index) : std::string());
      const DeviceId id = m_out.device(gpu);
      if (gpu.index && m_used.size() == 1 && m_used.contains(*gpu.index)) own = id;
    }
    if (m_rank) m_out.rank({.attempt = m_attempt, .rank = *m_rank, .node = node, .device = own.value_or(DeviceId{})});
    if (!m_gpus.front().model.empty())
      m_out.fact({.attempt = m_attempt, .rank = m_rank, .key = "gpu_model", .value = m_gpus.front().model});
  }

  ForeignDatabase& m_db;
  const ImportTarget& m_target;
  Recorder& m_out;
  TrackSorter m_sorter;
  KernelCategories m_categories;
  std::optional<std::int64_t> m_epoch;
  std::string m_host, m_version;
  std::vector<Device> m_gpus;
  std::set<std::int32_t> m_used;  // devices with recorded work
  RunId m_run;
  AttemptId m_attempt;
  std::optional<std::int32_t> m_rank;
  std::map<std::string, TrackId> m_tracks;
  std::optional<TimeNs> m_oldest, m_newest;
  std::int64_t m_no_time = 0, m_no_track = 0;
};

class NsysImporter : public Importer {
 public:
  std::string_view kind() const override { return "nsys_sqlite"; }
  Grouping grouping() const override { return Grouping::kRankFiles; }
  // Written once as a whole: its complete head identifies it.
  std::string identity(const ImportProbe& probe) const override { return "nsys:" + std::to_string(crc32c(probe.head)); }

  int recognise(const ImportProbe& probe) const override {
    if (!probe.head.starts_with(kMagic)) return 0;
    const auto has = [&](std::string_view text) { return probe.head.find(text) != std::string_view::npos; };
    return has("CUPTI_ACTIVITY_KIND_") || has("TARGET_INFO_") || has("NVTX_EVENTS") || has("ENUM_NSYS_") ? 95 : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RG_ASSIGN(const auto database, ForeignDatabase::open(in, target.path, stop));
    report.committed_offset = in.offset();
    if (target.resume_at >= in.offset()) return {};
    NsysReport reader(*database, target, out);
    RG_TRY(reader.read());
    report.run = reader.run();
    report.end_time = reader.newest();
    if (!report.run) report.skipped_reason = "no table of this report holds spans";
    return {};
  }
};

}  // namespace

std::unique_ptr<Importer> makeNsysImporter() { return std::make_unique<NsysImporter>(); }

}  // namespace runglass
