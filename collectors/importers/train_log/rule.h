// SPDX-License-Identifier: Apache-2.0
// Rules: what a rule file says once it is read and checked. docs/formats/log_rules.md is the user's description of every field.
//
// Threading:  plain values.
// Ownership:  values own their strings.
// Units:      scale turns the printed number into the unit.
// Errors:     none.
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

// What a capture group of a rule means. Group names that have no meaning of their own are values: (?P<loss>...).
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

// Where a record's step comes from; the first that gives one wins.
enum class StepFrom : std::uint8_t {
  kCapture,   // (?P<step>...)
  kKeys,      // a pair named in step_keys
  kEpoch,     // epoch / num_epochs * total_steps
  kEpochBar,  // epoch * (?P<total>...) + (?P<step>...): bars that begin anew in every epoch
  kPrevious,  // the last step this rule file saw
  kCount,     // one more than the last record of this rule
};

enum class CheckpointPart : std::uint8_t { kNone, kBegin, kSaved, kLoaded };
// Whom a fact is of, and which of several values of it counts. kAll: every different one, sorted, joined by ", ".
enum class FactScope : std::uint8_t { kAttempt, kNode, kRank };
enum class FactTake : std::uint8_t { kLast, kFirst, kAll };
enum class Ending : std::uint8_t { kNone, kFinished, kFailed, kStopped };  // kStopped: someone ended it on purpose

// [[metric]]: what a key of the source becomes.
struct MetricRule {
  std::string name;       // tag in the store; the source's own key unless it carried a unit
  std::string unit;       // from the closed list, "" = as printed
  double scale = 1;       // printed number -> unit
  std::string canonical;  // catalogue id, into labels
  std::string source;     // replaces the record's sub-stream
  std::string event;      // an event of this kind when value > above
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
  std::vector<std::string> step_keys, sample_keys;  // pairs that hold the step; sample_keys count samples instead
  std::string name_key, value_key, time_key;        // lines that carry one named value: MLLOG
  std::vector<std::string> keep;                    // only these keys; empty = all numbers
  std::string source, prefix;
  std::string unit;
  double scale = 1;
  bool advances = false;  // its steps only grow in one attempt; going back is a restart
  bool split = false;     // two loggers of one step are two series

  // event, log
  std::string event;
  Severity severity = Severity::kInfo;
  std::string code;  // where no capture gives one
  bool once = false, starts = false;
  bool group = false;      // repeats are counted instead of told
  bool otherwise = false;  // only where no event rule above it in its file matches the line
  CheckpointPart checkpoint = CheckpointPart::kNone;
  Ending ends = Ending::kNone;
  int more_lines = 0;

  // fact
  std::string key, text;  // where no capture gives them
  FactScope scope = FactScope::kAttempt;
  FactTake take = FactTake::kLast;

  // place: for how many lines its rank and host hold
  int lines = 0;
  // traceback: its last line, else its first
  bool last = false;

  // framework
  std::string name;
  int priority = 0;
};

struct RuleFile {
  std::string name;       // "megatron.toml"
  std::string framework;  // shown once one of its records matched
  int priority = 0;       // of several frameworks seen in one log, the highest is shown
  bool generic = false;   // its records count only in a log in which no other file's do
  std::map<std::string, MetricRule, std::less<>> metrics;
};

}  // namespace runglass::train_log
