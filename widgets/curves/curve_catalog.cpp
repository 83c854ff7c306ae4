// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curves/curve_catalog.h"

#include <QCollator>
#include <QStringList>
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/run_summary/roles.h"
#include "model/superseded.h"
#include "widgets/core/units.h"
#include "widgets/curves/card_data.h"

namespace runglass {
namespace {

constexpr int kNameChars = 80;
constexpr std::size_t kShowAllTags = 9;
constexpr std::size_t kFirstTags = 6;
constexpr std::size_t kTagsPerRole = 3;  // frameworks spell one thing in many ways
constexpr std::array kRoles = {Role::kLoss,         Role::kGradNorm, Role::kTokensPerSecond,
                               Role::kTokensPerGpu, Role::kStepTime, Role::kLearningRate};

// Place of a tag in the list: known roles first, in their order, by name or by the role that its source declares; all other tags after
// them.
std::pair<std::size_t, int> placeOf(const CurveTag& tag) {
  for (std::size_t role = 0; role < kRoles.size(); ++role)
    for (const std::string& labels : {std::string(), tag.members.empty() ? std::string() : tag.members.front().series.key.labels})
      if (const auto fit = roleFit(tag.metric, kRoles[role], labels)) return {role, *fit};
  return {kRoles.size(), tag.scalar ? 0 : 1};
}

struct Names {
  std::unordered_map<NodeId, QString> nodes;
  std::unordered_map<DeviceId, QString> devices;
};

Result<Names> readNames(Reader& reader) {
  Names names;
  RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
  for (const Node& node : nodes) names.nodes[node.id] = screenText(node.name, kNameChars);
  RG_ASSIGN(const std::vector<Device> devices, reader.devices());
  for (const Device& device : devices)
    names.devices[device.id] = screenText(device.kind, 20) + (device.index ? QString::number(*device.index) : QString());
  return names;
}

// Labels without the importer's guess of the role: a framework that declares it and one that does not then share one curve.
std::string shownLabels(std::string labels) {
  constexpr std::string_view kKey = "\"canonical\":\"";
  const std::size_t begin = labels.find(kKey);
  if (begin == std::string::npos) return labels;
  std::size_t end = labels.find('"', begin + kKey.size());
  if (end == std::string::npos) return labels;
  ++end;
  if (end < labels.size() && labels[end] == ',') ++end;
  labels.erase(begin, end - begin);
  if (begin > 0 && labels[begin - 1] == ',') labels.erase(begin - 1, 1);
  return labels == "{}" ? std::string() : labels;
}

// Names only the differences between the members of a tag, so that a legend stays short.
void nameMembers(CurveTag& tag, const CurveCatalog& catalog, const Names& names) {
  std::set<std::size_t> runs;
  std::set<std::string> sources, labels;
  std::map<std::size_t, std::set<std::int32_t>> attempts;
  for (const CurveSeries& member : tag.members) {
    runs.insert(member.run);
    sources.insert(member.series.key.source);
    labels.insert(shownLabels(member.series.key.labels));
    attempts[member.run].insert(member.attempt);
  }
  for (CurveSeries& member : tag.members) {
    const SeriesKey& key = member.series.key;
    QStringList parts;
    if (member.run != CurveCatalog::kNoRun) {
      if (runs.size() > 1) parts += catalog.runs[member.run].name;
      if (attempts[member.run].size() > 1) parts += CurveText::tr("attempt %1").arg(member.attempt);
    }
    if (sources.size() > 1 && !key.source.empty()) parts += screenText(key.source, kNameChars);
    if (key.rank) parts += CurveText::tr("rank %1").arg(*key.rank);
    if (const auto node = names.nodes.find(key.node); node != names.nodes.end()) parts += node->second;
    if (const auto device = names.devices.find(key.device); device != names.devices.end()) parts += device->second;
    if (const std::string shown = shownLabels(key.labels); labels.size() > 1 && !shown.empty()) parts += screenText(shown, kNameChars);
    if (parts.isEmpty()) parts += member.run == CurveCatalog::kNoRun ? tag.title : catalog.runs[member.run].name;
    member.name = parts.join(QStringLiteral(" · "));
  }
}

void sortTags(CurveCatalog& catalog) {
  QCollator natural;
  natural.setNumericMode(true);
  natural.setCaseSensitivity(Qt::CaseInsensitive);
  for (CurveTag& tag : catalog.tags)
    std::ranges::stable_sort(tag.members, {}, [](const CurveSeries& m) {
      return std::tuple(m.run, m.attempt, m.series.key.source, m.series.key.rank, m.series.key.node, m.series.key.device);
    });
  std::ranges::stable_sort(catalog.tags, [&](const CurveTag& a, const CurveTag& b) {
    const auto pa = placeOf(a), pb = placeOf(b);
    return pa != pb ? pa < pb : natural.compare(a.title, b.title) < 0;
  });
}

}  // namespace

Result<CurveCatalog> readCurveCatalog(Reader& reader, std::stop_token stop) {
  CurveCatalog catalog;
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  std::unordered_map<AttemptId, std::int32_t> numbers;
  std::unordered_map<RunId, std::size_t> run_index;
  for (const Run& run : runs) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "list curves: superseded");
    run_index[run.id] = catalog.runs.size();
    catalog.runs.push_back({run, screenText(run.name, kNameChars), run.start});
    RG_ASSIGN(const std::vector<Attempt> attempts, reader.attempts(run.id));
    for (const Attempt& attempt : attempts) numbers[attempt.id] = attempt.number;
  }
  RG_ASSIGN(const Names names, readNames(reader));
  RG_ASSIGN(const std::vector<Series> all, reader.series({}));
  const auto superseded = supersededFrom(all);
  std::map<std::tuple<std::string, std::string, bool>, std::size_t> tag_index;
  for (const Series& series : all) {
    if (series.sample_count == 0) continue;
    const bool scalar = series.key.kind == SeriesKind::kScalar;
    const auto [place, fresh] = tag_index.try_emplace({series.key.metric, series.key.unit, scalar}, catalog.tags.size());
    if (fresh) catalog.tags.push_back({series.key.metric, series.key.unit, scalar, screenText(series.key.metric, 200), {}});
    CurveSeries member{series, CurveCatalog::kNoRun, 0, std::nullopt, {}};
    if (const auto run = run_index.find(series.run); run != run_index.end()) {
      member.run = run->second;
      CurveRun& owner = catalog.runs[member.run];
      if (!owner.run.start && series.first_time) owner.begin = std::min(owner.begin.value_or(*series.first_time), *series.first_time);
    }
    if (const auto number = numbers.find(series.key.attempt); number != numbers.end()) member.attempt = number->second;
    if (const auto from = superseded.find(series.id); from != superseded.end()) member.superseded_from = from->second;
    catalog.tags[place->second].members.push_back(std::move(member));
  }
  sortTags(catalog);
  for (CurveTag& tag : catalog.tags) nameMembers(tag, catalog, names);
  return catalog;
}

std::vector<std::size_t> defaultTags(const CurveCatalog& catalog, const std::vector<std::size_t>& among) {
  if (among.size() <= kShowAllTags) return among;
  std::vector<std::size_t> chosen;
  std::array<std::size_t, kRoles.size()> of_role{};
  for (const std::size_t tag : among) {
    const std::size_t role = placeOf(catalog.tags[tag]).first;
    if (role < kRoles.size() && of_role[role]++ < kTagsPerRole) chosen.push_back(tag);
  }
  if (chosen.empty()) chosen.assign(among.begin(), among.begin() + kFirstTags);
  return chosen;
}

}  // namespace runglass
