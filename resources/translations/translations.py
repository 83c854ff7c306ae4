#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The translations of the console, runglass_LANGUAGE.ts in this folder (docs/contribute/translations.md).

  translations.py               add the texts of the sources that are new, remove those that are gone
  translations.py --fill TABLE  fill in translations: lines of `source<TAB>translation`, or `context<TAB>source<TAB>translation`, with \\n for a line
                                break and \\t for a tab; a line replaces an older translation
  translations.py --list        print the texts without a translation, context<TAB>source
  translations.py --check       exit 1 where a text is new or gone, has no translation, or a translation lacks a placeholder
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# English has only its plurals.
FILES = {"en": "runglass_en.ts", "zh_CN": "runglass_zh_CN.ts"}
FOLDERS = ["widgets", "app/console"]
LITERAL = r'"(?:[^"\\]|\\.)*"'
TEXT = r"(?:" + LITERAL + r"\s*)+"
LIST = r"\s*((?:" + LITERAL + r"[,\s]*)+)"
# A whole sentence why something is not known, not one that is put together.
REASON = r"(?:reason = |\? |: |unknown\(|insufficient\(|return )(\"[a-z](?:[^\"\\]|\\.)*[a-z]\")(?=;|\)|,|\s*[:?])"

# Catalogues in rooms without Qt: file, and what stands before a phrase that the console shows. widgets/core/language.h: termText().
TERMS = [
    ("model/fault_catalog.cpp", r"\bxid\((?:[^\"()]|" + LITERAL + r")*?(?:k\w+), " + LITERAL + r",\s*(" + TEXT + r"),"),
    ("model/fault_catalog.cpp", r"\bsecondaryXid\(" + LITERAL + r", " + LITERAL + r",\s*(" + TEXT + r"),"),
    ("model/fault_catalog.cpp", r"\bfault\(" + LITERAL + r", " + LITERAL + r", k\w+, k\w+,\s*(" + TEXT + r"),"),
    ("model/fault_catalog.cpp", r"\b(?:xid|secondaryXid|fault)\((?:[^()\"]|" + LITERAL + r")*?,\s*(" + TEXT + r")(?:,\s*(?:true|false))?\)"),
    ("model/fault_catalog.cpp", r"kNvlink5Advice =\s*(" + TEXT + r");"),
    ("model/clock_reasons.cpp", r"ClockReason\{0x\w+, (" + LITERAL + r"),"),
    ("model/issue_catalog.cpp", r"IssueInfo\{\s*" + LITERAL + r", k\w+,\s*(" + TEXT + r")\}"),
    ("model/incident_causes.cpp", r"IncidentCause\{" + LITERAL + r", (" + LITERAL + r"),"),
    ("model/incident_causes.cpp", r"kGroups = \{((?:" + LITERAL + r"[,\s]*)+)\}"),
    ("model/metric_catalog.cpp", r"\bmetric\(" + LITERAL + r", " + LITERAL + r", k\w+, \w+,\s*(" + LITERAL + r"),"),
    ("model/metric_catalog.cpp", r"\bmetric\(" + LITERAL + r", " + LITERAL + r", k\w+, \w+,\s*" + LITERAL + r",\s*(" + TEXT + r")\)"),
    ("model/names.cpp", r"(?:kSeverities|kIncidentStates|kCategories) = \{((?:" + LITERAL + r"[,\s]*)+)\}"),
    ("analysis/run_summary/run_summary.cpp", r"return \{(" + LITERAL + r"), Severity::"),
    ("analysis/settings_check/settings.cpp", r"EqualSetting\{" + LITERAL + r", (" + LITERAL + r"),"),
    ("analysis/collectives/bus_bandwidth.cpp", r"\w+\((?:BusOp|BusRefusal) \w+\) \{\s*static constexpr std::array \w+ = \{" + LIST + r"\}"),
    ("analysis/goodput/ending.cpp", r"endKindWords\(EndKind kind\) \{\s*constexpr std::array kNames = \{" + LIST + r"\}"),
    ("analysis/goodput/goodput.cpp", REASON),
    ("analysis/goodput/ledger.cpp", r"spendWords\(Spend spend\) \{\s*constexpr std::array kNames = \{" + LIST + r"\}"),
    ("analysis/gpu_idle/idle_cause.cpp", r"\{" + LITERAL + r", (" + LITERAL + r"),"),
    ("analysis/gpu_idle/idle_cause.cpp", r"\{" + LITERAL + r", " + LITERAL + r",\s*(" + TEXT + r")\}"),
    ("analysis/incident/data_quality.cpp", REASON),
    ("analysis/incident/evidence_cards.cpp", r"\*k\w+Title = (" + LITERAL + r")"),
    ("analysis/incident/incident_answer.cpp", REASON),
    ("analysis/incident/incident_cost.cpp", REASON),
    ("analysis/layout/layout_places.cpp", REASON),
    ("analysis/layout/layout_places.cpp", r"placeSourceName\(PlaceSource source\) \{\s*static constexpr std::array kNames = \{" + LIST + r"\}"),
    ("analysis/loss_spikes/published_rules.cpp", r"\{PublishedRule::k\w+, " + LITERAL + r", " + LITERAL + r",\s*(" + TEXT + r"),"),
    ("analysis/ranking/eviction.cpp", REASON),
    ("analysis/ranking/suspects.cpp", r"\{\"\w+\", (\"[a-z ]+\"), \"\w*\"\}"),
    ("analysis/step_diagnosis/machine_evidence.cpp", r"\.cause = (?:\w+ \? " + LITERAL + r" : )?(" + LITERAL + r");"),
    ("analysis/step_diagnosis/machine_evidence.cpp", r"\.cause = \w+ \? (" + LITERAL + r") :"),
    ("analysis/ranking/suspects.cpp", r"\{\"(?:cell|host_block|row|column|speckle|jitter|everybody)\", (" + LITERAL + r")\}"),
    ("analysis/step_graph/step_op.cpp", r"kOpNames = \{" + LIST + r"\}"),
    ("analysis/views/newest_steps.cpp", r"(?:add\(|\.part = )(" + LITERAL + r"),"),
    ("analysis/what_if/what_if.cpp", REASON),
    ("analysis/what_if/what_if_data.cpp", REASON),
    ("widgets/overview/breakdown_view.cpp", r"part == QLatin1String\((" + LITERAL + r")\)"),
    ("analysis/incident/incident_words.cpp", r"\{\"\w+\", (" + LITERAL + r")\}"),
]

# Not texts of the console: commands to copy, the report, headings of the user guide.
PLAIN = ("widgets/ranking/node_commands.cpp", "widgets/report/", "widgets/welcome/connect_commands.cpp", "widgets/frame/guide.cpp",
         "widgets/frame/main_window_commands.cpp")


def texts_of(literals):
    """The text of adjacent C++ literals."""
    return "".join(bytes(one[1:-1], "utf-8").decode("unicode_escape").encode("latin-1").decode("utf-8") for one in re.findall(LITERAL, literals))


def untranslated():
    """Prose of the widgets that does not go through tr(), as file:line: text."""
    found = []
    for where, _, names in os.walk(os.path.join(ROOT, "widgets")):
        for path in (os.path.relpath(os.path.join(where, name), ROOT) for name in names if name.endswith(".cpp")):
            if path.startswith(PLAIN):
                continue
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                source = file.read()
            for match in re.finditer(r"QStringLiteral\(\s*(" + TEXT + r")\)", source):
                text = "".join(re.findall(LITERAL, match.group(1))).replace('""', "")
                prose = re.search(r"\b[A-Za-z][a-z]+ [a-z]{2,}", re.sub(r"<[^>]*>|&nbsp;|%\d|\\u[0-9A-Fa-f]{4}|\\n", " ", text))
                if prose and not text.startswith(('"runglass', '"kubectl')) and "\\t" not in text:
                    found.append("%s:%d: not translated: %s" % (path, source.count("\n", 0, match.start()) + 1, text))
    return sorted(found)


def sentences():
    """(id, English) of the sentences of findings."""
    with open(os.path.join(ROOT, "analysis/words/sentences.cpp"), encoding="utf-8") as file:
        rows = re.findall(r"^    \{(" + LITERAL + r"),\s*(" + TEXT + r")\},$", file.read(), re.M)
    return [(texts_of(key), texts_of(text)) for key, text in rows]


def terms():
    found = set()
    for path, pattern in TERMS:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = re.sub(r"^\s*//.*$", "", file.read(), flags=re.M)
        lists = [re.findall(LITERAL, one) if "," in re.sub(LITERAL, "", one) else [one] for one in re.findall(pattern, text)]
        matches = [texts_of(one) for found_list in lists for one in found_list]
        if not matches:
            sys.exit("translations.py: %s: no phrases found" % path)
        found |= set(filter(None, matches))
    return sorted(found)


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def copy_sources(folder):
    """The sources without what lupdate loses its way over: types of enumerations, and the qualifier of a constant, which it takes for the
    class of the function that follows."""
    for path in FOLDERS:
        for where, _, names in os.walk(os.path.join(ROOT, path)):
            to = os.path.join(folder, os.path.relpath(where, ROOT))
            os.makedirs(to, exist_ok=True)
            for name in names:
                if name.endswith((".cpp", ".h")):
                    with open(os.path.join(where, name), encoding="utf-8") as source, open(os.path.join(to, name), "w", encoding="utf-8") as copy:
                        copy.write(re.sub(r"(\benum(?: class)? \w+) : [\w:]+|\bstd::(?=\w)", r"\1", source.read()))


def lupdate(program, folder):
    """Brings copies of the .ts files in `folder` up to date."""
    copy_sources(folder)
    catalogue = os.path.join(folder, "catalogue.cpp")
    with open(catalogue, "w", encoding="utf-8") as file:
        for key, text in sentences():
            file.write("QT_TRANSLATE_NOOP3(\"findings\", %s, %s)\n" % (literal(text), literal(key)))
        for text in terms():
            file.write("QT_TRANSLATE_NOOP(\"terms\", %s)\n" % literal(text))
    problems = []
    for language, name in FILES.items():
        options = ["-pluralonly"] if language == "en" else []
        done = subprocess.run([program, "-silent", "-I", ".", "-locations", "none", "-no-obsolete", "-no-ui-lines", "-source-language", "en",
                               "-target-language", language, *options, *FOLDERS, catalogue, "-ts", os.path.join(folder, name)],
                              cwd=folder, check=True, capture_output=True, text=True)
        problems += [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        os.utime(os.path.join(folder, name))
    return sorted(set(problems))


def read(path):
    """(context, source, comment, plural) -> list of translations; an empty one is unfinished."""
    out = {}
    if not os.path.isfile(path):
        return out
    for context in ET.parse(path).getroot().iter("context"):
        for message in context.findall("message"):
            key = (context.findtext("name"), message.findtext("source"), message.findtext("comment") or "", message.get("numerus") == "yes")
            translation = message.find("translation")
            forms = [form.text or "" for form in translation.findall("numerusform")] or [translation.text or ""]
            out[key] = forms if translation.get("type") != "unfinished" else ["" for _ in forms]
    return out


def write(path, language, messages):
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<!DOCTYPE TS>", '<TS version="2.1" language="%s" sourcelanguage="en">' % language]
    mark = lambda text: escape(text, {'"': "&quot;", "'": "&apos;"})
    for context in sorted({key[0] for key in messages}):
        lines += ["<context>", "    <name>%s</name>" % mark(context)]
        for key in sorted(one for one in messages if one[0] == context):
            _, source, comment, plural = key
            forms = messages[key]
            lines += ['    <message numerus="yes">' if plural else "    <message>", "        <source>%s</source>" % mark(source)]
            lines += ["        <comment>%s</comment>" % mark(comment)] if comment else []
            kind = "" if all(forms) else ' type="unfinished"'
            if plural:
                inside = "".join("\n            <numerusform>%s</numerusform>" % mark(form) for form in forms)
                lines.append("        <translation%s>%s\n        </translation>" % (kind, inside))
            else:
                lines.append("        <translation%s>%s</translation>" % (kind, mark(forms[0])))
            lines.append("    </message>")
        lines.append("</context>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["</TS>", ""]))


def current(program):
    """(problems of the sources, language -> messages as they should be, with the translations that exist)"""
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES.values():
            if os.path.isfile(os.path.join(HERE, name)):
                shutil.copy(os.path.join(HERE, name), folder)
        problems = lupdate(program, folder)
        fresh = {language: read(os.path.join(folder, name)) for language, name in FILES.items()}
    for language, name in FILES.items():
        known = read(os.path.join(HERE, name))
        # lupdate guesses a translation of a text that resembles an older one: only those in the file count.
        fresh[language] = {key: known.get(key, ["" for _ in forms]) for key, forms in fresh[language].items()}
    return problems, fresh


def named(text):
    """Names in a sentence of the catalogue: those that a translation needs, those it may leave out, and those that are optional."""
    needed, all_names = set(), set()
    for place in re.findall(r"\{([^{}]*)\}", text):
        name, *forms = place.split("|")
        all_names.add(name)
        if not forms or any("#" in form for form in forms):
            needed.add(name)
    outside = {place.split("|")[0] for place in re.findall(r"\{([^{}]*)\}", re.sub(r"\[[^\]]*\]", "", text))}
    return needed, all_names, all_names - outside


def wrong_placeholders(key, forms):
    context, source = key[0], key[1]
    if context == "findings":
        needed, names, optional = named(source)
        for form in forms:
            its_needed, its_names, its_optional = named(form)
            if needed - its_names or its_names - names:
                return "placeholders %s in place of %s" % (sorted(its_names), sorted(names))
            if its_optional & needed != optional & needed:
                return "optional parts of %s in place of %s" % (sorted(its_optional), sorted(optional))
            if any(len(place.split("|")) > 2 for place in re.findall(r"\{([^{}]*)\}", form)):
                return "the language has one plural form"
        return None
    marks = lambda text: sorted(set(re.findall(r"%L?\d+|%n", text)))
    for form in forms:
        # A singular may say "one".
        if marks(form) != marks(source) and not (len(forms) > 1 and form is forms[0] and set(marks(form)) | {"%n"} >= set(marks(source))):
            return "placeholders %s in place of %s" % (marks(form), marks(source))
    return None


def check(program):
    problems, fresh = current(program)
    wrong = ["sources: " + line for line in problems] + untranslated()
    for language, name in FILES.items():
        known = read(os.path.join(HERE, name))
        wrong += ["%s: new: %s: %r" % (name, key[0], key[1]) for key in fresh[language].keys() - known.keys()]
        wrong += ["%s: gone: %s: %r" % (name, key[0], key[1]) for key in known.keys() - fresh[language].keys()]
        for key, forms in known.items():
            if not all(forms):
                wrong.append("%s: no translation: %s: %r" % (name, key[0], key[1]))
            elif reason := wrong_placeholders(key, forms):
                wrong.append("%s: %s: %r: %s" % (name, key[0], key[1], reason))
    for line in wrong:
        print("translations: " + line)
    print("translations: %s, %d wrong" % (", ".join("%s %d texts" % (language, len(texts)) for language, texts in fresh.items()), len(wrong)))
    return 1 if wrong or not all(fresh.values()) else 0


def fill(fresh, table, language):
    by_source, by_context = {}, {}
    with open(table, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            parts = [part.replace("\\n", "\n").replace("\\t", "\t") for part in line.rstrip("\n").split("\t")]
            if len(parts) == 2:
                by_source[parts[0]] = parts[1]
            elif len(parts) == 3:
                by_context[parts[0], parts[1]] = parts[2]
            else:
                sys.exit("%s:%d: expected 2 or 3 columns" % (table, number))
    unused = set(by_source) | set(by_context)
    for key in fresh[language]:
        for place, texts in ((key[1], by_source), (key[:2], by_context)):
            if place in texts:
                # Plural forms stand with a bar between them.
                fresh[language][key] = texts[place].split("|") if key[3] else [texts[place]]
                unused.discard(place)
    for one in sorted(map(str, unused)):
        print("translations: not a text of the sources: " + one)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lupdate", default="/usr/lib/qt6/bin/lupdate")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fill", metavar="TABLE")
    parser.add_argument("--language", default="zh_CN", choices=FILES)
    given = parser.parse_args()
    if given.check:
        return check(given.lupdate)
    problems, fresh = current(given.lupdate)
    for line in problems:
        print("translations: sources: " + line)
    if given.list:
        for context, source, _, plural in sorted(key for key, forms in fresh[given.language].items() if not all(forms)):
            print("\t".join([context, source.replace("\n", "\\n").replace("\t", "\\t")]) + ("\t(plural)" if plural else ""))
        return 0
    if given.fill:
        fill(fresh, given.fill, given.language)
    for language, name in FILES.items():
        write(os.path.join(HERE, name), language, fresh[language])
    return 0


if __name__ == "__main__":
    sys.exit(main())
