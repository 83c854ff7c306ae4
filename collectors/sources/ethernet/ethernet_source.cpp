// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A rate is recorded only between two readings of a counter that has not decreased.
// 2. A link that is down when the source starts causes no event.
#include "collectors/sources/ethernet/ethernet_source.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "collectors/sources/ethernet/ethtool_stats.h"
#include "collectors/sources/proc/proc_parse.h"
#include "collectors/sources/series_table.h"
#include "collectors/sources/sysfs_file.h"
#include "model/time_text.h"

namespace runglass {
namespace {
namespace fs = std::filesystem;

constexpr DurNs kFindEvery = 10 * kNsPerSecond, kPausesEvery = 10 * kNsPerSecond;
constexpr std::size_t kMaxLinks = 256;

class EthernetSource : public Source {
 public:
  std::string_view name() const override { return "ethernet"; }

  Status start(Recorder& out, const SourceContext& context) override {
    m_context = &context;
    m_interval = (*context.config)["interval_ms"].value_or<std::int64_t>(1000) * kNsPerMs;
    if (m_interval < kNsPerMs) return {Code::kInvalidArgument, "source.ethernet: interval_ms: must be at least 1"};
    const std::string path = context.root + "proc/net/dev";
    if (!std::ifstream(path)) return {Code::kUnavailable, "source.ethernet: " + path + ": cannot be read"};
    m_node = out.node(context.node);
    m_book = SeriesTable(m_node);
    // A recorded tree has no drivers to query.
    if (context.root == "/") m_ethtool = std::make_unique<EthtoolStats>();
    return {};
  }

  TimeNs poll(Recorder& out, TimeNs now) override {
    const DurNs elapsed = m_last_poll ? now - *m_last_poll : 0;
    readTraffic(out, now, elapsed);
    if (!m_last_find || now - *m_last_find >= kFindEvery) findLinks(now);
    for (auto& [interface_name, link] : m_links) readLink(out, now, interface_name, link);
    if (m_ethtool && (!m_last_pauses || now - *m_last_pauses >= kPausesEvery)) readPauses(out, now);
    m_last_poll = now;
    return now + m_interval;
  }

 private:
  struct Link {
    SysfsFile carrier, changes;
    std::string uuid;
    DeviceId device;
    std::optional<bool> up;
    std::optional<std::uint64_t> last_changes;
    std::optional<TimeNs> down_since;
    bool reported_too_many = false;
  };

  void readTraffic(Recorder& out, TimeNs now, DurNs elapsed) {
    std::stringstream text;
    text << std::ifstream(m_context->root + "proc/net/dev", std::ios::binary).rdbuf();
    auto all = proc::parseNetDev(text.str());
    for (const auto& [interface_name, counters] : all) {
      const std::string labels = oneLabel("interface", interface_name);
      if (const auto before = m_counters.find(interface_name); before != m_counters.end() && elapsed > 0) {
        putRate(out, "net_receive_bytes_per_s", labels, now, elapsed, counters.rx_bytes, before->second.rx_bytes);
        putRate(out, "net_transmit_bytes_per_s", labels, now, elapsed, counters.tx_bytes, before->second.tx_bytes);
      }
      m_book.put(out, "net_errors_total", labels, now, static_cast<double>(counters.rx_errors + counters.tx_errors));
      m_book.put(out, "net_dropped_total", labels, now, static_cast<double>(counters.rx_dropped + counters.tx_dropped));
    }
    m_counters = std::move(all);
  }
  void putRate(Recorder& out, std::string_view metric, const std::string& labels, TimeNs now, DurNs elapsed, std::uint64_t is,
               std::uint64_t was) {
    if (is >= was) m_book.put(out, metric, labels, now, static_cast<double>(is - was) / (static_cast<double>(elapsed) / kNsPerSecond));
  }

  // Adapters and bonds. A removed interface is dropped without an event: containers and hot plugging are no faults.
  void findLinks(TimeNs now) {
    m_last_find = now;
    std::map<std::string, Link> found;
    std::error_code error;
    for (fs::directory_iterator it(m_context->root + "sys/class/net", error), end; !error && it != end && found.size() < kMaxLinks;
         it.increment(error)) {
      const std::string interface_name = it->path().filename().string();
      std::error_code absent;
      if (!fs::exists(it->path() / "device", absent) && !fs::exists(it->path() / "bonding", absent)) continue;
      if (auto known = m_links.extract(interface_name)) {
        found.insert(std::move(known));
        continue;
      }
      Link& link = found[interface_name];
      link.carrier = SysfsFile((it->path() / "carrier").string());
      link.changes = SysfsFile((it->path() / "carrier_changes").string());
      link.uuid = m_context->node.uuid + "/nic-" + interface_name;
    }
    m_links = std::move(found);
  }

  void readLink(Recorder& out, TimeNs now, const std::string& interface_name, Link& link) {
    // A disabled interface has no readable carrier.
    const auto carrier = link.carrier.number();
    const auto changes = link.changes.number();
    const bool up = carrier.value_or(0) == 1;
    const std::string labels = oneLabel("interface", interface_name);
    if (changes) m_book.put(out, "net_link_change_total", labels, now, static_cast<double>(*changes));
    if (link.up && *link.up && !up) {
      link.down_since = now;
      tell(out, now, link, "link_down", Severity::kError, interface_name + " lost its link");
    } else if (up && link.down_since) {
      tell(out, now, link, "link_up", Severity::kInfo, interface_name + " is up after " + shortDurationText(now - *link.down_since));
      link.down_since.reset();
    } else if (link.up && *link.up && up && changes && link.last_changes && *changes >= *link.last_changes + 2) {
      const std::uint64_t times = (*changes - *link.last_changes) / 2;
      tell(out, now, link, "link_flap", Severity::kWarning,
           interface_name + " lost its link " + std::to_string(times) + (times == 1 ? " time" : " times") + " for less than " +
               shortDurationText(m_interval));
    }
    link.up = up;
    link.last_changes = changes;
  }

  void tell(Recorder& out, TimeNs now, Link& link, const std::string& kind, Severity severity, const std::string& message) {
    // The driver or the RDMA port may have reported the same short flap as a link that went down.
    const std::string_view same_as = kind == "link_flap" ? std::string_view("link_down") : std::string_view(kind);
    if (m_context->faults != nullptr && !m_context->faults->mayTell("ethernet", same_as, "", link.uuid, now)) return;
    if (!link.device) link.device = out.device({.uuid = link.uuid, .node = m_node, .kind = "nic"});
    out.event({.time = now, .node = m_node, .device = link.device, .kind = kind, .severity = severity, .message = message});
  }

  void readPauses(Recorder& out, TimeNs now) {
    m_last_pauses = now;
    for (auto& [interface_name, link] : m_links) {
      for (const auto& [counter, value] : m_ethtool->read(interface_name)) {
        std::string labels = oneLabel("interface", interface_name);
        if (counter.priority) {
          labels.pop_back();
          labels += "," + oneLabel("priority", std::to_string(*counter.priority)).substr(1);
        }
        m_book.put(out, counter.metric, labels, now, static_cast<double>(value));
      }
      if (const auto count = m_ethtool->tooMany(interface_name); count && !std::exchange(link.reported_too_many, true))
        out.issue({.code = "ethernet.too_many_counters",
                   .source = interface_name,
                   .first = now,
                   .last = now,
                   .detail = std::to_string(*count) + " counters"});
    }
  }

  const SourceContext* m_context = nullptr;
  NodeId m_node;
  SeriesTable m_book;
  DurNs m_interval = kNsPerSecond;
  std::optional<TimeNs> m_last_poll, m_last_find, m_last_pauses;
  std::map<std::string, proc::NetCounters> m_counters;
  std::map<std::string, Link> m_links;
  std::unique_ptr<EthtoolStats> m_ethtool;
};

}  // namespace

std::unique_ptr<Source> makeEthernetSource() { return std::make_unique<EthernetSource>(); }

}  // namespace runglass
