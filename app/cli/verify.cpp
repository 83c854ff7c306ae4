// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl verify: checks every checksum and invariant; exit 1 if anything is damaged.
#include <nlohmann/json.hpp>

#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/issue_json.h"
#include "app/cli/options.h"
#include "app/cli/store_access.h"

namespace runglass::ctl {
namespace {

constexpr const char* kNoPageChecksums =
    "no page checksums: a changed bit outside samples and spans can go unnoticed; runglassctl repair makes a copy that has them";

class Verify : public Command {
 public:
  const char* name() const override { return "verify"; }
  const char* help() const override { return "Check every checksum and invariant; exit 1 and name what is damaged"; }
  const char* examples() const override { return "runglassctl verify --store run.rgl\n"; }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.flag("--json", m_json, "Print one JSON object");
  }
  Status run() override {
    RG_ASSIGN(auto reader, openItself(m_store));
    RG_ASSIGN(const auto damaged, reader->verify());
    // The catalogue itself may be damaged.
    const auto info = reader->info();
    const bool page_checksums = !info.ok() || info->page_checksums;
    const auto json = [&] {
      return nlohmann::ordered_json{
          {"path", m_store}, {"ok", damaged.empty()}, {"page_checksums", page_checksums}, {"damaged", damagedJson(damaged)}};
    };
    RG_TRY(printAnswer(m_json, json, [&] {
      std::string lines;
      for (const std::string& line : damaged) lines += line + "\n";
      if (damaged.empty()) lines += m_store + ": everything checked, nothing damaged\n";
      if (!page_checksums) lines += m_store + ": " + kNoPageChecksums + "\n";
      return lines;
    }));
    if (damaged.empty()) return {};
    return {Code::kDataLoss, m_store + ": " + std::to_string(damaged.size()) + " damaged, the first: " + damaged.front()};
  }

 private:
  std::string m_store;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeVerify() { return std::make_unique<Verify>(); }

}  // namespace runglass::ctl
