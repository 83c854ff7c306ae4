// SPDX-License-Identifier: Apache-2.0
// Values by dense id, in pages: a page without values is freed, so that unused ids cost almost nothing.
//
// Threading:  guarded by its owner.
// Ownership:  shared values.
// Cost:       two indirections per look-up; 8 bytes per kPage ids that were ever in use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace runglass {

template <class T>
class SlotPages {
 public:
  static constexpr std::size_t kPage = 256;

  const std::shared_ptr<T>& get(std::uint64_t id) const {
    static const std::shared_ptr<T> none;
    const Page* const page = id / kPage < m_pages.size() ? m_pages[id / kPage].get() : nullptr;
    return page == nullptr ? none : page->values[id % kPage];
  }
  T* find(std::uint64_t id) const { return get(id).get(); }
  T& put(std::uint64_t id, std::shared_ptr<T> value) {
    if (m_pages.size() <= id / kPage) m_pages.resize(id / kPage + 1);
    auto& page = m_pages[id / kPage];
    if (!page) page = std::make_unique<Page>();
    auto& slot = page->values[id % kPage];
    const std::size_t more = slot ? 0 : 1;
    page->used += more, m_used += more;
    slot = std::move(value);
    return *slot;
  }
  // Returns whether this freed its page.
  bool erase(std::uint64_t id) {
    if (!get(id)) return false;
    auto& page = m_pages[id / kPage];
    page->values[id % kPage].reset();
    --m_used;
    if (--page->used > 0) return false;
    page.reset();
    return true;
  }
  // Calls take(id, value) for each value.
  template <class Take>
  void each(Take take) const {
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
      if (!m_pages[i]) continue;
      for (std::size_t k = 0; k < kPage; ++k)
        if (const auto& value = m_pages[i]->values[k]) take(i * kPage + k, *value);
    }
  }
  std::size_t size() const { return m_used; }
  void clear() {
    m_pages.clear();
    m_used = 0;
  }

 private:
  struct Page {
    std::array<std::shared_ptr<T>, kPage> values;
    std::size_t used = 0;
  };
  std::vector<std::unique_ptr<Page>> m_pages;
  std::size_t m_used = 0;
};

}  // namespace runglass
