// SPDX-License-Identifier: GPL-3.0-or-later
// StoreShare: the console's SharePort: exports an incident of the current store as a separate store.
//
// Threading:  GUI thread; the export runs on a separate thread.
// Ownership:  the session owns it; the destructor cancels a running export and waits for it.
// Units:      bytes.
// Errors:     as exportIncident().
// Cost:       one thread while there is an export.
#pragma once

#include <QThreadPool>
#include <string>

#include "widgets/core/share_port.h"

namespace runglass {

class StoreShare : public SharePort {
 public:
  explicit StoreShare(std::string store);
  ~StoreShare() override;

  void shareIncident(const std::string& uuid, const std::string& to, std::stop_token stop, QObject* context,
                     std::function<void(std::int64_t)> written, std::function<void(const Result<std::int64_t>&)> done) override;

 private:
  const std::string m_store;
  std::stop_source m_stop;  // fires when the program ends
  QThreadPool m_worker;
};

}  // namespace runglass
