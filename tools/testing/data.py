# SPDX-License-Identifier: GPL-2.0
"""Every operation moves the right bytes to the right place, and no others, and
its completions say so."""

import os
import random
import threading

from verbs import *

SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10 ** 6)
random.seed(SEED)
print("  seed %d" % SEED)

GUARD = 64
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 255, 256, 257, 1023, 1024, 1025, 4095, 4096,
         4097, 10000, 65535, 65536, 65537, 262147)
MTUS = (e.IBV_MTU_256, e.IBV_MTU_512, e.IBV_MTU_1024, e.IBV_MTU_2048,
        e.IBV_MTU_4096)


class Guarded(Memory):
    """Memory with known bytes before and behind a payload at an odd address."""

    def __init__(self, device, size, fill=None):
        skip = random.randrange(0, 4096)
        super().__init__(device, size + 2 * GUARD, skip=skip)
        self.size = size
        self.before = os.urandom(GUARD)
        self.behind = os.urandom(GUARD)
        self[0:GUARD] = self.before
        self[GUARD + size:size + 2 * GUARD] = self.behind
        if fill:
            self[GUARD:GUARD + size] = fill

    def payload(self):
        expect(self[0:GUARD], self.before, "bytes before the payload")
        expect(self[GUARD + self.size:], self.behind, "bytes behind the payload")
        return self[GUARD:GUARD + self.size]

    def pieces(self, most=4):
        """SGEs that cover the payload, cut at random."""
        if not self.size:
            return []
        cuts = sorted(random.sample(range(1, self.size),
                                    min(random.randrange(most), self.size - 1)))
        return [self.sge(GUARD + start, stop - start)
                for start, stop in zip([0] + cuts, cuts + [self.size])]


def move(qp, peer, opcode, size, imm=0, flags=e.IBV_SEND_SIGNALED):
    """One message of random bytes, checked on both sides."""
    reading = opcode == READ
    data = os.urandom(size)
    ours = Guarded(qp.device, size, None if reading else data)
    theirs = Guarded(peer.device, size, data if reading else None)
    received = opcode in (SEND, SEND_IMM, WRITE_IMM)
    if received:
        peer.post_recv([] if opcode == WRITE_IMM else theirs.pieces(), wr_id=7)
    remote = None if opcode in (SEND, SEND_IMM) else (theirs, GUARD)
    qp.post(opcode, ours.pieces(), wr_id=9, remote=remote, imm=imm, flags=flags)
    wc = succeeded(qp.sent())[0]
    expect(wc.wr_id, 9, "wr_id of the send")
    expect(wc.qp_num, qp.number, "qp_num of the send")
    expect(wc.opcode, {SEND: e.IBV_WC_SEND, SEND_IMM: e.IBV_WC_SEND,
                       WRITE: e.IBV_WC_RDMA_WRITE,
                       WRITE_IMM: e.IBV_WC_RDMA_WRITE,
                       READ: e.IBV_WC_RDMA_READ}[opcode], "opcode of the send")
    if received:
        wc = succeeded(peer.received())[0]
        expect(wc.wr_id, 7, "wr_id of the receive")
        expect(wc.qp_num, peer.number, "qp_num of the receive")
        expect(wc.byte_len, size, "byte_len")
        expect(wc.opcode, e.IBV_WC_RECV_RDMA_WITH_IMM if opcode == WRITE_IMM
               else e.IBV_WC_RECV, "opcode of the receive")
        has_imm = bool(wc.wc_flags & e.IBV_WC_WITH_IMM)
        expect(has_imm, opcode != SEND, "immediate data")
        if has_imm:
            expect(wc.imm_data, imm, "immediate data")
    expect(theirs.payload(), data, "what the peer has")
    expect(ours.payload(), data, "what we have")
    empty(qp.scq)
    empty(peer.rcq)


@case
def every_operation(a, b):
    """SEND, WRITE, with and without immediate, READ: sizes, cuts, addresses"""
    qp, peer = pair(a, b)
    for size in SIZES:
        for opcode in (SEND, SEND_IMM, WRITE, WRITE_IMM, READ):
            move(qp, peer, opcode, size, imm=random.getrandbits(32))
            move(peer, qp, opcode, size, imm=random.getrandbits(32))


@case
def every_mtu(a, b):
    """each path MTU, around its multiples"""
    for mtu in MTUS:
        qp, peer = pair(a, b, rtr={"mtu": mtu})
        step = 128 << mtu
        for size in (step - 1, step, step + 1, 3 * step, 70 * step + 3):
            for opcode in (SEND, WRITE, READ):
                move(qp, peer, opcode, size)


@case
def psn_wraps(a, b):
    """sequence numbers go past 2^24"""
    qp, peer = pair(a, b, rtr={"psn": 0xfffff0, "mtu": e.IBV_MTU_256},
                    rts={"psn": 0xfffff0})
    for opcode in (SEND, WRITE, READ):
        move(qp, peer, opcode, 10000)
        move(peer, qp, opcode, 10000)


@case
def inline(a, b):
    """inline data is taken when it is posted"""
    qp, peer = pair(a, b, inline=256)
    flags = e.IBV_SEND_SIGNALED | e.IBV_SEND_INLINE
    for size in (0, 1, 3, 64, 255, 256):
        for opcode in (SEND, SEND_IMM, WRITE, WRITE_IMM):
            move(qp, peer, opcode, size, flags=flags)
    ours, theirs = Memory(a, 64), Memory(b, 64)
    # The receiver is late: the bytes may change by then.
    ours[:] = b"a" * 64
    qp.post(SEND, [ours.sge()], flags=flags)
    ours[:] = b"b" * 64
    peer.post_recv([theirs.sge()])
    succeeded(qp.sent())
    succeeded(peer.received())
    expect(theirs[:], b"a" * 64, "data")


@case
def atomics(a, b):
    """compare-and-swap and fetch-and-add"""
    qp, peer = pair(a, b)
    ours, theirs = Memory(a, 8), Memory(b, 4096)

    def value(memory, offset=0):
        return int.from_bytes(memory[offset:offset + 8], sys.byteorder)

    def atomic(opcode, compare_add, swap=0, offset=0):
        qp.post(opcode, [ours.sge()], remote=(theirs, offset),
                compare_add=compare_add, swap=swap)
        wc = succeeded(qp.sent())[0]
        expect(wc.opcode, e.IBV_WC_COMP_SWAP if opcode == CMP_SWAP
               else e.IBV_WC_FETCH_ADD, "opcode")
        return value(ours)

    big = 2 ** 64 - 5
    for offset in (0, 8, 4088):
        expect(atomic(FETCH_ADD, big, offset=offset), 0, "fetched")
        expect(atomic(FETCH_ADD, 12, offset=offset), big, "fetched")
        expect(value(theirs, offset), 7, "sum, modulo 2^64")
        expect(atomic(CMP_SWAP, 8, 99, offset), 7, "compared, unequal")
        expect(value(theirs, offset), 7, "unchanged")
        expect(atomic(CMP_SWAP, 7, 99, offset), 7, "compared, equal")
        expect(value(theirs, offset), 99, "swapped")
    expect(theirs[16:4088], bytes(4072), "the rest")


@case
def atomics_are_atomic(a, b):
    """two QPs add to one word at once"""
    theirs = Memory(b, 8)
    pairs = [pair(a, b, rts={"max_rd_atomic": 4}) for _ in range(2)]
    count = 200

    def add(qp):
        ours = Memory(a, 8)
        for _ in range(count // 20):
            for _ in range(20):
                qp.post(FETCH_ADD, [ours.sge()], remote=(theirs, 0),
                        compare_add=1)
            succeeded(qp.sent(20))

    threads = [threading.Thread(target=add, args=(qp,)) for qp, _ in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(int.from_bytes(theirs[:], sys.byteorder), 2 * count, "sum")


@case
def many_in_flight(a, b):
    """a full send queue of mixed work, in order, byte for byte"""
    qp, peer = pair(a, b, depth=64, rtr={"max_dest_rd_atomic": 8},
                    rts={"max_rd_atomic": 8})
    size = 3000
    sources = [Memory(a, size, fill=os.urandom(size)) for _ in range(20)]
    remote = [Memory(b, size, fill=os.urandom(size)) for _ in range(20)]
    read = [Memory(a, size) for _ in range(20)]
    written = [Memory(b, size) for _ in range(20)]
    landed = [Memory(b, size) for _ in range(20)]
    for i in range(20):
        peer.post_recv([landed[i].sge()], wr_id=i)
    for i in range(20):
        qp.post(WRITE, [sources[i].sge()], wr_id=3 * i, remote=(written[i], 0))
        qp.post(READ, [read[i].sge()], wr_id=3 * i + 1, remote=(remote[i], 0))
        qp.post(SEND, [sources[i].sge()], wr_id=3 * i + 2)
    wcs = succeeded(qp.sent(60))
    expect([wc.wr_id for wc in wcs], list(range(60)), "order of completions")
    wcs = succeeded(peer.received(20))
    expect([wc.wr_id for wc in wcs], list(range(20)), "order of receives")
    for i in range(20):
        expect(written[i][:], sources[i][:], "written %d" % i)
        expect(landed[i][:], sources[i][:], "sent %d" % i)
        expect(read[i][:], remote[i][:], "read %d" % i)


@case
def queue_goes_round(a, b):
    """the rings wrap many times"""
    qp, peer = pair(a, b, depth=5)
    ours, theirs = Memory(a, 32), Memory(b, 32)
    for i in range(300):
        ours[0:4] = i.to_bytes(4, "little")
        peer.post_recv([theirs.sge()], wr_id=i)
        qp.post(SEND, [ours.sge()], wr_id=i)
        expect(succeeded(qp.sent())[0].wr_id, i, "wr_id")
        expect(succeeded(peer.received())[0].wr_id, i, "wr_id")
        expect(theirs[0:4], ours[0:4], "data")


@case
def unsignalled(a, b):
    """only what was asked for completes; sq_sig_all asks for all"""
    ours, theirs = Memory(a, 64), Memory(b, 64)
    qp, _ = pair(a, b)
    for i in range(30):
        qp.post(WRITE, [ours.sge()], wr_id=i, remote=(theirs, 0),
                flags=e.IBV_SEND_SIGNALED if i % 10 == 9 else 0)
    expect([wc.wr_id for wc in succeeded(qp.sent(3))], [9, 19, 29], "completions")
    empty(qp.scq, 0.1)
    qp, _ = pair(a, b, sig_all=1)
    for i in range(5):
        qp.post(WRITE, [ours.sge()], wr_id=i, remote=(theirs, 0), flags=0)
    expect([wc.wr_id for wc in succeeded(qp.sent(5))], list(range(5)),
           "completions")


@case
def fence(a, b):
    """a fenced SEND carries what the READ before it brought"""
    ours, theirs, landed = Memory(a, 60000), Memory(b, 60000), Memory(b, 60000)
    qp, peer = pair(a, b)
    for _ in range(5):
        theirs[:] = os.urandom(60000)
        peer.post_recv([landed.sge()])
        qp.post(READ, [ours.sge()], remote=(theirs, 0))
        qp.post(SEND, [ours.sge()],
                flags=e.IBV_SEND_SIGNALED | e.IBV_SEND_FENCE)
        succeeded(qp.sent(2))
        succeeded(peer.received())
        expect(landed[:], theirs[:], "data")


@case
def several_qps(a, b):
    """sixteen QPs at once, each with its own bytes"""
    pairs = [pair(a, b) for _ in range(16)]
    size = 5000
    sources = [Memory(a, size, fill=os.urandom(size)) for _ in pairs]
    landed = [Memory(b, size) for _ in pairs]
    for (qp, peer), source, target in zip(pairs, sources, landed):
        peer.post_recv([target.sge()])
        qp.post(SEND, [source.sge()])
    for (qp, peer), source, target in zip(pairs, sources, landed):
        succeeded(qp.sent())
        succeeded(peer.received())
        expect(target[:], source[:], "data")


@case
def both_directions(a, b):
    """both ends send and read at once"""
    qps = pair(a, b)
    size = 20000
    for _ in range(5):
        sources = [Memory(qp.device, size, fill=os.urandom(size)) for qp in qps]
        landed = [Memory(qp.device, size) for qp in qps]
        copies = [Memory(qp.device, size) for qp in qps]
        for qp, target in zip(qps, landed):
            qp.post_recv([target.sge()])
        for i, qp in enumerate(qps):
            qp.post(SEND, [sources[i].sge()])
            qp.post(READ, [copies[i].sge()], remote=(sources[1 - i], 0))
        for i, qp in enumerate(qps):
            succeeded(qp.sent(2))
            succeeded(qp.received())
            expect(landed[i][:], sources[1 - i][:], "sent")
            expect(copies[i][:], sources[1 - i][:], "read")


@case
def largest_message(a, b):
    """a message of 2^31 bytes; a longer one is an error"""
    if "SMALL" in os.environ:
        return
    part = 2 ** 26
    ours, theirs = Memory(a, part + 1), Memory(b, part)
    for page in range(0, part, 2 ** 20):
        ours[page:page + 8] = page.to_bytes(8, "little")
    qp, peer = pair(a, b, sge=32, rtr={"mtu": e.IBV_MTU_4096})
    peer.post_recv([theirs.sge() for _ in range(32)])
    qp.post(SEND, [ours.sge(0, part) for _ in range(32)])
    succeeded(qp.sent(seconds=120))
    expect(succeeded(peer.received())[0].byte_len, 2 ** 31, "byte_len")
    for page in range(0, part, 2 ** 20):
        expect(theirs[page:page + 8], page.to_bytes(8, "little"), "data")
    qp.post(SEND, [ours.sge() for _ in range(32)])
    expect(statuses(qp.sent()), [(0, "LOC_LEN_ERR")], "2^31 + 32 bytes")


if __name__ == "__main__":
    main()
