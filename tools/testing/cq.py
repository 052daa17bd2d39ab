# SPDX-License-Identifier: GPL-2.0
"""Completion queues: notification, solicited events, overflow, resizing."""

import os
import select

from verbs import *


def channel_fd(before):
    return (event_fds() - before).pop()


class Channel:
    def __init__(self, device):
        before = event_fds()
        self.channel = CompChannel(device.ctx)
        self.fd = channel_fd(before)

    def rings(self, cq, seconds=2.0):
        """Whether the CQ's event comes."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        self.channel.get_cq_event(cq)
        cq.ack_events(1)
        return True


def ends(a, b):
    """A sender, and a receiver whose CQs have a channel."""
    channel = Channel(b)
    qp, peer = Rc(a), Rc(b, channel=channel.channel)
    connect(qp, peer)
    ours, theirs = Memory(a, 64), Memory(b, 64)
    # A region is deregistered when its object goes.
    peer.memory = theirs
    for i in range(20):
        peer.post_recv([theirs.sge()], wr_id=i)

    def send(flags=0):
        qp.post(SEND, [ours.sge()], flags=e.IBV_SEND_SIGNALED | flags)
        succeeded(qp.sent())
    return channel, qp, peer, send


@case
def one_event_each_arming(a, b):
    """an armed CQ rings once, for the next completion only"""
    channel, _, peer, send = ends(a, b)
    send()
    check(not channel.rings(peer.rcq, 0.2), "rang though not armed")
    peer.rcq.req_notify()
    check(not channel.rings(peer.rcq, 0.2), "rang for an old completion")
    send()
    check(channel.rings(peer.rcq), "did not ring")
    send()
    check(not channel.rings(peer.rcq, 0.2), "rang twice")
    succeeded(peer.received(3))


@case
def solicited_only(a, b):
    """armed for solicited events: silent until the sender asks for one"""
    channel, _, peer, send = ends(a, b)
    peer.rcq.req_notify(solicited_only=True)
    send()
    check(not channel.rings(peer.rcq, 0.2), "rang for an unsolicited message")
    send(e.IBV_SEND_SOLICITED)
    check(channel.rings(peer.rcq), "did not ring")
    succeeded(peer.received(2))
    # Armed for both, the wider one counts.
    peer.rcq.req_notify(solicited_only=True)
    peer.rcq.req_notify()
    send()
    check(channel.rings(peer.rcq), "did not ring")
    peer.rcq.req_notify()
    peer.rcq.req_notify(solicited_only=True)
    send()
    check(channel.rings(peer.rcq), "did not ring")
    succeeded(peer.received(2))


@case
def errors_are_solicited(a, b):
    """a completion in error rings a CQ armed for solicited events"""
    channel, _, peer, _ = ends(a, b)
    peer.rcq.req_notify(solicited_only=True)
    peer.to(e.IBV_QPS_ERR)
    check(channel.rings(peer.rcq), "did not ring")


@case
def overflow(a, b):
    """a full CQ: IBV_EVENT_CQ_ERR, the QP is in ERR, the others go on"""
    qp, peer = Rc(a, depth=64), Rc(b, depth=64, cq_depth=4)
    connect(qp, peer, rts={"timeout": 10, "retry_cnt": 2})
    ours, theirs = Memory(a, 64), Memory(b, 64)
    room = peer.rcq.cqe
    check(4 <= room <= 63, "a CQ of 4 has %d" % room)
    for i in range(64):
        peer.post_recv([theirs.sge()], wr_id=i)
    for i in range(room + 2):
        try:
            qp.post(SEND, [ours.sge()], wr_id=i)
        except PyverbsRDMAError:
            break
    expect(b.event(), e.IBV_EVENT_CQ_ERR, "event")
    eventually_in(peer, e.IBV_QPS_ERR)
    # Those that had room are there and whole.
    got = succeeded(peer.received(room))
    expect([wc.wr_id for wc in got], list(range(room)), "receives")
    good, good_peer = pair(a, b)
    good_peer.post_recv([theirs.sge()])
    good.post(SEND, [ours.sge()])
    succeeded(good.sent())
    succeeded(good_peer.received())


def eventually_in(qp, state):
    end = time.monotonic() + 5
    while qp.state() != state:
        check(time.monotonic() < end, "state %r" % qp.state())
        time.sleep(0.01)


@case
def send_overflow(a, b):
    """the send CQ overflows"""
    qp, peer = Rc(a, depth=64, cq_depth=4), Rc(b)
    connect(qp, peer)
    ours, theirs = Memory(a, 64), Memory(b, 64)
    for i in range(qp.scq.cqe + 2):
        try:
            qp.post(WRITE, [ours.sge()], wr_id=i, remote=(theirs, 0))
        except PyverbsRDMAError:
            break
    expect(a.event(), e.IBV_EVENT_CQ_ERR, "event")
    eventually_in(qp, e.IBV_QPS_ERR)


@case
def resize(a, b):
    """a resized CQ keeps what is in it, in order"""
    qp, peer = Rc(a, depth=64), Rc(b, depth=64, cq_depth=8)
    connect(qp, peer)
    ours, theirs = Memory(a, 64), Memory(b, 64)
    for i in range(40):
        peer.post_recv([theirs.sge()], wr_id=i)

    def send(count):
        for _ in range(count):
            qp.post(SEND, [ours.sge()])
        succeeded(qp.sent(count))

    send(5)
    peer.rcq.resize(100)
    check(peer.rcq.cqe >= 100, "cqe is %d" % peer.rcq.cqe)
    send(30)
    expect([wc.wr_id for wc in succeeded(peer.received(20))], list(range(20)),
           "the first ones")
    refused([22, 12], peer.rcq.resize, 3)
    peer.rcq.resize(20)
    send(3)
    expect([wc.wr_id for wc in succeeded(peer.received(18))],
           list(range(20, 38)), "the others")
    refused([22, 12], peer.rcq.resize, 0x7fffffff)
    empty(peer.rcq)


@case
def resize_under_load(a, b):
    """a CQ that is resized while completions come loses none"""
    qp, peer = Rc(a, depth=64), Rc(b, depth=64, cq_depth=80)
    connect(qp, peer)
    ours, theirs = Memory(a, 32768), Memory(b, 32768)
    number = 0
    for _ in range(20):
        first = number
        for i in range(60):
            peer.post_recv([theirs.sge()], wr_id=number)
            number += 1
        for i in range(60):
            qp.post(SEND, [ours.sge()], wr_id=i)
        got = []
        for size in (500, 64, 300, 70, 1000, 64):
            peer.rcq.resize(size)
            qp.scq.resize(size)
            _, wcs = peer.rcq.poll(5)
            got += wcs or []
        got += peer.received(60 - len(got))
        expect([wc.wr_id for wc in succeeded(got)],
               list(range(first, number)), "receives")
        expect([wc.wr_id for wc in succeeded(qp.sent(60))], list(range(60)),
               "sends")
    empty(peer.rcq)
    empty(qp.scq)


@case
def shared(a, b):
    """one CQ for many QPs and both directions"""
    cq = CQ(a.ctx, 500, None, None, 0)
    ours, theirs = Memory(a, 64), Memory(b, 64)
    peers, numbers = [], []
    for _ in range(8):
        qp, peer = Rc(a), Rc(b)
        qp.qp = QP(a.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq,
                                    cap=QPCap(16, 16, 1, 1, 0)))
        qp.number = qp.qp.qp_num
        connect(qp, peer)
        qp.post_recv([ours.sge()], wr_id=1000)
        peer.post_recv([theirs.sge()])
        peers.append((qp, peer))
        numbers.append(qp.number)
    for qp, peer in peers:
        qp.post(SEND, [ours.sge()], wr_id=1)
        peer.post(SEND, [theirs.sge()], wr_id=2)
    wcs = succeeded(poll(cq, 16))
    expect(sorted(wc.qp_num for wc in wcs), sorted(numbers * 2), "QP numbers")
    expect(sorted(wc.wr_id for wc in wcs), [1] * 8 + [1000] * 8, "wr_id")


if __name__ == "__main__":
    main()
