# SPDX-License-Identifier: GPL-2.0
"""Memory windows: type 1 and type 2B, bound, bound anew and invalidated by
either side; what they let a peer do, and what can't be bound."""

import errno
import os

from pyverbs.mr import MW, MWBind, MWBindInfo

from verbs import *

BIND, LOCAL_INV = e.IBV_WR_BIND_MW, e.IBV_WR_LOCAL_INV
SEND_INV = e.IBV_WR_SEND_WITH_INV
TYPE_1, TYPE_2 = e.IBV_MW_TYPE_1, e.IBV_MW_TYPE_2
WRITES, READS = e.IBV_ACCESS_REMOTE_WRITE, e.IBV_ACCESS_REMOTE_READ
ATOMICS = e.IBV_ACCESS_REMOTE_ATOMIC
ZERO_BASED = e.IBV_ACCESS_ZERO_BASED
# Rights of a region that only windows make remote ones of.
BINDABLE = LOCAL | e.IBV_ACCESS_MW_BIND

QUICK = {"rts": {"timeout": 10, "retry_cnt": 2}}


class Window:
    """A window on the memory of a QP's device."""

    def __init__(self, owner, kind, pd=None):
        self.owner, self.kind = owner, kind
        self.mw = MW(pd or owner.device.pd, kind)
        self.rkey = self.mw.rkey

    def bind(self, memory, offset, length, access, qp=None, status="SUCCESS"):
        """Binds it, and waits for the completion that must come."""
        qp = qp or self.owner
        info = MWBindInfo(memory.mr, memory.addr + offset, length, access)
        if self.kind == TYPE_1:
            qp.qp.bind_mw(self.mw, MWBind(info, e.IBV_SEND_SIGNALED, 7))
            rkey = self.mw.rkey
        else:
            wr = work_request(SendWR, [], wr_id=7, opcode=BIND,
                              send_flags=e.IBV_SEND_SIGNALED)
            wr.set_bind_wr(self.mw, info)
            qp.qp.post_send(wr)
            rkey = wr.rkey
        expect(statuses(qp.sent()), [(7, status)], "bind")
        self.rkey = rkey

    def close(self):
        self.mw.close()


def attempt(qp, opcode, mine, rkey, addr, length, want):
    """One access through a key, and what must come of it."""
    qp.post(opcode, [mine.sge(0, length)], remote=(rkey, addr), wr_id=9,
            compare_add=1)
    expect(statuses(qp.sent()), [(9, want)], "access")


def works(qp, mine, window, theirs, offset, length, base=None):
    """A WRITE through a window gets where it should."""
    data = os.urandom(length)
    mine[0:length] = data
    addr = theirs.addr + offset if base is None else base
    attempt(qp, WRITE, mine, window.rkey, addr, length, "SUCCESS")
    expect(theirs[offset:offset + length], data, "written")


def refuses(a, b, kind, access, opcode, length=8, at=0, **kwargs):
    """A new connection's access to 4096 bytes at 4096 of a window fails."""
    qp, peer = pair(a, b, **QUICK)
    mine, theirs = Memory(a, 16384), Memory(b, 16384, BINDABLE)
    window = Window(peer, kind)
    window.bind(theirs, 4096, 4096, access, **kwargs)
    attempt(qp, opcode, mine, window.rkey, theirs.addr + 4096 + at, length,
            "REM_ACCESS_ERR")
    expect(theirs[0:16384], bytes(16384), "memory that must not be written")
    window.close()


@case
def both_types(a, b):
    """READ, WRITE and ATOMIC through a window of either type"""
    for kind in TYPE_1, TYPE_2:
        qp, peer = pair(a, b)
        mine, theirs = Memory(a, 16384), Memory(b, 16384, BINDABLE)
        window = Window(peer, kind)
        window.bind(theirs, 1000, 9000, WRITES | READS | ATOMICS)
        works(qp, mine, window, theirs, 1000, 9000)
        works(qp, mine, window, theirs, 9999, 1)
        attempt(qp, READ, mine, window.rkey, theirs.addr + 1000, 9000,
                "SUCCESS")
        expect(mine[0:9000], theirs[1000:10000], "read")
        theirs[1000:1008] = (41).to_bytes(8, "little")
        attempt(qp, FETCH_ADD, mine, window.rkey, theirs.addr + 1000, 8,
                "SUCCESS")
        expect(theirs[1000:1008], (42).to_bytes(8, "little"), "added to")
        window.close()


@case
def rights(a, b):
    """a window allows what it was bound with, and no more"""
    for kind in TYPE_1, TYPE_2:
        refuses(a, b, kind, READS | ATOMICS, WRITE)
        refuses(a, b, kind, WRITES | ATOMICS, READ)
        refuses(a, b, kind, WRITES | READS, FETCH_ADD)


@case
def range_of_window(a, b):
    """a byte before a window, and one behind it"""
    for kind in TYPE_1, TYPE_2:
        refuses(a, b, kind, WRITES, WRITE, at=-1)
        refuses(a, b, kind, WRITES, WRITE, at=4096 - 7)
        refuses(a, b, kind, WRITES, WRITE, length=4097)


@case
def zero_based_window(a, b):
    """a zero-based window of type 2"""
    qp, peer = pair(a, b, **QUICK)
    mine, theirs = Memory(a, 8192), Memory(b, 8192, BINDABLE)
    window = Window(peer, TYPE_2)
    window.bind(theirs, 3000, 1000, WRITES | ZERO_BASED)
    works(qp, mine, window, theirs, 3000, 1000, base=0)
    works(qp, mine, window, theirs, 3999, 1, base=999)
    attempt(qp, WRITE, mine, window.rkey, 1000, 1, "REM_ACCESS_ERR")
    window.close()


@case
def type_1_anew(a, b):
    """a window of type 1 is bound anew, its old key is of no use any more"""
    qp, peer = pair(a, b, **QUICK)
    mine, theirs = Memory(a, 8192), Memory(b, 8192, BINDABLE)
    other = Memory(b, 8192, BINDABLE)
    window = Window(peer, TYPE_1)
    keys = set()
    for memory in (theirs, other, theirs):
        window.bind(memory, 0, 8192, WRITES)
        keys.add(window.rkey)
        works(qp, mine, window, memory, 100, 200)
    expect(len(keys), 3, "keys")
    # Bound to nothing.
    window.bind(theirs, 0, 0, 0)
    keys.add(window.rkey)
    attempt(qp, WRITE, mine, window.rkey, theirs.addr, 8, "REM_ACCESS_ERR")
    for key in keys:
        qp, peer = pair(a, b, **QUICK)
        attempt(qp, WRITE, mine, key, theirs.addr, 8, "REM_ACCESS_ERR")
    window.close()


@case
def type_1_of_pd(a, b):
    """a window of type 1 is good for every QP of its PD, and for no other"""
    qp, peer = pair(a, b, **QUICK)
    second, second_peer = pair(a, b, **QUICK)
    mine, theirs = Memory(a, 4096), Memory(b, 4096, BINDABLE)
    window = Window(peer, TYPE_1)
    window.bind(theirs, 0, 4096, WRITES, qp=second_peer)
    works(qp, mine, window, theirs, 0, 64)
    works(second, mine, window, theirs, 64, 64)
    stranger = Rc(b, pd=PD(b.ctx))
    third = Rc(a)
    connect(third, stranger, **QUICK)
    attempt(third, WRITE, mine, window.rkey, theirs.addr, 8, "REM_ACCESS_ERR")
    window.close()


@case
def type_2_of_qp(a, b):
    """a window of type 2 is good for the QP that has bound it only"""
    qp, peer = pair(a, b, **QUICK)
    second, second_peer = pair(a, b, **QUICK)
    mine, theirs = Memory(a, 4096), Memory(b, 4096, BINDABLE)
    window = Window(peer, TYPE_2)
    window.bind(theirs, 0, 4096, WRITES)
    works(qp, mine, window, theirs, 0, 64)
    attempt(second, WRITE, mine, window.rkey, theirs.addr, 8, "REM_ACCESS_ERR")
    # Nor may another QP invalidate it.
    third, third_peer = pair(a, b, **QUICK)
    third_peer.post(LOCAL_INV, imm=window.rkey)
    expect(statuses(third_peer.sent()), [(0, "MW_BIND_ERR")], "invalidate")
    works(qp, mine, window, theirs, 0, 64)
    window.close()


def bound_and_free(a, b, invalidate):
    """Three times a window of type 2 is bound, used, and set free by invalidate()"""
    qp, peer = pair(a, b, **QUICK)
    mine, theirs = Memory(a, 4096), Memory(b, 4096, BINDABLE)
    window = Window(peer, TYPE_2)
    for _ in range(3):
        window.bind(theirs, 0, 4096, WRITES)
        works(qp, mine, window, theirs, 0, 64)
        invalidate(qp, peer, mine, theirs, window)
    attempt(qp, WRITE, mine, window.rkey, theirs.addr, 8, "REM_ACCESS_ERR")
    window.close()


@case
def local_invalidate(a, b):
    """LOCAL_INV sets a window of type 2 free, to be bound anew"""
    def invalidate(_qp, peer, _mine, _theirs, window):
        peer.post(LOCAL_INV, imm=window.rkey)
        succeeded(peer.sent())

    bound_and_free(a, b, invalidate)


@case
def remote_invalidate(a, b):
    """a SEND with invalidate sets a window of type 2 free"""
    def invalidate(qp, peer, mine, theirs, window):
        peer.post_recv([theirs.sge(2048, 100)])
        qp.post(SEND_INV, [mine.sge(0, 100)], imm=window.rkey)
        succeeded(qp.sent())
        wc, = succeeded(peer.received())
        check(wc.wc_flags & e.IBV_WC_WITH_INV, "the receiver is told")
        expect(wc.imm_data, window.rkey, "key told of")

    bound_and_free(a, b, invalidate)


@case
def what_is_not_invalidated(a, b):
    """a region, a window of type 1, one that is free: by neither side"""
    theirs = Memory(b, 4096, BINDABLE | REMOTE)
    mine = Memory(a, 4096)
    for kind in "region", TYPE_1, TYPE_2:
        for remote in False, True:
            qp, peer = pair(a, b, **QUICK)
            if kind == "region":
                key = theirs.rkey
            else:
                window = Window(peer, kind)
                if kind == TYPE_1:
                    window.bind(theirs, 0, 4096, WRITES)
                key = window.rkey
            if remote:
                peer.post_recv([theirs.sge(0, 100)])
                qp.post(SEND_INV, [mine.sge(0, 100)], imm=key)
                expect(statuses(qp.sent()), [(0, "REM_ACCESS_ERR")], "sender")
                expect(statuses(peer.received()), [(0, "MW_BIND_ERR")],
                       "receiver")
            else:
                peer.post(LOCAL_INV, imm=key)
                expect(statuses(peer.sent()), [(0, "MW_BIND_ERR")], "local")
    qp, peer = pair(a, b)
    attempt(qp, WRITE, mine, theirs.rkey, theirs.addr, 8, "SUCCESS")


@case
def what_is_not_bound(a, b):
    """binds that must fail, and leave the QP in ERROR"""
    good = Memory(b, 8192, BINDABLE)
    tests = [
        ("a region without the right", Memory(b, 8192, LOCAL), 0, 8192, WRITES,
         (TYPE_1, TYPE_2)),
        ("a region that is read only",
         Memory(b, 8192, e.IBV_ACCESS_MW_BIND), 0, 8192, WRITES,
         (TYPE_1, TYPE_2)),
        ("a region of another PD", Memory(b, 8192, BINDABLE, pd=PD(b.ctx)), 0,
         8192, WRITES, (TYPE_1, TYPE_2)),
        ("behind the region", good, 1, 8192, WRITES, (TYPE_1, TYPE_2)),
        ("before the region", good, -1, 100, WRITES, (TYPE_1, TYPE_2)),
        ("a range that wraps", good, 0, 2 ** 64 - 1, WRITES, (TYPE_1, TYPE_2)),
        ("a type 1 window at 0", good, 0, 8192, WRITES | ZERO_BASED,
         (TYPE_1,)),
        ("a type 2 window of nothing", good, 0, 0, WRITES, (TYPE_2,)),
    ]
    for what, memory, offset, length, access, kinds in tests:
        for kind in kinds:
            _, peer = pair(a, b, **QUICK)
            window = Window(peer, kind)
            try:
                window.bind(memory, offset, length, access,
                            status="MW_BIND_ERR")
            except PyverbsRDMAError as error:
                # The library looks at some of it itself.
                check(error.error_code in (errno.EINVAL, errno.EPERM), what)
                continue
            except Failure as failure:
                raise Failure("%s: %s" % (what, failure)) from failure
            expect(peer.state(), e.IBV_QPS_ERR, what)
            window.close()
    # A read-only region can be read through a window.
    qp, peer = pair(a, b)
    memory, mine = Memory(b, 8192, e.IBV_ACCESS_MW_BIND), Memory(a, 8192)
    window = Window(peer, TYPE_2)
    window.bind(memory, 0, 8192, READS)
    attempt(qp, READ, mine, window.rkey, memory.addr, 8192, "SUCCESS")
    # Bound already.
    window.bind(memory, 0, 8192, READS, status="MW_BIND_ERR")
    window.close()
    # The window of another PD; of type 1 the library won't have it.
    _, peer = pair(a, b)
    window = Window(peer, TYPE_2, pd=PD(b.ctx))
    window.bind(good, 0, 8192, WRITES, status="MW_BIND_ERR")
    window.close()


@case
def region_stays(a, b):
    """a region can't go while a window is bound to it"""
    for kind in TYPE_1, TYPE_2:
        _, peer = pair(a, b)
        theirs = Memory(b, 4096, BINDABLE)
        window = Window(peer, kind)
        window.bind(theirs, 0, 4096, WRITES)
        refused({errno.EBUSY}, theirs.mr.close)
        if kind == TYPE_1:
            window.bind(theirs, 0, 0, 0)
        else:
            peer.post(LOCAL_INV, imm=window.rkey)
            succeeded(peer.sent())
        theirs.mr.close()
        window.close()
    # Nor when its QP is gone; but when the window is.
    _, peer = pair(a, b)
    theirs = Memory(b, 4096, BINDABLE)
    window = Window(peer, TYPE_2)
    window.bind(theirs, 0, 4096, WRITES)
    peer.qp.close()
    refused({errno.EBUSY}, theirs.mr.close)
    window.close()
    theirs.mr.close()


main()
