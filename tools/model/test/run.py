#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the device model without a virtual machine: run.py PROGRAM [NAME]...

Each test has a model of its own, which must end without a word from the
sanitizers. The last line is "N passed, N failed".
"""

import importlib
import os
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import client

MODULES = ['protocol', 'pci', 'command', 'queue']


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
    wire = ('--wire', f'dgram:{ends[1]},{ends[0]}') if getattr(function, 'wire', False) else ()
    model = client.Model(program, *wire)
    model.options_wire = ends
    why = None
    try:
        function(model)
        if not model.alive():
            why = f'the model ended by itself: {model.process.poll()}'
    except Exception:
        why = traceback.format_exc()
    said = model.said()
    status = model.stop()
    if 'Sanitizer' in said or 'runtime error' in said or status not in (0, -15):
        why = (why or '') + f'exit status {status}\n' + said[-4000:]
    return why


def main():
    program, wanted = sys.argv[1], sys.argv[2:]
    passed = failed = 0
    for name, function in tests():
        if wanted and not any(word in name for word in wanted):
            continue
        why = run(program, function)
        if why:
            failed += 1
            print(f'FAIL {name}\n{why}')
        else:
            passed += 1
            print(f'ok   {name}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
