# SPDX-License-Identifier: GPL-2.0
"""The command interface."""

import os
import random
import struct

import bringup as b
from client import Client, Commands, Memory


def fresh(model):
    c = Client(model)
    m = Memory(c)
    return Commands(c, m)


def test_boot(model):
    d = b.Device(model)
    run = d.commands.ok
    run(b.TEARDOWN_HCA)
    taken = 0
    while True:
        n = b.word(run(b.MANAGE_PAGES, struct.pack('>II', 0, 200), mod=2, outlen=16 + 8 * 200), 8)
        if not n:
            break
        taken += n
    assert taken > 0
    run(b.DISABLE_HCA, outlen=12)


def test_boot_again(model):
    for _ in range(3):
        d = b.Device(model)
        d.commands.ok(b.TEARDOWN_HCA)
        d.client.close()


def test_delivery(model):
    q = fresh(model)
    nop = struct.pack('>HHHHQ', b.NOP, 0, 0, 0, 0)
    assert q.deliver(nop, 16)[0] == 0
    assert q.deliver(nop, 16, sign=False)[0] == 1
    assert q.deliver(nop, 16, type=6)[0] == 0x10
    assert q.deliver(nop, 16, inlen=4)[0] == 7
    assert q.deliver(nop, 16, inlen=1 << 30)[0] == 7
    assert q.deliver(nop, 16, outlen=0)[0] == 8
    assert q.deliver(nop, 16, outlen=1 << 30)[0] == 8
    assert q.deliver(nop, 2000, token=99)[0] == 2
    assert q.deliver(nop, 2000, outptr=0)[0] == 4
    assert q.deliver(nop, 2000, outptr=0x7770000000000000)[0] == 4
    assert q.deliver(nop.ljust(2000, b'\0'), 16, inptr=q.queue + 1)[0] == 5
    assert q.deliver(nop.ljust(2000, b'\0'), 16, inptr=0x8000)[0] == 5
    # A chain may be longer than it need be.
    assert q.deliver(nop.ljust(1600, b'\0'), 16, inlen=64)[0] == 0


def test_slots(model):
    q = fresh(model)
    nop = struct.pack('>HHHHQ', b.NOP, 0, 0, 0, 0)
    for slot in range(q.SLOTS):
        assert q.deliver(nop, 16, slot=slot)[0] == 0
    # All at once, and slots that have nothing in them.
    for slot in range(0, q.SLOTS, 2):
        q.memory.put(q.queue + 64 * slot, q.slot(nop, 16))
    q.client.set_bar(0x18, 0xffffffff)
    assert q.deliver(nop, 16, slot=31)[0] == 0
    assert all(not q.memory.get(q.queue + 64 * s + 63, 1)[0] & 1 for s in range(q.SLOTS))


def test_queue_nowhere(model):
    q = fresh(model)
    q.client.set_bar(0x10, 0xdead)
    q.client.set_bar(0x14, 0xbeef000)
    q.client.set_bar(0x18, 0xffffffff)
    assert q.client.config(0, 'H') == 0x15b3
    q.client.set_bar(0x10, q.queue >> 32)
    q.client.set_bar(0x14, q.queue & 0xffffffff)
    q.ok(b.NOP)


def test_file_that_shrinks(model):
    q = fresh(model)
    os.ftruncate(q.memory.fd, 0)
    q.client.set_bar(0x18, 1)
    assert q.client.config(0, 'H') == 0x15b3
    q.client.close()
    fresh(model).ok(b.NOP)


def test_not_a_bus_master(model):
    q = fresh(model)
    q.client.set_config(4, 'H', 2)
    nop = struct.pack('>HHHHQ', b.NOP, 0, 0, 0, 0)
    q.memory.put(q.queue, q.slot(nop, 16))
    q.client.set_bar(0x18, 1)
    q.client.config(0, 'H')
    assert q.memory.get(q.queue + 63, 1)[0] & 1
    q.client.set_config(4, 'H', 6)
    q.ok(b.NOP)


def test_statuses(model):
    q = fresh(model)
    assert q.run(0x7fff)[0] == b.BAD_OP
    assert q.run(b.ALLOC_PD)[0] == b.BAD_STATE
    q.ok(b.ENABLE_HCA)
    assert q.run(b.SET_HCA_CAP, least=16)[0] == b.BAD_INLEN
    assert q.run(b.QUERY_HCA_CAP, outlen=64)[0] == b.BAD_OUTLEN
    assert q.run(b.ALLOC_PD)[0] == b.BAD_STATE
    q.ok(b.INIT_HCA, least=32)
    assert q.run(b.INIT_HCA, least=32)[0] == b.BAD_STATE
    pd = b.word(q.ok(b.ALLOC_PD), 8)
    q.ok(b.DEALLOC_PD, struct.pack('>I', pd))
    status, out = q.run(b.DEALLOC_PD, struct.pack('>I', pd))
    assert status == b.BAD_RES and b.word(out, 4) != 0


def test_capabilities_stick(model):
    q = fresh(model)
    q.ok(b.ENABLE_HCA)
    cap = bytearray(q.ok(b.QUERY_HCA_CAP, mod=0, outlen=16 + 4096)[16:])
    at = 0x10                                   # log_max_qp is in bits 4:0 of this word
    assert b.word(cap, at) & 31 == 18
    cap[at + 3] = cap[at + 3] & 0xe0 | 17
    q.ok(b.SET_HCA_CAP, bytes(8) + cap)
    assert b.word(q.ok(b.QUERY_HCA_CAP, mod=1, outlen=16 + 4096), 16 + at) & 31 == 17
    assert b.word(q.ok(b.QUERY_HCA_CAP, mod=0, outlen=16 + 4096), 16 + at) & 31 == 18
    cap[at + 3] = cap[at + 3] & 0xe0 | 31
    assert q.run(b.SET_HCA_CAP, bytes(8) + cap)[0] == b.BAD_PARAM
    assert q.run(b.QUERY_HCA_CAP, mod=0x7ffe, outlen=16 + 4096)[0] == b.BAD_PARAM


def test_uars_are_behind_the_init_segment(model):
    d = b.Device(model)
    assert d.uar >= 3
    assert all(d.new(b.ALLOC_UAR) * 4096 < 32 << 20 for _ in range(100))


def test_busy_objects(model):
    d = b.Device(model)
    eq = d.eq(0)
    cq = d.cq(eq.eqn)
    assert d.commands.run(b.DESTROY_EQ, struct.pack('>I', eq.eqn))[0] == b.BUSY
    qp = b.Qp(d, cq)
    assert d.commands.run(b.DESTROY_CQ, struct.pack('>I', cq.cqn))[0] == b.BUSY
    d.commands.ok(b.DESTROY_QP, struct.pack('>I', qp.qpn))
    d.commands.ok(b.DESTROY_CQ, struct.pack('>I', cq.cqn))
    d.commands.ok(b.DESTROY_EQ, struct.pack('>I', eq.eqn))


def test_registers(model):
    d = b.Device(model)
    out = d.commands.ok(b.ACCESS_REG, b.pack(8 + 64, x0=('I', 0x5004), x8=('I', 1 << 16 | 4)),
                        mod=1, outlen=16 + 64)
    assert b.word(out, 16 + 0xc) == 1 << 20     # 100 Gbit/s
    assert d.commands.run(b.ACCESS_REG, b.pack(8 + 64, x0=('I', 0x1111)), mod=1,
                          outlen=80)[0] == b.BAD_PARAM


def test_which_registers(model):
    d = b.Device(model)

    def mask(register, group=0):
        out = d.commands.ok(b.ACCESS_REG, struct.pack('>HHIBBBB', 0, register, 0, 0, 0, 0, group) +
                            bytes(76), mod=1, outlen=16 + 80)
        assert out[16 + 0x28:16 + 0x38] == bytes(16)    # no features
        return int.from_bytes(out[24:40], 'big')

    ports = mask(0x507f)
    for register in (0x5003, 0x5004, 0x5006, 0x5008, 0x507f):   # PMTU, PTYS, PAOS, PPCNT, PCAM
        assert ports >> (register - 0x5000) & 1
    assert not ports >> 0x23 & 1                                # PPLM
    assert mask(0x907f) == 1 << 0x7f and mask(0x907f, 1) == 0
    assert mask(0x4019) == 1 << 0x19


def test_atomic_caps(model):
    d = b.Device(model)
    run = d.commands.ok
    run(b.TEARDOWN_HCA)
    # A driver sends the one member that it chooses and zeros else.
    run(b.SET_HCA_CAP, bytes(8) + b.pack(4096, x8=('I', 1 << 30)), mod=3 << 1)
    got = d.capabilities(3, current=1)[16:]
    assert b.word(got, 8) >> 30 == 1
    assert b.word(got, 0x10) & 3 == 3 and b.word(got, 0x14) & 8


def test_command_events(model):
    d = b.Device(model)
    eq = d.eq(1, events=1 << 0xa)
    eq.arm()
    d.commands.ok(b.NOP)
    assert d.vectors.wait(1) == 1
    entry = eq.next()
    assert entry[1] == 0x0a and b.word(entry, 0x20) == 1
    d.commands.ok(b.NOP)                        # not armed: no interrupt
    assert d.vectors.wait(1, 0.2) == 0
    eq.arm()                                    # an arm behind the producer fires at once
    assert d.vectors.wait(1) == 1


def test_random_commands(model):
    d = b.Device(model)
    eq = d.eq(0)
    d.cq(eq.eqn)
    rng = random.Random(1)
    ops = [0x100, 0x108, 0x109, 0x200, 0x201, 0x202, 0x301, 0x302, 0x303, 0x400, 0x401, 0x402,
           0x403, 0x500, 0x501, 0x502, 0x503, 0x504, 0x505, 0x507, 0x50a, 0x50b, 0x700, 0x701,
           0x702, 0x705, 0x750, 0x754, 0x755, 0x761, 0x773, 0x805, 0x900, 0x901, 0x904, 0x905,
           0x908, 0x909, 0x90c, 0x912, 0x916, 0x917, 0x92f, 0x930, 0x931, 0x933, 0x936, 0x938]
    for _ in range(1500):
        body = bytearray(rng.choice((16, 0x100, 0x110, 0x300, 0x400, 0x800)))
        for _ in range(rng.randrange(12)):
            at = rng.randrange(len(body) // 4) * 4
            struct.pack_into('>I', body, at,
                             rng.choice((1, 2, 4, d.uar, d.pd, 0x80, 0xffffffff,
                                         rng.randrange(1 << 32), 4 << 24 | d.uar)))
        d.commands.run(rng.choice(ops), bytes(body), mod=rng.choice((0, 0, 1, 2, 3)),
                       outlen=rng.choice((16, 0x110, 0x400, 0x1010)))
    d.commands.ok(b.NOP)
