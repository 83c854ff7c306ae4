// SPDX-License-Identifier: Apache-2.0
// The fields of every record of the model, described once: code that translates ids, redacts, buffers or copies records is derived from
// this.
//
// The descriptions are in recorder_fields.h (arguments of a Recorder) and judgement_fields.h (additions of analyses and people).
//
// Adding a field: the member, its line there, one in the .proto, one migration. tests/model/fields_test.cpp fails while a member lacks its
// line; the tests named *_fields_test.cpp fail while the wire, the store, a copy, a redaction or a buffered call loses it.
//
// A description calls one function of Fields per member, in the order of the struct. The function states the role of the field:
//   own         the record's number in the store that holds it; ignored on input
//   filled      computed by the store; ignored on input
//   ref         another record, or none          } ids of the Recorder that the record is given to, or of the Reader that returned it
//   owner       another record, never none       }
//   value       numbers, times, flags, enumerators and lists of them
//   word        a fixed word of Runglass, a unit or a generated uuid: identifies no person or machine
//   text        written by a source or a person: may name machines, people, paths, addresses and secrets
//   key         a name that other values depend on: fixed words of Runglass are not redacted
//   keyed       a text whose meaning is given by the `key` in the same record (the value of a fact)
//   host        the name of a machine
//   person      the name of a person
//   json        a JSON document whose texts are as `text`
//   dictionary  texts that a column of numbers points into
//   part, parts a record inside this one, or a list of them
//
// Threading:  pure.
// Cost:       templates: included only by code that derives from it, never by another header of the model.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "model/ids.h"

namespace runglass {

enum class FieldRole : std::uint8_t { kOwn, kFilled, kRef, kOwner, kValue, kWord, kText, kKey, kKeyed, kHost, kPerson, kJson, kDictionary };

// Calls visit(name, field, role) for each field, including those of parts. A visitor with a function part(name, record) gets parts as a
// whole.
template <class Visit>
class Fields {
 public:
  explicit Fields(Visit& visit) : m_visit(visit) {}

  void own(const char* name, auto& field) { m_visit(name, field, FieldRole::kOwn); }
  void filled(const char* name, auto& field) { m_visit(name, field, FieldRole::kFilled); }
  void ref(const char* name, auto& field) { m_visit(name, field, FieldRole::kRef); }
  void owner(const char* name, auto& field) { m_visit(name, field, FieldRole::kOwner); }
  void value(const char* name, auto& field) { m_visit(name, field, FieldRole::kValue); }
  void word(const char* name, auto& field) { m_visit(name, field, FieldRole::kWord); }
  void text(const char* name, auto& field) { m_visit(name, field, FieldRole::kText); }
  void key(const char* name, auto& field) { m_visit(name, field, FieldRole::kKey); }
  void keyed(const char* name, auto& field) { m_visit(name, field, FieldRole::kKeyed); }
  void host(const char* name, auto& field) { m_visit(name, field, FieldRole::kHost); }
  void person(const char* name, auto& field) { m_visit(name, field, FieldRole::kPerson); }
  void json(const char* name, auto& field) { m_visit(name, field, FieldRole::kJson); }
  void dictionary(const char* name, auto& field) { m_visit(name, field, FieldRole::kDictionary); }
  void part(const char* name, auto& record) {
    if constexpr (requires { m_visit.part(name, record); })
      m_visit.part(name, record);
    else
      fields(*this, record);
  }
  void parts(const char* name, auto& records) {
    if constexpr (requires { m_visit.part(name, records); })
      m_visit.part(name, records);
    else
      for (auto& record : records) fields(*this, record);
  }

 private:
  Visit& m_visit;
};

// A Record, const or not.
template <class Self, class Record>
concept Of = std::same_as<std::remove_const_t<Self>, Record>;

// --- derived from the descriptions

template <class Record, class Visit>
void eachField(Record& record, Visit&& visit) {
  Fields<std::remove_reference_t<Visit>> all(visit);
  fields(all, record);
}

template <class T>
inline constexpr bool kIsId = false;
template <class Tag>
inline constexpr bool kIsId<Id<Tag>> = true;

// Replaces each id of another record in `record` by map(id, role): kRef, which may be 0, or kOwner.
template <class Record, class Map>
void mapIds(Record& record, Map&& map) {
  eachField(record, [&map]<class T>(const char*, T& field, FieldRole role) {
    if constexpr (kIsId<T>)
      if (role == FieldRole::kRef || role == FieldRole::kOwner) field = map(field, role);
  });
}

// The heap memory of the record's texts and lists.
template <class Record>
std::size_t heapBytes(const Record& record) {
  std::size_t bytes = 0;
  eachField(record, [&bytes]<class T>(const char*, const T& field, FieldRole) {
    if constexpr (requires { field.data(); }) bytes += field.size() * sizeof(*field.data());
    if constexpr (std::same_as<T, std::vector<std::string>>)
      for (const std::string& text : field) bytes += text.size();
  });
  return bytes;
}

}  // namespace runglass
