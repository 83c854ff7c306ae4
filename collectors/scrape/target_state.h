// SPDX-License-Identifier: Apache-2.0
// TargetState: the nodes, devices and series of one scraped target, and what a scrape says of them. A scrape counts as a whole or not.
//
// Threading:  one thread.
// Ownership:  borrows target, place and the count of all series; owns the names.
// Units:      TimeNs; values in base units of the catalogue.
// Errors:     what is refused is told by Kept and counted by the caller.
// Cost:       a comparison per sample whose page has the order of the last one, else a hash look-up; some 300 bytes a series.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/exposition/exporter_sample.h"
#include "collectors/scrape/scrape_batch.h"
#include "collectors/scrape/scrape_config.h"
#include "model/metric_catalog.h"

namespace runglass {

// What is known of the place where scraped data goes.
struct ScrapePlace {
  // The uuid of a node that the store knows by this name; "" where it knows none.
  std::function<std::string(const std::string& name)> node_uuid;
  std::string this_node;  // name of this machine, for targets on the loopback
};

class TargetState {
 public:
  static constexpr std::int64_t kMaxSeriesOfAll = 2'000'000;
  static constexpr std::size_t kMaxLabels = 64, kMaxKey = 4'096, kMaxName = 200, kMaxDevices = 4'096;
  static constexpr DurNs kForgottenAfter = 24 * 3'600 * kNsPerSecond, kMaxAhead = 300 * kNsPerSecond;
  enum class Kept : std::uint8_t { kYes, kRepeated, kTwice, kBlank, kImplausible, kTooManySeries, kLongLabels };

  TargetState(const ScrapeTarget& target, const ScrapePlace& place, std::int64_t& series_of_all);
  ~TargetState();
  TargetState(const TargetState&) = delete;
  TargetState& operator=(const TargetState&) = delete;

  void begin(TimeNs now);
  // `type`: of the sample's family, asked for only when the series is new.
  Kept sample(const ExpositionParser::Sample& sample, const ExpositionParser& types);
  std::size_t points() const { return m_points.size(); }
  std::int64_t absurdTimes() const { return m_absurd; }
  // The scrape is good: all that it said.
  TargetPart accept();
  // The scrape failed: nothing of it counts.
  void refuse() { m_points.clear(); }
  // A part without samples, with an event of the target's node.
  TargetPart tell(Event event);

 private:
  struct Entry {
    std::string key;
    const Unit* unit = nullptr;
    const MetricInfo* metric = nullptr;  // null: not catalogued
    bool dcgm = false, last_xid = false;
    std::uint32_t node = 0;
    std::optional<std::uint32_t> device;
    std::uint64_t scrape = 0;  // that saw it last
    TimeNs seen = 0, newest = 0;
  };
  struct KnownDevice {
    std::uint32_t node;
    Device device;  // uuid as the exporter says it, or ""
  };

  Entry* find(std::string_view key);
  Entry* add(const ExpositionParser::Sample& sample, const ExpositionParser& types);
  std::optional<std::uint32_t> deviceOf(const ExporterSample& what, std::uint32_t node);
  std::optional<std::uint32_t> nodeOf(const std::string& name);
  std::string defaultNode() const;
  void declare(TargetPart& part);
  void tellXids(TargetPart& part);
  void forget();

  const ScrapeTarget& m_target;
  const ScrapePlace& m_place;
  std::int64_t& m_series_of_all;
  const std::shared_ptr<WrittenIds> m_ids = std::make_shared<WrittenIds>();

  std::deque<Entry> m_entries;
  std::unordered_map<std::string_view, std::uint32_t> m_by_key;
  std::vector<std::uint32_t> m_free;
  std::vector<std::uint32_t> m_order;  // series of the last page, as they stood in it
  std::size_t m_at = 0;
  std::vector<std::string> m_nodes{std::string()};  // names; the first is the target's own
  std::vector<std::string> m_node_uuids;
  std::vector<KnownDevice> m_devices;
  std::map<std::string, std::uint32_t> m_device_of;  // by node and name
  std::size_t m_declared_devices = 0;
  std::vector<TargetPart::NewSeries> m_fresh;
  std::map<std::pair<std::uint32_t, std::optional<std::uint32_t>>, double> m_last_xid;  // by node and device
  std::string m_uname;                                                                  // what node_exporter says the machine is called

  std::vector<ScrapedPoint> m_points;
  std::int64_t m_absurd = 0;
  std::uint64_t m_scrape = 0;
  TimeNs m_now = 0, m_swept = 0, m_heard = 0;
};

}  // namespace runglass
