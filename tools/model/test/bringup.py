# SPDX-License-Identifier: GPL-2.0
"""What a driver does before the first packet, in small steps."""

import struct
import time

from client import Client, Commands, Memory, Vectors

ENABLE_HCA, INIT_HCA, TEARDOWN_HCA, DISABLE_HCA = 0x104, 0x102, 0x103, 0x105
QUERY_PAGES, MANAGE_PAGES, QUERY_HCA_CAP, SET_HCA_CAP = 0x107, 0x108, 0x100, 0x109
QUERY_ISSI, SET_ISSI, NOP = 0x10a, 0x10b, 0x80d
CREATE_MKEY, DESTROY_MKEY, CREATE_EQ, DESTROY_EQ = 0x200, 0x202, 0x301, 0x302
CREATE_CQ, DESTROY_CQ, CREATE_QP, DESTROY_QP = 0x400, 0x401, 0x500, 0x501
RST2INIT, INIT2RTR, RTR2RTS, TO_ERR, TO_RST, QUERY_QP = 0x502, 0x503, 0x504, 0x507, 0x50a, 0x50b
MODIFY_NIC_VPORT, SET_ROCE_ADDRESS = 0x755, 0x761
ALLOC_PD, DEALLOC_PD, ALLOC_UAR, ACCESS_REG, ALLOC_TD = 0x800, 0x801, 0x802, 0x805, 0x816
CREATE_TIR, CREATE_SQ, MODIFY_SQ, CREATE_RQ, MODIFY_RQ = 0x900, 0x904, 0x905, 0x908, 0x909
CREATE_TIS, SET_ROOT, CREATE_FT, CREATE_FG, SET_FTE = 0x912, 0x92f, 0x930, 0x933, 0x936

BAD_OP, BAD_PARAM, BAD_STATE, BAD_RES, BUSY = 2, 3, 4, 5, 6
BAD_QP_STATE, BAD_INLEN, BAD_OUTLEN = 0x10, 0x50, 0x51


def pack(size, **at):
    """A body of @size bytes with big-endian words put at the offsets: x10=(fmt, value)."""
    body = bytearray(size)
    for where, (fmt, value) in at.items():
        struct.pack_into('>' + fmt, body, int(where[1:], 16), value)
    return body


def word(data, at):
    return struct.unpack_from('>I', data, at)[0]


class Device:
    """A device that is up as far as INIT_HCA, with the objects that everything needs."""

    def __init__(self, model, vectors=4):
        self.client = Client(model)
        self.memory = Memory(self.client)
        self.vectors = Vectors(self.client, vectors)
        self.commands = Commands(self.client, self.memory)
        self.boot()
        self.pages = []
        self.uar = self.new(ALLOC_UAR)
        self.pd = self.new(ALLOC_PD)
        self.dbr_page = self.memory.alloc(4096)
        self.dbr_next = 0

    def boot(self):
        run = self.commands.ok
        run(ENABLE_HCA, outlen=12)
        run(QUERY_ISSI, outlen=112)
        run(SET_ISSI, pack(8, x0=('I', 1)))
        for which in (1, 2):
            count = word(run(QUERY_PAGES, mod=which), 12)
            pas = b''.join(struct.pack('>Q', self.memory.base + 0xf00000 + 4096 * (i % 16))
                           for i in range(count))
            run(MANAGE_PAGES, struct.pack('>II', 0, count) + pas, mod=1)
            if which == 1:
                run(SET_HCA_CAP, bytes(8) + self.capabilities(0)[16:], mod=0)
        run(INIT_HCA, least=16 + 16)

    def capabilities(self, group, current=0):
        return self.commands.ok(QUERY_HCA_CAP, mod=group << 1 | current, outlen=16 + 4096)

    def new(self, op, body=b'', least=16, mask=0xffffff):
        return word(self.commands.ok(op, body, least=least), 8) & mask

    def dbr(self):
        self.dbr_next += 64
        return self.dbr_page + self.dbr_next

    def buffer(self, size):
        """A buffer and its page list."""
        at = self.memory.alloc(size)
        return at, b''.join(struct.pack('>Q', at + p) for p in range(0, size, 4096))

    def eq(self, vector, log_size=4, events=0):
        at, pas = self.buffer(max(4096, 64 << log_size))
        for i in range(1 << log_size):
            self.memory.put(at + 64 * i + 63, b'\x01')
        body = pack(0x108, x14=('I', log_size << 24 | self.uar), x1c=('I', vector),
                    x50=('Q', events))
        eqn = self.new(CREATE_EQ, body + pas, mask=0xff)
        return Eq(self, eqn, at, log_size)

    def cq(self, eqn, log_size=4, **more):
        at, pas = self.buffer(max(4096, 64 << log_size))
        for i in range(1 << log_size):
            self.memory.put(at + 64 * i + 63, b'\xf1')
        dbr = self.dbr()
        body = pack(0x108, x14=('I', log_size << 24 | self.uar), x1c=('I', eqn),
                    x40=('Q', dbr), **more)
        return Cq(self, self.new(CREATE_CQ, body + pas), at, log_size, dbr)

    def mkey(self, access=0x7c00, start=0, length=0, pages=(), pd=None):
        """A key over @pages, or over all of memory."""
        mode = 1 if pages else 0
        pd = self.pd if pd is None else pd
        mtt = b''.join(struct.pack('>Q', p) for p in pages)
        mtt += bytes(-len(mtt) % 16)
        body = pack(0x108, x8=('I', access | mode << 8), xc=('I', 0xffffff << 8 | 0x5a),
                    x14=('I', (0 if pages else 1 << 31) | pd), x18=('Q', start),
                    x20=('Q', length), x3c=('I', len(mtt) // 16), x40=('I', 12),
                    x58=('I', len(mtt) // 16))
        return self.new(CREATE_MKEY, body + mtt) << 8 | 0x5a

    def doorbell(self, number, first=0):
        self.client.region_write(0, self.uar * 4096 + 0x800, struct.pack('>II', first, number << 8))


class Eq:
    def __init__(self, device, eqn, at, log_size):
        self.device, self.eqn, self.at, self.log_size, self.ci = device, eqn, at, log_size, 0

    def arm(self):
        self.device.client.set_bar(self.device.uar * 4096 + 0x40, self.eqn << 24 | self.ci)

    def next(self, timeout=10):
        """The next entry, or None."""
        at = self.at + 64 * (self.ci & (1 << self.log_size) - 1)
        return poll(self, at, timeout)


class Cq:
    def __init__(self, device, cqn, at, log_size, dbr):
        self.device, self.cqn, self.at, self.log_size, self.dbr = device, cqn, at, log_size, dbr
        self.ci = 0

    def arm(self, serial=0, solicited=False):
        first = serial << 28 | solicited << 24 | self.ci
        self.device.client.region_write(0, self.device.uar * 4096 + 0x20,
                                        struct.pack('>II', first, self.cqn))

    def next(self, timeout=10):
        entry = poll(self, self.at + 64 * (self.ci & (1 << self.log_size) - 1), timeout)
        if entry:
            self.device.memory.put(self.dbr, struct.pack('>I', self.ci))
        return entry


def poll(queue, at, timeout):
    deadline = time.monotonic() + timeout
    while True:
        entry = queue.device.memory.get(at, 64)
        fresh = entry[63] >> 4 != 0xf
        if fresh and entry[63] & 1 == queue.ci >> queue.log_size & 1:
            queue.ci += 1
            return entry
        if time.monotonic() > deadline:
            return None
        time.sleep(0.0005)


class Qp:
    """An RC queue pair, with a receive queue of 16-byte entries and 16 send blocks."""

    MAC = bytes.fromhex('020000000001')

    def __init__(self, device, cq, st=0, **more):
        self.device, self.cq = device, cq
        self.at, pas = device.buffer(4096)
        self.dbr = device.dbr()
        # 16 receives of 16 bytes, 16 sends of 64
        words = dict(x10=('I', st << 16), x14=('I', device.pd),
                     x18=('I', 4 << 19 | 0 << 16 | 4 << 11), x1c=('I', device.uar),
                     x20=('I', 0x42), x8c=('I', cq.cqn), xac=('I', cq.cqn), xb0=('Q', self.dbr))
        body = pack(0x108, **words | more)
        self.qpn = device.new(CREATE_QP, body + pas)
        self.sq, self.rq, self.sent = self.at + 256, 0, 0

    def modify(self, op, mask=0, **at):
        words = {'x' + format(int(k[1:], 16) + 0x10, 'x'): v for k, v in at.items()}
        return self.device.commands.run(op, pack(0x108, x0=('I', self.qpn), x8=('I', mask),
                                                 **words), least=0x110)[0]

    def connect(self, peer, gid, timeout=14, retries=7):
        assert self.modify(RST2INIT, x90=('I', 0xe000)) == 0
        path = dict(x20=('I', 0), x28=('Q', struct.unpack('>Q', gid[:8])[0]),
                    x30=('Q', struct.unpack('>Q', gid[8:])[0]),
                    x3c=('I', int.from_bytes(self.MAC[:2], 'big')),
                    x40=('I', int.from_bytes(self.MAC[2:], 'big')))
        assert self.modify(INIT2RTR, x8=('I', 3 << 29 | 30 << 24), x14=('I', peer.qpn),
                           x90=('I', 2 << 21 | 0xe000), x94=('I', 1 << 24 | 0x100), **path) == 0
        assert self.modify(RTR2RTS, x20=('I', timeout << 27),
                           x70=('I', 2 << 21 | retries << 16 | 7 << 13), x78=('I', 0x100)) == 0

    def post_recv(self, address, size, lkey):
        self.device.memory.put(self.at + 16 * (self.rq % 16),
                               struct.pack('>IIQ', size, lkey, address))
        self.rq += 1
        self.device.memory.put(self.dbr, struct.pack('>I', self.rq & 0xffff))

    def post_send(self, opcode, segments=b'', imm=0, flags=8, ring=True):
        ds = 1 + len(segments) // 16
        ctrl = struct.pack('>IIBBBBI', self.sent << 8 | opcode, self.qpn << 8 | ds, 0, 0, 0,
                           flags, imm)
        first, wqe = self.sent, ctrl + segments
        for at in range(0, len(wqe), 64):
            self.device.memory.put(self.sq + 64 * (self.sent % 16),
                                   wqe[at:at + 64].ljust(64, b'\0'))
            self.sent += 1
        self.device.memory.put(self.dbr + 4, struct.pack('>I', self.sent & 0xffff))
        if ring:
            self.device.doorbell(self.qpn, first << 8)


def data(size, lkey, address):
    return struct.pack('>IIQ', size, lkey, address)


def remote(address, rkey):
    return struct.pack('>QII', address, rkey, 0)
