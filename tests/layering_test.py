#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layering.py in a repository of its own: each kind of breach is found, and what is allowed is none."""
import os, subprocess, sys, tempfile, unittest

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'layering.py')
SPDX = {'widgets': 'GPL-3.0-or-later', 'app': 'GPL-3.0-or-later'}


class Layering(unittest.TestCase):
    def breaches(self, files):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(['git', 'init', '-q'], cwd=root, check=True)
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
                with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
                    file.write(f'// SPDX-License-Identifier: {SPDX.get(path.split("/")[0], "Apache-2.0")}\n{text}')
            done = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True)
        found = [line.removeprefix('breach: ') for line in done.stdout.splitlines() if line.startswith('breach: ')]
        self.assertEqual(done.returncode, 1 if found else 0, done.stdout + done.stderr)
        return found

    def test_includes_point_down(self):
        self.assertEqual(self.breaches({'analysis/loss.cpp': '#include "model/time.h"\n', 'model/time.h': ''}), [])
        for path, include in (('model/time.h', 'storage/reader.h'), ('storage/read/rows.cpp', 'storage/write/rows.h'), ('analysis/words/text.cpp', 'analysis/x/x.h'),
                              ('collectors/wire/wire.cpp', 'collectors/hub/server/hub.h'), ('widgets/a.cpp', 'app/cli/b.h'),
                              ('analysis/steps/a.cpp', 'analysis/hangs/b.h'), ('app/cli/a.cpp', 'app/console/b.h')):
            self.assertEqual(len(self.breaches({path: f'#include "{include}"\n', include: ''})), 1, path)

    def test_libraries_stay_in_their_room(self):
        self.assertEqual(self.breaches({'storage/sqlite/a.cpp': '#include <sqlite3.h>\n'}), [])
        for path, include in (('analysis/a.cpp', '<sqlite3.h>'), ('storage/a/a.cpp', '<grpcpp/grpcpp.h>'), ('model/a.cpp', '<QString>')):
            self.assertEqual(len(self.breaches({path: f'#include {include}\n'})), 1, path)

    def test_the_product_includes_nothing_of_the_tests(self):
        self.assertEqual(len(self.breaches({'analysis/a.cpp': '#include "tests/support/seed.h"\n', 'tests/support/seed.h': ''})), 1)

    def test_circles_of_folders(self):
        files = {'analysis/a/a.h': '#include "analysis/b/b.h"\n', 'analysis/b/b.h': '#include "analysis/c/c.h"\n', 'analysis/c/c.h': ''}
        self.assertEqual(self.breaches(files), [])
        self.assertEqual(self.breaches(files | {'analysis/c/d.cpp': '#include "analysis/a/a.h"\n'}),
                         ['analysis: a circle of includes among analysis/a, analysis/b, analysis/c'])
        # A registry above its folders includes them; they include the interface in its folder.
        self.assertEqual(self.breaches({'analysis/a/a.cpp': '#include "analysis/task.h"\n', 'analysis/task.h': '',
                                        'analysis/all.cpp': '#include "analysis/a/a.h"\n#include "analysis/task.h"\n', 'analysis/a/a.h': ''}), [])

    def test_names_and_sizes(self):
        self.assertEqual(len(self.breaches({'model/utils.cpp': ''})), 1)
        self.assertEqual(len(self.breaches({'model/a/time.h': '', 'model/b/time.h': ''})), 1)
        self.assertEqual(len(self.breaches({'model/long.cpp': '//\n' * 801})), 1)
        self.assertEqual(len(self.breaches({'tests/long_test.cpp': '//\n' * 801})), 1)

    def test_mutexes_are_ours(self):
        self.assertEqual(len(self.breaches({'storage/a.cpp': 'std::mutex m;\n'})), 1)

    def test_comments_name_what_exists(self):
        self.assertEqual(self.breaches({'model/a.cpp': '// See model/b.h and docs/guide/a.md, PAGE.md.\n', 'model/b.h': '', 'docs/guide/a.md': ''}), [])
        self.assertEqual(len(self.breaches({'model/a.cpp': '// See model/gone.h.\n', 'model/b.h': ''})), 1)
        self.assertEqual(len(self.breaches({'model/a.cpp': '// See gone.md.\n'})), 1)


if __name__ == '__main__':
    unittest.main()
