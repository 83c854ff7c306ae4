#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""number_formats.py: what it must find, and what it must leave alone."""
import unittest

from number_formats import breaches

FOUND = (
    ('app/cli/new.cpp', 'std::snprintf(text, sizeof text, "%.1f ms", value);'),
    ('analysis/new/new.cpp', 'std::snprintf(text, sizeof text, "%.*f", digits, value);'),
    ('collectors/hub/alerts/new.cpp', 'std::snprintf(text, sizeof text, value < 10 ? "%.1f" : "%.0f", value);'),
    ('app/cli/new.cpp', 'text += line("S %.3f: a step", s);'),
    ('widgets/new/new.cpp', "return QString::number(value, 'f', 2);"),
    ('widgets/new/new.cpp', """return tr("%1 GB/s").arg(gb, 0, 'f', gb < 10 ? 1 : 0);"""),
    ('collectors/sources/new.cpp', 'text.precision(1);'),
    ('analysis/new/new.cpp', 'out << std::fixed << value;'),
    ('app/cli/new.cpp', 'std::strftime(text, sizeof text, "%Y-%m-%d", &utc);'),
    ('analysis/new/new.cpp', 'std::snprintf(text, sizeof text, "%02d:%02d:%02d", h, m, s);'),
    ('app/cli/new.cpp', 'return std::to_string(ns / 1000000) + " ms";'),
)
LEFT = (
    ('model/number_text.cpp', 'std::snprintf(text, sizeof text, "%.4g", value);'),
    ('tests/model/new.cpp', 'std::printf("%.1f", value);'),
    ('app/cli/new.cpp', 'std::snprintf(head, sizeof head, "%-12s %d %zu %08x %lld%%", name, a, b, c, d);'),
    ('app/cli/new.cpp', '// prints "%.1f"'),
    ('app/cli/new.cpp', 'return std::to_string(steps) + " steps";'),
    ('net/new.cpp', 'return "no answer within " + std::to_string(timeout / kNsPerMs) + " ms";'),
    ('widgets/new/new.cpp', 'return tr("%1 of %2").arg(done).arg(all);'),
    ('widgets/new/new.cpp', 'return tr("100 % faster, %1 a step, %2 expected");'),
)


class NumberFormats(unittest.TestCase):
    def test_a_format_outside_the_formatters_is_found(self):
        for path, line in FOUND:
            self.assertEqual(1, len(breaches(path, f'int a;\n{line}\n')), line)
            self.assertIn(f'{path}:2: ', breaches(path, f'int a;\n{line}\n')[0])

    def test_other_text_is_left_alone(self):
        for path, line in LEFT:
            self.assertEqual([], breaches(path, line + '\n'), line)


if __name__ == '__main__':
    unittest.main()
