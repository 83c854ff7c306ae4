// SPDX-License-Identifier: Apache-2.0
// Invariants: a ring file is unlinked only after finish() was recorded and flushed; until then an agent that crashes resumes from the mark
// in the file.
#include "collectors/sources/client/client_source.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "collectors/sources/client/order_work.h"
#include "collectors/sources/client/process_feed.h"
#include "collectors/sources/client/recent_rings.h"
#include "collectors/sources/client/stray_stacks.h"

namespace runglass {
namespace {

constexpr DurNs kListEvery = 250 * kNsPerMs, kSweepEvery = 10 * kNsPerSecond;
constexpr DurNs kLastWords = 6 * kNsPerSecond, kCaptureShips = 2 * kNsPerSecond;
constexpr int kPumpsPerPoll = 8;  // a full ring is emptied in one poll, other rings still get their turn

class ClientSource : public Source {
 public:
  std::string_view name() const override { return "client"; }

  Status start(Recorder&, const SourceContext& context) override {
    m_context = &context;
    if (const auto* dirs = (*context.config)["dirs"].as_array())
      for (const auto& dir : *dirs)
        if (const auto text = dir.value<std::string>()) m_dirs.push_back(*text);
    const std::string users = (*context.config)["users"].value_or(std::string("own"));
    if (users != "own" && users != "all") return {Code::kInvalidArgument, "source.client: users = \"" + users + "\": must be own or all"};
    m_all_users = users == "all";
    if (context.orders != nullptr) m_orders.emplace(*context.orders);
    m_recent.keepFor(std::max<std::int64_t>((*context.config)["recent_keep_minutes"].value_or<std::int64_t>(30), 0) * 60 * kNsPerSecond);
    if (!context.state_dir.empty()) m_recent.keepMarksIn(context.state_dir + "/client.recent");
    m_poll = std::clamp<std::int64_t>((*context.config)["poll_ms"].value_or<std::int64_t>(25), 1, 1000) * kNsPerMs;
    return {};
  }

  TimeNs poll(Recorder& out, TimeNs now) override {
    if (now >= m_list_due) {
      m_list_due = now + kListEvery;
      for (const std::string& dir : directories()) list(out, dir);
    }
    if (now >= m_sweep_due) {
      m_sweep_due = now + kSweepEvery;
      // A recent ring outlives its process for as long as it may be requested.
      for (const std::string& dir : directories()) dropStrayStacks(dir);
      m_recent.sweep(directories(), [&](const std::string& path, const Status& why) { tellBad(out, path, why, "client.bad_recent_ring"); });
    }
    bool more = false;
    for (auto it = m_feeds.begin(); it != m_feeds.end();) {
      const bool keep = pump(out, *it->second, now, more);
      it = keep ? std::next(it) : m_feeds.erase(it);
    }
    if (m_orders)
      m_orders->poll(m_feeds, monotonicNow(), [&](const OrderQueue::Task& task) {
        return task.order.kind == OrderKind::kCapture ? capture(out, task) : m_recent.ship(task, directories(), out, *m_context);
      });
    return more ? now : now + m_poll;
  }

  void stop(Recorder& out) override {
    const DurNs until = monotonicNow() + kLastWords;
    for (auto& [path, feed] : m_feeds) {
      for (bool more = true; more && monotonicNow() < until;) {
        const auto last = feed->pump(out, m_context->now());
        if (!last.ok()) tellBad(out, path, last.status());
        more = last.ok() && *last;
      }
      feed->capture(out, m_context->now(), CaptureReason::kSigterm);
    }
    // Recent rings outlive the agent; only the spans that can be shipped in time are sent now.
    (void)m_recent.ship({}, directories(), out, *m_context, until);
    (void)out.flush();
  }

 private:
  // This source's part of a capture: progress slots, and the recent rings if there are any.
  OrderQueue::Answer capture(Recorder& out, const OrderQueue::Task& task) {
    OrderQueue::Answer answer{.id = task.id, .status = {}, .ranks = {}, .note = {}};
    const std::vector<std::int32_t>& wanted = task.order.ranks;
    std::size_t reported = 0, kept = 0;
    for (const auto& [path, feed] : m_feeds) {
      if (feed->runName() != task.order.run) continue;
      if (!wanted.empty() && std::ranges::find(wanted, feed->rank()) == wanted.end()) continue;
      reported += feed->capture(out, m_context->now(), static_cast<CaptureReason>(task.order.number)) ? 1 : 0;
    }
    OrderQueue::Task ship = task;
    ship.order.number = 0;  // all recorded seconds
    kept = m_recent.ship(ship, directories(), out, *m_context, monotonicNow() + kCaptureShips).ranks.size();
    if (reported > 0) answer.note = "progress " + std::to_string(reported);
    if (kept > 0) answer.note += ", recent ring " + std::to_string(kept);
    (void)out.flush();
    return answer;
  }

  // RUNGLASS_DIR is the ring directory of one run: an agent started with it belongs to that run. Others read the rings of their user.
  std::vector<std::string> directories() const {
    if (!m_dirs.empty()) return m_dirs;
    const char* of_run = std::getenv("RUNGLASS_DIR");
    if (of_run != nullptr && *of_run != 0 && !m_all_users) return {of_run};
    std::vector<std::string> all;
    const auto add = [&](const std::string& dir) {
      if (std::find(all.begin(), all.end(), dir) == all.end()) all.push_back(dir);
    };
    if (of_run != nullptr && *of_run != 0) add(of_run);
    if (const char* dir = std::getenv("XDG_RUNTIME_DIR"); dir != nullptr && *dir != 0) add(std::string(dir) + "/runglass");
    add(m_context->root + "dev/shm/runglass-" + std::to_string(getuid()));
    if (!m_all_users || getuid() != 0) return all;
    std::error_code error;
    // Any user can create names there; a link could lead to another user's files.
    for (const auto& entry : std::filesystem::directory_iterator(m_context->root + "dev/shm", error))
      if (entry.path().filename().string().starts_with("runglass-") &&
          entry.symlink_status(error).type() == std::filesystem::file_type::directory)
        add(entry.path());
    for (const auto& entry : std::filesystem::directory_iterator(m_context->root + "run/user", error)) add(entry.path() / "runglass");
    return all;
  }

  void list(Recorder& out, const std::string& dir) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
      const std::string path = entry.path();
      if (entry.path().extension() != ".ring" || m_feeds.contains(path) || m_bad.contains(path)) continue;
      auto ring = RingReader::open(path);
      if (ring.ok())
        m_feeds.emplace(path, std::make_unique<ProcessFeed>(std::move(ring).value(), *m_context));
      else if (ring.status().code() == Code::kInvalidArgument || ring.status().code() == Code::kPermissionDenied)
        tellBad(out, path, ring.status());
      // Another agent reads it, or it has just been removed: tried again next time.
    }
  }

  void tellBad(Recorder& out, const std::string& path, const Status& why, const char* code = "client.bad_ring") {
    if (!m_bad.insert(path).second) return;
    const TimeNs now = m_context->now();
    out.issue({.code = code, .source = path, .first = now, .last = now, .detail = why.message()});
  }

  // False: the feed is finished.
  bool pump(Recorder& out, ProcessFeed& feed, TimeNs now, bool& more) {
    for (int i = 0; i < kPumpsPerPoll; ++i) {
      const auto waiting = feed.pump(out, now);
      if (!waiting.ok()) {
        if (waiting.status().code() == Code::kDataLoss) {
          tellBad(out, feed.ring().path(), waiting.status());
          return false;
        }
        return true;  // the Recorder refused: nothing was released, the records are read again
      }
      if (!*waiting) break;
      if (i + 1 == kPumpsPerPoll) more = true;
    }
    if (!feed.exhausted()) return true;
    feed.finish(out, m_ends[{feed.runName(), feed.attemptKey()}]);
    if (!out.flush().ok()) return true;
    feed.ring().remove();
    return false;
  }

  const SourceContext* m_context = nullptr;
  std::vector<std::string> m_dirs;
  bool m_all_users = false;
  std::optional<OrderWork> m_orders;
  RecentRings m_recent;
  DurNs m_poll = 25 * kNsPerMs;
  TimeNs m_list_due = 0, m_sweep_due = 0;
  std::map<std::string, std::unique_ptr<ProcessFeed>> m_feeds;
  std::set<std::string> m_bad;
  std::map<std::pair<std::string, std::string>, AttemptEnd> m_ends;  // by run and attempt
};

}  // namespace

std::unique_ptr<Source> makeClientSource() { return std::make_unique<ClientSource>(); }

}  // namespace runglass
