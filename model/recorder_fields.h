// SPDX-License-Identifier: Apache-2.0
// The fields of a Recorder's arguments. The roles are defined in fields.h.
#pragma once

#include "model/captures.h"
#include "model/events.h"
#include "model/fields.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"

namespace runglass {

// --- topology.h

template <class F, Of<Layout> Self>
void fields(F& f, Self& r) {
  f.value("world", r.world), f.value("tp", r.tp), f.value("pp", r.pp), f.value("dp", r.dp), f.value("cp", r.cp);
  f.value("ep", r.ep), f.value("vpp", r.vpp);
}

template <class F, Of<Node> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.text("uuid", r.uuid);
  f.host("name", r.name);
  f.text("rack", r.rack), f.text("fabric_switch", r.fabric_switch);
  f.value("state", r.state), f.value("last_heard", r.last_heard);
}

template <class F, Of<Device> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.text("uuid", r.uuid);
  f.ref("node", r.node);
  f.value("index", r.index);
  f.text("kind", r.kind), f.text("model", r.model);
  f.value("memory_bytes", r.memory_bytes);
}

template <class F, Of<Run> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.word("uuid", r.uuid);
  f.text("name", r.name);
  f.value("time_domain", r.time_domain), f.value("state", r.state), f.value("start", r.start), f.value("end", r.end);
  f.text("framework", r.framework);
  f.value("simulated", r.simulated);
}

template <class F, Of<Attempt> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.owner("run", r.run);
  f.text("key", r.key);
  f.filled("number", r.number);
  f.value("start", r.start), f.value("end", r.end);
  f.text("end_cause", r.end_cause);
  f.value("planned", r.planned), f.value("resumed_from_step", r.resumed_from_step);
  f.filled("first_step", r.first_step), f.filled("last_step", r.last_step);
  f.part("layout", r.layout);
}

template <class F, Of<Rank> Self>
void fields(F& f, Self& r) {
  f.owner("attempt", r.attempt);
  f.value("rank", r.rank);
  f.ref("node", r.node), f.ref("device", r.device);
  f.value("local_rank", r.local_rank), f.value("pid", r.pid);
  f.value("tp", r.tp), f.value("pp", r.pp), f.value("dp", r.dp), f.value("cp", r.cp), f.value("ep", r.ep);
}

template <class F, Of<Fact> Self>
void fields(F& f, Self& r) {
  f.owner("attempt", r.attempt);
  f.ref("node", r.node);
  f.value("rank", r.rank);
  f.key("key", r.key), f.keyed("value", r.value);
}

template <class F, Of<CommGroup> Self>
void fields(F& f, Self& r) {
  f.owner("attempt", r.attempt);
  f.value("id", r.id);  // the source's own number
  f.text("kind", r.kind), f.text("name", r.name);
  f.value("ranks", r.ranks);
}

template <class F, Of<Checkpoint> Self>
void fields(F& f, Self& r) {
  f.owner("attempt", r.attempt);
  f.value("step", r.step), f.value("begin", r.begin), f.value("durable", r.durable), f.value("bytes", r.bytes);
  f.text("path", r.path);
}

// --- samples.h, spans.h

template <class F, Of<SeriesKey> Self>
void fields(F& f, Self& r) {
  f.ref("attempt", r.attempt);
  f.value("rank", r.rank);
  f.ref("node", r.node), f.ref("device", r.device);
  f.text("metric", r.metric), f.text("source", r.source);
  f.json("labels", r.labels);
  f.word("unit", r.unit);
  f.value("kind", r.kind);
}

template <class F, Of<Series> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.part("key", r.key);
  f.filled("run", r.run);
  f.filled("sample_count", r.sample_count), f.filled("first_x", r.first_x), f.filled("last_x", r.last_x);
  f.filled("first_time", r.first_time), f.filled("last_time", r.last_time);
}

template <class F, Of<TrackKey> Self>
void fields(F& f, Self& r) {
  f.owner("attempt", r.attempt);
  f.value("rank", r.rank);
  f.word("kind", r.kind);
  f.text("name", r.name);
}

template <class F, Of<Track> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.part("key", r.key);
  f.filled("run", r.run);
}

template <class F, Of<SpanColumns> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.value("start", r.start), f.value("dur", r.dur), f.value("name", r.name), f.value("category", r.category), f.value("depth", r.depth);
  f.value("step", r.step), f.value("microbatch", r.microbatch), f.value("group", r.group), f.value("seq", r.seq);
  f.value("bytes", r.bytes), f.value("correlation", r.correlation), f.value("external_id", r.external_id);
  f.json("args", r.args);
  f.dictionary("names", r.names);
}

// --- events.h, captures.h

template <class F, Of<Event> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.value("time", r.time);
  f.ref("attempt", r.attempt), f.ref("node", r.node), f.ref("device", r.device);
  f.value("rank", r.rank), f.value("step", r.step);
  f.key("kind", r.kind);
  f.value("severity", r.severity);
  f.text("code", r.code), f.text("message", r.message);
}

template <class F, Of<LogLine> Self>
void fields(F& f, Self& r) {
  f.value("time", r.time);
  f.ref("attempt", r.attempt), f.ref("node", r.node);
  f.value("rank", r.rank);
  f.text("stream", r.stream);
  f.value("severity", r.severity);
  f.text("text", r.text);
}

template <class F, Of<Progress> Self>
void fields(F& f, Self& r) {
  f.owner("attempt", r.attempt);
  f.value("rank", r.rank), f.value("time", r.time), f.value("step", r.step), f.value("microbatch", r.microbatch);
  f.value("group", r.group), f.value("seq", r.seq);
  f.text("phase", r.phase), f.text("op", r.op);
  f.value("since", r.since);
}

template <class F, Of<Issue> Self>
void fields(F& f, Self& r) {
  f.word("code", r.code);
  f.text("source", r.source);
  f.value("count", r.count), f.value("first", r.first), f.value("last", r.last);
  f.text("detail", r.detail);
}

template <class F, Of<Label> Self>
void fields(F& f, Self& r) {
  f.owner("attempt", r.attempt);
  f.key("kind", r.kind);
  f.ref("node", r.node), f.ref("device", r.device);
  f.value("rank", r.rank), f.value("start", r.start), f.value("end", r.end);
  f.value("first_step", r.first_step), f.value("last_step", r.last_step), f.value("strength", r.strength);
}

template <class F, Of<ClockReading> Self>
void fields(F& f, Self& r) {
  f.owner("node", r.node);
  f.text("session", r.session);
  f.value("raw", r.raw), f.value("offset", r.offset), f.value("error", r.error);
  f.text("source", r.source);
}

template <class F, Of<Capture> Self>
void fields(F& f, Self& r) {
  f.own("id", r.id);
  f.value("time", r.time);
  f.ref("attempt", r.attempt), f.ref("node", r.node);
  f.value("rank", r.rank);
  f.key("kind", r.kind);
  f.text("source", r.source), f.text("reason", r.reason), f.text("text", r.text);
  f.filled("bytes", r.bytes);
  f.value("truncated_bytes", r.truncated_bytes);
}

}  // namespace runglass
