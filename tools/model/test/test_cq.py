# SPDX-License-Identifier: GPL-2.0
"""Completion queues: kinds of entries, and a move to another buffer."""

import struct
import time

import bringup as b
from test_queue import GID, MODIFY_CQ, WRITE, opcode, rdma

BAD_SIZE = 0x40
RESIZE_CQE = 5


def entry_at(d, at, good, timeout=10):
    """The entry at @at once @good says that it is the one, or when the time is over."""
    deadline = time.monotonic() + timeout
    while True:
        entry = d.memory.get(at, 64)
        if good(entry) or time.monotonic() > deadline:
            return entry
        time.sleep(0.0005)


def counter(entry):
    return struct.unpack('>H', entry[60:62])[0]


def write(d, qp, count=1):
    for _ in range(count):
        qp.post_send(WRITE, b.remote(d.dst, d.key) + b.data(8, d.key, d.src))


def connect(d, cq):
    """A pair that completes into @cq."""
    one, two = b.Qp(d, cq), b.Qp(d, cq)
    one.connect(two, GID)
    two.connect(one, GID)
    return one


def test_wide_entries(model):
    d = rdma(model)
    cq = d.cq(d.queue.eqn, log_size=3, x8=('I', 1 << 21))
    qp = connect(d, cq)
    for i in range(20):                         # round and round, 128 bytes each
        write(d, qp)
        at = cq.at + 128 * (i % 8)
        owner = i >> 3 & 1
        # its second half
        entry = entry_at(d, at + 64, lambda e: e[63] == owner and counter(e) == i)
        assert entry[63] == owner and counter(entry) == i
        d.memory.put(cq.dbr, struct.pack('>I', i + 1))


def test_collapsed(model):
    d = rdma(model)
    cq = d.cq(d.queue.eqn, log_size=1, x8=('I', 1 << 20 | 1 << 17))
    qp = connect(d, cq)
    write(d, qp, 10)                            # more than it has places
    entry = entry_at(d, cq.at, lambda e: counter(e) == 9)
    assert opcode(entry) == 0 and counter(entry) == 9
    assert d.memory.get(cq.at + 64, 64)[63] == 0xf1     # the second place is as it was


def resize(d, cq, log_size):
    at, pas = d.buffer(max(4096, 64 << min(log_size, 10)))
    for i in range(1 << min(log_size, 10)):
        d.memory.put(at + 64 * i + 63, b'\xf1')
    body = b.pack(0x108, x0=('I', cq.cqn), x4=('I', 1), x14=('I', log_size << 24 | d.uar))
    return at, d.commands.run(MODIFY_CQ, body + pas, mod=1)[0]


def test_resize(model):
    d = rdma(model)
    cq = d.cq(d.queue.eqn, log_size=3)
    qp = connect(d, cq)
    write(d, qp, 3)
    assert opcode(entry_at(d, cq.at + 64 * 2, lambda e: opcode(e) == 0)) == 0
    assert opcode(cq.next()) == 0               # two are left
    at, status = resize(d, cq, 4)
    assert status == 0
    old = [d.memory.get(cq.at + 64 * i, 64) for i in range(4)]
    assert [opcode(entry) for entry in old] == [0, 0, 0, RESIZE_CQE]
    write(d, qp)
    # What comes next is in the new buffer, behind the marker's place.
    entry = entry_at(d, at + 64 * 4, lambda e: opcode(e) == 0)
    assert opcode(entry) == 0 and counter(entry) == 3


def test_resize_too_small(model):
    d = rdma(model)
    cq = d.cq(d.queue.eqn, log_size=3)
    qp = connect(d, cq)
    write(d, qp, 4)
    assert opcode(entry_at(d, cq.at + 64 * 3, lambda e: opcode(e) == 0)) == 0
    assert resize(d, cq, 1)[1] == BAD_SIZE
    assert resize(d, cq, 23)[1] == 8            # more than there may be
    assert [opcode(cq.next()) for _ in range(4)] == [0] * 4     # nothing is lost
