// SPDX-License-Identifier: Apache-2.0
// LogSession's events, facts, tracebacks and log lines: content of a log besides its values.
// Invariants:
// 1. An entry of m_repeats has recorded its first event (tailed log) or none (imported file); sayRepeats() records the rest, in the order
//    of the lines.
// 2. A traceback gives one event, of its last line, unless a rule makes an event of that line; a chain gives the event of its last
//    traceback.
#include <algorithm>
#include <array>
#include <utility>

#include "collectors/importers/train_log/log_session.h"
#include "collectors/importers/train_log/log_text.h"
#include "collectors/importers/train_log/pairs.h"
#include "model/fault_catalog.h"

namespace runglass::train_log {
namespace {
constexpr std::int64_t kMaxEventsPerRule = 2000, kMaxLogLines = 5000;
constexpr std::size_t kMaxLoneErrors = 64, kMaxRepeats = 4096, kMaxProcesses = 1 << 16, kMaxFactKeys = 1 << 16, kMaxFactValues = 16,
                      kMaxTracebacks = 4096;
constexpr int kMaxTracebackLines = 200;  // recorded as log lines
constexpr int kMaxStrangers = 50;        // lines of other origin within a traceback
constexpr int kChainLines = 4;           // "The above exception was the direct cause of ..." between blank lines
constexpr int kQuietLines = 2000;        // after these a rank's traceback does not continue
constexpr int kTailLines = 4;            // of a multi-line message

// The text without its numbers: equal for lines that differ only in sizes, ports, addresses and times.
std::string shapeOf(std::string_view text) {
  std::string out;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < text.size();) {
    if (!digit(text[i])) {
      out += text[i++];
      continue;
    }
    const bool hex = text.substr(i).starts_with("0x");
    i += hex ? 2 : 0;
    while (i < text.size() && (digit(text[i]) || (hex && ((text[i] >= 'a' && text[i] <= 'f') || (text[i] >= 'A' && text[i] <= 'F'))))) ++i;
    out += '#';
  }
  return out;
}

// Texts of errors that settings quote as well ("retry_on='CUDA out of memory'").
bool isErrorText(std::string_view kind) {
  return kind == "no_space" || kind == "out_of_memory" || kind == "cuda_error" || kind == "nccl_error";
}

// "retry_on='CUDA out of memory'" in a line of level INFO or DEBUG.
bool quotesError(std::string_view line) {
  if (line.find("INFO") == std::string_view::npos && line.find("DEBUG") == std::string_view::npos) return false;
  for (const std::string_view text : {"CUDA out of memory", "No space left on device", "NCCL error", "CUDA error"})
    if (const std::size_t at = line.find(text);
        at != std::string_view::npos && at > 1 && line[at - 1] == '\'' && (line[at - 2] == '=' || line[at - 2] == ' '))
      return true;
  return false;
}

// The class in "StopIteration", "torch._dynamo.exc.Unsupported: call_function ...".
std::optional<std::string_view> exceptionOf(std::string_view body) {
  const std::string_view path = body.substr(0, std::min(body.find_first_of(": "), body.size()));
  const std::string_view rest = trimmed(body.substr(path.size()));
  const std::string_view name = path.substr(path.rfind('.') + 1);
  const auto isNameChar = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  const bool is_class =
      !name.empty() && name[0] >= 'A' && name[0] <= 'Z' && std::ranges::any_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_class || !std::ranges::all_of(path, isNameChar) || !(rest.empty() || rest[0] == ':')) return std::nullopt;
  return name;
}

// "SIGSEGV" as its number, by which the catalogue knows it; other codes as they are.
std::string signalNumber(std::string code) {
  constexpr std::pair<std::string_view, std::string_view> kSignals[] = {
      {"SIGILL", "4"}, {"SIGABRT", "6"}, {"SIGBUS", "7"}, {"SIGFPE", "8"}, {"SIGKILL", "9"}, {"SIGSEGV", "11"}, {"SIGTERM", "15"}};
  for (const auto& [name, number] : kSignals)
    if (code == name) return std::string(number);
  return code;
}

constexpr std::array<std::string_view, 5> kTrackers = {"wandb", "comet_ml", "mlflow", "neptune", "clearml"};

// The class of an exception is an experiment tracker's, a frame is in its package, or its service did not answer.
bool namesTracker(std::string_view text) {
  if (text.find("'api.wandb.ai'") != std::string_view::npos || text.find(".comet.com'") != std::string_view::npos) return true;
  return std::ranges::any_of(kTrackers, [&](std::string_view name) {
    const bool of_class = text.starts_with(name) && text.substr(name.size()).starts_with('.');
    return of_class || text.find("-packages/" + std::string(name) + "/") != std::string_view::npos;
  });
}

Event exceptionEvent(std::string_view code, std::string_view text, std::optional<std::int64_t> step) {
  Event event{.step = step, .kind = "traceback", .severity = Severity::kError};
  event.code = cleanText(code, kMaxName);
  event.message = cleanText(text, kMaxMessage);
  return event;
}

std::string addressOf(const LinePrefix& prefix) { return std::string(prefix.host) + ':' + std::to_string(*prefix.pid); }
}  // namespace

// A line without a rank gets that of its process, else the one that an earlier line set for the following lines.
void LogSession::findPlace(Line& line) {
  LinePrefix& prefix = line.prefix;
  if (prefix.pid) {
    if (const auto known = m_processes.find(addressOf(prefix)); known != m_processes.end() && !prefix.rank)
      prefix.rank = known->second.rank;
    if (const auto rank = m_options.process && isHere(prefix.host) ? m_options.process(*prefix.pid) : std::nullopt) {
      prefix.rank = rank->rank;
      line.attempt = rank->attempt;
    }
  }
  if (m_place.lines == 0) return;
  if (!prefix.rank) prefix.rank = m_place.rank;
  if (prefix.host.empty()) prefix.host = m_place.host;
}

void LogSession::learnPlace(const Match& match, const Line& line, Recorder& out) {
  LinePrefix found;
  RuleSet::addPlace(match, found);
  if (match.rule->kind == RuleKind::kPlace) {
    if (m_place.lines == 0) m_place = {};
    if (found.rank) m_place.rank = found.rank;
    if (!found.host.empty()) m_place.host = found.host;
    m_place.first_failure |= match.rule->first_failure;
    m_place.lines = std::max(m_place.lines, match.rule->lines + 1);  // this line counts as one
    return;
  }
  std::int64_t world = 0;
  for (std::size_t i = 0; i < match.rule->captures.size(); ++i)
    if (match.rule->captures[i].name == "world") world = parseInteger(match.groups[i]).value_or(0);
  if (!line.attempt) m_run.ranksAtLeast(world);
  // A process is in many communicators; its rank is that in the largest one.
  if (!line.prefix.pid || !found.rank || m_processes.size() >= kMaxProcesses) return;
  Process& process = m_processes[addressOf(line.prefix)];
  if (world <= process.world) return;
  process = {*found.rank, world};
  found.host = line.prefix.host, found.pid = line.prefix.pid;
  placeRank(found, world, line, out);
}

// Where a rank runs, of lines that name it together with its host. The sources of a live run on this machine know its ranks themselves.
void LogSession::placeRank(const LinePrefix& place, std::int64_t world, const Line& line, Recorder& out) {
  if (!place.rank || place.host.empty() || line.attempt || !line.record || m_options.guest || m_options.process) return;
  m_run.rank({.attempt = {}, .rank = *place.rank, .node = nodeOf(place.host, out), .device = {}, .local_rank = {}, .pid = place.pid},
             world);
}

void LogSession::onFact(const Match& match, const Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  const auto part = [&](Role role, const std::string& otherwise) {
    return match.group(role).data() ? match.group(role) : std::string_view(otherwise);
  };
  Fact fact{.attempt = line.attempt};
  fact.key = cleanText(part(Role::kKey, rule.key), kMaxName);
  fact.value = withoutSecrets(cleanText(part(Role::kText, rule.text), kMaxFact));
  if (fact.key.empty() || looksSecret(fact.key)) return;
  if (rule.scope != FactScope::kAttempt) fact.node = nodeOf(line.prefix.host, out);
  if (rule.scope == FactScope::kRank) fact.rank = rankOf(line);
  if (rule.take != FactTake::kLast || line.attempt) {
    if (m_fact_values.size() >= kMaxFactKeys) return;
    auto& values = m_fact_values[{fact.attempt.value, fact.node.value, fact.rank.value_or(-1), fact.key}];
    if (values.contains(fact.value) || (rule.take == FactTake::kFirst && !values.empty()) || values.size() >= kMaxFactValues) return;
    if (rule.take == FactTake::kLast) values.clear();
    values.insert(fact.value);
    fact.value.clear();
    for (const std::string& value : values) fact.value += (fact.value.empty() ? "" : ", ") + value;
  }
  if (!line.attempt) {
    if (rule.scope != FactScope::kAttempt && !m_run.exists()) openAttempt(out);  // a log without other content
    return m_run.fact(std::move(fact));
  }
  if (line.record) out.fact(fact);
}

// False, and counted, once a rule has recorded kMaxEventsPerRule events.
bool LogSession::mayTell(const Rule& rule) {
  if (++m_event_count[&rule] <= kMaxEventsPerRule) return true;
  addIssue("train_log.too_many_events", rule.where);
  return false;
}

void LogSession::tell(Event event, Recorder& out) {
  if (!event.attempt) return m_run.event(std::move(event), out);
  if (m_recording) out.event(event);
}

void LogSession::place(Event& event, const Line& line, NodeId node) const {
  event.time = line.time;
  event.attempt = line.attempt;
  event.rank = rankOf(line);
  event.node = node;
}

void LogSession::say(Event event, const Line& line, Recorder& out) {
  place(event, line, nodeOf(line.prefix.host, out));
  if (m_options.live) return tell(std::move(event), out);
  if (!line.record) return;
  hold(std::to_string(m_held), std::move(event), out).count = 1;
}

LogSession::Repeats& LogSession::hold(std::string key, Event event, Recorder& out, std::optional<std::int64_t> order) {
  if (m_repeats.size() >= kMaxRepeats) sayRepeats(out);
  if (!order) order = m_held++;
  return m_repeats.emplace(std::move(key), Repeats{.event = std::move(event), .order = *order}).first->second;
}

void LogSession::onEvent(const Match& match, Line line, Recorder& out) {
  const Rule& rule = *match.rule;
  if (isErrorText(rule.event) && quotesError(line.text)) return;
  RuleSet::addPlace(match, line.prefix);
  if (!line.attempt && !m_run.exists()) openAttempt(out);
  if (match.group(Role::kHost).data() || m_place.lines > 0) placeRank(line.prefix, 0, line, out);
  if (rule.once && !m_said_once.emplace(&rule, line.prefix.rank.value_or(-1)).second) return;
  if (rule.starts && !line.attempt) {
    sayRepeats(out);
    m_fact_values.clear();
    m_run.starts(out);
  }
  if (rule.starts || rule.checkpoint != CheckpointPart::kNone || rule.event.starts_with("eval")) m_pace.pause();
  Event event;
  event.kind = rule.event;
  event.severity = rule.severity;
  event.code = cleanText(match.group(Role::kCode), kMaxName);
  if (event.code.empty()) event.code = rule.code;
  if (event.kind == "killed") event.code = signalNumber(event.code);
  if (const FaultInfo* known = findFault(event.kind, event.code); known != nullptr && !known->code.empty())
    event.severity = known->severity;
  event.step = parseInteger(match.group(Role::kStep));
  if (!event.step && !rule.starts) {
    // A library's output has no steps of its own: its step is the newest one that the trainer printed.
    const auto it = m_file_step.find(rule.file);
    event.step = it != m_file_step.end() ? std::optional(it->second) : m_step;
  }
  event.message = cleanText(line.text, kMaxMessage);
  const bool first_failure = m_place.lines > 0 && m_place.first_failure && rule.ends == Ending::kFailed;
  const std::optional<std::int64_t> step = event.step;
  if (rule.group) {
    if (!line.record) return;
    place(event, line, nodeOf(line.prefix.host, out));
    const std::string shape = event.code.empty() ? shapeOf(event.message) : event.code;
    sayGrouped(rule, std::move(event), shape, out);
  } else {
    if (!mayTell(rule)) return;
    say(event, line, out);
  }
  if (first_failure && line.prefix.rank) {
    Event named{.step = step, .kind = "first_failure", .severity = Severity::kWarning};
    named.message = "the launcher reports rank " + std::to_string(*line.prefix.rank) + " as the first to fail";
    say(std::move(named), line, out);
  }
  if (line.attempt) return;
  if (rule.ends == Ending::kFinished || rule.ends == Ending::kDone) m_went_on = true, ++m_other_lines;
  if (rule.ends == Ending::kFinished) m_run.ended(RunBuilder::End::kFinished, rule.event);
  // A stamped line is the trainer's own, no echo of its script. Another rank's success does not undo a failure.
  if (rule.ends == Ending::kDone && line.time && !line.arrived) {
    sayTracebacks(out);
    if (line.prefix.rank == m_exception_rank) m_run.survivesException();
  }
  if (rule.ends == Ending::kFailed) m_run.ended(RunBuilder::End::kFailed, rule.event);
  if (rule.ends == Ending::kStopped) m_run.ended(RunBuilder::End::kStopped, rule.event);
  if (rule.ends == Ending::kTerminated) m_run.ended(RunBuilder::End::kTerminated, rule.event);
  onCheckpoint(match, step, line, out);
}

void LogSession::onCheckpoint(const Match& match, std::optional<std::int64_t> step, const Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  if (rule.checkpoint == CheckpointPart::kBegin) m_saving = true;
  if (rule.checkpoint == CheckpointPart::kSaved || rule.checkpoint == CheckpointPart::kLoaded) m_went_on = true;
  if (!step || rule.checkpoint == CheckpointPart::kNone) return;
  if (rule.checkpoint == CheckpointPart::kLoaded) return m_run.resumedFrom(*step);
  Checkpoint checkpoint;
  checkpoint.step = *step;
  checkpoint.path = cleanText(match.group(Role::kPath), kMaxFact);
  (rule.checkpoint == CheckpointPart::kBegin ? checkpoint.begin : checkpoint.durable) = line.time;
  m_run.checkpoint(std::move(checkpoint), out);
}

// A fault of a node that one line reports without its node, as slurmstepd does, and another with it, is one.
bool LogSession::adopt(const Event& event) {
  const FaultInfo* fault = findFault(event.kind, event.code);
  if (fault == nullptr || fault->scope != FaultScope::kNode) return false;
  for (auto& [key, repeats] : m_repeats) {
    Event& waiting = repeats.event;
    if (static_cast<bool>(waiting.node) == static_cast<bool>(event.node) || waiting.kind != event.kind || waiting.code != event.code ||
        waiting.attempt != event.attempt || repeats.reported > 0)
      continue;
    if (event.node) waiting.node = event.node;
    return true;
  }
  return false;
}

// One event for repeated messages of a rank.
void LogSession::sayGrouped(const Rule& rule, Event event, const std::string& shape, Recorder& out, std::optional<std::int64_t> order) {
  const auto time = event.time;
  const std::string key = event.kind + '\0' + shape + '\0' + std::to_string(event.rank.value_or(-1)) + '\0' +
                          std::to_string(event.node.value) + '\0' + std::to_string(event.attempt.value);
  const auto known = m_repeats.find(key);
  if (known == m_repeats.end() && adopt(event)) return;
  if (known == m_repeats.end() && !mayTell(rule)) return;
  Repeats& repeats = known == m_repeats.end() ? hold(key, std::move(event), out, order) : known->second;
  if (m_options.live && repeats.count == 0) {
    tell(repeats.event, out);
    repeats.reported = 1;
  }
  ++repeats.count;
  repeats.last = time;
}

void LogSession::sayRepeats(Recorder& out) {
  std::vector<Repeats> all;
  for (auto& [key, repeats] : m_repeats)
    if (repeats.count > repeats.reported) all.push_back(std::move(repeats));
  m_repeats.clear();
  std::sort(all.begin(), all.end(), [](const Repeats& a, const Repeats& b) { return a.order < b.order; });
  for (Repeats& repeats : all) {
    const std::int64_t more = repeats.count - repeats.reported;
    if (repeats.reported > 0) {
      repeats.event.time = repeats.last;
      repeats.event.message += " (" + std::to_string(more) + " more)";
    } else if (more > 1) {
      repeats.event.message += " (" + std::to_string(more) + " times)";
    }
    tell(std::move(repeats.event), out);
  }
}

void LogSession::onTraceback(const Match& match, Line& line, Recorder& out) {
  const std::string_view text = match.group(Role::kText), body = line.body();
  const std::string_view before = body.substr(0, static_cast<std::size_t>(text.data() - body.data()));
  // Else mentioned in a line, not printed by Python, which draws "+" and "|" before the exceptions of a group.
  const bool drawn =
      before.empty() || (before.find_first_not_of(" +|") == std::string_view::npos && before.find_first_of("+|") != std::string_view::npos);
  // "train - ERROR - OSError: ...": what a program logs before it ends.
  const bool logged =
      m_saving && match.rule->last && (before.ends_with("ERROR - ") || before.ends_with("ERROR: ") || before.ends_with("ERROR | "));
  const std::int32_t rank = line.prefix.rank.value_or(-1);
  if (text.data() < body.data() || !(drawn || (logged && !m_tracebacks.contains(rank)))) return;
  if (!match.rule->last) {
    const auto before = m_tracebacks.find(rank);
    if (m_tracebacks.size() >= kMaxTracebacks && before == m_tracebacks.end()) return;
    // A launcher prints its own directly behind that of its process.
    if (before != m_tracebacks.end() && !before->second.open && !before->second.chained) sayTraceback(before->second, out);
    m_tracebacks[rank] =
        Traceback{.open = true, .code = true, .rule = match.rule, .time = line.time};  // explains an earlier one of the chain
    return;
  }
  const auto found = m_tracebacks.find(rank);
  if (found != m_tracebacks.end() && found->second.open)
    endTraceback(found, *match.rule, match.group(Role::kCode), text, line, out);
  else if (found == m_tracebacks.end())
    holdLoneError(match, line, out);
}

// An exception without its stack: the end of the attempt if it follows the last record directly, and no other line follows.
void LogSession::holdLoneError(const Match& match, const Line& line, Recorder& out) {
  const std::string_view code = match.group(Role::kCode), label = line.text.substr(0, line.prefix.size);
  const bool error = (code.ends_with("Error") || code.ends_with("Exception")) && match.group(Role::kText).find(": ") != std::string::npos;
  const bool handled = std::ranges::any_of(std::array<std::string_view, 3>{"WARN", "INFO", "DEBUG"},
                                           [&](std::string_view level) { return label.find(level) != std::string_view::npos; });
  const bool reported = std::ranges::any_of(m_scratch.matches, [](const Match& one) { return one.rule->kind == RuleKind::kEvent; });
  if (!error || handled || reported || line.attempt || !line.record || m_lone_errors.size() >= kMaxLoneErrors) return;
  Traceback& lone = m_lone_errors.emplace_back();
  lone.rule = match.rule;
  lone.tracker = namesTracker(match.group(Role::kText));
  place(lone.event.emplace(exceptionEvent(code, match.group(Role::kText), m_step)), line, nodeOf(line.prefix.host, out));
  lone.order = m_held++;
}

void LogSession::sayLoneErrors(Recorder& out) {
  const auto total = m_variables.find("total_steps");
  const bool done = m_step && ((total != m_variables.end() && static_cast<double>(*m_step) >= total->second) ||
                               m_step >= m_bar_total.value_or(INT64_MAX));
  for (Traceback& lone : std::exchange(m_lone_errors, {})) {
    const bool went_on = lone.held_at ? m_other_lines > *lone.held_at : m_went_on || (m_saving && lone.tracker);
    if (went_on || done) lone.event->severity = Severity::kWarning;
    sayTraceback(lone, out, true);
  }
}

// A step has ended behind them.
void LogSession::surviveLoneErrors(Recorder& out) {
  for (Traceback& lone : std::exchange(m_lone_errors, {})) {
    if (!lone.held_at) continue;
    lone.event->severity = Severity::kWarning;
    sayTraceback(lone, out, true);
  }
}

// Trackers print until their process has ended.
void LogSession::onOtherLine(std::string_view text) {
  constexpr std::size_t kLabelEnd = 24;  // behind the prefix of a launcher
  const std::string_view head = text.substr(0, kLabelEnd);
  for (const std::string_view label : {"wandb: ", "COMET INFO", "COMET WARNING", "COMET ERROR"})
    if (head.find(label) != std::string_view::npos) return;
  ++m_other_lines;
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  const bool over = has("inished") || has("one saving") || has("ompleted") || has("after saving");
  const bool saves = !over && (has("saving") || has("Saving")) && (has("checkpoint") || has("ckpt"));
  (saves ? m_saving : m_went_on) = true;
}

void LogSession::endTraceback(std::map<std::int32_t, Traceback>::iterator found, const Rule& rule, std::string_view code,
                              std::string_view text, Line& line, Recorder& out) {
  Traceback& traceback = found->second;
  if (!line.time) line.time = traceback.time;
  onLog(Severity::kError, line, out);
  traceback.open = false;
  traceback.lines = 0;
  m_log_more = std::max(m_log_more, kTailLines);
  m_log_severity = Severity::kError;
  if (line.reported) {
    if (!line.attempt) endByException(cleanText(code, kMaxName), line.prefix.rank);
    m_tracebacks.erase(found);
    return;
  }
  if (!line.record) return;
  if (traceback.tracker || namesTracker(text)) traceback.held_at = m_other_lines;
  traceback.rule = &rule;
  place(traceback.event.emplace(exceptionEvent(code, text, m_step)), line, nodeOf(line.prefix.host, out));
  traceback.order = m_held++;
}

void LogSession::followTraceback(Line& line, Recorder& out) {
  if (m_tracebacks.empty()) return;
  const auto found = m_tracebacks.find(line.prefix.rank.value_or(-1));
  if (found == m_tracebacks.end()) {
    // A dead rank prints no further lines.
    if (++m_traceback_quiet < kQuietLines) return;
    sayTracebacks(out);
    return m_tracebacks.clear();
  }
  m_traceback_quiet = 0;
  Traceback& traceback = found->second;
  if (!traceback.open) {
    traceback.chained |=
        line.text.find("he above exception") != std::string_view::npos || (traceback.event && traceback.event->code.ends_with("Group"));
    if (++traceback.lines <= kChainLines + 1) return;  // its own last line is the first
    sayTraceback(traceback, out);
    m_tracebacks.erase(found);
    return;
  }
  const std::string_view body = line.body();
  // "│" and "╰" frame those that rich prints.
  const bool code = body.starts_with(' ') || body.starts_with('\t') || body.starts_with("│") || body.starts_with("╰");
  const bool own = code || body.empty() || traceback.lines == 0;
  // Any class can be an exception; only right behind the stack, since other processes write between these lines.
  if (const auto name = traceback.code && !own ? exceptionOf(body) : std::nullopt;
      name && std::ranges::none_of(m_scratch.matches, isRecord))
    return endTraceback(found, *traceback.rule, *name, body, line, out);
  traceback.code = own;
  if (code && body.find("File \"") != std::string_view::npos) traceback.tracker = namesTracker(body);
  if (!line.time) line.time = traceback.time;
  if (!own) {
    if (++traceback.strangers > kMaxStrangers) m_tracebacks.erase(found);
    return;
  }
  if (++traceback.lines <= kMaxTracebackLines) onLog(Severity::kError, line, out);
}

// Ends the log's own attempt; a later record reverts it.
void LogSession::endByException(const std::string& code, std::optional<std::int32_t> rank) {
  m_exception_rank = rank;
  if (code.ends_with("Interrupt") || code.ends_with("Exit"))
    m_run.ended(RunBuilder::End::kTerminated, code);
  else if (!code.ends_with("Warning"))
    m_run.ended(RunBuilder::End::kFailed, "exception: " + code);
}

// `settled`: what followed an exception of a tracker is known.
void LogSession::sayTraceback(Traceback& traceback, Recorder& out, bool settled) {
  if (!traceback.event) return;
  // A live log reports at once: the next record reverts it.
  if (!settled && traceback.held_at && !traceback.event->attempt && !m_options.live) {
    if (m_lone_errors.size() < kMaxLoneErrors) return m_lone_errors.push_back(std::move(traceback));
    traceback.event->severity = Severity::kWarning;
  }
  if (!traceback.event->attempt && !m_run.exists()) openAttempt(out);
  if (!traceback.event->attempt && traceback.event->severity >= Severity::kError)
    endByException(traceback.event->code, traceback.event->rank);
  const std::string shape = shapeOf(traceback.event->message);
  sayGrouped(*traceback.rule, std::move(*traceback.event), shape, out, traceback.order);
}

void LogSession::sayTracebacks(Recorder& out) {
  std::vector<Traceback> ended;
  for (const auto& [rank, traceback] : m_tracebacks)
    if (!traceback.open) ended.push_back(traceback);
  std::erase_if(m_tracebacks, [](const auto& one) { return !one.second.open; });
  // The first to end is the cause of the others.
  std::ranges::sort(ended, {}, &Traceback::order);
  for (Traceback& traceback : ended) sayTraceback(traceback, out);
}

bool LogSession::mayLog(std::string_view text) {
  if (++m_logs <= kMaxLogLines) return true;
  addIssue("train_log.too_many_log_lines", cleanText(text, 120));
  return false;
}

void LogSession::onLog(Severity severity, Line& line, Recorder& out) {
  if (!line.record || line.logged) return;
  line.logged = true;
  LogLine log;
  log.text = cleanText(line.text, kMaxLogText);
  if (log.text.empty() || !mayLog(line.text)) return;
  log.attempt = line.attempt;
  if (!log.attempt) {
    const bool fresh = !m_run.exists();
    log.attempt = m_run.attempt(out);
    if (fresh) openAttempt(out);
  }
  log.time = line.time;
  log.node = nodeOf(line.prefix.host, out);
  log.rank = rankOf(line);
  log.stream = m_options.stream;
  log.severity = severity;
  out.log(log);
}

}  // namespace runglass::train_log
