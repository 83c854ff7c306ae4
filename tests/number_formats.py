#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers and times become text in one place: model/number_text.h, model/time_text.h and widgets/core/units.h over them. Finds formats of
floating-point numbers, of times of day and of units anywhere else. Prints one line per breach; exit 1 on any."""
import os, re, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ('app', 'widgets', 'analysis', 'collectors', 'storage', 'model', 'net')
FORMATTERS = ('model/number_text.cpp', 'model/time_text.cpp', 'widgets/core/units.cpp')
# Rooms whose messages name configured limits, which are whole numbers of a fixed unit.
LIMITS = ('collectors/', 'storage/', 'net/', 'model/')
RULES = (
    (re.compile(r'"[^"\n]*%[-+#0-9.*]*[efgEFG](?![A-Za-z])[^"\n]*"'), 'a printf format of a floating-point number', ()),
    (re.compile(r"\b(?:number|arg|toString)\([^;\n]*, *'[efgEFG]'"), "Qt's format of a floating-point number", ()),
    (re.compile(r'\b(?:setprecision|std::fixed|std::scientific|std::v?format)\b|\.precision\('), 'a format of a stream', ()),
    (re.compile(r'\bstrftime\(|%02d:%02d'), 'a format of a time', ()),
    (re.compile(r'to_string\([^;\n]*\) \+ "\s?(?:[nuµm]?s|min|h|d|%|[kKMGT]i?B|W|°?C|[kMG]?Hz)\b'), 'a number with its unit', LIMITS),
)
# Formats that another program prescribes.
PRESCRIBED = {
    'widgets/overview/breakdown_view.cpp': 'labels of an axis of Qt Charts',
    'widgets/report/report_charts.cpp': 'labels of an axis of Qt Charts',
    'widgets/report/report_pdf.cpp': 'a date of PDF',
}


def breaches(path, text):
    if not path.startswith(tuple(room + '/' for room in ROOMS)) or path in FORMATTERS or path in PRESCRIBED:
        return []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r'^\s*//.*|\s//\s.*', '', line)
        found += [f'{path}:{number}: {what}: {hit.group(0).strip()}; use model/number_text.h, model/time_text.h or widgets/core/units.h'
                  for rule, what, free in RULES if not path.startswith(tuple(free)) and (hit := rule.search(code))]
    return found


def main():
    out = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [f for f in out.splitlines() if f.endswith(('.h', '.cpp')) and os.path.exists(os.path.join(ROOT, f))]
    found = []
    for path in files:
        with open(os.path.join(ROOT, path), encoding='utf-8') as file:
            found += breaches(path, file.read())
    for line in found:
        print('breach:', line)
    print(f'{len(found)} breaches in {len(files)} files')
    return 1 if found or not files else 0


if __name__ == '__main__':
    sys.exit(main())
