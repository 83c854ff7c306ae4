// SPDX-License-Identifier: Apache-2.0
// Files next to a timeline of StragglerAnalysis: its sizes, which are read with the timeline, and results computed by its authors, which
// are not measurements. Such files are recognised, so that an import can report why they are left out.
#include <filesystem>

#include "collectors/importers/importer_registry.h"

namespace runglass {
namespace {

struct Extra {
  std::string_view name_begin, name_end;
  std::string_view sign, second_sign;  // both must be in the head
  std::string_view why;
};
constexpr Extra kExtras[] = {
    {"ideal-", "", "\"ph\"", "\"seq_id\"", "a simulated timeline, without stragglers: it was not measured"},
    {"ms-", ".json", "\"tideal\"", "\"tori\"", "what the authors computed from the timeline (share of the last stage), no measurement"},
    {"mw-", ".json", "\"tideal\"", "\"tori\"", "what the authors computed from the timeline (share of the worst workers), no measurement"},
    {"result-", ".json", "\"job_meta\"", "\"step_t_base\"", "what the authors computed from the timeline, no measurement"},
    {"", ".parquet", "PAR1", "", "Parquet is not read (StragglerAnalysis writes the same spans as timeline-*.json.gz)"},
    {"meta-", ".yaml", "dp_size", "pp_size", "the sizes of a job: they are read with the timeline-*.json beside it"},
    {"meta", ".yaml", "dp_size", "pp_size", "the sizes of a job: they are read with the traces beside it"}};

// By its name, and by `head` if given.
const Extra* extraOf(const std::string& path, const std::string_view* head) {
  const std::string name = std::filesystem::path(path).filename().string();
  for (const Extra& extra : kExtras) {
    const std::string_view end = extra.name_end;
    if (!name.starts_with(extra.name_begin) || name.find(end) == std::string::npos) continue;
    const auto has = [&](std::string_view sign) { return head == nullptr || head->find(sign) != std::string_view::npos; };
    if (has(extra.sign) && has(extra.second_sign)) return &extra;
  }
  return nullptr;
}

class StragglerExtrasImporter : public Importer {
 public:
  std::string_view kind() const override { return "straggler_analysis"; }
  int recognise(const ImportProbe& probe) const override { return extraOf(probe.path, &probe.head) != nullptr ? 97 : 0; }

  Status run(ByteStream&, const ImportTarget& target, Recorder&, ImportReport& report, std::stop_token) override {
    const Extra* const extra = extraOf(target.path, nullptr);
    report.skipped_reason = extra != nullptr ? extra->why : "nothing that is measured";
    return {};
  }
};

}  // namespace

std::unique_ptr<Importer> makeStragglerExtrasImporter() { return std::make_unique<StragglerExtrasImporter>(); }

}  // namespace runglass
