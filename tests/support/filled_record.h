// SPDX-License-Identifier: Apache-2.0
// Records in which every described field (model/fields.h) has a distinct value, and the values of such a record, so that a test can check
// that none was lost: EXPECT_EQ(valuesOf(received), valuesOf(filled<Event>(ids_there))).
//
// Texts that may identify people or machines contain kCanary; fixed words of Runglass do not.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "model/judgement_fields.h"
#include "model/recorder_fields.h"

namespace runglass::test {

inline constexpr const char* kCanary = "canaryhost";

// The objects that the ids of a record refer to, with the ids of one Recorder or Reader.
struct Names {
  NodeId node;
  DeviceId device;
  RunId run;
  AttemptId attempt;
  NodeId of(NodeId) const { return node; }
  DeviceId of(DeviceId) const { return device; }
  RunId of(RunId) const { return run; }
  AttemptId of(AttemptId) const { return attempt; }
};

// Different from a member's default.
template <class Enum>
Enum someEnum() {
  return static_cast<Enum>(1);
}
template <>
inline Severity someEnum() {
  return Severity::kError;
}

class Filler {
 public:
  explicit Filler(Names names) : m_names(names) {}

  template <class T>
  void operator()(const char* /*name*/, T& field, FieldRole role) {
    if (role != FieldRole::kOwn && role != FieldRole::kFilled) fill(field, role);
  }
  template <class Record>
  void part(const char* /*name*/, Record& record) {
    eachField(record, *this);
  }
  template <class Record>
  void part(const char* /*name*/, std::vector<Record>& records) {
    records.resize(2);
    for (Record& record : records) eachField(record, *this);
  }

 private:
  template <class Tag>
  void fill(Id<Tag>& id, FieldRole) {
    if constexpr (requires { m_names.of(id); }) id = m_names.of(id);
  }
  void fill(bool& flag, FieldRole) { flag = true; }
  void fill(double& number, FieldRole) { number = ++m_next + 0.5; }
  void fill(TimeRange& range, FieldRole) { range = {++m_next, m_next + 100}; }
  template <class T>
  void fill(std::optional<T>& field, FieldRole role) {
    fill(field.emplace(), role);
  }
  // An index into a dictionary is 0.
  template <class T>
  void fill(std::vector<T>& column, FieldRole role) {
    fill(column.emplace_back(), role);
    if constexpr (std::same_as<T, std::uint32_t>) column.back() = 0;
  }
  template <class T>
  void fill(T& field, FieldRole) {
    if constexpr (std::is_enum_v<T>)
      field = someEnum<T>();
    else
      field = static_cast<T>(++m_next);
  }
  void fill(std::string& text, FieldRole role) {
    const std::string number = std::to_string(++m_next);
    switch (role) {
      case FieldRole::kWord:
        text = "w" + number;
        break;
      case FieldRole::kHost:
      case FieldRole::kPerson:
        text = kCanary;
        break;
      case FieldRole::kJson:
        text = R"({"a":")" + std::string(kCanary) + R"( is )" + number + R"("})";
        break;
      default:
        text = kCanary + (" is " + number);
    }
  }

  Names m_names;
  int m_next = 10;
};

template <class Record>
Record filled(Names names) {
  Record record;
  Filler filler(names);
  eachField(record, filler);
  return record;
}

template <class T>
std::string textOf(const T& value) {
  std::ostringstream out;
  if constexpr (kIsId<T>)
    out << value.value;
  else if constexpr (std::is_enum_v<T>)
    out << static_cast<int>(value);
  else if constexpr (std::same_as<T, TimeRange>)
    out << value.t0 << ".." << value.t1;
  else
    out << value;
  return out.str();
}
template <class T>
std::string textOf(const std::optional<T>& value) {
  return value ? textOf(*value) : "absent";
}
template <class T>
std::string textOf(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += textOf(value) + ",";
  return text;
}

// "name=value" of each field except those that the store fills.
template <class Record>
std::vector<std::string> valuesOf(const Record& record) {
  std::vector<std::string> values;
  eachField(record, [&values](const char* name, const auto& field, FieldRole role) {
    if (role != FieldRole::kOwn && role != FieldRole::kFilled) values.push_back(std::string(name) + "=" + textOf(field));
  });
  return values;
}

}  // namespace runglass::test
