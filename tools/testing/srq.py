# SPDX-License-Identifier: GPL-2.0
"""Shared receive queues: several QPs take from one, each WR serves once; the
limit's event, the last WR's; resizing and destroying under load; limits."""

import errno
import json
import subprocess

from pyverbs.addr import AH
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr

from verbs import *

FAST = {"timeout": 10, "retry_cnt": 2, "rnr_retry": 2}
QKEY = 0x1234
GRH = 40


class Shared:
    """An SRQ, with memory that a WR has a slice of: that of its wr_id."""

    def __init__(self, device, depth, size=64, sge=1, pd=None):
        self.size = size
        self.memory = Memory(device, depth * size, pd=pd)
        self.srq = SRQ(pd or device.pd,
                       SrqInitAttr(SrqAttr(max_wr=depth, max_sge=sge)))

    def post(self, first, count=1):
        for wr_id in range(first, first + count):
            self.post_sges([self.memory.sge(wr_id * self.size, self.size)],
                           wr_id)

    def post_sges(self, sges, wr_id=0):
        self.srq.post_recv(work_request(RecvWR, sges, wr_id=wr_id))

    def bytes(self, wr_id, length):
        return self.memory[wr_id * self.size:wr_id * self.size + length]

    def arm(self, limit):
        self.srq.modify(SrqAttr(srq_limit=limit), e.IBV_SRQ_LIMIT)

    def resize(self, depth):
        self.srq.modify(SrqAttr(max_wr=depth), e.IBV_SRQ_MAX_WR)


def pairs(a, b, shared, count, **kwargs):
    """Senders on `a`, and receivers on `b` that take from `shared`."""
    made = []
    for _ in range(count):
        sender = Rc(a)
        receiver = Rc(b, srq=shared.srq, sge=0)
        connect(sender, receiver, **kwargs)
        made.append((sender, receiver))
    return made


class Ud:
    """A UD QP, ready."""

    def __init__(self, device, srq=None):
        self.device = device
        self.cq = CQ(device.ctx, 64, None, None, 0)
        cap = QPCap(max_send_wr=16, max_recv_wr=16, max_send_sge=1,
                    max_recv_sge=1)
        attr = QPAttr(port_num=1)
        attr.qkey = QKEY
        self.qp = QP(device.pd, QPInitAttr(
            qp_type=e.IBV_QPT_UD, scq=self.cq, rcq=self.cq, srq=srq, cap=cap),
            attr)
        self.number = self.qp.qp_num

    def send(self, peer, sges):
        route = GlobalRoute(dgid=peer.device.gid,
                            sgid_index=self.device.gid_index)
        handle = AH(self.device.pd,
                    attr=AHAttr(gr=route, is_global=1, port_num=1))
        wr = work_request(SendWR, sges, opcode=SEND,
                          send_flags=e.IBV_SEND_SIGNALED)
        wr.set_wr_ud(handle, peer.number, QKEY)
        self.qp.post_send(wr)
        succeeded(poll(self.cq, 1))


@case
def several_qps(a, b):
    """four QPs take from one SRQ, in turn, what it has; each WR serves once"""
    shared = Shared(b, 64)
    ends = pairs(a, b, shared, 4)
    for turn in range(3):
        shared.post(0, 64)
        for i in range(64):
            sender, receiver = ends[i % 4]
            ours = Memory(a, 32, fill=bytes([turn * 64 + i]) * 32)
            sender.post(SEND, [ours.sge()])
            succeeded(sender.sent())
            got = succeeded(receiver.received())[0]
            expect((got.wr_id, got.byte_len, got.qp_num),
                   (i, 32, receiver.number), "completion")
            expect(shared.bytes(i, 32), ours[:], "bytes of %d" % i)
        for _, receiver in ends:
            empty(receiver.rcq)


@case
def long_messages(a, b):
    """messages of many packets, of four QPs at once, keep to their WRs"""
    size = 100000
    shared = Shared(b, 16, size)
    ends = pairs(a, b, shared, 4)
    sources = [Memory(a, size, fill=bytes([i + 1]) * size) for i in range(4)]
    shared.post(0, 16)
    for _ in range(4):
        for (sender, _), ours in zip(ends, sources):
            sender.post(SEND_IMM, [ours.sge()], imm=7)
    seen = set()
    for i, (sender, receiver) in enumerate(ends):
        succeeded(sender.sent(4))
        for got in succeeded(receiver.received(4)):
            seen.add(got.wr_id)
            expect(shared.bytes(got.wr_id, size), sources[i][:], "bytes")
    expect(seen, set(range(16)), "WRs")


@case
def write_with_immediate(a, b):
    """WRITE with immediate takes a WR; WRITE takes none"""
    shared = Shared(b, 4)
    (sender, receiver), = pairs(a, b, shared, 1)
    ours, theirs = Memory(a, 64, fill=b"w" * 64), Memory(b, 64)
    shared.post(0, 2)
    sender.post(WRITE, [ours.sge()], remote=(theirs, 0))
    sender.post(WRITE_IMM, [ours.sge()], remote=(theirs, 0), imm=1)
    succeeded(sender.sent(2))
    got = succeeded(receiver.received())[0]
    expect((got.wr_id, got.opcode), (0, e.IBV_WC_RECV_RDMA_WITH_IMM), "receive")
    sender.post(SEND, [ours.sge()])
    expect(receiver.received()[0].wr_id, 1, "the next WR")


@case
def limit(a, b):
    """IBV_EVENT_SRQ_LIMIT_REACHED: below the limit, once for each arming"""
    shared = Shared(b, 15)
    (sender, receiver), = pairs(a, b, shared, 1)
    ours = Memory(a, 8)

    def send(count):
        for _ in range(count):
            sender.post(SEND, [ours.sge()])
            succeeded(sender.sent())
            succeeded(receiver.received())
    shared.post(0, 10)
    shared.arm(7)
    expect(shared.srq.query().srq_limit, 7, "limit")
    send(3)
    b.no_event()
    send(1)
    expect(b.event(), e.IBV_EVENT_SRQ_LIMIT_REACHED, "event")
    expect(shared.srq.query().srq_limit, 0, "limit after the event")
    send(2)
    b.no_event()
    # Above the limit again, or not: it is for the program to arm it.
    shared.post(0, 10)
    send(10)
    b.no_event()
    shared.arm(2)
    send(1)
    shared.arm(0)
    send(1)
    b.no_event()
    # Two are left: one fewer than that is below.
    shared.arm(2)
    send(1)
    expect(b.event(), e.IBV_EVENT_SRQ_LIMIT_REACHED, "event")
    b.no_event()
    room = shared.srq.query().max_wr
    refused({errno.EINVAL}, shared.arm, room + 1)
    refused({errno.EINVAL}, shared.arm, 0xffffffff)
    shared.arm(room)


@case
def last_wqe(a, b):
    """a QP in ERR: IBV_EVENT_QP_LAST_WQE_REACHED, and the WRs stay"""
    shared = Shared(b, 8)
    (_, gone), (sender, receiver) = pairs(a, b, shared, 2)
    ours = Memory(a, 8)
    shared.post(0, 8)
    gone.to(e.IBV_QPS_ERR)
    expect(b.event(), e.IBV_EVENT_QP_LAST_WQE_REACHED, "event")
    b.no_event()
    empty(gone.rcq)
    for i in range(8):
        sender.post(SEND, [ours.sge()])
        expect(statuses(receiver.received()), [(i, "SUCCESS")], "receive")
    # By a fault of its own, it ends the same way.
    long = Memory(a, 65)
    sender.post(SEND, [long.sge()])
    shared.post(3)
    expect(statuses(receiver.received()), [(3, "LOC_LEN_ERR")], "receive")
    events = {b.event(), b.event()}
    check(e.IBV_EVENT_QP_LAST_WQE_REACHED in events, repr(events))


@case
def nothing_posted(a, b):
    """an empty SRQ: RNR NAK, RNR_RETRY_EXC in the end; or the WR comes late"""
    shared = Shared(b, 8)
    ours = Memory(a, 8)
    (sender, _), = pairs(a, b, shared, 1, rts=FAST)
    sender.post(SEND, [ours.sge()])
    expect(statuses(sender.sent()), [(0, "RNR_RETRY_EXC_ERR")], "send")
    (sender, receiver), = pairs(a, b, shared, 1)
    for i in range(3):
        sender.post(SEND, [ours.sge()], wr_id=i)
    empty(sender.scq, 0.05)
    shared.post(0, 3)
    expect(statuses(sender.sent(3)), [(i, "SUCCESS") for i in range(3)], "sends")
    expect([wc.wr_id for wc in receiver.received(3)], [0, 1, 2], "receives")


@case
def bad_entries(a, b):
    """a WR with a wrong lkey: LOC_PROT on the QP that took it, and there only"""
    shared = Shared(b, 8, sge=2)
    (sender, victim), (other, receiver) = pairs(a, b, shared, 2, rts=FAST)
    ours = Memory(a, 64)
    shared.post_sges([SGE(shared.memory.addr, 64, shared.memory.lkey ^ 0xff00)],
                     wr_id=100)
    shared.post(1)
    sender.post(SEND, [ours.sge()])
    expect(statuses(sender.sent()), [(0, "REM_OP_ERR")], "send")
    expect(statuses(victim.received()), [(100, "LOC_PROT_ERR")], "receive")
    expect(victim.state(), e.IBV_QPS_ERR, "state")
    other.post(SEND, [ours.sge()])
    succeeded(other.sent())
    expect(statuses(receiver.received()), [(1, "SUCCESS")], "receive")
    expect(receiver.state(), e.IBV_QPS_RTS, "state")


@case
def domain_of_srq(a, b):
    """an SRQ's WRs are in the SRQ's protection domain, not in the QP's"""
    domain = PD(b.ctx)
    shared = Shared(b, 8, pd=domain)
    (sender, receiver), = pairs(a, b, shared, 1, rts=FAST)
    ours, theirs = Memory(a, 64, fill=b"d" * 64), Memory(b, 64)
    shared.post(0)
    sender.post(SEND, [ours.sge()])
    succeeded(receiver.received())
    expect(shared.bytes(0, 64), ours[:], "bytes")
    # What a peer may reach, and what the QP reads itself, is in the QP's.
    sender.post(WRITE, [ours.sge()], remote=(theirs, 0))
    succeeded(sender.sent(2))
    shared.post_sges([theirs.sge()], wr_id=9)
    sender.post(SEND, [ours.sge()])
    expect(statuses(receiver.received()), [(9, "LOC_PROT_ERR")], "receive")
    # An SRQ that has its memory still has a domain: undo it in this order.
    for end in (sender, receiver):
        end.qp.close()
    shared.srq.close()
    shared.memory.mr.close()
    domain.close()


@case
def sizes(_a, b):
    """the sizes of query_device are held to; what is granted can be used"""
    most = b.ctx.query_device()
    check(most.max_srq > 0 and most.max_srq_wr > 0 and most.max_srq_sge > 0,
          "no SRQs announced")

    def make(max_wr=1, max_sge=1):
        return SRQ(b.pd, SrqInitAttr(SrqAttr(max_wr=max_wr, max_sge=max_sge)))
    for wrong in ({"max_wr": 0}, {"max_wr": most.max_srq_wr + 1},
                  {"max_wr": 0xffffffff}, {"max_sge": most.max_srq_sge + 1},
                  {"max_sge": 0xffffffff}):
        refused({errno.EINVAL}, make, **wrong)
    largest = make(most.max_srq_wr, most.max_srq_sge)
    expect((largest.query().max_wr, largest.query().max_sge),
           (most.max_srq_wr, most.max_srq_sge), "the largest")
    memory = Memory(b, 64)
    for _ in range(3):
        largest.post_recv(work_request(RecvWR, [memory.sge()] * most.max_srq_sge))
    few = make(5, 2)
    check(few.query().max_wr >= 5 and few.query().max_sge >= 2, "granted less")
    refused({errno.EINVAL}, few.post_recv,
            work_request(RecvWR, [memory.sge()] * (few.query().max_sge + 1)))
    for _ in range(few.query().max_wr):
        few.post_recv(work_request(RecvWR, [memory.sge()]))
    refused({errno.ENOMEM}, few.post_recv, work_request(RecvWR, [memory.sge()]))
    qp = Rc(b, srq=few, sge=1)
    refused({errno.EINVAL, errno.ENOMEM}, qp.post_recv, [memory.sge()])


@case
def resize(a, b):
    """resized again and again under load: no message is lost, or comes twice"""
    shared = Shared(b, 256, size=256)
    shared.resize(40)
    ends = pairs(a, b, shared, 4, rts={"timeout": 14})
    rounds, depth = 30, 24
    sources = [Memory(a, 256) for _ in range(4)]
    free, posted, came = list(range(256)), {}, [0] * 4

    def collect(seconds=0.0):
        for i, (_, receiver) in enumerate(ends):
            _, wcs = receiver.rcq.poll(32)
            for got in succeeded(wcs or []):
                check(posted.pop(got.wr_id, None), "WR %d twice" % got.wr_id)
                free.append(got.wr_id)
                came[i] += 1
        time.sleep(seconds)
    for turn in range(rounds):
        # More is sent than is posted: RNR timers go off while the ring changes.
        for (sender, _), ours in zip(ends, sources):
            for _ in range(8):
                sender.post(SEND, [ours.sge()])
        for step in range(4):
            for _ in range(8):
                while len(posted) >= depth:
                    collect(0.001)
                wr_id = free.pop(0)
                posted[wr_id] = True
                shared.post(wr_id)
            shared.resize((30, 63, 200, 31)[(turn + step) % 4])
            collect()
        for sender, _ in ends:
            succeeded(sender.sent(8))
    end = time.monotonic() + 10
    while sum(came) < 4 * 8 * rounds:
        check(time.monotonic() < end, "came: %r" % came)
        collect(0.001)
    expect(came, [8 * rounds] * 4, "messages")


@case
def resize_refused(a, b):
    """what is posted, or the limit, does not fit: refused, and nothing changes"""
    shared = Shared(b, 63)
    (sender, receiver), = pairs(a, b, shared, 1)
    ours = Memory(a, 8)
    shared.post(0, 40)
    for wrong in (0, 31, 8, b.ctx.query_device().max_srq_wr + 1, 0xffffffff):
        refused({errno.EINVAL}, shared.resize, wrong)
    expect(shared.srq.query().max_wr, 63, "size")
    shared.arm(35)
    refused({errno.EINVAL}, shared.resize, 31)
    shared.resize(100)
    expect(shared.srq.query().max_wr, 127, "size")
    expect(shared.srq.query().srq_limit, 35, "limit")
    shared.post(40, 23)
    for i in range(63):
        sender.post(SEND, [ours.sge()])
        succeeded(sender.sent())
        expect(receiver.received()[0].wr_id, i, "WR")


@case
def destroyed_under_load(a, b):
    """QPs go with messages under way: the others, and the SRQ, go on"""
    shared = Shared(b, 200)
    ours = Memory(a, 64)
    keeper, = pairs(a, b, shared, 1)
    for turn in range(8):
        ends = pairs(a, b, shared, 3, rts=FAST)
        shared.post(0, 20)
        senders = [sender for sender, _ in ends]
        for i in range(40):
            for sender in senders:
                try:
                    sender.post(SEND, [ours.sge()])
                except PyverbsRDMAError:
                    # Its peer has gone, and it has given up.
                    pass
            if i == 10 + turn:
                ends[0][1].qp.close()
            if i == 20 + turn:
                senders.pop(1).qp.close()
        for sender in senders:
            sender.qp.close()
        for _, receiver in ends[1:]:
            receiver.qp.close()
        keeper[0].post(SEND, [ours.sge()])
        shared.post(199)
        succeeded(keeper[0].sent())
        succeeded(keeper[1].received())
        # What the others left behind.
        while True:
            keeper[0].post(SEND, [ours.sge()])
            if not drained(keeper):
                break
        shared.post(198)
        succeeded(keeper[0].sent())
        succeeded(keeper[1].received())


def drained(ends):
    """Whether the message found a WR at once."""
    sender, receiver = ends
    try:
        succeeded(sender.sent(1, 0.05))
    except Failure:
        return False
    succeeded(receiver.received())
    return True


@case
def reset(a, b):
    """a QP that is reset takes from the SRQ again when it is ready again"""
    shared = Shared(b, 8)
    (sender, receiver), = pairs(a, b, shared, 1)
    ours = Memory(a, 8)
    shared.post(0, 8)
    for i in range(4):
        sender.post(SEND, [ours.sge()])
        succeeded(sender.sent())
        expect(receiver.received()[0].wr_id, i, "WR")
        for end in (sender, receiver):
            end.to(e.IBV_QPS_RESET)
        connect(sender, receiver)


@case
def slot_is_given_back(a, b):
    """a WR that a QP has taken is its own: the program may write the slot anew"""
    shared = Shared(b, 3, size=GRH + 8)
    sender = Ud(a)
    first, second = Ud(b, shared.srq), Ud(b, shared.srq)
    memory = Memory(a, 64, fill=b"s" * 64)
    room = shared.srq.query().max_wr
    expect(room, 3, "size")
    shared.post(0, 3)
    # Too long for the WR: it is dropped, and the WR waits for the next one.
    sender.send(first, [memory.sge(0, 64)])
    time.sleep(0.05)
    sender.send(second, [memory.sge(0, 8)])
    expect(statuses(poll(second.cq, 1)), [(1, "SUCCESS")], "the second QP")
    # Two slots are free again: the ring goes round, over what was taken.
    for wr_id in (100, 101):
        shared.post_sges([SGE(0xdead000, 48, 0xdead)], wr_id=wr_id)
    refused({errno.ENOMEM}, shared.post, 0)
    sender.send(first, [memory.sge(0, 8)])
    got = poll(first.cq, 1)
    expect(statuses(got), [(0, "SUCCESS")], "the first QP")
    expect(got[0].byte_len, GRH + 8, "length")
    expect(shared.bytes(0, GRH + 8)[GRH:], b"s" * 8, "bytes")
    sender.send(second, [memory.sge(0, 8)])
    expect(statuses(poll(second.cq, 1)), [(2, "SUCCESS")], "the second QP")
    sender.send(second, [memory.sge(0, 8)])
    expect(statuses(poll(second.cq, 1)), [(100, "LOC_PROT_ERR")], "a bad WR")


@case
def datagrams_and_connections(a, b):
    """an RC and a UD QP share one SRQ"""
    shared = Shared(b, 16, size=GRH + 64)
    (sender, receiver), = pairs(a, b, shared, 1)
    ud, peer = Ud(a), Ud(b, shared.srq)
    ours = Memory(a, 64, fill=b"x" * 64)
    shared.post(0, 16)
    for i in range(0, 16, 2):
        sender.post(SEND, [ours.sge()])
        succeeded(sender.sent())
        expect(statuses(receiver.received()), [(i, "SUCCESS")], "RC")
        expect(shared.bytes(i, 64), ours[:], "bytes")
        ud.send(peer, [ours.sge()])
        expect(statuses(poll(peer.cq, 1)), [(i + 1, "SUCCESS")], "UD")
        expect(shared.bytes(i + 1, GRH + 64)[GRH:], ours[:], "bytes")


@case
def unreliable(a, b):
    """UC: a message that finds no WR is lost, the next one that does is not"""
    shared = Shared(b, 4)
    sender, receiver = Uc(a), Uc(b, srq=shared.srq, sge=0)
    connect(sender, receiver)
    ours = Memory(a, 64, fill=b"u" * 64)
    sender.post(SEND, [ours.sge(0, 32)])
    succeeded(sender.sent())
    empty(receiver.rcq, 0.1)
    shared.post(0)
    sender.post(SEND, [ours.sge()])
    succeeded(sender.sent())
    got = receiver.received()
    expect(statuses(got), [(0, "SUCCESS")], "receive")
    expect((got[0].byte_len, shared.bytes(0, 64)), (64, ours[:]), "bytes")


@case
def resources(_a, b):
    """`rdma resource show srq` knows it and its QPs"""
    shared = Shared(b, 4)
    qps = [Rc(b, srq=shared.srq) for _ in range(2)]
    said = json.loads(subprocess.run(
        ["rdma", "-j", "resource", "show", "srq"], check=True,
        stdout=subprocess.PIPE).stdout)
    said = [entry for entry in said if entry["ifname"] == b.name]
    text = json.dumps(said)
    check(any(entry.get("type") == "BASIC" for entry in said), text)
    for qp in qps:
        check(numbers(said) & {qp.number}, "QP %d is not in %s" %
              (qp.number, text))


def numbers(said):
    """The QP numbers in what the tool says: 17, or "17-19"."""
    found = set()
    for entry in said:
        for word in entry.get("lqpn", []):
            ends = [int(part) for part in str(word).split("-")]
            found |= set(range(ends[0], ends[-1] + 1))
    return found


main()
