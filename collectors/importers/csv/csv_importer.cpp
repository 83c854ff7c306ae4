// SPDX-License-Identifier: Apache-2.0
// CSV files whose columns are described by a layout: a built-in one, selected by the header, or one of the user's.
#include <algorithm>
#include <optional>

#include "collectors/importers/csv/csv_splitter.h"
#include "collectors/importers/csv/csv_table.h"
#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/read_pieces.h"

namespace runglass {
namespace {

class CsvImporter : public Importer {
 public:
  CsvImporter(std::string kind, std::shared_ptr<const CsvLayouts> layouts, int score)
      : m_kind(std::move(kind)), m_layouts(std::move(layouts)), m_score(score) {}
  std::string_view kind() const override { return m_kind; }

  int recognise(const ImportProbe& probe) const override {
    return std::ranges::any_of(*m_layouts, [&](const CsvLayout& layout) { return layout.kind == m_kind && fits(layout, probe.head); })
               ? m_score
               : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    DeviceSeries series(target, out);
    std::optional<CsvTable> table;
    std::optional<CsvSplitter> splitter;
    std::uint64_t begin = 0;
    const auto record = [&](const CsvTable::Record& fields, std::uint64_t end) {
      if (table && table->width() == 0)
        table->header(fields);
      else if (table)
        table->record(fields, begin < target.resume_at);
      begin = end;
    };
    bool misfit = false;
    const Status status = readPieces(in, target, stop, [&](std::string_view piece) {
      if (misfit) return;
      if (!splitter) {
        const CsvLayout* const layout = layoutOf(piece);
        misfit = layout == nullptr;
        if (misfit) return;
        splitter.emplace(layout->separator);
        table.emplace(*layout, series, target, out);
      }
      splitter->push(piece, record);
    });
    if (misfit) return {Code::kInvalidArgument, target.path + ": no layout fits the header"};
    if (!table) return status.ok() ? Status(Code::kInvalidArgument, target.path + ": empty") : status;
    finish(*splitter, *table, target, status, record, out);
    if (splitter->longFields() + splitter->leftOutFields() > 0)
      table->note("csv.too_long", "fields", splitter->longFields() + splitter->leftOutFields());
    series.flush();
    table->tell();
    report.committed_offset = std::max(begin, target.resume_at);
    report.end_time = series.newest() ? series.newest() : table->newestEvent();
    if (series.started()) report.run = series.run();
    if (!report.end_time && target.resume_at == 0) report.skipped_reason = "no record with a time and a value";
    return endOfImport(status, report);
  }

 private:
  // A last record without a line end is complete if it has as many fields as the others and the file is final.
  static void finish(CsvSplitter& splitter, CsvTable& table, const ImportTarget& target, const Status& status,
                     const CsvSplitter::OnRecord& record, Recorder& out) {
    if (!splitter.pending() || !target.final || status.code() == Code::kCancelled) return;
    bool cut = !status.ok();
    if (!cut)
      splitter.finish([&](const CsvTable::Record& fields, std::uint64_t end) {
        cut = fields.size() != table.width();
        if (!cut) record(fields, end);
      });
    if (!cut) out.issue({.code = "import.no_line_end", .source = target.path});
    if (cut)
      out.issue({.code = "import.truncated", .source = target.path, .detail = "the last record is not complete; it is not imported"});
  }

  static bool fits(const CsvLayout& layout, std::string_view head) {
    bool first = true, fit = false;
    const auto check = [&](const CsvTable::Record& fields, std::uint64_t) {
      if (first) fit = CsvTable::fits(layout, fields);
      first = false;
    };
    CsvSplitter splitter(layout.separator);
    constexpr std::size_t kMaxHeader = 64U << 10;
    head = head.substr(0, kMaxHeader);
    // The header may be the whole file, or contain quoted line breaks.
    for (std::size_t at = 0; at < head.size() && first;) {
      const std::size_t end = std::min(head.find('\n', at), head.size() - 1) + 1;
      splitter.push(head.substr(at, end - at), check);
      at = end;
    }
    if (first) splitter.finish(check);
    return fit;
  }
  const CsvLayout* layoutOf(std::string_view head) const {
    const auto it = std::ranges::find_if(*m_layouts, [&](const CsvLayout& layout) { return layout.kind == m_kind && fits(layout, head); });
    return it == m_layouts->end() ? nullptr : &*it;
  }

  std::string m_kind;
  std::shared_ptr<const CsvLayouts> m_layouts;
  int m_score;
};

}  // namespace

std::unique_ptr<Importer> makeGpuTelemetryCsvImporter() { return std::make_unique<CsvImporter>("gpu_telemetry_csv", builtinLayouts(), 95); }
std::unique_ptr<Importer> makeClusterCsvImporter() { return std::make_unique<CsvImporter>("cluster_csv", builtinLayouts(), 95); }

Result<std::unique_ptr<Importer>> makeMappedCsvImporter(const std::string& name, std::string_view toml) {
  RG_ASSIGN(CsvLayouts layouts, loadLayouts(name, toml));
  for (CsvLayout& layout : layouts) layout.kind = "csv";
  return std::unique_ptr<Importer>(std::make_unique<CsvImporter>("csv", std::make_shared<CsvLayouts>(std::move(layouts)), 100));
}

}  // namespace runglass
