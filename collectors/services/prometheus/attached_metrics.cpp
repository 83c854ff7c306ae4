// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. What is not guarded by the mutex belongs to the thread that has the turn.
// 2. A block in the cache has every sample that the server had of its series when it was read.
#include "collectors/services/prometheus/attached_metrics.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "collectors/services/prometheus/metric_source.h"
#include "collectors/services/prometheus/queried_series.h"
#include "collectors/services/prometheus/query_client.h"
#include "model/mutex.h"

namespace runglass {
namespace {

constexpr DurNs kTail = 300 * kNsPerSecond;       // read for the newest samples first
constexpr DurNs kMayBeLate = 120 * kNsPerSecond;  // samples may reach a server so late: younger blocks are read again
constexpr std::size_t kBlockCost = 128;

using AskedInstances = std::map<std::string, std::set<std::string>>;  // by metric, as the server names it

struct AttachedEntry {
  SeriesKey key;
  AskedInstances from;
  std::optional<std::uint32_t> device;
  std::int64_t read = 0;  // samples, when the newest one was found
  std::optional<std::pair<TimeNs, double>> newest;
};

struct CachedBlock {
  SampleColumns samples;
  TimeNs read_at = 0;  // monotonic
  bool is_final = false;
  std::uint64_t used = 0;
  std::size_t bytes() const { return kBlockCost + samples.size() * (sizeof(TimeNs) + sizeof(double)); }
};

// Of several metrics of the server that are one series the first value of a time counts.
void sortByTime(SampleColumns& columns) {
  std::vector<std::pair<TimeNs, double>> all;
  for (std::size_t i = 0; i < columns.size(); ++i) all.emplace_back(columns.time[i], columns.value[i]);
  std::ranges::stable_sort(all, {}, &std::pair<TimeNs, double>::first);
  const auto repeated = std::ranges::unique(all, {}, &std::pair<TimeNs, double>::first);
  all.erase(repeated.begin(), repeated.end());
  columns = {};
  for (const auto& [time, value] : all) columns.time.push_back(time), columns.value.push_back(value);
}

std::vector<std::string> namesOf(const std::vector<Node>& nodes) {
  std::set<std::string> names;
  for (const Node& node : nodes)
    if (!node.name.empty()) names.insert(node.name);
  return {names.begin(), names.end()};
}

}  // namespace

struct AttachedMetrics::Parts {
  Parts(PrometheusAccess from, std::string selector, DurNs timeout)
      : access(std::move(from)), match(std::move(selector)), client(access, {.timeout = timeout, .first_pause = 100 * kNsPerMs}) {}

  template <class T, class Work>
  Result<T> inTurn(const std::stop_token& wanted, const Work& work);
  void ended(const Status& status);

  void attachTo(const AttachedTo& to);
  Status refresh(const AttachedTo& to);
  void take(ExporterPart part);
  Status findNewest();
  Status read(const AskedInstances& asked, TimeRange range);
  std::shared_ptr<const Listing> makeListing() const;
  DeviceId idOf(std::uint32_t device) const;
  Result<std::vector<std::uint32_t>> indicesOf(std::span<const SeriesId> ids) const;
  Status cache(const std::vector<std::uint32_t>& wanted, TimeRange range);
  SampleColumns cached(std::uint32_t entry, TimeRange range);
  void evict();

  const PrometheusAccess access;
  const std::string match;
  std::stop_source ends;

  // Of the thread that has the turn.
  QueryClient client;
  AttachedTo store;
  std::vector<std::string> names;  // of its nodes
  std::optional<QueriedSeries> series;
  std::optional<MetricSource> source;
  std::uint64_t first_id = kFirstId, first_device = kFirstId;  // of the first entry and device
  std::vector<AttachedEntry> entries;
  std::map<std::pair<std::string, std::string>, std::vector<std::uint32_t>> entries_of;  // by metric and instance
  std::vector<NodeId> nodes;                                                             // by their indices in parts
  std::vector<Device> devices;
  std::map<std::uint32_t, SampleColumns> fresh;  // by entry, of the reading in progress
  std::map<std::pair<std::uint32_t, std::int64_t>, CachedBlock> blocks;
  std::size_t bytes = 0;
  std::uint64_t uses = 0;
  std::shared_ptr<const Listing> listing;
  TimeNs listed_at = 0;

  Mutex mutex;
  StoppableCondition free;
  bool busy RG_GUARDED_BY(mutex) = false;
  bool continues RG_GUARDED_BY(mutex) = false;
  Status failure RG_GUARDED_BY(mutex);
  TimeNs failed_at RG_GUARDED_BY(mutex) = 0;
  bool pause_ended RG_GUARDED_BY(mutex) = false;  // generation() has grown for it
  std::uint64_t changes RG_GUARDED_BY(mutex) = 0;
  TimeNs counted_at RG_GUARDED_BY(mutex) = monotonicNow();
  std::map<std::string, Issue> noted RG_GUARDED_BY(mutex);  // by code, with the first detail
};

template <class T, class Work>
Result<T> AttachedMetrics::Parts::inTurn(const std::stop_token& wanted, const Work& work) {
  std::stop_source both;
  const auto request = [&both] { both.request_stop(); };
  const std::stop_callback by_caller(wanted, request);
  const std::stop_callback by_end(ends.get_token(), request);
  {
    MutexLock lock(mutex);
    (void)free.wait(lock, both.get_token(), [this]() RG_REQUIRES(mutex) { return !busy; });
    if (both.stop_requested()) return Status(Code::kCancelled, "prometheus: stopped");
    if (!failure.ok() && monotonicNow() - failed_at < kPause) return failure;
    busy = true;
  }
  client.stopWith(both.get_token());
  Result<T> result = work();
  ended(result.status());
  if (result.ok() || result.status().code() == Code::kCancelled || result.status().code() == Code::kNotFound) return result;
  return Status(Code::kUnavailable, result.status().message());
}

void AttachedMetrics::Parts::ended(const Status& status) {
  const MutexLock lock(mutex);
  busy = false;
  free.notifyOne();
  continues = store.continues;
  const bool failed = !status.ok() && status.code() != Code::kNotFound;
  if (status.code() == Code::kCancelled) return;
  if (failed || !failure.ok()) ++changes;
  failure = failed ? Status(Code::kUnavailable, status.message()) : Status();
  failed_at = monotonicNow();
  pause_ended = false;
}

// Ids that were given before are not used again.
void AttachedMetrics::Parts::attachTo(const AttachedTo& to) {
  first_id += entries.size();
  first_device += devices.size();
  names = namesOf(to.nodes);
  entries.clear(), entries_of.clear(), nodes.clear(), devices.clear(), blocks.clear(), fresh.clear();
  bytes = 0;
  std::map<std::string, std::string> uuids;
  for (const Node& node : to.nodes) uuids.emplace(node.name, node.uuid);
  const auto uuid_of = [uuids = std::move(uuids)](const std::string& name) {
    const auto found = uuids.find(name);
    return found == uuids.end() ? std::string() : found->second;
  };
  series.emplace(access.url, QueriedPlaces{.nodes = names, .gpus = {}}, nullptr, QueriedSeries::kRepeatable, uuid_of);
  source.emplace(client, *series, match);
  source->onFound([this](const MetricLabels& labels) {
    const auto entry = series->declare(labels);
    if (!entry) return;
    const auto name = std::ranges::find(labels, "__name__", &MetricLabels::value_type::first);
    if (name == labels.end()) return;
    if (*entry >= entries.size()) entries.resize(*entry + 1);
    std::string instance = instanceOf(labels);
    if (!entries[*entry].from[name->second].insert(instance).second) return;
    entries_of[{name->second, std::move(instance)}].push_back(*entry);
  });
}

Status AttachedMetrics::Parts::refresh(const AttachedTo& to) {
  if (!series || namesOf(to.nodes) != names) attachTo(to);
  store = to;
  listing = nullptr;
  if (!names.empty()) {
    RG_TRY(source->find(to.window));
    RG_ASSIGN(ExporterPart declared, series->take(to.window));
    take(std::move(declared));
    RG_TRY(findNewest());
  }
  listing = makeListing();
  listed_at = monotonicNow();
  return {};
}

void AttachedMetrics::Parts::take(ExporterPart part) {
  for (const ExporterPart::NewNode& node : part.nodes) {
    if (node.index >= nodes.size()) nodes.resize(node.index + 1);
    const auto stored = std::ranges::find(store.nodes, node.node.name, &Node::name);
    if (stored != store.nodes.end()) nodes[node.index] = stored->id;
  }
  for (ExporterPart::NewDevice& device : part.devices) {
    if (device.index >= devices.size()) devices.resize(device.index + 1);
    device.device.node = nodes[device.node];
    devices[device.index] = std::move(device.device);
  }
  for (ExporterPart::NewSeries& one : part.series) {
    if (one.index >= entries.size()) entries.resize(one.index + 1);
    entries[one.index].key = std::move(one.key);
    entries[one.index].key.node = nodes[one.node];
    entries[one.index].device = one.device;
  }
  for (const ExporterPoint& point : part.points) {
    SampleColumns& columns = fresh[point.series];
    columns.time.push_back(point.time);
    columns.value.push_back(point.value);
  }
  const MutexLock lock(mutex);
  for (Issue& issue : part.issues) {
    Issue& known = noted.try_emplace(issue.code, issue).first->second;
    known.count = std::max(known.count, issue.count);
  }
}

Status AttachedMetrics::Parts::read(const AskedInstances& asked, TimeRange range) {
  fresh.clear();
  const auto keep = [this](ExporterPart part) {
    take(std::move(part));
    return Status();
  };
  for (const auto& [metric, instances] : asked) RG_TRY(source->readOf(metric, instances, range, keep));
  for (auto& [entry, columns] : fresh) sortByTime(columns);
  return {};
}

// Nearly all series have samples in the last minutes. For those that ended earlier, the time before is read in ever longer parts.
Status AttachedMetrics::Parts::findNewest() {
  TimeRange range{std::max(store.window.t0, store.window.t1 - kTail), store.window.t1};
  for (DurNs length = kTail; range.t0 < range.t1; length *= 2) {
    AskedInstances asked;
    const bool tail = range.t1 == store.window.t1;
    for (const AttachedEntry& entry : entries)
      if (tail || !entry.newest)
        for (const auto& [metric, instances] : entry.from) asked[metric].insert(instances.begin(), instances.end());
    if (asked.empty()) break;
    RG_TRY(read(asked, range));
    for (const auto& [index, columns] : fresh) {
      AttachedEntry& entry = entries[index];
      if (columns.size() == 0 || (entry.newest && entry.newest->first >= columns.time.back())) continue;
      entry.read = static_cast<std::int64_t>(columns.size());
      entry.newest = {columns.time.back(), columns.value.back()};
    }
    range = {std::max(store.window.t0, range.t0 - 2 * length), range.t0};
  }
  fresh.clear();
  return {};
}

DeviceId AttachedMetrics::Parts::idOf(std::uint32_t device) const {
  const Device& wanted = devices[device];
  const auto same = [&](const Device& stored) {
    return stored.uuid == wanted.uuid ||
           (stored.node == wanted.node && stored.kind == wanted.kind && stored.index && stored.index == wanted.index);
  };
  const auto stored = std::ranges::find_if(store.devices, same);
  return stored != store.devices.end() ? stored->id : DeviceId{first_device + device};
}

std::shared_ptr<const AttachedMetrics::Listing> AttachedMetrics::Parts::makeListing() const {
  auto made = std::make_shared<Listing>();
  std::vector<DeviceId> ids;
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    ids.push_back(idOf(i));
    if (ids.back().value < kFirstId) continue;
    made->devices.push_back(devices[i]);
    made->devices.back().id = ids.back();
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const AttachedEntry& entry = entries[i];
    if (!entry.newest) continue;
    Series one{.id = {first_id + i}, .key = entry.key, .run = {}, .sample_count = entry.read, .first_x = store.window.t0};
    one.key.device = entry.device ? ids[*entry.device] : DeviceId();
    one.last_x = entry.newest->first;
    one.first_time = one.first_x, one.last_time = one.last_x;
    made->series.push_back(std::move(one));
  }
  std::ranges::stable_sort(made->series, {}, [](const Series& one) -> const std::string& { return one.key.metric; });
  return made;
}

Result<std::vector<std::uint32_t>> AttachedMetrics::Parts::indicesOf(std::span<const SeriesId> ids) const {
  std::vector<std::uint32_t> indices;
  for (const SeriesId id : ids) {
    if (id.value < first_id || id.value - first_id >= entries.size())
      return Status(Code::kNotFound, "prometheus: series " + std::to_string(id.value) + " is not attached any longer");
    indices.push_back(static_cast<std::uint32_t>(id.value - first_id));
  }
  return indices;
}

Status AttachedMetrics::Parts::cache(const std::vector<std::uint32_t>& wanted, TimeRange range) {
  range = {std::max(range.t0, store.window.t0), std::min(range.t1, store.window.t1)};
  if (range.t0 >= range.t1) return {};
  const std::int64_t begin = range.t0 / kBlock, end = (range.t1 - 1) / kBlock + 1;
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  AskedInstances asked;
  const TimeNs now = monotonicNow();
  for (const std::uint32_t index : wanted) {
    bool missing = false;
    for (std::int64_t block = begin; block < end; ++block) {
      const auto have = blocks.find({index, block});
      if (have != blocks.end() && (have->second.is_final || now - have->second.read_at < kRefresh)) continue;
      missing = true;
      first = std::min(first, block), last = std::max(last, block);
    }
    if (!missing) continue;
    for (const auto& [metric, instances] : entries[index].from) asked[metric].insert(instances.begin(), instances.end());
  }
  if (asked.empty()) return {};
  const TimeNs late = wallNow() - kMayBeLate;
  RG_TRY(read(asked, {first * kBlock, (last + 1) * kBlock}));
  std::set<std::uint32_t> covered;
  for (const auto& [metric, instances] : asked)
    for (const std::string& instance : instances)
      for (const std::uint32_t index : entries_of[{metric, instance}])
        if (std::ranges::all_of(entries[index].from, [&](const auto& from) {
              const auto of = asked.find(from.first);
              return of != asked.end() && std::ranges::includes(of->second, from.second);
            }))
          covered.insert(index);
  for (const std::uint32_t index : covered) {
    const SampleColumns& columns = fresh[index];
    std::size_t at = 0;
    for (std::int64_t block = first; block <= last; ++block) {
      CachedBlock& to = blocks[{index, block}];
      if (to.read_at != 0) bytes -= to.bytes();
      to = {.samples = {}, .read_at = now, .is_final = (block + 1) * kBlock <= late, .used = ++uses};
      for (; at < columns.size() && columns.time[at] < (block + 1) * kBlock; ++at)
        to.samples.time.push_back(columns.time[at]), to.samples.value.push_back(columns.value[at]);
      bytes += to.bytes();
    }
  }
  fresh.clear();
  return {};
}

SampleColumns AttachedMetrics::Parts::cached(std::uint32_t entry, TimeRange range) {
  range = {std::max(range.t0, store.window.t0), std::min(range.t1, store.window.t1)};
  SampleColumns out;
  if (range.t0 >= range.t1) return out;
  for (auto at = blocks.lower_bound({entry, range.t0 / kBlock}); at != blocks.end(); ++at) {
    const auto& [index, block] = at->first;
    if (index != entry || block * kBlock >= range.t1) break;
    at->second.used = ++uses;
    const SampleColumns& samples = at->second.samples;
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (samples.time[i] >= range.t0 && samples.time[i] < range.t1)
        out.time.push_back(samples.time[i]), out.value.push_back(samples.value[i]);
  }
  return out;
}

// Half of the blocks at a time, so that not every answer sorts them.
void AttachedMetrics::Parts::evict() {
  if (bytes <= kMaxBytes) return;
  std::vector<std::uint64_t> uses_of;
  for (const auto& [key, block] : blocks) uses_of.push_back(block.used);
  const auto middle = uses_of.begin() + static_cast<std::ptrdiff_t>(uses_of.size() / 2);
  std::ranges::nth_element(uses_of, middle);
  std::erase_if(blocks, [&, oldest = *middle](const auto& one) {
    if (one.second.used > oldest) return false;
    bytes -= one.second.bytes();
    return true;
  });
}

AttachedMetrics::AttachedMetrics(PrometheusAccess access, std::string match, DurNs timeout)
    : m_parts(std::make_unique<Parts>(std::move(access), std::move(match), timeout)) {}

AttachedMetrics::~AttachedMetrics() = default;

void AttachedMetrics::stop() { m_parts->ends.request_stop(); }

Result<std::shared_ptr<const AttachedMetrics::Listing>> AttachedMetrics::list(const AttachedTo& store, const std::stop_token& stop) {
  Parts& parts = *m_parts;
  return parts.inTurn<std::shared_ptr<const Listing>>(stop, [&]() -> Result<std::shared_ptr<const Listing>> {
    const bool same = parts.listing != nullptr && namesOf(store.nodes) == parts.names &&
                      store.devices.size() == parts.store.devices.size() && store.window.t0 == parts.store.window.t0 &&
                      store.continues == parts.store.continues &&
                      (store.continues ? monotonicNow() - parts.listed_at < kRefresh : store.window.t1 == parts.store.window.t1);
    if (store.window.t0 >= store.window.t1)
      return Status(Code::kFailedPrecondition, "prometheus: no run of this store has a wall clock, so that no series can be attached");
    if (!same) RG_TRY(parts.refresh(store));
    return parts.listing;
  });
}

Result<std::vector<SampleColumns>> AttachedMetrics::samples(std::span<const SeriesId> series, TimeRange range,
                                                            const std::stop_token& stop) {
  Parts& parts = *m_parts;
  return parts.inTurn<std::vector<SampleColumns>>(stop, [&]() -> Result<std::vector<SampleColumns>> {
    RG_ASSIGN(const std::vector<std::uint32_t> wanted, parts.indicesOf(series));
    RG_TRY(parts.cache(wanted, range));
    std::vector<SampleColumns> all;
    for (const std::uint32_t index : wanted) all.push_back(parts.cached(index, range));
    parts.evict();
    return all;
  });
}

Result<std::vector<LatestSample>> AttachedMetrics::latestAt(std::span<const SeriesId> series, TimeNs moment, const std::stop_token& stop) {
  Parts& parts = *m_parts;
  return parts.inTurn<std::vector<LatestSample>>(stop, [&]() -> Result<std::vector<LatestSample>> {
    RG_ASSIGN(const std::vector<std::uint32_t> wanted, parts.indicesOf(series));
    std::map<std::uint32_t, std::pair<TimeNs, double>> found;
    std::vector<std::uint32_t> open;
    for (const std::uint32_t index : wanted) {
      const auto& newest = parts.entries[index].newest;
      if (newest && newest->first <= moment)
        found.emplace(index, *newest);
      else if (newest)
        open.push_back(index);
    }
    const TimeNs begin = parts.store.window.t0, after = std::min(moment, parts.store.window.t1) + 1;
    TimeRange range{std::max(begin, after - kTail), after};
    for (DurNs length = kTail; !open.empty() && range.t0 < range.t1; length *= 2) {
      RG_TRY(parts.cache(open, range));
      std::erase_if(open, [&](std::uint32_t index) {
        const SampleColumns columns = parts.cached(index, range);
        if (columns.size() > 0) found.emplace(index, std::pair(columns.time.back(), columns.value.back()));
        return columns.size() > 0;
      });
      range = {std::max(begin, range.t0 - 2 * length), range.t0};
    }
    parts.evict();
    std::vector<LatestSample> all;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (const auto at = found.find(wanted[i]); at != found.end())
        all.push_back({.series = series[i], .x = at->second.first, .time = at->second.first, .value = at->second.second});
    return all;
  });
}

std::uint64_t AttachedMetrics::generation() {
  Parts& parts = *m_parts;
  const MutexLock lock(parts.mutex);
  const TimeNs now = monotonicNow();
  if (!parts.failure.ok() && !parts.pause_ended && now - parts.failed_at >= kPause) {
    parts.pause_ended = true;
    ++parts.changes;
  }
  if (parts.continues && now - parts.counted_at >= kRefresh) {
    parts.counted_at = now;
    ++parts.changes;
  }
  return parts.changes;
}

std::string AttachedMetrics::problem() {
  const MutexLock lock(m_parts->mutex);
  return m_parts->failure.message();
}

std::vector<Issue> AttachedMetrics::issues() {
  const MutexLock lock(m_parts->mutex);
  std::vector<Issue> all;
  for (const auto& [code, issue] : m_parts->noted) all.push_back(issue);
  if (!m_parts->failure.ok())
    all.push_back({.code = "prometheus.unavailable", .source = m_parts->access.url, .detail = m_parts->failure.message()});
  return all;
}

}  // namespace runglass
