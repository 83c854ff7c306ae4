// SPDX-License-Identifier: Apache-2.0
// Every member of a record is described, once, with a role that fits its type.
#include "model/fields.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "model/judgement_fields.h"
#include "model/recorder_fields.h"
#include "tests/support/filled_record.h"

namespace runglass {

struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

namespace {

// The number of members of an aggregate: the maximum number of initializers.
template <class Record, std::size_t... I>
consteval bool takes(std::index_sequence<I...>) {
  return requires { Record{(static_cast<void>(I), Anything{})...}; };
}
template <class Record, std::size_t kMembers = 0>
consteval std::size_t members() {
  if constexpr (takes<Record>(std::make_index_sequence<kMembers + 1>()))
    return members<Record, kMembers + 1>();
  else
    return kMembers;
}

// Counts the calls of a description; a part counts as one.
struct Counter {
  std::size_t count = 0;
  constexpr void operator()(const char*, const auto&, FieldRole) { ++count; }
  constexpr void part(const char*, const auto&) { ++count; }
};
template <class Record>
std::size_t described() {
  const Record record{};
  Counter counter;
  eachField(record, counter);
  return counter.count;
}

struct Places {
  std::set<const void*> places;
  std::set<std::string> names;
  std::size_t count = 0;
  void operator()(const char* name, auto& field, FieldRole) { part(name, field); }
  void part(const char* name, auto& field) { places.insert(&field), names.insert(name), ++count; }
};

template <class Record>
class FieldsOf : public ::testing::Test {};
using Records = ::testing::Types<Layout, Node, Device, Run, Attempt, Rank, Fact, CommGroup, Checkpoint, SeriesKey, Series, TrackKey, Track,
                                 SpanColumns, Event, LogLine, Progress, Issue, Label, ClockReading, Capture, Finding, IncidentEvidence,
                                 Incident, Alert, Snooze, Note, ClockShift, ClockAlignment, RankOrderChoice, IncidentEdit, AgentForget>;
TYPED_TEST_SUITE(FieldsOf, Records);

TYPED_TEST(FieldsOf, EveryMemberIsDescribedOnceUnderANameOfItsOwn) {
  EXPECT_EQ(described<TypeParam>(), members<TypeParam>());
  TypeParam record{};
  Places seen;
  eachField(record, seen);
  EXPECT_EQ(seen.places.size(), seen.count);
  EXPECT_EQ(seen.names.size(), seen.count);
}

// Ids have a role for ids, texts one for texts, and no other type has those.
TYPED_TEST(FieldsOf, RolesFitTheTypes) {
  TypeParam record{};
  eachField(record, []<class T>(const char* name, const T&, FieldRole role) {
    if (role == FieldRole::kOwn || role == FieldRole::kFilled) return;
    const bool is_text = std::same_as<T, std::string> || std::same_as<T, std::vector<std::string>>;
    EXPECT_EQ(role == FieldRole::kRef || role == FieldRole::kOwner, kIsId<T>) << name;
    EXPECT_EQ(role >= FieldRole::kWord, is_text) << name;
    if (role == FieldRole::kKeyed) EXPECT_TRUE((std::same_as<TypeParam, Fact>)) << "redaction knows the key of a fact's value only";
  });
}

// A `word` stays unchanged when everything else is redacted: each new one must also be listed here.
template <class... Record>
std::set<std::string> words(::testing::Types<Record...>) {
  std::set<std::string> found;
  const auto add = [&found]<class One>(One record) {
    const std::string type = ::testing::internal::GetTypeName<One>();
    eachField(record, [&](const char* name, const auto&, FieldRole role) {
      if (role == FieldRole::kWord) found.insert(type.substr(type.rfind(':') + 1) + "." + name);
    });
  };
  (add(test::filled<Record>({})), ...);
  return found;
}

TEST(Fields, WordsThatNameNobodyAreThese) {
  EXPECT_EQ(words(Records()),
            (std::set<std::string>{"Run.uuid", "SeriesKey.unit", "Series.unit", "TrackKey.kind", "Track.kind", "Issue.code",
                                   "IncidentEvidence.kind", "Incident.uuid", "Incident.cause", "Incident.kind", "Note.run_uuid",
                                   "ClockAlignment.run_uuid", "RankOrderChoice.run_uuid", "RankOrderChoice.order", "IncidentEdit.run_uuid",
                                   "IncidentEdit.uuid", "IncidentEdit.cause", "IncidentEdit.kind"}));
}

TEST(Fields, IdsOfOthersAreMappedAndTheRecordsOwnStays) {
  Rank rank{.attempt = {1}, .rank = 7, .node = {2}, .device = {3}};
  std::vector<FieldRole> roles;
  mapIds(rank, [&](auto id, FieldRole role) {
    roles.push_back(role);
    id.value += 10;
    return id;
  });
  EXPECT_EQ(rank.attempt, AttemptId{11});
  EXPECT_EQ(rank.node, NodeId{12});
  EXPECT_EQ(rank.device, DeviceId{13});
  EXPECT_EQ(rank.rank, 7);
  EXPECT_EQ(roles, (std::vector{FieldRole::kOwner, FieldRole::kRef, FieldRole::kRef}));
  Attempt attempt{.id = {5}, .run = {6}, .key = ""};
  mapIds(attempt, [](auto id, FieldRole) { return decltype(id){1}; });
  EXPECT_EQ(attempt.id, AttemptId{5});
  EXPECT_EQ(attempt.run, RunId{1});
}

TEST(Fields, OfPartsAreVisitedToo) {
  const Incident incident = test::filled<Incident>({.run = {1}, .attempt = {2}});
  ASSERT_EQ(incident.evidence.size(), 2U);
  EXPECT_NE(incident.evidence[0].caption, incident.evidence[1].caption);
  Attempt attempt = test::filled<Attempt>({});
  EXPECT_GT(attempt.layout.vpp, attempt.layout.world);
  Attempt other = attempt;
  EXPECT_EQ(test::valuesOf(other), test::valuesOf(attempt));
  other.layout.vpp = 0;
  EXPECT_NE(test::valuesOf(other), test::valuesOf(attempt));
}

TEST(Fields, TextsAndListsAreWhatARecordTakesBesideIt) {
  EXPECT_EQ(heapBytes(Rank{}), 0U);
  EXPECT_EQ(heapBytes(Fact{.key = "key", .value = "value"}), 8U);
  EXPECT_EQ(heapBytes(CommGroup{.kind = "", .name = "n", .ranks = {1, 2}}), 9U);
}

}  // namespace
}  // namespace runglass
