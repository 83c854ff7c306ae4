// SPDX-License-Identifier: Apache-2.0
// ObjectStream: cuts a stream of Kubernetes JSON into its objects: concatenated objects, lines of a watch, or lists, whose items are passed
// on one by one, so that a list of any size needs the memory of one object.
//
// Threading:  one thread.
// Ownership:  views are valid during the call.
// Units:      bytes.
// Errors:     objects larger than kMaxObject or nested deeper than kMaxDepth are skipped and counted; so are bytes between objects.
// Cost:       O(bytes); at most kMaxObject of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace runglass {

class ObjectStream {
 public:
  // etcd refuses objects above 1.5 MiB.
  static constexpr std::size_t kMaxObject = 2U << 20;
  static constexpr int kMaxDepth = 64;

  // `list_kind` is "PodList" for the items of such a list, whose own kind the API leaves out; else "". The list itself follows its items,
  // without them.
  using OnObject = std::function<void(std::string_view json, std::string_view list_kind)>;
  void push(std::string_view piece, const OnObject& on_object);

  std::uint64_t completeEnd() const { return m_complete_end; }  // offset after the last complete object of the stream itself
  bool cut() const { return m_depth > 0; }                      // the stream ends within an object
  std::int64_t tooLarge() const { return m_too_large; }
  std::int64_t tooDeep() const { return m_too_deep; }
  std::int64_t garbage() const { return m_garbage; }  // lines with bytes outside any object

 private:
  // An object that is being collected: the one of the stream, or an item of its list.
  struct Part {
    std::string json;
    bool too_large = false, too_deep = false;
    void add(char byte);
    void clear() { json.clear(), too_large = too_deep = false; }
  };
  void structural(char byte, const OnObject& on_object);
  void emit(Part& part, std::string_view list_kind, const OnObject& on_object);

  Part m_outer, m_item;
  int m_depth = 0;
  bool m_in_string = false, m_escaped = false, m_in_items = false, m_value_next = false, m_in_garbage = false;
  std::string m_string;            // the last string at depth 1, cut
  std::string m_key, m_list_kind;  // of depth 1
  std::uint64_t m_offset = 0, m_complete_end = 0;
  std::int64_t m_too_large = 0, m_too_deep = 0, m_garbage = 0;
};

}  // namespace runglass
