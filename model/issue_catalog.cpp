// SPDX-License-Identifier: Apache-2.0
#include "model/issue_catalog.h"

#include <algorithm>
#include <array>

namespace runglass {
namespace {
using enum Severity;

// Sections by who records them; findIssue() sorts the whole once.
constexpr std::array kIssues = {
    // --- store ---
    IssueInfo{"store.damaged_chunk", kError,
              "A chunk's checksum does not match: the disk or a copy damaged it. Other data is unaffected; restore the file from a copy to "
              "get it back."},
    // --- client ---
    IssueInfo{
        "client.ring_full", kError,
        "A trainer reported faster than the agent read, or no agent ran: these records are lost, the trainer was not slowed. Start the "
        "agent before the job, or give the ring more room with RUNGLASS_RING_BYTES."},
    IssueInfo{"client.names_full", kWarning,
              "A trainer used more than 4,095 different names for spans and scalars; the later ones have no name. Keep step numbers and "
              "addresses out of names."},
    IssueInfo{"client.torn_record", kWarning, "A trainer died while it wrote a record; that record is lost, everything before it is here."},
    IssueInfo{"client.bad_ring", kWarning,
              "A file in the ring directory is not a ring this agent can read: another version of librunglass, or damaged. Use the "
              "librunglass of the same release as the agent."},
    IssueInfo{"client.no_step", kWarning,
              "A trainer reported a scalar outside any step and without a step number; it cannot be placed on a curve and was left out."},
    // --- import ---
    IssueInfo{"import.unknown_kind", kInfo, "The file is of no kind that can be imported; docs/ lists the kinds. Nothing of it was read."},
    IssueInfo{"tfevents.bad_data_crc", kError,
              "A record's checksum is wrong, so the record was skipped: the disk or a copy damaged the file. Records around it are kept."},
    IssueInfo{
        "tfevents.bad_length_crc", kError,
        "A record's length is damaged, so nothing after it can be found in this file. Copy the file again from where it was written."},
    IssueInfo{"tfevents.malformed", kWarning,
              "A record's checksum is right but its content is not an event as TensorBoard writes them; it was skipped."},
    IssueInfo{"tfevents.not_scalar", kInfo,
              "Values that are histograms, images, texts or tensors: they are counted, only scalars are kept."},
    IssueInfo{"tfevents.record_too_large", kInfo, "Records of more than 16 MiB (graphs, media) hold no scalars and were passed over."},
    IssueInfo{"hf_trainer_state.no_step", kWarning,
              "Entries of log_history have no whole-number step, so they have no place on a curve and were skipped."},
    IssueInfo{"megatron_golden.not_a_number", kInfo,
              "Values written as text: the exporter's mark for steps at which a metric was not logged. They are absent, not zero."},
    IssueInfo{"megatron_golden.bad_step", kWarning, "Values whose step is not a whole number were skipped."},
    IssueInfo{"import.truncated", kWarning,
              "The file ends in the middle of a record: it was cut off or is still being written. Everything before is imported; import it "
              "again when it has grown."},
};
}  // namespace

std::span<const IssueInfo> issueCatalog() { return kIssues; }

const IssueInfo* findIssue(std::string_view code) {
  static const auto kSorted = [] {
    auto sorted = kIssues;
    std::sort(sorted.begin(), sorted.end(), [](const IssueInfo& a, const IssueInfo& b) { return a.code < b.code; });
    return sorted;
  }();
  const auto it = std::lower_bound(kSorted.begin(), kSorted.end(), code, [](const IssueInfo& i, std::string_view c) { return i.code < c; });
  return it != kSorted.end() && it->code == code ? &*it : nullptr;
}

}  // namespace runglass
