#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ring is described twice: ring_layout.h for what is compiled, runglass_ring.py for machines without the library. Every constant and every
struct of the header is compared with the module, in numbers that a C compiler gives, or named here as one that the module has no use for;
and the module has no number of its own.

ring_layout_test.py --compiler CC"""
import argparse, importlib.util, os, re, struct, subprocess, sys, tempfile, unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HEADER = os.path.join(ROOT, 'collectors/client/ring_layout.h')
MODULE = os.path.join(ROOT, 'collectors/client/python/runglass_ring.py')
COMPILER = 'cc'

# Macros and enumerators, with the module's names for them.
VALUES = {
    'RGR_MAGIC': '_MAGIC', 'RGR_VERSION': '_VERSION', 'RGR_SLOT_BYTES': '_SLOT', 'RGR_SLOT_PAYLOAD': '_PAYLOAD', 'RGR_MAX_SLOTS': '_MOST_SLOTS',
    'RGR_HEADER_BYTES': '_HEADER', 'RGR_MAX_STRINGS': '_MAX_STRINGS', 'RGR_STRING_BYTES': '_STRING_BYTES', 'RGR_LONGEST_STRING': '_LONGEST_STRING',
    'RGR_MIN_SLOTS': '_MIN_SLOTS', 'RGR_MAX_RING_SLOTS': '_MAX_RING_SLOTS', 'RGR_STRINGS_AT': '_HEADER', 'RGR_STRING_DATA_AT': '_STRING_DATA_AT',
    'RGR_SLOTS_AT': '_SLOTS_AT', 'RGR_SPAN': '_SPAN', 'RGR_SCALAR': '_SCALAR', 'RGR_STEP': '_STEP', 'RGR_PART': '_PART',
    'RGR_DATA_RANGE': '_DATA_RANGE', 'RGR_CHECKPOINT': '_CHECKPOINT', 'RGR_LOG': '_LOG', 'RGR_FACT': '_FACT', 'RGR_END_EXIT': '_END_EXIT',
    'RGR_END_SHUTDOWN': '_END_SHUTDOWN'}
# For readers, older versions, the recent ring, GPU records and commands: the module writes none of them.
UNUSED_VALUES = {
    'RGR_RECENT_MAGIC', 'RGR_OLDEST_VERSION', 'RGR_STRING_BYTES_V1', 'RGR_SLOTS_AT_V1', 'RGR_SHIPPED', 'RGR_CONT', 'RGR_GPU_SPAN', 'RGR_COUNT',
    'RGR_TYPE_COUNT', 'RGR_END_RUNNING', 'RGR_TRACER_AT', 'RGR_ORDERS_AT', 'RGR_ORDERS_LAYOUT', 'RGR_FILTER_BYTES', 'RGR_UNSAID', 'RGR_CAN_TRACE',
    'RGR_CAN_EXACT', 'RGR_CAN_KEEP_RECENT'}
# Complete structs packed by one format, with the fields in the order in which the module packs them.
FORMS = {
    'rgr_span': ('_SPAN_FORM', 'start dur step seq bytes group microbatch name track'), 'rgr_scalar': ('_SCALAR_FORM', 'step time value name'),
    'rgr_step': ('_STEP_FORM', 'step start dur cpu run_delay'), 'rgr_part': ('_PART_FORM', 'step time dur wait name'),
    'rgr_data_range': ('_DATA_RANGE_FORM', 'step time first last name'), 'rgr_checkpoint': ('_CHECKPOINT_FORM', 'step time bytes path_bytes'),
    'rgr_text': ('_TEXT_FORM', 'time name first_bytes second_bytes'), 'rgr_string': ('_STRING_FORM', 'offset bytes'),
    'rgr_progress': ('_PROGRESS_FORM', 'time step microbatch group seq since op phase')}
UNUSED_STRUCTS = {'rgr_gpu_span', 'rgr_count', 'rgr_tracer', 'rgr_orders'}
# Structs of which parts are packed: the fields of each format, and the offset at which the module writes it.
PARTS = {
    'rgr_header': [('_BEGIN_FORM', None, 'magic version header_bytes slots max_strings string_bytes recent_seconds'),
                   ('_PID_FORM', '_PID_AT', 'pid uid anchor_mono anchor_wall'),
                   ('_END_TIME_FORM', '_END_TIME_AT', 'end_time'), ('_END_STATE_FORM', '_END_STATE_AT', 'end_state')],
    'rgr_identity': [('_IDENTITY_FORM', '_IDENTITY_AT', 'rank world local_rank'), ('_LAYOUT_FORM', '_LAYOUT_AT', 'tp pp dp cp ep vpp'),
                     ('_COORDINATES_FORM', '_COORDINATES_AT', 'rank_tp rank_pp rank_dp rank_cp rank_ep')]}
WORDS = {
    'head': '_HEAD', 'dropped': '_DROPPED', 'lost_names': '_LOST_NAMES', 'tail': '_TAIL', 'tail_check': '_TAIL_CHECK', 'string_count': '_STRINGS',
    'identity_version': '_IDENTITY_VERSION', 'progress_version': '_PROGRESS_VERSION'}
PLACES = {'boot_id': '_BOOT_ID_AT', 'progress': '_PROGRESS_AT', 'identity': '_IDENTITY_AT'}
# The slot's word is assembled by shifts: the first bit of each part.
COMMIT = {'stamp': 0, 'type': 32, 'slots': 40, 'a': 48, 'b': 56}
# Numbers of the module that do not belong to the ring: phases of runglass.h.
ELSEWHERE = {'_INIT', '_WARMUP', '_STEADY'}


def parsed(text):
    """The names of macros and enumerators, and the fields of each struct."""
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    values = re.findall(r'^#define (RGR_\w+)[ \t]+\S', text, re.M)
    for body in re.findall(r'^enum \w+ \{(.*?)\}', text, re.M | re.S):
        values += re.findall(r'(RGR_\w+)', body)
    structs = {}
    for name, body in re.findall(r'^struct (\w+) \{(.*?)^\}', text, re.M | re.S):
        fields = [re.search(r'(\w+)(?:\[[^]]*\])?$', part.strip()).group(1) for line in body.split(';') if line.strip() for part in line.split(',')]
        structs[name] = fields
    return values, structs


def compiled(values, structs):
    """What the compiler says: {'NAME': value, 'struct': size, 'struct.field': (offset, size)}."""
    lines = [f'printf("{name} %llu\\n", (unsigned long long){name});' for name in values]
    for name, fields in structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        lines += [f'printf("{name}.{field} %zu %zu\\n", offsetof(struct {name}, {field}), sizeof(((struct {name} *)0)->{field}));' for field in fields]
    program = '#include <stddef.h>\n#include <stdio.h>\n#include "ring_layout.h"\nint main(void) {\n' + '\n'.join(lines) + '\nreturn 0;\n}\n'
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'ring.c')
        with open(source, 'w') as file:
            file.write(program)
        subprocess.run([COMPILER, '-std=c11', '-I', os.path.dirname(HEADER), '-o', os.path.join(folder, 'ring'), source], check=True)
        output = subprocess.run([os.path.join(folder, 'ring')], capture_output=True, text=True, check=True).stdout
    numbers = {}
    for line in output.splitlines():
        name, *rest = line.split()
        numbers[name] = int(rest[0]) if len(rest) == 1 else (int(rest[0]), int(rest[1]))
    return numbers


def places(form):
    """(offset, size) of each value that a form packs."""
    found, at = [], '@'
    for count, code in re.findall(r'(\d*)(\w)', form[1:]):
        if code == 'x':
            continue
        for _ in range(int(count or 1)):
            at += code
            size = struct.calcsize('@' + code)
            found.append((struct.calcsize(at) - size, size))
    return found


class RingLayout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(HEADER) as file:
            cls.values, cls.structs = parsed(file.read())
        cls.header = compiled(cls.values, cls.structs)
        spec = importlib.util.spec_from_file_location('runglass_ring', MODULE)
        cls.ring = importlib.util.module_from_spec(spec)
        sys.dont_write_bytecode = True
        spec.loader.exec_module(cls.ring)

    def number(self, name):
        return getattr(self.ring, name)

    def test_every_constant_is_the_same_in_both(self):
        self.assertEqual(set(self.values), set(VALUES) | UNUSED_VALUES, 'a constant that this test does not know, or that is gone')
        for c, python in VALUES.items():
            self.assertEqual(self.header[c], self.number(python), f'{c} and {python}')

    def test_every_struct_is_packed_as_the_compiler_lays_it_out(self):
        self.assertEqual(set(self.structs), set(FORMS) | set(PARTS) | UNUSED_STRUCTS | {'rgr_commit'}, 'a struct that this test does not know')
        for name, (form, fields) in FORMS.items():
            self.assertEqual(self.structs[name], fields.split(), name)
            expected = [self.header[f'{name}.{field}'] for field in self.structs[name]]
            self.assertEqual(expected, places(self.number(form)), f'{name} and {form}')
            size = struct.calcsize(self.number(form))
            self.assertEqual(self.header[name], size + -size % 8, f'{name} and {form}: the size')
        self.assertEqual(self.header['rgr_commit'], 8)
        for field, bit in COMMIT.items():
            self.assertEqual(self.header[f'rgr_commit.{field}'][0] * 8, bit, field)
        self.assertEqual(self.header['rgr_string'], 8, 'entries of the string table are written 8 bytes apart')
        self.assertEqual(self.header['rgr_progress'], 56, 'copies of the progress are written 56 bytes apart')

    def test_the_header_and_the_identity_lie_where_they_are_written(self):
        seen = {'rgr_header': set(WORDS) | set(PLACES), 'rgr_identity': set(self.ring._TEXTS)}
        for name, parts in PARTS.items():
            base = self.header['rgr_header.identity'][0] if name == 'rgr_identity' else 0
            for form, place, fields in parts:
                begin = self.number(place) if place else 0
                expected = [(self.header[f'{name}.{field}'][0] + base - begin, self.header[f'{name}.{field}'][1]) for field in fields.split()]
                self.assertEqual(expected, places(self.number(form)), f'{name} and {form} at {place}')
                seen[name] |= set(fields.split())
        for field, word in WORDS.items():
            self.assertEqual(self.header[f'rgr_header.{field}'], (self.number(word) * 8, 8), f'{field} and {word}')
        for field, place in PLACES.items():
            self.assertEqual(self.header[f'rgr_header.{field}'][0], self.number(place), f'{field} and {place}')
        for field, (offset, size) in self.ring._TEXTS.items():
            begin = self.header['rgr_header.identity'][0]
            self.assertEqual(self.header[f'rgr_identity.{field}'], (self.ring._TEXTS_AT - begin + offset, size), field)
        for name, fields in seen.items():
            unknown = {field for field in self.structs[name] if not re.fullmatch(r'pad\d|reserved\d', field)} - fields
            self.assertFalse(unknown, f'{name}: fields that this test does not know')

    def test_the_module_has_no_number_of_its_own(self):
        compared = set(VALUES.values()) | {form for form, _ in FORMS.values()} | set(WORDS.values()) | set(PLACES.values()) | {'_TEXTS_AT'} | ELSEWHERE
        for parts in PARTS.values():
            compared |= {name for form, place, _ in parts for name in (form, place) if name}
        own = {name for name, value in vars(self.ring).items()
               if re.fullmatch(r'_[A-Z_]+', name) and (isinstance(value, int) or isinstance(value, str) and value.startswith('@'))}
        self.assertEqual(own, compared)
        with open(MODULE) as file:
            self.assertFalse(re.findall(r'(?:pack_into|pack|calcsize)\("', file.read()), 'a form without a name is compared with nothing')
        self.assertEqual(self.ring.NONE, -(1 << 63))


if __name__ == '__main__':
    arguments = argparse.ArgumentParser()
    arguments.add_argument('--compiler', default=COMPILER)
    known, rest = arguments.parse_known_args()
    COMPILER = known.compiler
    unittest.main(argv=sys.argv[:1] + rest)
