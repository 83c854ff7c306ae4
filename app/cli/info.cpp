// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl info: the content and size of a store, and the data that was odd or lost on the way in.
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/issue_json.h"
#include "app/cli/json_value.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/store_access.h"
#include "model/issue_catalog.h"
#include "model/mutex.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass::ctl {
namespace {

struct Contents {
  StoreInfo store;
  StoreUsage usage;
  std::vector<Run> runs;
  std::vector<std::vector<Attempt>> attempts;  // by run
  std::vector<Node> nodes;
  std::vector<Device> devices;
  std::vector<Issue> issues;
  std::size_t tests = 0, failed_tests = 0;  // hardware tests that were imported
  bool checked = false;  // every checksum was verified; false: the store is too large to verify in the time that `info` allows
  std::vector<std::string> damaged;
};

// verify(), stopped after a second.
Status check(Reader& reader, Contents& all) {
  std::stop_source stop;
  std::jthread clock([&stop](const std::stop_token& ended) {
    sleepUnlessStopped(ended, kNsPerSecond);
    stop.request_stop();
  });
  auto damaged = reader.verify(stop.get_token());
  if (damaged.status().code() == Code::kCancelled) return {};
  RG_ASSIGN(all.damaged, std::move(damaged));
  all.checked = true;
  return {};
}

Result<Contents> read(Reader& reader) {
  Contents all;
  RG_ASSIGN(all.store, reader.info());
  RG_ASSIGN(all.usage, reader.usage({}));
  RG_ASSIGN(all.runs, reader.runs());
  for (const Run& run : all.runs) {
    RG_ASSIGN(auto attempts, reader.attempts(run.id));
    all.attempts.push_back(std::move(attempts));
  }
  RG_ASSIGN(all.nodes, reader.nodes());
  RG_ASSIGN(all.devices, reader.devices());
  RG_ASSIGN(all.issues, reader.issues());
  RG_ASSIGN(const auto tests, reader.events({.kind = "test_result"}));
  RG_ASSIGN(const auto failed, reader.events({.at_least = Severity::kError, .kind = "test_failed"}));
  all.tests = tests.size(), all.failed_tests = failed.size();
  RG_TRY(check(reader, all));
  return all;
}

// Absent while the divisor is 0.
std::optional<double> ratio(std::int64_t bytes, std::int64_t count) {
  return count > 0 ? std::optional(static_cast<double>(bytes) / static_cast<double>(count)) : std::nullopt;
}

const char* stateName(RunState state) {
  static constexpr const char* kNames[] = {"unknown", "running", "finished", "failed", "stalled"};
  return kNames[static_cast<std::size_t>(state)];
}
const char* domainName(TimeDomain domain) {
  static constexpr const char* kNames[] = {"utc", "relative", "none"};
  return kNames[static_cast<std::size_t>(domain)];
}

std::optional<std::int64_t> lastStep(const std::vector<Attempt>& attempts) {
  std::optional<std::int64_t> last;
  for (const Attempt& attempt : attempts)
    if (attempt.last_step && (!last || *attempt.last_step > *last)) last = attempt.last_step;
  return last;
}

Json toJson(const Contents& all) {
  const StoreInfo& store = all.store;
  Json json = {{"path", store.path},
               {"store_uuid", store.store_uuid},
               {"incident_uuid", store.incident.empty() ? Json() : Json(store.incident)},
               {"mirror", store.mirror ? Json{{"source_uuid", store.mirror->source_uuid},
                                              {"from", store.mirror->from},
                                              {"complete_ns", orNull(store.mirror->complete)},
                                              {"summarised_ns", orNull(store.mirror->summarised)}}
                                       : Json()},
               {"schema_version", store.schema_version},
               {"page_checksums", store.page_checksums},
               {"file_bytes", store.file_bytes},
               {"journal_bytes", store.journal_bytes},
               {"first_ns", orNull(store.first)},
               {"last_ns", orNull(store.last)},
               {"series", store.series_count},
               {"samples", store.sample_count},
               {"sample_bytes", all.usage.sample_bytes},
               {"bytes_per_sample", orNull(ratio(all.usage.sample_bytes, store.sample_count))},
               {"spans", all.usage.span_count},
               {"span_bytes", all.usage.span_bytes},
               {"bytes_per_span", orNull(ratio(all.usage.span_bytes, all.usage.span_count))},
               {"events", all.usage.event_count},
               {"log_lines", all.usage.log_count},
               {"nodes", all.nodes.size()},
               {"devices", all.devices.size()},
               {"hardware_tests", all.tests},
               {"failed_hardware_tests", all.failed_tests}};
  json["runs"] = Json::array();
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    const Run& run = all.runs[i];
    json["runs"].push_back({{"run_id", run.id.value},
                            {"run_uuid", run.uuid},
                            {"name", run.name},
                            {"time_domain", domainName(run.time_domain.value_or(TimeDomain::kUtc))},
                            {"state", stateName(run.state)},
                            {"start_ns", orNull(run.start)},
                            {"end_ns", orNull(run.end)},
                            {"attempts", all.attempts[i].size()},
                            {"last_step", orNull(lastStep(all.attempts[i]))},
                            {"simulated", run.simulated}});
  }
  json["ingest_issues"] = issuesJson(all.issues);
  json["checked"] = all.checked;
  json["damaged"] = damagedJson(all.damaged);
  return json;
}

std::string timeText(std::optional<TimeNs> time) { return time ? utcText(*time) : "-"; }

std::string perText(std::int64_t bytes, std::int64_t count) {
  const auto each = ratio(bytes, count);
  return each ? ", " + fixedText(*each, 2) + " bytes each" : "";
}

std::string toText(const Contents& all) {
  const StoreInfo& store = all.store;
  std::string text = "store     " + store.path + " (schema " + std::to_string(store.schema_version) + ", " +
                     bytesText(static_cast<double>(store.file_bytes)) +
                     (store.page_checksums ? "" : ", no page checksums: runglassctl repair makes a copy that has them") + ")\n";
  if (store.journal_bytes > 0) text += "journal   " + bytesText(static_cast<double>(store.journal_bytes)) + "\n";
  text += "time      " + timeText(store.first) + " to " + timeText(store.last) + "\n";
  text += "samples   " + std::to_string(store.sample_count) + " in " + std::to_string(store.series_count) + " series" +
          perText(all.usage.sample_bytes, store.sample_count) + "\n";
  text += "spans     " + std::to_string(all.usage.span_count) + perText(all.usage.span_bytes, all.usage.span_count) + "\n";
  text += "events    " + std::to_string(all.usage.event_count) + ", log lines " + std::to_string(all.usage.log_count) + "\n";
  text += "nodes     " + std::to_string(all.nodes.size()) + ", devices " + std::to_string(all.devices.size()) + "\n";
  if (all.tests + all.failed_tests > 0)
    text += "tests     " + std::to_string(all.tests) + " of hardware, " + std::to_string(all.failed_tests) + " failed results\n";
  text += "checksums " +
          (all.checked ? all.damaged.empty() ? std::string("everything checked, nothing damaged")
                                             : std::to_string(all.damaged.size()) + " damaged, `runglassctl verify` lists them"
                       : std::string("not checked within a second; `runglassctl verify` checks them")) +
          "\n";
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    const Run& run = all.runs[i];
    const auto step = lastStep(all.attempts[i]);
    text += "run " + std::to_string(run.id.value) + "     " + run.name + ": " + stateName(run.state) + ", attempts " +
            std::to_string(all.attempts[i].size()) + ", last step " + (step ? std::to_string(*step) : "-") +
            (run.simulated ? ", simulated" : "") + "\n";
  }
  for (const Issue& issue : all.issues) {
    const IssueInfo* known = findIssue(issue.code);
    text += std::string(known ? severityName(known->severity) : "issue") + ": " + issue.code + " x" + std::to_string(issue.count) +
            " from " + issue.source + (issue.detail.empty() ? "" : ": " + issue.detail) + "\n";
    if (known) text += "    " + std::string(known->help) + "\n";
  }
  return text;
}

class Info : public Command {
 public:
  const char* name() const override { return "info"; }
  const char* help() const override { return "Show what a store holds: runs, time range, counts, sizes, ingest issues"; }
  const char* examples() const override { return "runglassctl info --store run.rgl\n"; }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.flag("--json", m_json, "Print one JSON object");
  }
  Status run() override {
    RG_ASSIGN(auto reader, openForReading(m_store));
    RG_ASSIGN(const Contents all, read(*reader));
    if (!all.damaged.empty())
      std::fprintf(stderr, "warning: %s: %zu damaged, the first: %s\n", oneLine(m_store).c_str(), all.damaged.size(),
                   oneLine(all.damaged.front()).c_str());
    return printAnswer(
        m_json, [&] { return toJson(all); }, [&] { return toText(all); });
  }

 private:
  std::string m_store;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeInfo() { return std::make_unique<Info>(); }

}  // namespace runglass::ctl
