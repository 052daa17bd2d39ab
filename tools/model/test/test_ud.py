# SPDX-License-Identifier: GPL-2.0
"""Unreliable datagrams: groups, and what follows an error."""

import struct

import bringup as b
from test_queue import SEND, address, opcode, rdma

ATTACH, DETACH, SQERR2RTS = 0x806, 0x807, 0x506
GROUP = bytes(10) + b'\xff\xff' + bytes((239, 1, 2, 3))
GROUP6 = bytes.fromhex('ff120000000000000000000000000001')
QKEY, SQE, ERR = 0x1234, 4, 6


def datagrams(d, cq, **more):
    qp = b.Qp(d, cq, st=2, **more)
    assert qp.modify(b.RST2INIT, xa8=('I', QKEY)) == 0
    assert qp.modify(b.INIT2RTR) == 0 and qp.modify(b.RTR2RTS) == 0
    return qp


def state(d, qp):
    out = d.commands.ok(b.QUERY_QP, struct.pack('>II', qp.qpn, 0), outlen=0x200)
    return b.word(out, 0x18) >> 28


def group(d, op, qp, gid):
    return d.commands.run(op, struct.pack('>II', qp.qpn, 0) + gid, least=16)[0]


def to_group(gid):
    mac = b'\x01\x00\x5e' + gid[13:16]
    return struct.pack('>IIIBBHI6sBBI16s', QKEY, 0, 0xffffff | 1 << 31, 0, 0, 0xc001, 0, mac, 0,
                       64, 0, gid)


def test_group(model):
    d = rdma(model)
    sender, one, two = (datagrams(d, d.cq_a), datagrams(d, d.cq_b),
                        datagrams(d, d.cq_b))
    assert group(d, ATTACH, one, GROUP) == 0 and group(d, ATTACH, two, GROUP) == 0
    assert group(d, ATTACH, two, GROUP) == 0            # again: nothing new
    for qp in (one, two):
        qp.post_recv(d.dst, 256, d.key)
        qp.post_recv(d.dst, 256, d.key)
    sender.post_send(SEND, to_group(GROUP) + b.data(8, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    assert {b.word(d.cq_b.next(), 0x38) & 0xffffff for _ in '12'} == {one.qpn, two.qpn}
    assert group(d, DETACH, one, GROUP) == 0 and group(d, DETACH, one, GROUP) == b.BAD_RES
    sender.post_send(SEND, to_group(GROUP) + b.data(8, d.key, d.src))
    assert b.word(d.cq_b.next(), 0x38) & 0xffffff == two.qpn
    assert d.cq_b.next(0.2) is None
    assert d.commands.run(b.DESTROY_QP, struct.pack('>II', two.qpn, 0))[0] == 0
    sender.post_send(SEND, to_group(GROUP) + b.data(8, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0 and opcode(d.cq_a.next()) == 0


def test_hears_itself_or_not(model):
    d = rdma(model)
    hears = datagrams(d, d.cq_a)
    deaf = datagrams(d, d.cq_b, x14=('I', 1 << 30 | d.pd))
    for qp in (hears, deaf):
        assert group(d, ATTACH, qp, GROUP) == 0
        qp.post_recv(d.dst, 256, d.key)
        qp.post_recv(d.dst, 256, d.key)
    hears.post_send(SEND, to_group(GROUP) + b.data(8, d.key, d.src))
    assert {opcode(d.cq_a.next()), opcode(d.cq_a.next())} == {0, 2}
    assert opcode(d.cq_b.next()) == 2
    deaf.post_send(SEND, to_group(GROUP) + b.data(8, d.key, d.src))
    assert opcode(d.cq_b.next()) == 0 and d.cq_b.next(0.2) is None
    assert opcode(d.cq_a.next()) == 2


def test_group_needs_a_group(model):
    d = rdma(model)
    qp = datagrams(d, d.cq_a)
    assert group(d, ATTACH, qp, bytes(10) + b'\xff\xff' + bytes((10, 0, 0, 1))) == b.BAD_PARAM
    assert group(d, ATTACH, d.qa, GROUP) == b.BAD_PARAM         # RC
    assert group(d, ATTACH, qp, GROUP6) == 0


def test_error_in_a_send(model):
    d = rdma(model)
    qp = datagrams(d, d.cq_a)
    qp.post_send(SEND, address(qp.qpn, QKEY) + b.data(8, d.key ^ 1, d.src))
    qp.post_send(SEND, address(qp.qpn, QKEY) + b.data(8, d.key, d.src))
    failed, flushed = d.cq_a.next(), d.cq_a.next()
    assert opcode(failed) == 13 and failed[55] == 4
    assert opcode(flushed) == 13 and flushed[55] == 5
    assert state(d, qp) == SQE
    # It still receives, and sends again once it is told to.
    other = datagrams(d, d.cq_b)
    qp.post_recv(d.dst, 256, d.key)
    other.post_send(SEND, address(qp.qpn, QKEY) + b.data(8, d.key, d.src))
    assert opcode(d.cq_a.next()) == 2
    assert qp.modify(SQERR2RTS) == 0
    qp.post_send(SEND, address(other.qpn, 0x999) + b.data(8, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0


def test_flush(model):
    d = rdma(model)
    qp = datagrams(d, d.cq_a)
    for _ in range(3):
        qp.post_recv(d.dst, 256, d.key)
    assert qp.modify(b.TO_ERR) == 0 and state(d, qp) == ERR
    for _ in range(3):
        entry = d.cq_a.next()
        assert opcode(entry) == 14 and entry[55] == 5
    qp.post_recv(d.dst, 256, d.key)             # late
    assert opcode(d.cq_a.next()) == 14
    qp.post_send(SEND, address(qp.qpn, QKEY) + b.data(8, d.key, d.src))
    assert opcode(d.cq_a.next()) == 13
