// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl recover: the recovery that a writer does when it opens a store, and nothing else.

#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/store_access.h"
#include "storage/open_store.h"
#include "storage/store_files.h"

namespace runglass::ctl {
namespace {

class Recover : public Command {
 public:
  const char* name() const override { return "recover"; }
  const char* help() const override { return "Store the batches that a killed hub left in its journal, and update the schema"; }
  const char* examples() const override { return "runglassctl recover --store run.rgl\n"; }
  void declare(Options options) override { options.add("--store", m_store, "The store, a .rgl file").required(); }
  Status run() override {
    const bool upgrade = needsUpgrade(m_store);
    // Also refuses a file that is not a store: a Writer would create one.
    if (!upgrade) RG_TRY(openStore(m_store).reader().status());
    std::int64_t batches = 0;
    if (needsRecovery(m_store)) {
      RG_ASSIGN(batches, unstoredBatches(m_store));
    }
    RG_ASSIGN(const auto writer, openStore(m_store).writer(writerOptions()));
    RG_TRY(writer->close());
    Output out = Output::standard();
    out.write(m_store + ": " + (batches == 0 ? "nothing to recover" : std::to_string(batches) + " batches recovered") +
              (upgrade ? ", schema updated" : "") + "\n");
    return out.finish();
  }

 private:
  std::string m_store;
};

}  // namespace

std::unique_ptr<Command> makeRecover() { return std::make_unique<Recover>(); }

}  // namespace runglass::ctl
