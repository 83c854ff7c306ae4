// SPDX-License-Identifier: Apache-2.0
// TargetState: nodes, devices and series of one scraped target, and the content of a scrape. A scrape is accepted or rejected as a whole.
//
// Threading:  one thread.
// Ownership:  borrows target, place and the count of all series; owns the names.
// Units:      TimeNs; values in base units of the catalogue.
// Errors:     Kept is the reason of a rejection; the caller counts them.
// Cost:       a comparison per sample if the page has the order of the previous one, else a hash look-up; some 300 bytes a series.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/exposition/exporter_places.h"
#include "collectors/scrape/scrape_config.h"
#include "model/metric_catalog.h"

namespace runglass {

// Properties of the destination of scraped data.
struct ScrapePlace {
  ExporterPlaces::NodeUuid node_uuid;
  std::string this_node;  // this machine's name, for targets on the loopback
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
  // `type`: of the sample's family, looked up only for a new series.
  Kept sample(const ExpositionParser::Sample& sample, const ExpositionParser& types);
  std::size_t points() const { return m_points.size(); }
  std::int64_t absurdTimes() const { return m_absurd; }
  // Accepts the scrape: returns all its data.
  ExporterPart accept();
  // Rejects the scrape: drops all its data.
  void refuse() { m_points.clear(); }
  // A part without samples, with an event of the target's node.
  ExporterPart tell(Event event);

 private:
  struct Entry {
    std::string key;
    const Unit* unit = nullptr;
    const MetricInfo* metric = nullptr;  // null: not in the catalogue
    bool dcgm = false;
    CodeGauge code = CodeGauge::kNone;
    std::uint32_t node = 0;
    std::optional<std::uint32_t> device;
    std::uint64_t scrape = 0;  // the last scrape that contained it
    TimeNs seen = 0, newest = 0;
  };
  Entry* find(std::string_view key);
  Entry* add(const ExpositionParser::Sample& sample, const ExpositionParser& types);
  std::string defaultNode() const;
  void declare(ExporterPart& part);
  void reportFaults(ExporterPart& part);
  void forget();

  const ScrapeTarget& m_target;
  const ScrapePlace& m_place;
  std::int64_t& m_series_of_all;
  const std::shared_ptr<WrittenIds> m_ids = std::make_shared<WrittenIds>();

  std::deque<Entry> m_entries;
  std::unordered_map<std::string_view, std::uint32_t> m_by_key;
  std::vector<std::uint32_t> m_free;
  std::vector<std::uint32_t> m_order;  // series of the last page, in its order
  std::size_t m_at = 0;
  ExporterPlaces m_places{kMaxDevices, kMaxDevices};  // the first node is the target's own
  std::vector<ExporterPart::NewSeries> m_fresh;
  FaultCodes m_codes;
  std::string m_uname;  // the machine's name as node_exporter exposes it

  std::vector<ExporterPoint> m_points;
  std::int64_t m_absurd = 0;
  std::uint64_t m_scrape = 0;
  TimeNs m_now = 0, m_swept = 0, m_heard = 0;
};

}  // namespace runglass
