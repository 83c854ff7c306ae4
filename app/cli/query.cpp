// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl query: read-only SQL over the relations.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/issue_json.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/row_format.h"
#include "app/cli/store_access.h"
#include "model/issue_catalog.h"

namespace runglass::ctl {
namespace {

class Query : public Command {
 public:
  const char* name() const override { return "query"; }
  const char* help() const override { return "Run read-only SQL over the store's relations (run, scalar, sample(...), span, ...)"; }
  const char* examples() const override {
    return "runglassctl query --store run.rgl \"SELECT step, value FROM scalar WHERE tag = 'loss' ORDER BY step DESC LIMIT 5\"\n"
           "runglassctl query --store run.rgl --format table 'SELECT kind, summary FROM finding'\n";
  }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    const Option format =
        options.add("--format", m_format, "csv, json (an array of objects) or table").oneOf({"csv", "json", "table"}).defaultShown();
    options.flag("--json", m_json, "Print one JSON object: rows and issues (unreadable data)").excludes(format);
    options.add("SQL", m_sql, "One SELECT statement").required();
  }
  Status run() override {
    RG_ASSIGN(auto reader, openForReading(m_store));
    Output out = Output::spooled();
    if (!m_json) {
      RG_TRY(printQuery(*reader, m_sql, m_format, out));
      return out.finish();
    }
    out.write("{\"rows\":");
    RG_TRY(printQuery(*reader, m_sql, "json", out));
    RG_ASSIGN(auto issues, reader->issues());
    std::erase_if(issues, [](const Issue& issue) { return !meansMissingData(issue.code); });
    const std::string rest = compactJson(withRepairedCopy({{"issues", issuesJson(issues)}}));
    out.write("," + rest.substr(1) + "\n");
    return out.finish();
  }

 private:
  std::string m_store, m_sql, m_format = "table";
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeQuery() { return std::make_unique<Query>(); }

}  // namespace runglass::ctl
