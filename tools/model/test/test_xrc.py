# SPDX-License-Identifier: GPL-2.0
"""XRC: one target, several shared receive queues behind it."""

import struct

import bringup as b
from test_queue import FETCH_ADD, GID, READ, SEND, WRITE, expect_error, opcode, rdma

ALLOC_XRCD, CREATE_XRC_SRQ, XRC = 0x80e, 0x705, 3


class Srq:
    """An XRC SRQ of 16 entries of 32 bytes."""

    def __init__(self, d, xrcd, cq, user_index, pd=None):
        self.d = d
        self.at, pas = d.buffer(4096)
        self.dbr = d.dbr()
        body = b.pack(0x108, x8=('I', 4 << 24), xc=('I', 1 << 24 | xrcd), x10=('I', cq.cqn),
                      x18=('I', user_index), x20=('I', d.pd if pd is None else pd),
                      x30=('Q', self.dbr))
        self.number = d.new(CREATE_XRC_SRQ, body + pas)
        for i in range(16):
            d.memory.put(self.at + 32 * i, struct.pack('>HH12x', 0, (i + 1) % 16))
        self.posted = 0

    def post(self, address, size, lkey):
        self.d.memory.put(self.at + 32 * (self.posted % 16) + 16, b.data(size, lkey, address))
        self.posted += 1
        self.d.memory.put(self.dbr, struct.pack('>I', self.posted))


class Pair:
    """An initiator, and a target in a domain with two queues."""

    def __init__(self, model):
        d = self.d = rdma(model)
        self.xrcd = d.new(ALLOC_XRCD)
        self.cq, self.other_cq = d.cq(d.queue.eqn), d.cq(d.queue.eqn)
        self.srq = Srq(d, self.xrcd, self.cq, 0x51)
        self.other = Srq(d, self.xrcd, self.other_cq, 0x52)
        self.ini = b.Qp(d, d.cq_a, st=XRC, x18=('I', 4 << 11), xbc=('I', 3 << 24))
        self.ini.sq = self.ini.at
        # No send queue, no UAR, no CQ, no protection domain.
        self.tgt = b.Qp(d, d.cq_b, st=XRC, x14=('I', 0), x18=('I', 1 << 15), x1c=('I', 0),
                        x8c=('I', 0), xac=('I', 0), xa8=('I', self.xrcd), xbc=('I', 1 << 24))
        self.ini.connect(self.tgt, GID)
        self.tgt.connect(self.ini, GID)

    def send(self, op, srq, segments, **more):
        self.ini.post_send(op, struct.pack('>I12x', srq) + segments, **more)


def test_send_to_either(model):
    p = Pair(model)
    d = p.d
    for srq, cq, index in ((p.srq, p.cq, 0x51), (p.other, p.other_cq, 0x52)):
        srq.post(d.dst, 8192, d.key)
        blob = bytes(range(256)) * 20           # several packets
        d.memory.put(d.src, blob)
        p.send(SEND, srq.number, b.data(len(blob), d.key, d.src))
        got = cq.next()
        assert opcode(got) == 2 and b.word(got, 0x20) == index and b.word(got, 0x2c) == 5120
        assert b.word(got, 0x38) & 0xffffff == p.tgt.qpn
        assert d.memory.get(d.dst, len(blob)) == blob
        assert opcode(d.cq_a.next()) == 0


def test_remote_memory(model):
    p = Pair(model)
    d = p.d
    d.memory.put(d.src, b'w' * 3000)
    p.send(WRITE, p.srq.number, b.remote(d.dst, d.key) + b.data(3000, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0 and d.memory.get(d.dst, 3000) == b'w' * 3000
    back = d.memory.alloc(4096)
    p.send(READ, p.srq.number, b.remote(d.dst, d.key) + b.data(3000, d.key, back))
    assert opcode(d.cq_a.next()) == 0 and d.memory.get(back, 3000) == b'w' * 3000
    d.memory.put(d.dst, struct.pack('<Q', 40))
    p.send(FETCH_ADD, p.srq.number, b.remote(d.dst, d.key) + struct.pack('>QQ', 2, 0) +
           b.data(8, d.key, back))
    assert opcode(d.cq_a.next()) == 0
    assert struct.unpack('<Q', d.memory.get(d.dst, 8))[0] == 42
    assert struct.unpack('<Q', d.memory.get(back, 8))[0] == 40


def test_domain_of_the_queue(model):
    """Keys are looked at in the protection domain of the queue that a request names."""
    p = Pair(model)
    d = p.d
    foreign = Srq(d, p.xrcd, p.cq, 0x53, pd=d.new(b.ALLOC_PD))
    p.send(WRITE, foreign.number, b.remote(d.dst, d.key) + b.data(16, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x13)


def test_queue_that_is_not_there(model):
    p = Pair(model)
    d = p.d
    p.send(SEND, 0x7777, b.data(16, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x14)


def test_queue_of_another_domain(model):
    p = Pair(model)
    d = p.d
    foreign = Srq(d, d.new(ALLOC_XRCD), p.cq, 0x54)
    foreign.post(d.dst, 64, d.key)
    p.send(SEND, foreign.number, b.data(16, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x14)


def test_rc_and_xrc_do_not_mix(model):
    p = Pair(model)
    d = p.d
    # A RC QP that is connected to a target of XRC: dropped, not taken for RC.
    assert d.qa.modify(b.TO_RST) == 0
    d.qa.connect(p.tgt, GID, timeout=8, retries=1)
    d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(16, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x15)
