// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/answer_message.h"

#include "collectors/wire/feed_frame.h"

namespace runglass {
namespace {

template <class Message>
void setQuery(Message& message, const auto& query, Crossing& crossing) {
  message.set_t0(query.range.t0);
  message.set_t1(query.range.t1);
  if (query.run) message.set_run(static_cast<std::uint32_t>(crossing.out(*query.run)));
  message.set_kind(query.kind);
  message.set_at_least(static_cast<std::uint32_t>(query.at_least));
  message.set_limit(static_cast<std::uint32_t>(std::min<std::size_t>(query.limit, kMaxLines)));
}

template <class Id>
std::optional<Id> idOf(std::uint32_t wire, Crossing& crossing) {
  return wire == 0 ? std::nullopt : std::optional(crossing.in<Id>(wire));
}
Severity severityOf(std::uint32_t wire) {
  return static_cast<Severity>(std::min<std::uint32_t>(wire, static_cast<std::uint32_t>(Severity::kCritical)));
}

}  // namespace

v1::AskLogs messageOf(const RowQuery& query, Crossing& crossing) {
  v1::AskLogs message;
  setQuery(message, query, crossing);
  message.set_words(query.words);
  if (query.attempt) message.set_attempt(static_cast<std::uint32_t>(crossing.out(*query.attempt)));
  if (query.node) message.set_node(static_cast<std::uint32_t>(crossing.out(*query.node)));
  if (query.rank) message.set_rank(*query.rank);
  message.set_stream(query.stream);
  message.set_oldest_first(query.order == RowOrder::kOldestFirst);
  if (query.after) {
    message.set_after_time(query.after->time);
    message.set_after_id(query.after->id);
  }
  return message;
}

v1::AskLogs messageOf(const EventFilter& filter, Crossing& crossing) {
  v1::AskLogs message;
  message.set_plain(true);
  setQuery(message, filter, crossing);
  return message;
}

RowQuery queryOf(const v1::AskLogs& message, Crossing& crossing) {
  RowQuery query{.words = message.words(), .range = {message.t0(), message.t1()}};
  query.run = idOf<RunId>(message.run(), crossing);
  query.attempt = idOf<AttemptId>(message.attempt(), crossing);
  query.node = idOf<NodeId>(message.node(), crossing);
  if (message.has_rank()) query.rank = message.rank();
  query.kind = message.kind();
  query.stream = message.stream();
  query.at_least = severityOf(message.at_least());
  query.order = message.oldest_first() ? RowOrder::kOldestFirst : RowOrder::kNewestFirst;
  if (message.has_after_time()) query.after = RowKey{message.after_time(), message.after_id()};
  query.limit = std::min<std::size_t>(message.limit(), kMaxLines);
  return query;
}

EventFilter filterOf(const v1::AskLogs& message, Crossing& crossing) {
  EventFilter filter{.range = {message.t0(), message.t1()}, .run = idOf<RunId>(message.run(), crossing), .kind = message.kind()};
  filter.at_least = severityOf(message.at_least());
  filter.limit = std::min<std::size_t>(message.limit(), kMaxLines);
  return filter;
}

std::vector<v1::AnswerPart> partsOf(std::string_view answer) {
  std::vector<v1::AnswerPart> parts;
  do {
    v1::AnswerPart& part = parts.emplace_back();
    *part.mutable_frame() = packFrame(answer.substr(0, kAnswerPiece));
    part.mutable_frame()->set_seq(parts.size() - 1);
    answer.remove_prefix(std::min(answer.size(), kAnswerPiece));
    part.set_last(answer.empty());
  } while (!answer.empty());
  return parts;
}

Status AnswerAssembly::add(const v1::AnswerPart& part) {
  if (m_whole || part.frame().seq() != m_next) return {Code::kDataLoss, "answer: its parts are out of order"};
  if (part.frame().size() > kMaxAnswer - m_bytes.size()) return {Code::kDataLoss, "answer: larger than one may be"};
  RG_ASSIGN(const std::string piece, unpackFrame(part.frame(), kAnswerPiece));
  m_bytes += piece;
  ++m_next;
  m_whole = part.last();
  return {};
}

Result<v1::Answer> AnswerAssembly::take() {
  if (!m_whole) return Status(Code::kDataLoss, "answer: its end did not come");
  v1::Answer answer;
  if (!answer.ParseFromString(m_bytes)) return Status(Code::kDataLoss, "answer: cannot be read");
  return answer;
}

}  // namespace runglass
