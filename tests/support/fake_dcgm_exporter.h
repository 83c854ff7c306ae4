// SPDX-License-Identifier: Apache-2.0
// FakeDcgmExporter: a page as dcgm-exporter's, of two GPUs of the node gpu-01. Each scrape shows the next number, so that a value names the
// scrape that it is of.
#pragma once

#include <atomic>
#include <string>

#include "tests/support/http_server.h"

namespace runglass::test {

class FakeDcgmExporter {
 public:
  std::string address() const { return m_server.address(); }
  std::int64_t scrapes() const { return m_scrapes; }

 private:
  bool answer(const HttpServer::Connection& to) {
    const std::string n = std::to_string(++m_scrapes);
    std::string page = "# TYPE DCGM_FI_DEV_FB_USED gauge\n# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter\n";
    for (const std::string gpu : {"0", "1"}) {
      const std::string labels = "{gpu=\"" + gpu + "\",UUID=\"GPU-" + gpu + "\",modelName=\"H100\",Hostname=\"gpu-01\"} ";
      page.append("DCGM_FI_DEV_FB_USED").append(labels).append(n).append("\n");
      page.append("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION").append(labels).append(n).append("000\n");
    }
    return to.answer(page);
  }
  std::atomic<std::int64_t> m_scrapes = 0;
  HttpServer m_server{[this](const std::string&, const HttpServer::Connection& to) { return answer(to); }};
};

}  // namespace runglass::test
