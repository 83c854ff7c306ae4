// SPDX-License-Identifier: Apache-2.0
// LogSession: one training log from its first byte, whole or as it grows: lines in, runs, scalars, events and log lines out.
//
// Threading:  one thread.
// Ownership:  shares the rules; borrows the Recorder per call.
// Units:      TimeNs; times without a zone are local time in a tailed log, and UTC in an imported file unless an absolute time next to them
//             shows their zone.
// Errors:     invalid data is counted in issues().
// Cost:       O(bytes); memory limited (one line of 1 MiB, a batch of points per series).
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectors/importers/train_log/line_pace.h"
#include "collectors/importers/train_log/point_buffer.h"
#include "collectors/importers/train_log/rule_set.h"
#include "collectors/importers/train_log/run_builder.h"
#include "collectors/text/line_splitter.h"
#include "model/recorder.h"

namespace runglass::train_log {

struct SessionOptions {
  std::string run_name;
  std::string attempt_key = "0";        // of the first attempt in the log; restarts append "#2", "#3"...
  std::string stream;                   // of log lines: the file's name
  std::string source;                   // sub-stream, "" at the top
  std::string path;                     // for issues
  std::uint64_t resume_at = 0;          // lines that begin before it are parsed, not recorded
  std::optional<TimeNs> modified = {};  // of an imported file: supplies the year of stamps without one
  bool live = false;                    // tailed on the machine that writes it
  NodeId node;                          // this machine and its name, if known
  std::string node_name;
  // The rank and attempt of a process of this machine, if known: its lines belong to that attempt, and no run is created for them.
  std::function<std::optional<Rank>(std::int32_t pid)> process;
  std::optional<std::int32_t> rank;  // that alone writes the log: of lines that print none
  bool guest = false;                // see RunBuilder
  // Of a log that one rank writes, asked for each value: true if its values stand for the run. Empty: they do.
  std::function<bool()> owns_values;
};

class LogSession {
 public:
  LogSession(std::shared_ptr<const RuleSet> rules, SessionOptions options);
  // Before the first push(), an imported file's first bytes: finds the zone of its stamps, if one without a zone is next to an absolute
  // time, and whether a record of a known format occurs. True: both are known.
  bool lookAhead(std::string_view head);
  void push(std::string_view bytes, Recorder& out);
  void setArrival(std::optional<TimeNs> now) { m_arrival = now; }  // the wall time for lines without one (tailed logs only)
  void flush(Recorder& out);
  void startOver();  // the file was replaced or truncated: the next byte is its first
  // Another process writes the log now, or more ranks do: sets run, attempt, rank, guest and owns_values for the next lines.
  void continueAs(const SessionOptions& writer, Recorder& out);
  void outputEnded(Recorder& out);  // of a live log, before finish(): the program that wrote it has ended
  void finish(Recorder& out);  // end of the file: records waiting data; not its unfinished last line, whose last number may be truncated
  // Whether the unfinished last line has values; otherwise takeRest() processes it: the last words of a process.
  bool cutRecord();
  void takeRest(Recorder& out);

  RunId run() const { return m_run.firstRun(); }
  bool hasRecords() const { return m_run.hasRecords() || m_records > 0; }
  std::int64_t points() const { return m_points.points(); }
  std::optional<TimeNs> endTime() const { return m_end_time; }
  std::uint64_t committedOffset() const { return m_lines.lineStart(); }
  struct IssueNote {
    std::int64_t count = 0;
    std::string detail;
  };
  // As UTC without a zone. Absent without a year or for an impossible date.
  static std::optional<TimeNs> utc(const PrintedTime& printed);
  std::map<std::string, IssueNote> issues() const;

 private:
  struct Line {
    std::string_view text;
    LinePrefix prefix;
    std::optional<TimeNs> time;
    bool record = true;
    AttemptId attempt;      // of a known process; else the log's own
    bool reported = false;  // an event of this line was recorded
    bool logged = false;    // the line was recorded as a log line
    bool arrived = false;   // its time is when it was seen
    std::string_view body() const { return text.substr(prefix.size); }
  };
  void onLine(std::string_view raw, std::uint64_t offset, Recorder& out);
  void apply(const Match& match, Line& line, Recorder& out);
  void onRecord(const Match& match, const Line& line, Recorder& out);
  void onNamed(const Match& match, const Line& line, Recorder& out);
  void onValue(const Rule& rule, const Pair& pair, std::int64_t step, bool samples, const Line& line, Recorder& out);
  void onBar(const Match& match, const Line& line, Recorder& out);
  void onPace(std::int64_t step, const Line& line, Recorder& out);
  void onEvent(const Match& match, Line line, Recorder& out);
  void onCheckpoint(const Match& match, std::optional<std::int64_t> step, const Line& line, Recorder& out);
  void onFact(const Match& match, const Line& line, Recorder& out);
  void onLayout(const Match& match);
  void onLog(Severity severity, Line& line, Recorder& out);
  void findPlace(Line& line);
  void learnPlace(const Match& match, const Line& line, Recorder& out);
  void placeRank(const LinePrefix& place, std::int64_t world, const Line& line, Recorder& out);
  void onTraceback(const Match& match, Line& line, Recorder& out);
  void followTraceback(Line& line, Recorder& out);
  struct Traceback;
  void endTraceback(std::map<std::int32_t, Traceback>::iterator found, const Rule& rule, std::string_view code, std::string_view text,
                    Line& line, Recorder& out);
  static bool isRecord(const Match& match) { return match.rule->kind == RuleKind::kRecord; }
  void sayTraceback(Traceback& traceback, Recorder& out, bool settled = false);
  void sayTracebacks(Recorder& out);
  void endByException(const std::string& code, std::optional<std::int32_t> rank);
  void holdLoneError(const Match& match, const Line& line, Recorder& out);
  void sayLoneErrors(Recorder& out);
  void surviveLoneErrors(Recorder& out);
  void onOtherLine(std::string_view text);
  void sayGrouped(const Rule& rule, Event event, const std::string& shape, Recorder& out, std::optional<std::int64_t> order = {});
  bool adopt(const Event& event);
  struct Repeats;
  Repeats& hold(std::string key, Event event, Recorder& out, std::optional<std::int64_t> order = {});
  void sayRepeats(Recorder& out);
  void stamp(TimeNs time);
  void openAttempt(Recorder& out);
  bool beginIfNeeded(std::int64_t step, Recorder& out);
  bool ownerOf(const Rule& rule, const std::optional<std::int32_t>& rank);
  struct Step {
    std::int64_t value = 0;
    bool samples = false;
    bool counted = false;  // derived by counting lines: not valid for other lines
  };
  std::optional<Step> stepOf(const Match& match);
  std::optional<double> number(std::string_view key) const;
  bool mayTell(const Rule& rule);
  bool mayLog(std::string_view text);
  void place(Event& event, const Line& line, NodeId node) const;
  std::optional<std::int32_t> rankOf(const Line& line) const { return line.prefix.rank ? line.prefix.rank : m_options.rank; }
  bool ownsValues() const;
  void say(Event event, const Line& line, Recorder& out);
  void tell(Event event, Recorder& out);
  bool isHere(std::string_view host) const;
  NodeId nodeOf(std::string_view host, Recorder& out);
  std::optional<TimeNs> timeOf(const PrintedTime& printed);
  std::optional<TimeNs> absoluteTime(const Match& match, std::string_view line);
  void lookAtLine(std::string_view line);
  bool isKnown(std::string_view line, const std::vector<Match>& matches) const;
  bool isFailure(const Line& line) const;
  std::optional<TimeNs> nearTime();
  void remember(std::string_view line);
  void addIssue(const std::string& code, std::string detail, std::int64_t count = 1);
  std::string sourceOf(const std::string& sub) const;

  std::shared_ptr<const RuleSet> m_rules;
  SessionOptions m_options;
  LineSplitter m_lines;
  RunBuilder m_run;
  PointBuffer m_points;
  RuleSet::Scratch m_scratch;
  std::string m_clean;
  std::vector<Pair> m_pairs;
  std::optional<TimeNs> m_arrival, m_end_time;
  std::optional<DurNs> m_zone;    // of stamps without a zone, ahead of UTC
  std::optional<TimeNs> m_dated;  // the newest stamp with a year, or absolute time
  struct Ahead {
    LineSplitter lines;
    std::optional<TimeNs> absolute, bare;  // the newest absolute time; the newest stamp without a zone since then
    std::size_t back = 0;                  // lines since that stamp
  };
  Ahead m_ahead;
  bool m_known = false;         // a record of a known format had a loss: generic rules are off
  bool m_generic_read = false;  // of this line: the first of them counts
  // The first bytes of the last lines, in which a line without a time finds the one printed just before it.
  static constexpr std::size_t kNearLines = 4, kNearBytes = 128;
  std::array<std::array<char, kNearBytes>, kNearLines> m_near;
  std::array<std::uint8_t, kNearLines> m_near_size{};
  std::size_t m_near_at = 0;
  // Per attempt; keyed by rule address, which is stable for the life of m_rules.
  struct RuleState {
    bool owned = false;
    std::optional<std::int32_t> owner;
    std::optional<std::int64_t> last_step;
    std::int64_t count = 0, repeats = 0;
    std::string last_text;
  };
  std::unordered_map<const Rule*, RuleState> m_state;
  std::set<std::pair<const Rule*, std::int32_t>> m_said_once;
  std::unordered_map<std::size_t, std::int64_t> m_file_step;  // last step per rule file
  std::optional<std::int64_t> m_step;                         // last step of any
  std::map<std::string, double, std::less<>> m_variables;
  LinePace m_pace;
  const Rule* m_pace_rule = nullptr;                  // of the open attempt: other lines may count other steps
  bool m_prints_step_times = false, m_paced = false;  // ever: by records; by the times that they print
  std::set<std::size_t> m_record_files;               // rule files with a record, ever
  std::optional<std::int64_t> m_bar_total;            // of the first bar, whose steps are the training's
  std::optional<std::int64_t> m_bar_step;             // the last with a rate, of the open attempt
  struct Process {
    std::int32_t rank = 0;
    std::int64_t world = 0;
  };
  std::unordered_map<std::string, Process> m_processes;  // by host and pid
  struct Place {
    std::optional<std::int32_t> rank;
    std::string host;
    bool first_failure = false;
    int lines = 0;  // number of further lines
  };
  Place m_place;
  // Repeated events are counted: recorded when first seen (tailed), or when all are counted (imported file; its other events wait with
  // them, because without a clock their order is that of the lines).
  struct Repeats {
    Event event;
    std::int64_t order = 0, count = 0, reported = 0;
    std::optional<TimeNs> last;
  };
  std::unordered_map<std::string, Repeats> m_repeats;
  std::int64_t m_held = 0, m_records = 0, m_logs = 0, m_other_lines = 0;  // in total; m_other_lines: of no failure
  std::optional<TimeNs> m_repeats_reported, m_refilled;
  struct Traceback {
    bool open = false, code = false, chained = false;  // between its ends; the last own line was of the stack; the next explains it
    int lines = 0, strangers = 0;
    std::optional<Event> event;  // recorded unless another traceback of the chain follows directly
    const Rule* rule = nullptr;
    std::optional<TimeNs> time;           // of its first line
    std::int64_t order = 0;               // of the event among those that wait
    bool tracker = false;                 // the service that records the run raised it, which few trainers end for
    std::optional<std::int64_t> held_at;  // m_other_lines at the end of a tracker's traceback; later lines decide
  };
  // The time of the last failure's line, and for how many more lines those of failures without a time have it.
  std::pair<std::optional<TimeNs>, int> m_burst;
  std::map<std::int32_t, Traceback> m_tracebacks;  // by rank, -1: unknown
  std::optional<std::int32_t> m_exception_rank;
  std::vector<Traceback> m_lone_errors;  // since the last record: exceptions without a stack, and those of trackers
  using FactKey = std::tuple<std::uint64_t, std::uint64_t, std::int32_t, std::string>;  // attempt, node, rank, key
  std::map<FactKey, std::set<std::string>> m_fact_values;
  std::unordered_map<const Rule*, std::int64_t> m_event_count;
  std::unordered_map<std::string, NodeId> m_nodes;
  bool m_recording = true, m_went_on = false, m_saving = false;  // the last two: other lines, a save, since the last record
  std::int64_t m_long_before = 0, m_refused_before = 0;          // counted in the part that is not recorded
  std::size_t m_reported_by = 0;                                 // 1 + the rule file that recorded an event of this line
  int m_log_more = 0, m_traceback_quiet = 0;                     // m_traceback_quiet: lines since a traceback was continued
  Severity m_log_severity = Severity::kInfo;
  std::map<std::string, IssueNote> m_issues;
};

}  // namespace runglass::train_log
