// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/hub/feed/store_text.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "tests/support/sql_rows.h"

namespace runglass {
namespace {

class Line {
 public:
  explicit Line(std::string kind) : m_text(std::move(kind)) {}
  Line& operator()(std::string_view text) {
    m_text.append(" ").append(text.empty() ? "-" : text);
    return *this;
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  Line& operator()(T number) {
    if constexpr (std::is_floating_point_v<T>) return (*this)(std::to_string(std::bit_cast<std::uint64_t>(static_cast<double>(number))));
    return (*this)(std::to_string(number));
  }
  template <class T>
  Line& operator()(const std::optional<T>& value) {
    return value ? (*this)(*value) : (*this)("absent");
  }
  operator std::string() const { return m_text; }

 private:
  std::string m_text;
};

struct Names {
  std::map<std::uint64_t, std::string> nodes, devices, runs, attempts;
  static std::string of(const std::map<std::uint64_t, std::string>& names, std::uint64_t id) {
    if (id == 0) return "none";
    const auto it = names.find(id);
    return it == names.end() ? "unknown" : it->second;
  }
};

class Teller {
 public:
  explicit Teller(Reader& reader) : m_reader(reader) {}

  std::vector<std::string> all() {
    const auto nodes = mustRead(m_reader.nodes());
    for (const Node& n : nodes) {
      m_names.nodes[n.id.value] = n.uuid;
      add(Line("node")(n.uuid)(n.name)(n.rack)(n.fabric_switch)(static_cast<int>(n.state))(n.last_heard));
    }
    const auto devices = mustRead(m_reader.devices());
    for (const Device& d : devices) {
      m_names.devices[d.id.value] = d.uuid;
      add(Line("device")(d.uuid)(node(d.node))(d.index)(d.kind)(d.model)(d.memory_bytes));
    }
    const auto runs = mustRead(m_reader.runs());
    for (const Run& r : runs) run(r);
    const auto issues = mustRead(m_reader.issues());
    for (const Issue& i : issues) add(Line("issue")(i.code)(i.source)(i.count)(i.first)(i.last)(i.detail));
    const auto events = mustRead(m_reader.events({.run = std::nullopt, .kind = {}, .limit = 1'000'000}));
    for (const Event& e : events)
      add(Line("event")(e.id)(e.time)(attempt(e.attempt))(node(e.node))(device(e.device))(e.rank)(e.step)(e.kind)(
          static_cast<int>(e.severity))(e.code)(e.message));
    const auto logs = mustRead(m_reader.logs({.run = std::nullopt, .kind = {}, .limit = 1'000'000}));
    for (const LogLine& l : logs)
      add(Line("log")(l.time)(attempt(l.attempt))(node(l.node))(l.rank)(l.stream)(static_cast<int>(l.severity))(l.text));
    const auto published = mustRead(m_reader.publishedFindings(std::nullopt));
    for (const Finding& f : published)
      add(Line("telling")(f.id)(f.published)(static_cast<int>(f.severity))(f.start)(f.end)(f.last_step)(f.score)(f.summary)(f.evidence));
    const auto findings = mustRead(m_reader.findings(std::nullopt));
    for (const Finding& f : findings)
      add(Line("finding")(f.id)(run(f.run))(attempt(f.attempt))(f.kind)(f.subject)(static_cast<int>(f.severity))(f.start)(f.end)(
          f.first_step)(f.last_step)(node(f.node))(f.rank)(f.dp)(f.pp)(f.tp)(f.score)(f.confidence)(f.coverage)(f.summary)(f.evidence));
    const auto incidents = mustRead(m_reader.incidents(std::nullopt));
    for (const Incident& i : incidents) {
      Line line("incident");
      line(i.uuid)(run(i.run))(attempt(i.attempt))(i.title)(static_cast<int>(i.state))(i.created)(i.updated)(i.cause)(i.notes);
      for (const std::int64_t finding : i.findings) line(finding);
      for (const IncidentEvidence& card : i.evidence) line(card.kind)(card.title)(card.select);
      add(line);
    }
    const auto alerts = mustRead(m_reader.alerts(100'000));
    for (const Alert& a : alerts)
      add(Line("alert")(run(a.run))(a.rule)(a.cause)(a.kind)(a.since)(a.end)(a.due)(a.notified)(a.count)(a.summary)(a.delivery));
    const auto snoozes = mustRead(m_reader.snoozes());
    for (const Snooze& s : snoozes) add(Line("snooze")(s.rule)(s.cause)(s.until)(s.author));
    series();
    std::ranges::sort(m_lines);
    return std::move(m_lines);
  }

 private:
  void add(const std::string& line) { m_lines.push_back(line); }
  std::string node(NodeId id) const { return Names::of(m_names.nodes, id.value); }
  std::string device(DeviceId id) const { return Names::of(m_names.devices, id.value); }
  std::string run(RunId id) const { return Names::of(m_names.runs, id.value); }
  std::string attempt(AttemptId id) const { return Names::of(m_names.attempts, id.value); }

  void run(const Run& r) {
    m_names.runs[r.id.value] = r.uuid;
    add(Line("run")(r.uuid)(r.name)(static_cast<int>(r.state))(r.start)(r.end)(r.framework)(r.simulated ? 1 : 0));
    const auto attempts = mustRead(m_reader.attempts(r.id));
    for (const Attempt& a : attempts) {
      m_names.attempts[a.id.value] = r.uuid + "#" + std::to_string(a.number);
      add(Line("attempt")(attempt(a.id))(a.key)(a.start)(a.end)(a.end_cause)(a.resumed_from_step)(a.first_step)(a.last_step)(
          a.layout.world)(a.layout.tp));
      const auto ranks = mustRead(m_reader.ranks(a.id));
      for (const Rank& k : ranks)
        add(Line("rank")(attempt(a.id))(k.rank)(node(k.node))(device(k.device))(k.local_rank)(k.pid)(k.tp)(k.pp)(k.dp)(k.cp)(k.ep));
      const auto facts = mustRead(m_reader.facts(a.id));
      for (const Fact& f : facts) add(Line("fact")(attempt(a.id))(node(f.node))(f.rank)(f.key)(f.value));
      const auto groups = mustRead(m_reader.groups(a.id));
      for (const CommGroup& g : groups) {
        Line line("group");
        line(attempt(a.id))(g.id)(g.kind)(g.name);
        for (const std::int32_t member : g.ranks) line(member);
        add(line);
      }
      if (const auto alignment = mustRead(m_reader.alignment(a.id))) {
        Line line("alignment");
        line(attempt(a.id))(alignment->source)(alignment->matches)(alignment->residual);
        for (const ClockShift& s : alignment->shifts) line(s.rank)(s.at)(s.shift)(s.error);
        add(line);
      }
    }
    const auto checkpoints = mustRead(m_reader.checkpoints(r.id));
    for (const Checkpoint& c : checkpoints) add(Line("checkpoint")(attempt(c.attempt))(c.step)(c.begin)(c.durable)(c.bytes)(c.path));
    const auto rows = mustRead(m_reader.progress(r.id));
    for (const Progress& p : rows)
      add(Line("progress")(attempt(p.attempt))(p.rank)(p.time)(p.step)(p.microbatch)(p.group)(p.seq)(p.phase)(p.op)(p.since));
    const auto labels = mustRead(m_reader.labels(r.id));
    for (const Label& l : labels)
      add(Line("label")(attempt(l.attempt))(l.kind)(node(l.node))(l.rank)(l.start)(l.end)(l.first_step)(l.strength));
    const auto notes = mustRead(m_reader.notes(r.id));
    for (const Note& n : notes) add(Line("note")(n.id)(n.run_uuid)(n.time)(n.author)(n.text));
  }

  void series() {
    constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min(), kHighest = std::numeric_limits<std::int64_t>::max();
    const auto all = mustRead(m_reader.series({.kind = SeriesKind::kScalar}));
    for (const Series& s : all) {
      Line line("series");
      line(attempt(s.key.attempt))(s.key.rank)(node(s.key.node))(device(s.key.device))(s.key.metric)(s.key.source)(s.key.labels)(
          s.key.unit);
      const std::string name = line;
      for (const std::string& identity : sqlRows(m_reader, "SELECT identity FROM series WHERE series_id = " + std::to_string(s.id.value)))
        add(Line(name)("identity")(identity));
      const ScalarColumns points = mustRead(m_reader.scalars(s.id, kLowest, kHighest));
      add(Line(name)("points")(static_cast<std::int64_t>(points.size()))(s.sample_count)(s.first_time)(s.last_time));
      for (std::size_t i = 0; i < points.size(); ++i)
        m_lines.push_back(Line(name)("at")(std::to_string(1'000'000 + i))(points.step[i])(points.time.empty() ? kAbsent : points.time[i])(
            points.value[i]));
      const SeriesId ids[] = {s.id};
      const auto newest = mustRead(m_reader.latest(ids));
      for (const LatestSample& latest : newest) add(Line(name)("latest")(latest.x)(latest.time)(latest.value));
    }
  }

  Reader& m_reader;
  Names m_names;
  std::vector<std::string> m_lines;
};

}  // namespace

std::vector<std::string> storeText(Reader& reader) { return Teller(reader).all(); }

}  // namespace runglass
