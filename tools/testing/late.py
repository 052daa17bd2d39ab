# SPDX-License-Identifier: GPL-2.0
"""late.py DEVICE: registers memory, and says its key and address on a line. At a word
on stdin it deregisters it, says so, and waits for the next."""

import sys

import pyverbs.enums as e
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD

SIZE = 8 << 20

with Context(name=sys.argv[1]) as ctx, PD(ctx) as pd:
    mr = MR(pd, SIZE, e.IBV_ACCESS_LOCAL_WRITE)
    print('%x %x' % (mr.lkey, mr.buf), flush=True)
    sys.stdin.readline()
    mr.close()
    print('deregistered', flush=True)
    sys.stdin.readline()
