# SPDX-License-Identifier: GPL-2.0
"""drops.py DEVICE NAMESPACE PEER-ADDRESS OWN-ADDRESS [KIND-OF-GID]

Plays the peer of a QP with packets made by hand: each bad one is counted under
its reason and dropped, nothing answers, and the QP goes on.
"""

import os
import random
import select
import socket
import struct
import sys
import time

from pyverbs.addr import GID

import roce
from verbs import *

SRC_PORT = 0xc111
name, namespace, peer_address, own_address = sys.argv[1:5]
KIND = sys.argv[5] if len(sys.argv) > 5 else "v4"
FAMILY = socket.AF_INET if KIND == "v4" else socket.AF_INET6

seed = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10 ** 6)
random.seed(seed)
print("  seed %d" % seed)


def in_namespace(function):
    """Sockets stay in the namespace that they were made in."""
    with open("/proc/self/ns/net", encoding="ascii") as own, \
            open("/run/netns/" + namespace, encoding="ascii") as other:
        os.setns(other.fileno())
        try:
            return function()
        finally:
            os.setns(own.fileno())


def make_sockets():
    raw = socket.socket(FAMILY, socket.SOCK_RAW, socket.IPPROTO_RAW)
    answers = socket.socket(FAMILY, socket.SOCK_DGRAM)
    answers.bind((peer_address, roce.PORT))
    return raw, answers


class Peer:
    """The other end: a GID and a number, without a device."""

    def __init__(self, device):
        self.number = 0x123456
        self.device = self
        self.gid = GID(roce.gid_text(peer_address))


device = Device(name, KIND)
raw, answers = in_namespace(make_sockets)
peer = Peer(device)
memory = Memory(device, 4096)


def send(packet):
    raw.sendto(packet, (own_address, 0))


def packet(transport, src=peer_address, **kwargs):
    return roce.build(src, own_address, transport, SRC_PORT, **kwargs)


def answer(seconds=2.0):
    """The next packet that the device sent: opcode, PSN, what follows."""
    if not select.select([answers], [], [], seconds)[0]:
        return None
    data = answers.recv(9000)
    opcode, _, _, qpn, psn = struct.unpack("!BBHII", data[:12])
    expect(qpn & 0xffffff, peer.number, "destination of an answer")
    return opcode, psn & 0xffffff, data[12:-4]


def counter(what):
    path = "/sys/class/infiniband/%s/ports/1/hw_counters/%s" % (name, what)
    with open(path, encoding="ascii") as file:
        return int(file.read())


def drops():
    """All counters of dropped packets."""
    folder = "/sys/class/infiniband/%s/ports/1/hw_counters" % name
    return {what: counter(what) for what in os.listdir(folder)
            if what.startswith("rx_drop_") or what == "rx_icrc_encapsulated"}


class Target:
    """A QP in RTS whose peer is us."""

    def __init__(self, access=ALL):
        self.rc = Rc(device)
        self.qpn = self.rc.number
        self.psn = 1000
        self.rc.to_init(access)
        self.rc.to_rtr(peer, psn=self.psn)
        self.rc.to_rts(timeout=0)

    def alive(self):
        """A good SEND is received and acknowledged."""
        self.rc.post_recv([memory.sge()], wr_id=self.psn)
        data = os.urandom(17)
        send(packet(roce.bth(roce.SEND_ONLY, self.qpn, self.psn, pad=3,
                             ackreq=True) + data + bytes(3)))
        wc = succeeded(self.rc.received())[0]
        expect(wc.byte_len, 17, "byte_len")
        expect(memory[0:17], data, "data")
        got = answer()
        check(got, "no acknowledgement")
        opcode, psn, aeth = got
        expect(opcode, roce.ACKNOWLEDGE, "opcode of the answer")
        expect(psn, self.psn, "PSN of the answer")
        expect(aeth[0] & 0xe0, 0, "syndrome: an ACK")
        self.psn = (self.psn + 1) & 0xffffff

    def dropped(self, what, reason, bytes_of_packet):
        """The packet is counted under its reason and under no other."""
        before = drops()
        send(bytes_of_packet)
        end = time.monotonic() + 3
        while drops() == before and time.monotonic() < end:
            time.sleep(0.01)
        after = drops()
        moved = {key: after[key] - before[key] for key in after
                 if after[key] != before[key]}
        reasons = reason if isinstance(reason, tuple) else (reason,)
        check(len(moved) == 1 and list(moved)[0] in reasons and
              list(moved.values())[0] == 1,
              "%s: counted %r, not %r" % (what, moved, reason))


def every_drop():
    target = Target()
    q, p = target.qpn, target.psn
    target.alive()
    p = target.psn
    good = roce.bth(roce.SEND_ONLY, q, p)

    for length in (0, 1, 11, 12, 15):
        # No ICRC fits behind so little: the UDP payload itself is that short.
        full = packet(bytes(12))
        head = 28 if KIND == "v4" else 48
        cut = bytearray(full[:head + length])
        if KIND == "v4":
            cut[2:4] = struct.pack("!H", len(cut))
            cut[10:12] = b"\0\0"
            cut[10:12] = struct.pack("!H", roce.checksum(bytes(cut[:20])))
            cut[24:26] = struct.pack("!H", 8 + length)
            target.dropped("%d bytes" % length, "rx_drop_short", bytes(cut))
    target.dropped("RETH cut off", "rx_drop_short",
                   packet(roce.bth(roce.WRITE_ONLY, q, p) + bytes(8)))
    target.dropped("AtomicETH cut off", "rx_drop_short",
                   packet(roce.bth(roce.FETCH_ADD, q, p) + bytes(24)))
    target.dropped("AETH missing", "rx_drop_short",
                   packet(roce.bth(roce.ACKNOWLEDGE, q, p)))

    target.dropped("wrong ICRC", "rx_icrc_encapsulated",
                   packet(good + b"data", good_icrc=False))
    flipped = bytearray(packet(good + b"data"))
    flipped[-6] ^= 1
    if KIND == "v4":
        target.dropped("flipped bit", "rx_icrc_encapsulated", bytes(flipped))

    target.dropped("version 1", "rx_drop_version",
                   packet(roce.bth(roce.SEND_ONLY, q, p, version=1)))

    target.dropped("opcode 0xff, 48 bytes", "rx_drop_opcode",
                   packet(roce.bth(0xff, q, p) + bytes(48 - 12 - 4)))
    # The reliable connection has 0x00 to 0x17; UC, RD, UD and all others.
    for opcode in (0x15, 0x18, 0x1f, 0x20, 0x24, 0x40, 0x60, 0x64, 0x81, 0xa0,
                   0xc0, 0xe0, 0xff):
        target.dropped("opcode %#x" % opcode, "rx_drop_opcode",
                       packet(roce.bth(opcode, q, p) + bytes(64)))

    target.dropped("padding of nothing", ("rx_drop_pad", "rx_drop_short"),
                   packet(roce.bth(roce.SEND_ONLY, q, p, pad=3)))
    target.dropped("padding of a READ request", ("rx_drop_pad", "rx_drop_length"),
                   packet(roce.bth(roce.READ_REQUEST, q, p, pad=1) +
                          roce.reth(memory.addr, memory.rkey, 4)))
    target.dropped("padding in a Middle packet", "rx_drop_pad",
                   packet(roce.bth(roce.SEND_MIDDLE, q, p, pad=1) + bytes(1024)))
    target.dropped("payload of a READ request", "rx_drop_length",
                   packet(roce.bth(roce.READ_REQUEST, q, p) +
                          roce.reth(memory.addr, memory.rkey, 4) + bytes(4)))
    target.dropped("payload of an ACK", "rx_drop_length",
                   packet(roce.bth(roce.ACKNOWLEDGE, q, p) + bytes(8)))
    target.dropped("more than the largest path MTU", "rx_drop_length",
                   packet(roce.bth(roce.SEND_FIRST, q, p) + bytes(4100)))

    target.dropped("QPN of no one", "rx_drop_qpn",
                   packet(roce.bth(roce.SEND_ONLY, 0xfedcba, p)))
    target.dropped("QPN 0", "rx_drop_qpn",
                   packet(roce.bth(roce.SEND_ONLY, 0, p)))
    target.dropped("from elsewhere", "rx_drop_source",
                   packet(good, src=sys.argv[6]))
    target.dropped("other partition", "rx_drop_pkey",
                   packet(roce.bth(roce.SEND_ONLY, q, p, pkey=0x8123)))
    target.dropped("an ACK of nothing", "rx_drop_psn",
                   packet(roce.bth(roce.ACKNOWLEDGE, q, 77) + bytes(4)))
    idle = Rc(device)
    target.dropped("a QP in RESET", ("rx_drop_state", "rx_drop_source"),
                   packet(roce.bth(roce.SEND_ONLY, idle.number, 0)))
    idle.to_init()
    target.dropped("a QP in INIT", ("rx_drop_state", "rx_drop_source"),
                   packet(roce.bth(roce.SEND_ONLY, idle.number, 0)))

    expect(answer(0.2), None, "an answer to what was dropped")
    empty(target.rc.rcq)
    target.alive()


def receiving():
    """A target with a few receives posted."""
    target = Target()
    for _ in range(4):
        target.rc.post_recv([memory.sge()])
    return target


def any_bytes():
    """Packets with a good ICRC and anything in their headers."""
    target = receiving()
    for _ in range(1500):
        head = bytearray(roce.bth(random.choice((
            random.randrange(0x18), random.randrange(256))), target.qpn,
            (target.psn + random.randrange(-2, 3)) & 0xffffff,
            pad=random.randrange(4) if random.random() < .3 else 0,
            ackreq=random.random() < .5))
        if random.random() < .3:
            head[random.randrange(12)] = random.randrange(256)
        rest = random.choice((
            bytes(random.randrange(80)), os.urandom(random.randrange(80)),
            roce.reth(memory.addr + random.randrange(-8, 4200), memory.rkey,
                      random.choice((0, 1, 64, 4096, 2 ** 31, 2 ** 32 - 1))) +
            bytes(random.choice((0, 4, 64, 1024))), bytes(1024)))
        send(packet(bytes(head) + rest))
        if target.rc.state() == e.IBV_QPS_ERR:
            target = receiving()
        else:
            # As many receives as were used: the queue is of the size it was.
            for _ in range(target.rc.rcq.poll(16)[0]):
                target.rc.post_recv([memory.sge()])
            target.rc.scq.poll(16)
    time.sleep(0.2)
    while answer(0):
        pass
    Target().alive()


def raw_rubbish():
    """UDP payloads of any bytes."""
    for _ in range(500):
        data = os.urandom(random.randrange(200))
        full = bytearray(packet(bytes(data)))
        if len(full) > 40 and random.random() < .5:
            full[-1] ^= 0xff
        send(bytes(full))
    time.sleep(0.2)
    while answer(0):
        pass
    Target().alive()


try:
    for function in (every_drop, any_bytes, raw_rubbish):
        print("  - " + function.__name__.replace("_", " "), flush=True)
        function()
except Exception:
    traceback.print_exc(file=sys.stdout)
    sys.exit(1)
