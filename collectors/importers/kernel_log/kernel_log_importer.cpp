// SPDX-License-Identifier: Apache-2.0
// Kernel logs: dmesg, kern.log and syslog, journals, NVIDIA's fabric manager. Events with their GPU, link or node; every other line is a
// log line. A log belongs to no training run; `import --run NAME` adds it to one.
#include <algorithm>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/read_pieces.h"
#include "collectors/importers/kernel_log/kernel_log_session.h"

namespace runglass {
namespace {
using namespace kernel_log;

class KernelLogImporter : public Importer {
 public:
  std::string_view kind() const override { return "kernel_log"; }

  // By content: lines of a form that only kernel logs have, or that report a fault as only a kernel does.
  int recognise(const ImportProbe& probe) const override {
    std::size_t lines = 0, kernel = 0, faults = 0;
    forLines(probe.head, [&](const KernelLine& line, train_log::RuleSet::Scratch& scratch) {
      ++lines;
      kernel += line.kernel && !line.other_program ? 1 : 0;
      if (const auto fault = faultOf(line.text, scratch))
        faults += fault->kind == "xid" || fault->kind == "sxid" || fault->kind == "nvswitch";
      return lines < kProbeLines;
    });
    if (lines == 0) return 0;
    if (kernel * 2 > lines) return 88;
    return faults * 2 > lines ? 88 : faults > 0 && kernel > 0 ? 70 : 0;
  }

  std::optional<TimeNs> beginTime(const ImportProbe& probe) const override {
    std::optional<TimeNs> first;
    forLines(probe.head, [&](const KernelLine& line, train_log::RuleSet::Scratch&) {
      if (line.clock == Clock::kUtc || line.clock == Clock::kLocal) first = line.time;
      return !first;
    });
    return first;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    KernelLogSession session({.run_name = target.run_name,
                              .attempt_key = target.attempt_key,
                              .stream = target.file_name,
                              .path = target.path,
                              .resume_at = target.resume_at,
                              .modified = target.modified});
    const Status end = readPieces(in, target, stop, [&](std::string_view piece) { session.push(piece, out); });
    session.finish(out, target.final && end.ok());
    for (const auto& [code, issue] : session.takeIssues()) out.issue(issue);
    report.run = session.run();
    report.end_time = session.endTime();
    report.committed_offset = session.committedOffset();
    if (!session.hasKernelLines()) report.skipped_reason = "no line of a kernel";
    return endOfImport(end, report);
  }

 private:
  static constexpr std::size_t kProbeLines = 200;

  template <class OnLine>
  static void forLines(std::string_view head, OnLine&& on_line) {
    KernelLineReader reader;
    train_log::LineSplitter splitter;
    train_log::RuleSet::Scratch scratch;
    std::string clean;
    bool more = true;
    splitter.push(head, [&](std::string_view raw, std::uint64_t) {
      KernelLine line;
      train_log::stripAnsi(raw, clean);
      if (more && reader.read(clean, line)) more = on_line(line, scratch);
    });
    KernelLine line;
    if (more && !splitter.partial().empty() && reader.read(splitter.partial(), line)) more = on_line(line, scratch);
    if (more && reader.finish(line)) (void)on_line(line, scratch);
  }
};
}  // namespace

std::unique_ptr<Importer> makeKernelLogImporter() { return std::make_unique<KernelLogImporter>(); }

}  // namespace runglass
