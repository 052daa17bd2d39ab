# SPDX-License-Identifier: GPL-2.0
"""Queues: work in, completions out, frames between."""

import os
import socket
import struct
import time

import bringup as b

GID = bytes(10) + b'\xff\xff' + bytes((10, 0, 0, 1))
MODIFY_CQ = 0x403
SEND, SEND_IMM, WRITE, READ, FETCH_ADD = 0x0a, 0x0b, 0x08, 0x10, 0x12


def rdma(model, log_cq=4):
    """A device with an address, a pair of connected QPs, and a key over all memory."""
    d = b.Device(model)
    d.commands.ok(b.MODIFY_NIC_VPORT, b.pack(0x1f8, x4=('I', 2), xf8=('I', 1)), least=0x200)
    d.commands.ok(b.SET_ROCE_ADDRESS,
                  struct.pack('>II', 0, 0) + GID + struct.pack('>HHI', 0, 0x0200, 1) +
                  struct.pack('>II', 2, 0), least=0x30)
    d.queue = d.eq(2, events=1 << 0x10 | 1 << 0x11 | 1 << 5 | 1 << 4)
    d.cq_a, d.cq_b = d.cq(d.queue.eqn, log_cq), d.cq(d.queue.eqn, log_cq)
    d.qa, d.qb = b.Qp(d, d.cq_a), b.Qp(d, d.cq_b)
    d.qa.connect(d.qb, GID)
    d.qb.connect(d.qa, GID)
    d.key = d.mkey()
    d.src, d.dst = d.memory.alloc(65536), d.memory.alloc(65536)
    return d


def opcode(entry):
    return entry[63] >> 4


def test_send(model):
    d = rdma(model)
    d.memory.put(d.src, b'hello, world')
    d.qb.post_recv(d.dst, 4096, d.key)
    d.qa.post_send(SEND_IMM, b.data(12, d.key, d.src), imm=0x12345678)
    got = d.cq_b.next()
    assert opcode(got) == 3 and b.word(got, 0x2c) == 12 and b.word(got, 0x24) == 0x12345678
    assert b.word(got, 0x20) == 0x42            # user index
    assert d.memory.get(d.dst, 12) == b'hello, world'
    done = d.cq_a.next()
    assert opcode(done) == 0 and b.word(done, 0x38) & 0xffffff == d.qa.qpn


def test_inline_and_wrap(model):
    d = rdma(model)
    for i in range(40):
        text = b'message %02d' % i
        d.qb.post_recv(d.dst + 64 * i, 64, d.key)
        seg = struct.pack('>I', 1 << 31 | len(text)) + text
        d.qa.post_send(SEND, seg.ljust((len(seg) + 15) & ~15, b'\0'))
        got, done = d.cq_b.next(), d.cq_a.next()
        assert opcode(got) == 2 and opcode(done) == 0
        assert struct.unpack('>H', got[60:62])[0] == i
        assert d.memory.get(d.dst + 64 * i, len(text)) == text


def test_write_read_atomic(model):
    d = rdma(model)
    blob = os.urandom(40000)
    d.memory.put(d.src, blob)
    d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(len(blob), d.key, d.src))
    assert opcode(d.cq_a.next()) == 0 and d.memory.get(d.dst, len(blob)) == blob
    back = d.memory.alloc(65536)
    d.qa.post_send(READ, b.remote(d.dst, d.key) + b.data(len(blob), d.key, back))
    assert opcode(d.cq_a.next()) == 0 and d.memory.get(back, len(blob)) == blob
    d.memory.put(d.dst, struct.pack('<Q', 40))
    d.qa.post_send(FETCH_ADD, b.remote(d.dst, d.key) + struct.pack('>QQ', 2, 0) +
                   b.data(8, d.key, back))
    assert opcode(d.cq_a.next()) == 0
    assert struct.unpack('<Q', d.memory.get(d.dst, 8))[0] == 42
    assert struct.unpack('<Q', d.memory.get(back, 8))[0] == 40
    # Nowhere to put what was there: nothing is changed.
    d.qa.post_send(FETCH_ADD, b.remote(d.dst, d.key) + struct.pack('>QQ', 2, 0))
    expect_error(d, d.cq_a.next(), 1)
    assert struct.unpack('<Q', d.memory.get(d.dst, 8))[0] == 42


def test_key_of_pages(model):
    d = rdma(model)
    pages = [d.memory.alloc(4096) for _ in range(6)][::-2]
    key = d.mkey(start=0x7f0000000800, length=8192, pages=pages)
    d.memory.put(d.src, bytes(range(256)) * 16)
    d.qa.post_send(WRITE, b.remote(0x7f0000000800, key) + b.data(4096, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    assert d.memory.get(pages[0] + 0x800, 2048) == bytes(range(256)) * 8
    assert d.memory.get(pages[1], 2048) == bytes(range(256)) * 8


def expect_error(d, entry, syndrome):
    assert opcode(entry) == 13 and entry[55] == syndrome, (opcode(entry), entry[55])


def test_remote_access(model):
    d = rdma(model)
    readable = d.mkey(access=0x1400)            # local and remote read
    d.qa.post_send(WRITE, b.remote(d.dst, readable) + b.data(64, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x13)
    d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(64, d.key, d.src))
    expect_error(d, d.cq_a.next(), 5)           # flushed


def test_local_key(model):
    d = rdma(model)
    d.qa.post_send(SEND, b.data(64, d.key ^ 1, d.src))
    expect_error(d, d.cq_a.next(), 4)


def test_other_domain(model):
    d = rdma(model)
    other = d.mkey(pd=d.new(b.ALLOC_PD))
    d.qa.post_send(SEND, b.data(64, other, d.src))
    expect_error(d, d.cq_a.next(), 4)


def test_bus_error_in_payload(model):
    d = rdma(model)
    d.qa.post_send(SEND, b.data(64, d.key, 0x5555000000000000))
    expect_error(d, d.cq_a.next(), 4)


def test_unmapped_while_registered(model):
    d = rdma(model)
    fd = os.memfd_create('more')
    os.ftruncate(fd, 65536)
    d.client.map(0x900000000, 65536, fd)
    key = d.mkey(start=0, length=4096, pages=[0x900000000])
    d.qa.post_send(WRITE, b.remote(0, key) + b.data(64, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    d.client.unmap(0x900000000, 65536)
    d.qa.post_send(WRITE, b.remote(0, key) + b.data(64, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x13)


def test_nonsense_work(model):
    d = rdma(model)
    d.qa.post_send(0x77, b.data(64, d.key, d.src))
    expect_error(d, d.cq_a.next(), 2)


def test_flush(model):
    d = rdma(model)
    for i in range(5):
        d.qb.post_recv(d.dst, 64, d.key)
    assert d.qb.modify(b.TO_ERR) == 0
    for i in range(5):
        entry = d.cq_b.next()
        assert opcode(entry) == 14 and entry[55] == 5
    d.qb.post_recv(d.dst, 64, d.key)            # posted late, with no doorbell
    assert opcode(d.cq_b.next()) == 14


def test_transitions(model):
    d = rdma(model)
    assert d.qa.modify(b.RST2INIT) == b.BAD_QP_STATE
    assert d.qa.modify(b.TO_RST) == 0
    assert d.qa.modify(b.RTR2RTS) == b.BAD_QP_STATE
    assert d.qa.modify(b.RST2INIT) == 0
    assert d.qa.modify(b.INIT2RTR) == b.BAD_PARAM   # no MTU


def test_completion_events(model):
    d = rdma(model)
    d.queue.arm()
    d.cq_a.arm(0)
    d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(8, d.key, d.src))
    assert d.vectors.wait(2) == 1
    entry = d.queue.next()
    assert entry[1] == 0 and b.word(entry, 0x38) == d.cq_a.cqn
    d.queue.arm()
    d.cq_a.arm(1)                               # what came before it counts
    assert d.vectors.wait(2) == 1
    assert d.cq_a.next() and d.queue.next()
    d.queue.arm()
    d.cq_a.arm(2, solicited=True)
    d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(8, d.key, d.src))
    assert d.cq_a.next()
    assert d.vectors.wait(2, 0.2) == 0


def test_moderation(model):
    d = rdma(model)
    # 4,000 us, or 3 entries
    change = b.pack(0x108, x0=('I', d.cq_a.cqn), x4=('I', 3), x18=('I', 4000 << 16 | 3))
    assert d.commands.run(MODIFY_CQ, change, least=0x110)[0] == 0

    def write():
        d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(8, d.key, d.src))
        assert opcode(d.cq_a.next()) == 0

    d.queue.arm()
    d.cq_a.arm(0)
    for _ in range(3):                          # the third is told of, not the first
        write()
    assert d.vectors.wait(2) == 1 and d.queue.next()
    assert d.queue.next(0.1) is None
    d.queue.arm()
    d.cq_a.arm(1)
    before = time.monotonic()
    write()
    assert d.vectors.wait(2) == 1 and d.queue.next()
    assert time.monotonic() - before > 0.003    # 4 ms


def test_overrun(model):
    d = rdma(model, log_cq=2)
    for i in range(8):
        d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(8, d.key, d.src))
    entry = d.queue.next()
    assert entry[1] == 4 and b.word(entry, 0x20) == d.cq_a.cqn


def test_wrong_uar(model):
    d = rdma(model)
    right, d.uar = d.uar, d.new(b.ALLOC_UAR)
    d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(8, d.key, d.src))
    assert d.cq_a.next(0.3) is None
    d.uar = right
    d.doorbell(d.qa.qpn)
    assert opcode(d.cq_a.next()) == 0


class Ethernet:
    """The Ethernet function on a wire whose other end is here."""

    def __init__(self, model, wire=True):
        if wire:
            self.attach(model)
        self.bring_up(model)

    def attach(self, model):
        self.wire = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.wire.settimeout(10)
        self.here, self.there = model.options_wire
        self.wire.bind(self.here)

    def bring_up(self, model):
        d = self.device = b.Device(model)
        self.td = d.new(b.ALLOC_TD)
        self.tis = d.new(b.CREATE_TIS, b.pack(0xb8, x3c=('I', self.td)), least=0xc0)
        self.eq = d.eq(1)
        self.cq = d.cq(self.eq.eqn)
        self.key = d.mkey()
        self.sq_at, pas = d.buffer(4096)
        self.sq_dbr = d.dbr()
        self.sq = d.new(b.CREATE_SQ, self.queue(pas, 6, 4, self.sq_dbr, tis=True))
        self.state(b.MODIFY_SQ, self.sq)
        self.sent = 0

    def queue(self, pas, log_stride, log_size, dbr, tis=False):
        d = self.device
        more = dict(x38=('I', 1 << 16), x44=('I', self.tis)) if tis else {}
        return b.pack(0x108, x20=('I', self.cq.cqn), x48=('I', 1 << 28), x50=('I', d.pd),
                      x54=('I', d.uar), x58=('Q', dbr),
                      x68=('I', log_stride << 16 | log_size), **more) + pas

    def state(self, op, number):
        self.device.commands.ok(op, b.pack(0x108, x0=('I', number), x18=('I', 1 << 20)))

    def send(self, frame, flags=0):
        d = self.device
        at = d.memory.alloc(4096)
        d.memory.put(at, frame)
        wqe = struct.pack('>IIBBBBI', self.sent << 8 | 0x0a, self.sq << 8 | 3, 0, 0, 0, 8, 0)
        wqe += struct.pack('>4xBxHIHH', flags, 0, 0, 0, 0) + b.data(len(frame), self.key, at)
        d.memory.put(self.sq_at + 64 * (self.sent % 16), wqe.ljust(64, b'\0'))
        self.sent += 1
        d.memory.put(self.sq_dbr + 4, struct.pack('>I', self.sent))
        d.doorbell(self.sq)

    def receive_queue(self):
        d = self.device
        self.rq_at, pas = d.buffer(4096)
        self.rq_dbr = d.dbr()
        self.rq = d.new(b.CREATE_RQ, self.queue(pas, 4, 4, self.rq_dbr))
        self.state(b.MODIFY_RQ, self.rq)
        self.buffers = [d.memory.alloc(2048) for _ in range(16)]
        for i, at in enumerate(self.buffers):
            d.memory.put(self.rq_at + 16 * i, b.data(2048, self.key, at))
        d.memory.put(self.rq_dbr, struct.pack('>I', 16))
        tir = d.new(b.CREATE_TIR, b.pack(0x108, x34=('I', self.rq), x3c=('I', self.td)))
        return tir

    def steer(self, tir):
        """One table; frames to our own address go to @tir."""
        d = self.device
        ft = d.new(b.CREATE_FT, b.pack(0x38, x10=('I', 4)), least=0x40)
        group = b.pack(0x3f8, xc=('I', ft), x34=('I', 1), x40=('I', 0xffffffff), x44=('I', 0xffff << 16))
        fg = d.new(b.CREATE_FG, group)
        d.commands.ok(b.SET_FTE, b.pack(0x338, xc=('I', ft), x3c=('I', fg), x40=('I', 7),
                                        x44=('I', 4), x48=('I', 1), x80=('I', 0x02000000),
                                        x84=('I', 0x0001 << 16)) + struct.pack('>II', 2 << 24 | tir, 0))
        d.commands.ok(b.SET_ROOT, b.pack(0x38, xc=('I', ft)), least=0x40)


def ipv4(dst, src, payload):
    udp = struct.pack('>HHHH', 1000, 2000, 8 + len(payload), 0) + payload
    ip = struct.pack('>BBHHHBBHII', 0x45, 0, 20 + len(udp), 1, 0, 64, 17, 0, 0x0a000001, 0x0a000002)
    return dst + src + b'\x08\x00' + ip + udp


def total(data):
    data += b'\0' * (len(data) & 1)
    s = sum(struct.unpack(f'>{len(data) // 2}H', data))
    while s >> 16:
        s = (s & 0xffff) + (s >> 16)
    return s


OWN, PEER = bytes.fromhex('020000000001'), bytes.fromhex('020000000002')


def test_transmit(model):
    e = Ethernet(model)
    frame = ipv4(PEER, OWN, b'payload of a datagram')
    e.send(frame)
    assert e.wire.recv(65536) == frame
    assert opcode(e.cq.next()) == 0
    e.send(frame, flags=0xc0)                   # both checksums
    got = e.wire.recv(65536)
    assert total(got[14:34]) == 0xffff
    assert total(got[26:34] + struct.pack('>HH', 17, len(got) - 34) + got[34:]) == 0xffff


def test_receive(model):
    e = Ethernet(model)
    e.steer(e.receive_queue())
    frame = ipv4(OWN, PEER, b'x' * 100)
    e.wire.sendto(ipv4(PEER, PEER, b'not for us'), e.there)
    e.wire.sendto(frame, e.there)
    got = e.cq.next()
    assert opcode(got) == 2 and b.word(got, 0x2c) == len(frame)
    assert b.word(got, 0x38) & 0xffffff == 7    # flow tag
    assert e.device.memory.get(e.buffers[0], len(frame)) == frame
    assert e.cq.next(0.2) is None


def test_frames_of_any_kind(model):
    e = Ethernet(model)
    e.steer(e.receive_queue())
    for size in (1, 13, 14, 15, 20, 34, 64, 1514, 9000, 65000):
        e.wire.sendto((OWN + PEER + b'\x08\x00\x45' + os.urandom(size))[:size], e.there)
        e.wire.sendto((OWN + PEER + b'\x81\x00\x00\x01\x86\xdd\x60' + os.urandom(size))[:size],
                      e.there)
    e.device.commands.ok(b.NOP)


def test_datagram(model):
    d = rdma(model)
    a, c = b.Qp(d, d.cq_a, st=2), b.Qp(d, d.cq_b, st=2)
    for qp in (a, c):
        assert qp.modify(b.RST2INIT, xa8=('I', 0x1234)) == 0
        assert qp.modify(b.INIT2RTR) == 0 and qp.modify(b.RTR2RTS) == 0
    d.memory.put(d.src, b'a datagram')
    c.post_recv(d.dst, 256, d.key)

    def to(number, qkey):
        return struct.pack('>IIIBBHI6sBBI16s', qkey, 0, number | 1 << 31, 0, 0, 0xc001, 0,
                           b.Qp.MAC, 0, 64, 0, GID)

    a.post_send(SEND, to(c.qpn, 0x9999) + b.data(10, d.key, d.src))     # wrong Q_Key: lost
    a.post_send(SEND, to(c.qpn, 0x1234) + b.data(10, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0 and opcode(d.cq_a.next()) == 0
    got = d.cq_b.next()
    assert opcode(got) == 2 and b.word(got, 0x2c) == 50
    assert b.word(got, 0x18) & 0xffffff == a.qpn and b.word(got, 0x18) >> 28 == 1
    assert d.memory.get(d.dst + 40, 10) == b'a datagram'
    assert d.memory.get(d.dst + 20 + 16, 4) == GID[12:]
    assert d.cq_b.next(0.2) is None


def address(number, qkey):
    """An address vector to QP @number of this function."""
    return struct.pack('>IIIBBHI6sBBI16s', qkey, 0, number | 1 << 31, 0, 0, 0xc001, 0,
                       b.Qp.MAC, 0, 64, 0, GID)


def test_management(model):
    """The GSI QP: number 1 on the wire; the well-known Q_Key, also where it is implied."""
    d = rdma(model)
    gsi = b.Qp(d, d.cq_a, st=8)
    other = b.Qp(d, d.cq_b, st=2)
    for qp in (gsi, other):
        assert qp.modify(b.RST2INIT, xa8=('I', 0x1234)) == 0
        assert qp.modify(b.INIT2RTR) == 0 and qp.modify(b.RTR2RTS) == 0
    for qkey in (0x80010000, 0x80000000):
        gsi.post_recv(d.dst, 256, d.key)
        gsi.post_send(SEND, address(1, qkey) + b.data(10, d.key, d.src))
        assert opcode(d.cq_a.next()) == 0
        got = d.cq_a.next()
        assert opcode(got) == 2 and b.word(got, 0x18) & 0xffffff == 1
    other.post_recv(d.dst, 256, d.key)
    other.post_send(SEND, address(other.qpn, 0x80000000) + b.data(10, d.key, d.src))
    assert opcode(d.cq_b.next()) == 0 and opcode(d.cq_b.next()) == 2


for function in (test_transmit, test_receive, test_frames_of_any_kind):
    function.wire = True
