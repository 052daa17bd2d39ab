#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the device model without a virtual machine:

    run.py [--fuzz SECONDS FUZZER,...] PROGRAM [NAME]...

Each test has a model of its own, which must end without a word from the
sanitizers; several run at a time, as they mostly wait. Then each fuzzer has its
time. The last line is "N passed, N failed".
"""

import argparse
import concurrent.futures
import importlib
import os
import re
import subprocess
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client

TESTS_AT_ONCE = 4
FUZZERS_AT_ONCE = 2
MODULES = ['protocol', 'pci', 'command', 'queue', 'cq', 'umr', 'uc', 'xrc', 'ud', 'fault', 'wire']


def tests():
    for name in MODULES:
        module = importlib.import_module('test_' + name)
        for key, function in list(vars(module).items()):
            if key.startswith('test_') and callable(function):
                yield f'{name}.{key[5:]}', function


def run(program, function):
    """Why it failed; None if it did not."""
    folder = tempfile.TemporaryDirectory(prefix='ohca-model-wire.')
    ends = [os.path.join(folder.name, end) for end in ('here', 'there')]
    wire = getattr(function, 'wire', None)
    model = client.Model(program)
    model.options_wire = ends
    why = None
    try:
        spec = wire(model, folder.name) if callable(wire) else f'dgram:{ends[1]},{ends[0]}'
        model.start(*(('--wire', spec) if wire else ()),
                    control=getattr(function, 'control', False))
        function(model)
        if not model.alive():
            why = f'the model ended by itself: {model.process.poll()}'
    except Exception:
        why = traceback.format_exc()
    finally:
        model.leave()
    said = model.said()
    status = model.stop()
    if 'Sanitizer' in said or 'runtime error' in said or status not in (0, -15):
        why = (why or '') + f'exit status {status}\n' + said[-4000:]
    return why


def fuzz(program, seconds):
    """Runs one fuzzer. (why it failed or None, what it did)"""
    corpus = program + '-corpus'
    os.makedirs(corpus, exist_ok=True)
    done = subprocess.run(
        [program, f'-max_total_time={seconds}', '-max_len=4096', '-timeout=20',
         f'-artifact_prefix={program}-', '-print_final_stats=1', '-verbosity=0', corpus],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
        check=False)
    runs = re.search(r'number_of_executed_units: *(\d+)', done.stdout)
    if done.returncode or not runs or int(runs[1]) == 0:
        return f'exit status {done.returncode}\n' + done.stdout[-4000:], ''
    return None, f': {runs[1]} runs in {seconds} s'


class Tally:
    """Passes and failures."""

    def __init__(self):
        self.passed = self.failed = 0

    def note(self, name, why, more=''):
        if why:
            self.failed += 1
            print(f'FAIL {name}\n{why}', flush=True)
        else:
            self.passed += 1
            print(f'ok   {name}{more}', flush=True)

    def run(self, jobs, workers):
        """@jobs: (name, function returning why and more)."""
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for name, future in [(name, pool.submit(job)) for name, job in jobs]:
                self.note(name, *future.result())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--fuzz', nargs=2, metavar=('SECONDS', 'FUZZERS'))
    parser.add_argument('program')
    parser.add_argument('name', nargs='*')
    args = parser.parse_args()
    tally = Tally()
    tally.run([(name, lambda function=function: (run(args.program, function), ''))
               for name, function in tests()
               if not args.name or any(word in name for word in args.name)], TESTS_AT_ONCE)
    if args.fuzz:
        seconds, fuzzers = args.fuzz
        tally.run([(os.path.basename(path), lambda path=path: fuzz(path, seconds))
                   for path in fuzzers.split(',')], FUZZERS_AT_ONCE)
    print(f'{tally.passed} passed, {tally.failed} failed')
    return 1 if tally.failed or not tally.passed else 0


if __name__ == '__main__':
    sys.exit(main())
