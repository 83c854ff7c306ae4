// SPDX-License-Identifier: Apache-2.0
// Rules: the content of a validated rule file. docs/formats/log_rules.md is the user's description of every field.
//
// Units:      scale converts the printed number to the unit.
// Cost:       a few hundred small objects.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectors/importers/train_log/pairs.h"
#include "model/events.h"

namespace runglass::train_log {

enum class RuleKind : std::uint8_t { kRecord, kEvent, kFact, kLayout, kVariable, kStep, kFramework, kLog, kProcess, kPlace, kTraceback };

// Meaning of a capture group. Groups with other names are values: (?P<loss>...).
enum class Role : std::uint8_t {
  kValue,
  kStep,
  kTotal,  // the last step of the run
  kPairs,
  kKey,
  kText,
  kPath,
  kCode,
  kRank,
  kYear,
  kMonth,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kFraction,
  kZone,
  kHost,
  kPid,
};

struct Capture {
  std::string name;
  Role role = Role::kValue;
};

// Source of a record's step; the first that gives one counts.
enum class StepFrom : std::uint8_t {
  kCapture,   // (?P<step>...)
  kKeys,      // a pair named in step_keys
  kEpoch,     // epoch / num_epochs * total_steps
  kEpochBar,  // epoch * (?P<total>...) + (?P<step>...): bars that restart in every epoch
  kPrevious,  // the last step of this rule file
  kCount,     // one more than the last record of this rule
};

enum class CheckpointPart : std::uint8_t { kNone, kBegin, kSaved, kLoaded };
// Owner of a fact, and which of several values counts. kAll: all distinct ones, sorted, joined by ", ".
enum class FactScope : std::uint8_t { kAttempt, kNode, kRank };
enum class FactTake : std::uint8_t { kLast, kFirst, kAll };
enum class Ending : std::uint8_t {
  kNone,
  kFinished,
  kDone,
  kFailed,
  kStopped,
  kTerminated
};  // kDone: a trainer that reports its end has survived its exceptions; kStopped: on purpose; kTerminated: by a SIGTERM of any origin

// [[metric]]: mapping of a key of the source.
struct MetricRule {
  std::string name;       // tag in the store; the source's own key unless that contains a unit
  std::string unit;       // from the closed list, "" = as printed
  double scale = 1;       // printed number -> unit
  std::string canonical;  // catalogue id, into labels
  std::string source;     // replaces the record's sub-stream
  std::string event;      // record an event of this kind when value > above
  double above = std::numeric_limits<double>::infinity();
  bool drop = false;
};

struct Rule {
  RuleKind kind = RuleKind::kRecord;
  std::size_t file = 0;           // index into RuleSet::files()
  std::string where;              // "megatron.toml: record 1"
  std::vector<Capture> captures;  // by group number - 1

  // record
  PairStyle pairs = PairStyle::kNone;
  std::vector<StepFrom> step_from;
  std::vector<std::string> step_keys, sample_keys;  // pairs with the step; sample_keys count samples instead
  std::string name_key, value_key, time_key;        // for lines with one named value: MLLOG
  std::vector<std::string> keep;                    // use only these keys; empty = all numbers
  std::string source, prefix;
  std::string unit;
  double scale = 1;
  bool advances = false;  // its steps only grow in one attempt; a decrease is a restart
  bool split = false;     // two loggers of one step are two series

  // event, log
  std::string event;
  Severity severity = Severity::kInfo;
  std::string code;  // if no capture gives one
  bool once = false, starts = false;
  bool group = false;      // repeats are counted instead of recorded
  bool otherwise = false;  // only if no earlier event rule of its file matches the line
  CheckpointPart checkpoint = CheckpointPart::kNone;
  Ending ends = Ending::kNone;
  int more_lines = 0;

  // fact
  std::string key, text;  // if no capture gives them
  FactScope scope = FactScope::kAttempt;
  FactTake take = FactTake::kLast;

  // place: number of lines for which its rank and host are valid; what these lines report is the launcher's first observed failure
  int lines = 0;
  bool first_failure = false;
  // traceback: its last line, else its first
  bool last = false;

  // framework
  std::string name;
  int priority = 0;
};

struct RuleFile {
  std::string name;       // "megatron.toml"
  std::string framework;  // shown once one of its records has matched
  int priority = 0;       // of several frameworks in one log, the highest is shown
  bool generic = false;   // its records count only in a log without records of other files
  std::map<std::string, MetricRule, std::less<>> metrics;
};

}  // namespace runglass::train_log
