// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl repair: a new store with everything that can be read of a damaged one, and a list of the lost data.
#include "storage/maintain/repair_store.h"

#include <nlohmann/json.hpp>

#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/options.h"

namespace runglass::ctl {
namespace {

class RepairCommand : public Command {
 public:
  const char* name() const override { return "repair"; }
  const char* help() const override { return "Make a new store of all that can be read of a damaged one; list what is lost"; }
  const char* examples() const override { return "runglassctl repair --store damaged.rgl --to repaired.rgl\n"; }
  void declare(Options options) override {
    options.add("--store", m_store, "The damaged store, a .rgl file; it is only read").required();
    options.add("--to", m_to, "The new store; never overwritten").required();
    options.flag("--json", m_json, "Print one JSON object");
  }
  Status run() override {
    RG_ASSIGN(const Repair repair, repairStore(m_store, m_to));
    return printAnswer(
        m_json, [&] { return json(repair); }, [&] { return text(repair); });
  }

 private:
  nlohmann::ordered_json json(const Repair& repair) const {
    nlohmann::ordered_json all = {{"path", m_store}, {"to", m_to}, {"complete", repair.lost.empty()}};
    all["rows"] = nlohmann::ordered_json::object();
    for (const auto& [table, rows] : repair.tables) all["rows"][table] = rows;
    all["lost"] = nlohmann::ordered_json::array();
    for (const LostObject& lost : repair.lost) all["lost"].push_back({{"object", lost.object}, {"why", lost.why}});
    return all;
  }
  std::string text(const Repair& repair) const {
    std::string lines;
    std::int64_t rows = 0;
    for (const auto& [table, count] : repair.tables) rows += count;
    for (const LostObject& lost : repair.lost) lines += "lost: " + lost.object + ": " + lost.why + "\n";
    return lines + m_to + ": " + std::to_string(rows) + " rows" + (repair.lost.empty() ? ", nothing lost\n" : "\n");
  }

  std::string m_store, m_to;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeRepair() { return std::make_unique<RepairCommand>(); }

}  // namespace runglass::ctl
