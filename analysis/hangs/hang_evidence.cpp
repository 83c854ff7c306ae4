// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/hang_evidence.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 9> kStandings = {"computing", "behind",     "waiting", "silent", "awaited",
                                                   "enqueued",  "mismatched", "stopped", "outlier"};
constexpr std::array<const char*, 5> kReasons = {"missing", "mismatched", "stuck", "deadlock", "not_left"};

template <class T>
void put(Json& to, const char* key, const std::optional<T>& value) {
  if (value) to[key] = *value;
}
void put(Json& to, const char* key, const std::string& value) {
  if (!value.empty()) to[key] = value;
}

Json toJson(const HangMember& member) {
  Json json = {{"rank", member.rank}};
  put(json, "node", member.node);
  json["state"] = hangStandingName(member.standing);
  put(json, "op", member.op);
  put(json, "group_id", member.group);
  put(json, "seq", member.seq);
  put(json, "completed_seq", member.completed);
  put(json, "since_ns", member.since);
  put(json, "process_state", member.process_state);
  put(json, "frame", member.frame);
  return json;
}

Json toJson(const HangGroup& group) {
  Json json = {{"group_id", group.id}};
  put(json, "kind", group.kind);
  put(json, "name", group.name);
  put(json, "op", group.op);
  put(json, "other_op", group.other_op);
  put(json, "size", group.size);
  put(json, "other_size", group.other_size);
  put(json, "size_unit", group.size_unit);
  json["reason"] = hangReasonName(group.reason);
  put(json, "seq", group.seq);
  put(json, "since_ns", group.since);
  json["members"] = group.members;
  json["inside"] = group.inside;
  json["missing_count"] = group.missing_count;
  json["missing"] = Json::array();
  for (const HangMember& member : group.missing) json["missing"].push_back(toJson(member));
  json["blocked_by"] = group.blocked_by;
  json["depth"] = group.depth;
  return json;
}

// Fields of one object; the first field of the wrong type sets the error.
class FieldReader {
 public:
  FieldReader(const Json& json, Status& status) : m_json(json), m_status(status) {}
  template <class T>
  void read(const char* key, std::optional<T>& field) {
    if (const Json* at = find(key, &Json::is_number_integer)) field = at->get<T>();
  }
  template <class T>
    requires std::is_integral_v<T>
  void read(const char* key, T& field) {
    if (const Json* at = find(key, &Json::is_number_integer)) field = at->get<T>();
  }
  void read(const char* key, std::string& field) {
    if (const Json* at = find(key, &Json::is_string)) field = at->get<std::string>();
  }
  void read(const char* key, std::vector<std::int64_t>& field) {
    const Json* at = find(key, &Json::is_array);
    for (std::size_t i = 0; at != nullptr && i < std::min(at->size(), kMaxListed); ++i)
      if ((*at)[i].is_number_integer()) field.push_back((*at)[i].get<std::int64_t>());
  }
  template <class T, class Names>
  void readName(const char* key, const Names& names, T& field) {
    std::string text;
    read(key, text);
    const auto at = std::ranges::find(names, text);
    if (at != names.end()) field = static_cast<T>(at - names.begin());
  }
  template <class T, class ReadOne>
  void readList(const char* key, std::vector<T>& field, ReadOne read_one) {
    const Json* at = find(key, &Json::is_array);
    for (std::size_t i = 0; at != nullptr && i < std::min(at->size(), kMaxListed); ++i) {
      if (!(*at)[i].is_object()) return fail(key);
      FieldReader inner((*at)[i], m_status);
      read_one(inner, field.emplace_back());
    }
  }

 private:
  const Json* find(const char* key, bool (Json::*is)() const noexcept) {
    const auto at = m_json.find(key);
    if (at == m_json.end() || at->is_null()) return nullptr;
    if (!((*at).*is)()) return fail(key), nullptr;
    return &*at;
  }
  void fail(const char* key) {
    if (m_status.ok()) m_status = Status(Code::kInvalidArgument, std::string("hang evidence: ") + key + " is of the wrong type");
  }
  const Json& m_json;
  Status& m_status;
};

void readMember(FieldReader& from, HangMember& to) {
  from.read("rank", to.rank);
  from.read("node", to.node);
  from.readName("state", kStandings, to.standing);
  from.read("op", to.op);
  from.read("group_id", to.group);
  from.read("seq", to.seq);
  from.read("completed_seq", to.completed);
  from.read("since_ns", to.since);
  from.read("process_state", to.process_state);
  from.read("frame", to.frame);
}

void readGroup(FieldReader& from, HangGroup& to) {
  from.read("group_id", to.id);
  from.read("kind", to.kind);
  from.read("name", to.name);
  from.read("op", to.op);
  from.read("other_op", to.other_op);
  from.read("size", to.size);
  from.read("other_size", to.other_size);
  from.read("size_unit", to.size_unit);
  from.readName("reason", kReasons, to.reason);
  from.read("seq", to.seq);
  from.read("since_ns", to.since);
  from.read("members", to.members);
  from.read("inside", to.inside);
  from.read("missing_count", to.missing_count);
  from.readList("missing", to.missing, readMember);
  from.read("blocked_by", to.blocked_by);
  from.read("depth", to.depth);
}

}  // namespace

const char* hangStandingName(HangStanding standing) { return kStandings[static_cast<std::size_t>(standing)]; }
const char* hangReasonName(HangReason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

std::string printHangEvidence(const HangEvidence& e) {
  Json json = {{"source", e.source}};
  put(json, "phase", e.phase);
  put(json, "step", e.step);
  put(json, "since_ns", e.since);
  put(json, "as_of_ns", e.as_of);
  put(json, "limit_ns", e.limit);
  json["world"] = e.world;
  json["blocked"] = e.blocked;
  json["silent"] = e.silent;
  put(json, "watchdog_ns", e.watchdog);
  put(json, "watchdog_at_ns", e.watchdog_at);
  put(json, "watchdog_source", e.watchdog_source);
  json["timeouts"] = e.timeouts;
  json["reporting"] = e.reporting;
  if (e.stacks > 0) json["stacks"] = e.stacks, json["common_stacks"] = e.common_stacks;
  put(json, "common_frame", e.common_frame);
  put(json, "unclear", e.unclear);
  json["culprit_count"] = e.culprit_count;
  json["culprits"] = Json::array();
  for (const HangMember& member : e.culprits) json["culprits"].push_back(toJson(member));
  json["group_count"] = e.group_count;
  json["groups"] = Json::array();
  for (const HangGroup& group : e.groups) json["groups"].push_back(toJson(group));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<HangEvidence> parseHangEvidence(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Status(Code::kInvalidArgument, "hang evidence: not a JSON object");
  HangEvidence e;
  Status status;
  FieldReader from(json, status);
  from.read("source", e.source);
  from.read("phase", e.phase);
  from.read("step", e.step);
  from.read("since_ns", e.since);
  from.read("as_of_ns", e.as_of);
  from.read("limit_ns", e.limit);
  from.read("world", e.world);
  from.read("blocked", e.blocked);
  from.read("silent", e.silent);
  from.read("watchdog_ns", e.watchdog);
  from.read("watchdog_at_ns", e.watchdog_at);
  from.read("watchdog_source", e.watchdog_source);
  from.read("timeouts", e.timeouts);
  from.read("reporting", e.reporting);
  from.read("stacks", e.stacks);
  from.read("common_stacks", e.common_stacks);
  from.read("common_frame", e.common_frame);
  from.read("unclear", e.unclear);
  from.read("culprit_count", e.culprit_count);
  from.readList("culprits", e.culprits, readMember);
  from.read("group_count", e.group_count);
  from.readList("groups", e.groups, readGroup);
  if (!status.ok()) return status;
  return e;
}

}  // namespace runglass
