// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Only the opcodes of kRead are read; any other one ends the reading. None of those can call anything.
// 2. A value becomes finished when it is taken from the memo: changing it afterwards (as a cycle would require) is rejected.
//  3. Stack, marks and memo are no longer than PlainDocument::kMaxParts.
#include <array>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "collectors/importers/nccl/document_readers.h"

namespace runglass {
namespace {

using Part = PlainDocument::Part;

enum Opcode : unsigned char {
  kMark = '(',
  kEmptyTuple = ')',
  kStop = '.',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8A,
};

struct OpcodeName {
  unsigned char opcode;
  const char* name;
};
constexpr std::array kNames = {
    OpcodeName{kMark, "MARK"}, OpcodeName{kEmptyTuple, "EMPTY_TUPLE"}, OpcodeName{kStop, "STOP"}, OpcodeName{kBinFloat, "BINFLOAT"},
    OpcodeName{kBinInt, "BININT"}, OpcodeName{kBinInt1, "BININT1"}, OpcodeName{kBinInt2, "BININT2"}, OpcodeName{kNone, "NONE"},
    OpcodeName{kBinUnicode, "BINUNICODE"}, OpcodeName{kEmptyList, "EMPTY_LIST"}, OpcodeName{kAppend, "APPEND"},
    OpcodeName{kAppends, "APPENDS"}, OpcodeName{kBinGet, "BINGET"}, OpcodeName{kLongBinGet, "LONG_BINGET"}, OpcodeName{kBinPut, "BINPUT"},
    OpcodeName{kLongBinPut, "LONG_BINPUT"}, OpcodeName{kSetItem, "SETITEM"}, OpcodeName{kTuple, "TUPLE"}, OpcodeName{kSetItems, "SETITEMS"},
    OpcodeName{kEmptyDict, "EMPTY_DICT"}, OpcodeName{kProto, "PROTO"}, OpcodeName{kTuple1, "TUPLE1"}, OpcodeName{kTuple2, "TUPLE2"},
    OpcodeName{kTuple3, "TUPLE3"}, OpcodeName{kNewTrue, "NEWTRUE"}, OpcodeName{kNewFalse, "NEWFALSE"}, OpcodeName{kLong1, "LONG1"},
    // Never read; listed so that the error message can name the opcode.
    OpcodeName{'0', "POP"}, OpcodeName{'1', "POP_MARK"}, OpcodeName{'2', "DUP"}, OpcodeName{'F', "FLOAT"}, OpcodeName{'I', "INT"},
    OpcodeName{'L', "LONG"}, OpcodeName{'P', "PERSID"}, OpcodeName{'Q', "BINPERSID"}, OpcodeName{'R', "REDUCE"}, OpcodeName{'S', "STRING"},
    OpcodeName{'T', "BINSTRING"}, OpcodeName{'U', "SHORT_BINSTRING"}, OpcodeName{'V', "UNICODE"}, OpcodeName{'B', "BINBYTES"},
    OpcodeName{'C', "SHORT_BINBYTES"}, OpcodeName{'b', "BUILD"}, OpcodeName{'c', "GLOBAL"}, OpcodeName{'d', "DICT"}, OpcodeName{'g', "GET"},
    OpcodeName{'i', "INST"}, OpcodeName{'l', "LIST"}, OpcodeName{'o', "OBJ"}, OpcodeName{'p', "PUT"}, OpcodeName{0x81, "NEWOBJ"},
    OpcodeName{0x82, "EXT1"}, OpcodeName{0x83, "EXT2"}, OpcodeName{0x84, "EXT4"}, OpcodeName{0x8B, "LONG4"},
    OpcodeName{0x8C, "SHORT_BINUNICODE"}, OpcodeName{0x8D, "BINUNICODE8"}, OpcodeName{0x92, "NEWOBJ_EX"}, OpcodeName{0x93, "STACK_GLOBAL"},
    OpcodeName{0x94, "MEMOIZE"}, OpcodeName{0x95, "FRAME"}};

std::string nameOf(unsigned char opcode) {
  for (const OpcodeName& known : kNames)
    if (known.opcode == opcode) return known.name;
  constexpr const char* kHex = "0123456789abcdef";
  return std::string("0x") + kHex[opcode >> 4] + kHex[opcode & 15];
}

class PickleReader {
 public:
  PickleReader(std::string_view bytes, PlainDocument& into, std::stop_token stop)
      : m_bytes(bytes), m_document(into), m_stop(std::move(stop)) {}

  Result<PickleEnd> read() {
    for (std::uint64_t done = 0;; ++done) {
      if (done % 65'536 == 0 && m_stop.stop_requested()) return Status(Code::kCancelled, "stopped");
      m_begin = m_at;
      if (m_at == m_bytes.size()) return Status(Code::kInvalidArgument, "byte " + std::to_string(m_at) + ": the pickle ends without STOP");
      m_opcode = static_cast<unsigned char>(m_bytes[m_at++]);
      if (m_begin == 0 && m_opcode != kProto) return wrong("the pickle does not begin with PROTO");
      if (m_opcode == kStop) return end();
      if (Status step = this->step(); !step.ok()) return wrong(step.message(), step.code());
    }
  }

 private:
  Status wrong(const std::string& why, Code code = Code::kInvalidArgument) const {
    return {code, "byte " + std::to_string(m_begin) + ": opcode " + nameOf(m_opcode) + ": " + why};
  }
  static Status bad(const char* why) { return {Code::kInvalidArgument, why}; }

  Result<PickleEnd> end() {
    if (m_stack.size() != 1 || !m_marks.empty()) return wrong("not exactly one value is left");
    m_document.finish(m_stack.back());
    m_document.setRoot(m_stack.back());
    return PickleEnd{m_bytes.size() - m_at};
  }

  Status step() {
    switch (m_opcode) {
      case kProto:
        return proto();
      case kNone:
        return push(m_document.null());
      case kNewTrue:
      case kNewFalse:
        return push(m_document.boolean(m_opcode == kNewTrue));
      case kBinInt:
      case kBinInt1:
      case kBinInt2:
      case kLong1:
        return integer();
      case kBinFloat: {
        RG_ASSIGN(const std::uint64_t bits, little(8));
        return push(m_document.real(std::bit_cast<double>(__builtin_bswap64(bits))));
      }
      case kBinUnicode: {
        RG_ASSIGN(const std::uint64_t size, little(4));
        RG_ASSIGN(const std::string_view text, take(size));
        return push(m_document.text(text));
      }
      case kEmptyList:
        return push(m_document.list());
      case kEmptyDict:
        return push(m_document.object());
      case kMark:
        if (m_marks.size() == PlainDocument::kMaxParts) return {Code::kResourceExhausted, "too many marks"};
        m_marks.push_back(m_stack.size());
        return {};
      case kEmptyTuple:
      case kTuple:
      case kTuple1:
      case kTuple2:
      case kTuple3:
        return tuple();
      case kAppend:
      case kAppends:
      case kSetItem:
      case kSetItems:
        return members();
      case kBinPut:
      case kLongBinPut:
      case kBinGet:
      case kLongBinGet:
        return memo();
      default:
        return bad("not among those of a dump of plain values: the file is refused, and nothing of it was executed");
    }
  }

  Status proto() {
    RG_ASSIGN(const std::uint64_t version, little(1));
    if (m_begin != 0) return bad("a second one");
    return version == 2 ? Status() : Status(Code::kInvalidArgument, "protocol " + std::to_string(version) + ", dumps have 2");
  }

  Status integer() {
    if (m_opcode != kLong1) {
      const std::size_t width = m_opcode == kBinInt ? 4 : m_opcode == kBinInt2 ? 2 : 1;
      RG_ASSIGN(const std::uint64_t value, little(width));
      const auto low = static_cast<std::uint32_t>(value);
      return push(m_document.integer(m_opcode == kBinInt ? std::int64_t{static_cast<std::int32_t>(low)} : std::int64_t{low}));
    }
    RG_ASSIGN(const std::uint64_t size, little(1));
    if (size > 9) return bad("an integer of more than 64 bits");
    const std::size_t low_bytes = size > 8 ? 8 : size;
    RG_ASSIGN(std::uint64_t value, little(low_bytes));
    if (size == 9) {
      RG_ASSIGN(const std::uint64_t sign, little(1));
      if (sign != 0) return bad("an integer of more than 64 bits");
      if (value > static_cast<std::uint64_t>(INT64_MAX)) return push(m_document.bigInteger(m_document.keep(std::to_string(value))));
    } else if (size > 0 && size < 8 && (value >> (8 * size - 1)) != 0) {
      value |= ~std::uint64_t{0} << (8 * size);
    }
    return push(m_document.integer(static_cast<std::int64_t>(value)));
  }

  Status tuple() {
    std::size_t count = 0;
    if (m_opcode == kTuple) {
      RG_ASSIGN(count, sinceMark());
    } else if (m_opcode != kEmptyTuple) {
      count = m_opcode - kTuple1 + 1U;
    }
    if (left() < count) return bad("too few values on the stack");
    RG_ASSIGN(const Part list, m_document.list());
    for (std::size_t i = m_stack.size() - count; i < m_stack.size(); ++i) RG_TRY(m_document.append(list, m_stack[i]));
    m_stack.resize(m_stack.size() - count);
    m_document.finish(list);
    return push(list);
  }

  Status members() {
    const bool pairs = m_opcode == kSetItem || m_opcode == kSetItems;
    std::size_t count = pairs ? 2 : 1;
    if (m_opcode == kAppends || m_opcode == kSetItems) {
      RG_ASSIGN(count, sinceMark());
    }
    if (left() < count + 1) return bad("too few values on the stack");
    if (pairs && count % 2 != 0) return bad("a key without a value");
    const std::size_t first = m_stack.size() - count;
    const Part into = m_stack[first - 1];
    for (std::size_t i = first; i < m_stack.size(); i += pairs ? 2 : 1)
      RG_TRY(pairs ? m_document.put(into, m_stack[i], m_stack[i + 1]) : m_document.append(into, m_stack[i]));
    m_stack.resize(first);
    return {};
  }

  Status memo() {
    const bool long_index = m_opcode == kLongBinPut || m_opcode == kLongBinGet;
    RG_ASSIGN(const std::uint64_t index, little(long_index ? 4 : 1));
    if (m_opcode == kBinPut || m_opcode == kLongBinPut) {
      if (left() == 0) return bad("too few values on the stack");
      if (m_memo.size() == PlainDocument::kMaxParts) return {Code::kResourceExhausted, "the memo is too large"};
      m_memo[index] = m_stack.back();
      return {};
    }
    const auto known = m_memo.find(index);
    if (known == m_memo.end()) return bad("nothing was put there");
    m_document.finish(known->second);
    return push(known->second);
  }

  // Number of values since the topmost mark, which is removed.
  Result<std::size_t> sinceMark() {
    if (m_marks.empty()) return bad("no mark");
    const std::size_t count = m_stack.size() - m_marks.back();
    m_marks.pop_back();
    return count;
  }
  // Number of values above the topmost mark.
  std::size_t left() const { return m_stack.size() - (m_marks.empty() ? 0 : m_marks.back()); }

  Status push(Result<Part> part) {
    RG_TRY(part.status());
    if (m_stack.size() == PlainDocument::kMaxParts) return {Code::kResourceExhausted, "too many values on the stack"};
    m_stack.push_back(*part);
    return {};
  }

  Result<std::string_view> take(std::uint64_t size) {
    if (size > m_bytes.size() - m_at) return bad("the pickle ends in the middle of it");
    const std::string_view view = m_bytes.substr(m_at, size);
    m_at += size;
    return view;
  }
  Result<std::uint64_t> little(std::size_t size) {
    RG_ASSIGN(const std::string_view bytes, take(size));
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), size);
    return value;
  }

  std::string_view m_bytes;
  PlainDocument& m_document;
  std::stop_token m_stop;
  std::size_t m_at = 0, m_begin = 0;
  unsigned char m_opcode = 0;
  std::vector<Part> m_stack;
  std::vector<std::size_t> m_marks;
  std::unordered_map<std::uint64_t, Part> m_memo;
};

}  // namespace

Result<PickleEnd> readPickle(std::string bytes, PlainDocument& into, std::stop_token stop) {
  return PickleReader(into.keep(std::move(bytes)), into, std::move(stop)).read();
}

}  // namespace runglass
