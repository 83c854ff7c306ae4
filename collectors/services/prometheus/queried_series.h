// SPDX-License-Identifier: Apache-2.0
// QueriedSeries: nodes, devices and series that the label sets of a Prometheus name, and the samples to record of them.
//
// A series of a device is that of the device whichever exporter's address it came from; one of a node names the address in its source,
// because several exporters of one job may be on a machine.
//
// Threading:  one thread.
// Ownership:  borrows the StoredSeries.
// Units:      TimeNs; values in base units of the catalogue.
// Errors:     refused samples and series are counted and become issues of the part.
// Cost:       a hash look-up per column; some 500 bytes a series.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collectors/exposition/exporter_places.h"
#include "collectors/exposition/stored_series.h"
#include "collectors/services/prometheus/query_answer.h"
#include "model/metric_catalog.h"

namespace runglass {

// Nodes and GPUs to record.
struct QueriedPlaces {
  std::vector<std::string> nodes;                      // names, short or fully qualified; empty: all
  std::map<std::string, std::set<std::int32_t>> gpus;  // by name of a node: the only GPUs of it; a node without an entry: all
};

class QueriedSeries {
 public:
  static constexpr std::size_t kMaxSeries = 2'000'000, kMaxPlaces = 1'000'000;

  // `url`: names the service in issues. `stored`: null for an empty store. `overlap`: time that is queried again, in which samples that
  // were not taken before are new. `node_uuid`: the uuid of a node's name; empty: that of `stored`.
  QueriedSeries(std::string url, QueriedPlaces places, StoredSeries* stored, DurNs overlap = 0, ExporterPlaces::NodeUuid node_uuid = {});

  // Learns the machines' names behind addresses; before series of them are added. An address under which samples are added keeps being the
  // name: one machine is one node.
  void learnHosts(const std::vector<MetricLabels>& series);
  // The instance whose address would name the node of the label set, because no name is known; "": none.
  std::string unnamedInstance(const MetricLabels& labels) const;
  // "counter", "gauge", ... by metric.
  void learnTypes(std::vector<std::pair<std::string, std::string>> types);
  bool hasTypes() const { return !m_types.empty(); }
  // What the label set is of: the node's name, or that of QueriedPlaces, and the device as it is named there. nullopt: no node, or not a
  // wanted one.
  struct LabelledPlace {
    std::string node, device;  // device "": of the node
  };
  std::optional<LabelledPlace> placeOf(const MetricLabels& labels) const;
  std::optional<std::string> nodeOf(const MetricLabels& labels) const;

  void add(const QueriedColumn& column);
  // Everything added since the last call: sorted, without what the store or an earlier part has.
  Result<ExporterPart> take(TimeRange range);

  // With samples, as declared.
  struct Place {
    Node node;
    std::vector<Device> devices;
  };
  std::vector<Place> places() const;
  // Names of wanted nodes without a series.
  std::vector<std::string> silentNodes() const;

 private:
  struct Pending {
    TimeNs time;
    double value;
    const char* fault = nullptr;  // the issue of a value that is refused
  };
  struct Entry {
    SeriesKey key;
    std::uint32_t node = 0;
    std::optional<std::uint32_t> device;
    const MetricInfo* metric = nullptr;  // null: not in the catalogue
    CodeGauge code = CodeGauge::kNone;
    TimeNs newest = INT64_MIN;    // taken so far
    std::vector<TimeNs> overlap;  // times taken in the overlap before it, sorted
    std::vector<TimeNs> refused;  // times of refused values there, sorted; each is an issue once
    std::vector<Pending> pending;
  };
  // What a label set is: an entry and how its values become the entry's.
  struct Origin {
    std::optional<std::uint32_t> entry;  // absent: left out
    const Unit* unit = nullptr;
    bool dcgm = false;
  };
  struct Count {
    std::int64_t count = 0;
    std::string first;
  };

  struct CodeReading {
    TimeNs time;
    double value;
    bool stored;
  };
  using CodePlace = std::tuple<CodeGauge, std::uint32_t, std::optional<std::uint32_t>>;  // gauge, node and device

  Origin originOf(const MetricLabels& labels);
  bool isTaken(const Entry& entry, TimeNs time) const;
  void takeEntry(std::uint32_t index, const SampleColumns& stored, ExporterPart& part);
  void reportFaults(ExporterPart& part);
  void issue(const char* code, std::int64_t count, const std::string& detail);

  const std::string m_url;
  const QueriedPlaces m_wanted;
  StoredSeries* const m_stored;
  const DurNs m_overlap;
  const ExporterPlaces::NodeUuid m_node_uuid;
  const std::shared_ptr<WrittenIds> m_ids = std::make_shared<WrittenIds>();
  std::map<std::string, std::string> m_host_of;  // by the label instance
  std::set<std::string> m_by_address;            // instances with samples under their address
  std::map<std::string, std::string, std::less<>> m_types;
  ExporterPlaces m_places{kMaxPlaces, kMaxPlaces};
  std::unordered_map<std::string, Origin> m_origins;        // by all labels
  std::unordered_map<std::string, std::uint32_t> m_by_key;  // by identity
  std::vector<Entry> m_entries;
  std::vector<std::uint32_t> m_touched;
  std::vector<ExporterPart::NewSeries> m_fresh;
  std::map<CodePlace, std::vector<CodeReading>> m_code_readings;  // of the part that is being taken
  std::map<CodePlace, TimeNs> m_code_newest;
  FaultCodes m_codes;
  ExporterPart m_unsent;  // of a call that failed
  std::map<const char*, Count> m_left_out;
};

}  // namespace runglass
