# SPDX-License-Identifier: Apache-2.0
"""Rows of the GPU check's table. A check appends each row to a file at once, so that a crash or a timeout loses only the rows that follow."""
import json

PASS, FAIL, SKIPPED, RECORDED = "pass", "FAIL", "skipped", "recorded"


class Rows:
    def __init__(self, path, check):
        self.path, self.check = path, check

    def add(self, item, measured, goal, result, reason=""):
        row = {"check": self.check, "item": item, "measured": measured, "goal": goal, "result": result, "reason": reason}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print("%s: %s: %s" % (result, item, "; ".join(part for part in (measured, reason) if part)), flush=True)

    def judge(self, item, good, measured, goal, reason=""):
        self.add(item, measured, goal, PASS if good else FAIL, "" if good else reason)

    def record(self, item, measured):
        """A figure without a goal."""
        self.add(item, measured, "", RECORDED)

    def skip(self, item, reason, goal=""):
        self.add(item, "", goal, SKIPPED, reason)


def read_rows(path):
    """Complete rows; a line cut off by the death of its writer is dropped."""
    rows = []
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    rows.append(json.loads(line))
    except FileNotFoundError:
        pass
    return rows


def cells(row):
    result = row["result"] + (": " + row["reason"] if row["reason"] else "")
    return [row["check"] + ": " + row["item"], row["measured"] or "-", row["goal"] or "-", result]


HEAD = ["check", "measured", "goal", "result"]


def as_text(rows):
    lines = [HEAD] + [cells(row) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(3)]
    return "".join("  ".join([line[i].ljust(widths[i]) for i in range(3)] + [line[3]]) + "\n" for line in lines)


def as_markdown(rows):
    def line(texts):
        return "| " + " | ".join(text.replace("|", "\\|").replace("\n", " ") for text in texts) + " |\n"
    return line(HEAD) + "|---|---|---|---|\n" + "".join(line(cells(row)) for row in rows)
