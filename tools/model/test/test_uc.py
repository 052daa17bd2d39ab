# SPDX-License-Identifier: GPL-2.0
"""Unreliable connections: nothing is answered, and little is an error."""

import bringup as b
from test_queue import GID, READ, SEND, SEND_IMM, WRITE, expect_error, opcode, rdma

UC, SQERR2RTS = 1, 0x506


def pair(model):
    d = rdma(model)
    d.ua, d.ub = b.Qp(d, d.cq_a, st=UC), b.Qp(d, d.cq_b, st=UC)
    d.ua.connect(d.ub, GID)
    d.ub.connect(d.ua, GID)
    return d


def mark(d):
    """A message after all others: both ends are well."""
    d.ub.post_recv(d.dst, 64, d.key)
    d.ua.post_send(SEND_IMM, b.data(4, d.key, d.src), imm=0x4d41524b)
    assert opcode(d.cq_a.next()) == 0
    got = d.cq_b.next()
    assert opcode(got) == 3 and b.word(got, 0x24) == 0x4d41524b


def test_send_and_write(model):
    d = pair(model)
    blob = bytes(range(256)) * 20               # several packets
    d.memory.put(d.src, blob)
    d.ub.post_recv(d.dst, 8192, d.key)
    d.ua.post_send(SEND, b.data(len(blob), d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    got = d.cq_b.next()
    assert opcode(got) == 2 and b.word(got, 0x2c) == len(blob)
    assert d.memory.get(d.dst, len(blob)) == blob
    d.memory.put(d.src, b'w' * 3000)
    d.ua.post_send(WRITE, b.remote(d.dst, d.key) + b.data(3000, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    mark(d)
    assert d.memory.get(d.dst + 64, 2936) == b'w' * 2936


def test_what_is_lost(model):
    """No receive, too small a one, a key that lets nobody write: no error anywhere."""
    d = pair(model)
    readable = d.mkey(access=0x1400)            # local and remote read
    d.memory.put(d.dst, b'-' * 4096)
    d.ua.post_send(SEND, b.data(64, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    d.ua.post_send(WRITE, b.remote(d.dst, readable) + b.data(64, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    mark(d)
    d.memory.put(d.dst, b'-' * 4096)
    d.ub.post_recv(d.dst, 32, d.key)
    for size in (4096, 33, 32):
        d.memory.put(d.src, b'%04d' % size * 1024)
        d.ua.post_send(SEND, b.data(size, d.key, d.src))
        assert opcode(d.cq_a.next()) == 0
    assert opcode(d.cq_b.next()) == 2
    assert d.memory.get(d.dst, 36) == b'0032' * 8 + b'----'
    mark(d)


def test_bad_work(model):
    """A send that is no good ends the send queue; from there a way leads back."""
    d = pair(model)
    for op, segments, syndrome in (
            (READ, b.remote(d.dst, d.key) + b.data(8, d.key, d.src), 2),
            (SEND, b.data(64, d.key ^ 1, d.src), 4)):
        d.ua.post_send(op, segments)
        expect_error(d, d.cq_a.next(), syndrome)
        d.ua.post_send(SEND, b.data(64, d.key, d.src))
        expect_error(d, d.cq_a.next(), 5)       # flushed
        assert d.ua.modify(SQERR2RTS) == 0
        mark(d)
    d.ub.post_recv(d.dst, 64, d.key ^ 1)
    d.ua.post_send(SEND, b.data(64, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    entry = d.cq_b.next()
    assert opcode(entry) == 14 and entry[55] == 4
