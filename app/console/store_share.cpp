// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: callbacks run on the GUI thread, and the context is only accessed there.
#include "app/console/store_share.h"

#include <chrono>
#include <filesystem>

#include "app/console/gui_thread.h"
#include "storage/writer.h"

namespace runglass {
namespace {

constexpr std::chrono::milliseconds kTellEvery{100};

// Forwards an export's results to the GUI thread, and its progress at a limited rate.
class Teller {
 public:
  Teller(QObject* context, std::function<void(std::int64_t)> written) : m_post(guiThreadOf(context)), m_written(std::move(written)) {}
  void written(std::int64_t bytes) {
    const auto now = std::chrono::steady_clock::now();
    if (now - m_last < kTellEvery) return;
    m_last = now;
    post([tell = m_written, bytes] { tell(bytes); });
  }
  void post(std::function<void()> call) const { m_post(std::move(call)); }

 private:
  const std::function<void(std::function<void()>)> m_post;
  const std::function<void(std::int64_t)> m_written;
  std::chrono::steady_clock::time_point m_last;
};

}  // namespace

StoreShare::StoreShare(std::string store) : m_store(std::move(store)) { m_worker.setMaxThreadCount(1); }

StoreShare::~StoreShare() {
  m_stop.request_stop();
  m_worker.waitForDone();
}

void StoreShare::shareIncident(const std::string& uuid, const std::string& to, std::stop_token stop, QObject* context,
                               std::function<void(std::int64_t)> written, std::function<void(const Result<std::int64_t>&)> done) {
  auto teller = std::make_shared<Teller>(context, std::move(written));
  m_worker.start([this, uuid, to, stop = std::move(stop), teller, done = std::move(done)] {
    // Stopped by the caller or by the end of the program.
    std::stop_source either;
    const std::stop_callback asked(stop, [&either] { either.request_stop(); });
    const std::stop_callback ended(m_stop.get_token(), [&either] { either.request_stop(); });
    const ExportWatch watch{.stop = either.get_token(), .written = [teller](std::int64_t bytes) { teller->written(bytes); }};
    const Status status = exportIncident(m_store, uuid, kIncidentMargin, to, watch);
    std::error_code absent;
    const auto size = status.ok() ? std::filesystem::file_size(to, absent) : 0;
    const Result<std::int64_t> answer = status.ok() ? Result<std::int64_t>(static_cast<std::int64_t>(size)) : Result<std::int64_t>(status);
    teller->post([done, answer] { done(answer); });
  });
}

}  // namespace runglass
