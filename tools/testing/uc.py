# SPDX-License-Identifier: GPL-2.0
"""Unreliable connections: what arrives is whole and in order, and what does not
disturbs nothing."""

import errno
import os
import random
import time

from verbs import *

SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10 ** 6)
random.seed(SEED)
print("  seed %d" % SEED)

# What the wire may lose of a hundred packets; 0: nothing gets lost.
LOSS = int(os.environ.get("LOSS", "0"))
MTUS = (e.IBV_MTU_256, e.IBV_MTU_512, e.IBV_MTU_1024, e.IBV_MTU_2048,
        e.IBV_MTU_4096)
SIZES = (0, 1, 3, 255, 1024, 1025, 4096, 4097, 65536, 200001)
LARGEST = 20000


def uc(a, b, **kwargs):
    return pair(a, b, kind=Uc, **kwargs)


def mark(qp, peer, wr_id=1000):
    """What was sent before this has arrived, if anything does."""
    peer.post_recv(wr_id=wr_id)
    qp.post(SEND, wr_id=wr_id)
    expect(statuses(qp.sent()), [(wr_id, "SUCCESS")], "mark")
    expect(statuses(peer.received()), [(wr_id, "SUCCESS")], "mark")


def goes_on(qp, peer):
    expect(peer.state(), e.IBV_QPS_RTS, "state of the peer")
    mark(qp, peer)
    peer.device.no_event()


@case
def every_size(a, b):
    """every operation, size and MTU"""
    for mtu in MTUS:
        qp, peer = uc(a, b, rtr={"mtu": mtu, "psn": 0xfffff0},
                      rts={"psn": 0xfffff0})
        for size in SIZES:
            for opcode in (SEND, SEND_IMM, WRITE, WRITE_IMM):
                move(qp, peer, opcode, size)


def move(qp, peer, opcode, size):
    data = os.urandom(size)
    imm = random.randrange(1 << 32)
    ours = Memory(qp.device, max(size, 1), fill=None)
    theirs = Memory(peer.device, size + 16, skip=random.randrange(100))
    ours[0:size] = data
    if opcode != WRITE:
        peer.post_recv([] if opcode == WRITE_IMM else [theirs.sge()], wr_id=7)
    remote = (theirs, 0) if opcode in (WRITE, WRITE_IMM) else None
    qp.post(opcode, [ours.sge(0, size)] if size else [], wr_id=9, imm=imm,
            remote=remote)
    expect(statuses(qp.sent()), [(9, "SUCCESS")], "send")
    if opcode == WRITE:
        mark(qp, peer)
    else:
        wc, = succeeded(peer.received())
        expect(wc.byte_len, size, "byte_len")
        expect(wc.opcode, e.IBV_WC_RECV_RDMA_WITH_IMM if opcode == WRITE_IMM
               else e.IBV_WC_RECV, "opcode")
        expect(wc.qp_num, peer.number, "qp_num")
        if opcode != SEND:
            check(wc.wc_flags & e.IBV_WC_WITH_IMM, "no immediate data")
            expect(wc.imm_data, imm, "immediate data")
    expect(theirs[0:size + 16], data + bytes(16), "what the peer has")


@case
def a_stream(a, b):
    """messages of a stream come whole and in order, or not at all"""
    qp, peer = uc(a, b, depth=64)
    source = Memory(a, 32 * LARGEST, fill=os.urandom(32 * LARGEST))
    slots = [Memory(b, LARGEST) for _ in range(33)]
    free, posted = list(range(33)), {}
    sent = {}
    newest = received = 0
    for _ in range(30):
        while free:
            slot = free.pop()
            peer.post_recv([slots[slot].sge()], wr_id=slot)
        for i in range(32):
            size = random.choice((1, 1000, 1024, 5000, random.randrange(1, LARGEST)))
            sent[len(sent) + 1] = i * LARGEST, size
            qp.post(SEND_IMM, [source.sge(i * LARGEST, size)], imm=len(sent))
        succeeded(qp.sent(32))
        for wc in quiet(peer.rcq):
            succeeded([wc])
            check(wc.imm_data > newest, "message %d after message %d" %
                  (wc.imm_data, newest))
            newest = wc.imm_data
            at, size = sent[newest]
            expect(wc.byte_len, size, "byte_len of message %d" % newest)
            check(slots[wc.wr_id][0:size] == source[at:at + size],
                  "message %d has other bytes" % newest)
            free.append(wc.wr_id)
            received += 1
    print("    %d of %d messages came" % (received, len(sent)))
    if LOSS:
        check(0 < received < len(sent), "as if nothing, or all, had been lost")
    else:
        expect(received, len(sent), "messages received")
    expect((qp.state(), peer.state()), (e.IBV_QPS_RTS, e.IBV_QPS_RTS), "states")


def quiet(cq):
    """Completions, until none has come for a while."""
    got = []
    last = time.monotonic()
    while time.monotonic() - last < 0.1:
        number, wcs = cq.poll(64)
        if number:
            got += wcs
            last = time.monotonic()
        else:
            time.sleep(0.001)
    return got


@case
def no_receive(a, b):
    """a message that finds no receive is lost, and no more"""
    qp, peer = uc(a, b)
    ours, theirs = Memory(a, 5000, fill=b"a" * 5000), Memory(b, 5000)
    qp.post(SEND, [ours.sge()], wr_id=1)
    qp.post(WRITE_IMM, [ours.sge(0, 100)], wr_id=2, remote=(theirs, 0))
    expect(statuses(qp.sent(2)), [(1, "SUCCESS"), (2, "SUCCESS")], "sends")
    time.sleep(0.1)
    goes_on(qp, peer)
    empty(peer.rcq)


@case
def too_long(a, b):
    """a message that its receive can't hold is lost; the receive stays"""
    qp, peer = uc(a, b)
    ours, theirs = Memory(a, 5000, fill=b"a" * 5000), Memory(b, 5000)
    peer.post_recv([theirs.sge(0, 3000)], wr_id=3)
    qp.post(SEND, [ours.sge(0, 3001)], wr_id=1)
    qp.post(SEND, [ours.sge(0, 3000)], wr_id=2)
    expect(statuses(qp.sent(2)), [(1, "SUCCESS"), (2, "SUCCESS")], "sends")
    expect(statuses(peer.received()), [(3, "SUCCESS")], "receive")
    goes_on(qp, peer)


@case
def bad_rkey(a, b):
    """a WRITE to where the peer may not write is dropped, and no more"""
    qp, peer = uc(a, b)
    ours = Memory(a, 5000, fill=b"a" * 5000)
    theirs, closed = Memory(b, 5000), Memory(b, 5000, access=LOCAL)
    stale = Memory(b, 5000)
    rkey = stale.rkey
    stale.mr.close()
    for remote in ((theirs.rkey ^ 0x100, theirs.addr), (closed, 0),
                   (theirs.rkey, theirs.addr + 1), (theirs.rkey, 2 ** 64 - 8),
                   (rkey, stale.addr)):
        qp.post(WRITE, [ours.sge()], wr_id=1, remote=remote)
        expect(statuses(qp.sent()), [(1, "SUCCESS")], "send")
        goes_on(qp, peer)
    for memory in (theirs, closed, stale):
        expect(memory[0:5000], bytes(5000), "memory")


@case
def no_remote_write(a, b):
    """a QP that lets no WRITE in drops them, and no more"""
    qp, peer = uc(a, b, access=LOCAL)
    ours, theirs = Memory(a, 100, fill=b"a" * 100), Memory(b, 100)
    qp.post(WRITE, [ours.sge()], wr_id=1, remote=(theirs, 0))
    expect(statuses(qp.sent()), [(1, "SUCCESS")], "send")
    goes_on(qp, peer)
    expect(theirs[0:100], bytes(100), "memory")


@case
def bad_receive(a, b):
    """a receive that is no good ends the connection at its side"""
    qp, peer = uc(a, b)
    ours, theirs = Memory(a, 100), Memory(b, 100)
    peer.post_recv([SGE(theirs.addr, 100, theirs.lkey ^ 0x100)], wr_id=1)
    peer.post_recv([theirs.sge()], wr_id=2)
    qp.post(SEND, [ours.sge()], wr_id=3)
    expect(statuses(qp.sent()), [(3, "SUCCESS")], "send")
    expect(statuses(peer.received(2)),
           [(1, "LOC_PROT_ERR"), (2, "WR_FLUSH_ERR")], "receives")
    expect(peer.state(), e.IBV_QPS_ERR, "state of the peer")
    qp.post(SEND, [ours.sge()], wr_id=4)
    expect(statuses(qp.sent()), [(4, "SUCCESS")], "send")
    expect(qp.state(), e.IBV_QPS_RTS, "state")


@case
def bad_send(a, b):
    """a send that is no good leaves the queue in SQE, and RTS is a way out"""
    qp, peer = uc(a, b)
    ours, theirs = Memory(a, 100), Memory(b, 100)
    bad = SGE(ours.addr, 100, ours.lkey ^ 0x100)
    for opcode, sge, want in ((SEND, bad, "LOC_PROT_ERR"),
                              (WRITE, bad, "LOC_PROT_ERR"),
                              (READ, ours.sge(), "LOC_QP_OP_ERR"),
                              (FETCH_ADD, ours.sge(0, 8), "LOC_QP_OP_ERR")):
        qp.post(opcode, [sge], wr_id=1, remote=(theirs, 0) if opcode != SEND else None)
        expect(statuses(qp.sent()), [(1, want)], "send")
        expect(qp.state(), e.IBV_QPS_SQE, "state")
        qp.post(SEND, [ours.sge()], wr_id=2)
        expect(statuses(qp.sent()), [(2, "WR_FLUSH_ERR")], "send")
        qp.to(e.IBV_QPS_RTS)
        goes_on(qp, peer)


@case
def attributes(a, b):
    """what only a reliable connection has is refused"""
    qp, peer = Uc(a), Uc(b)
    for one in (qp, peer):
        one.to_init()
    attr = QPAttr(port_num=1)
    attr.qp_state = e.IBV_QPS_RTR
    attr.path_mtu = e.IBV_MTU_1024
    attr.dest_qp_num = peer.number
    route = GlobalRoute(dgid=b.gid, sgid_index=a.gid_index)
    attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
    refused([errno.EINVAL], qp.qp.modify, attr, TO_RTR)
    qp.to_rtr(peer)
    attr.qp_state = e.IBV_QPS_RTS
    refused([errno.EINVAL], qp.qp.modify, attr, TO_RTS)
    qp.to_rts()
    for opcode in (SEND, WRITE):
        qp.post(opcode, wr_id=1, remote=(0, 0) if opcode == WRITE else None)
    succeeded(qp.sent(2))
    qp.to(e.IBV_QPS_SQD)
    qp.post(SEND, wr_id=2)
    time.sleep(0.05)
    empty(qp.scq)
    qp.to(e.IBV_QPS_RTS)
    expect(statuses(qp.sent()), [(2, "SUCCESS")], "send")
    qp.to(e.IBV_QPS_ERR)
    qp.post(SEND, wr_id=3)
    expect(statuses(qp.sent()), [(3, "WR_FLUSH_ERR")], "send")


if __name__ == "__main__":
    main()
