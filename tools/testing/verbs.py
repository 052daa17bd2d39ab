# SPDX-License-Identifier: GPL-2.0
"""What the Python cases share: pairs of QPs in one process, over pyverbs.

A program is a list of functions marked with @case, run by main() in order.
"""

import ctypes
import mmap
import os
import select
import sys
import time
import traceback

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ, CompChannel
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

LOCAL = e.IBV_ACCESS_LOCAL_WRITE
REMOTE = (e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ |
          e.IBV_ACCESS_REMOTE_ATOMIC)
ALL = LOCAL | REMOTE

SEND, SEND_IMM = e.IBV_WR_SEND, e.IBV_WR_SEND_WITH_IMM
WRITE, WRITE_IMM = e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_WRITE_WITH_IMM
READ = e.IBV_WR_RDMA_READ
CMP_SWAP = e.IBV_WR_ATOMIC_CMP_AND_SWP
FETCH_ADD = e.IBV_WR_ATOMIC_FETCH_AND_ADD

STATUS = {getattr(e, name): name[len("IBV_WC_"):] for name in (
    "IBV_WC_SUCCESS", "IBV_WC_LOC_LEN_ERR", "IBV_WC_LOC_QP_OP_ERR",
    "IBV_WC_LOC_PROT_ERR", "IBV_WC_WR_FLUSH_ERR", "IBV_WC_MW_BIND_ERR",
    "IBV_WC_BAD_RESP_ERR",
    "IBV_WC_LOC_ACCESS_ERR", "IBV_WC_REM_INV_REQ_ERR",
    "IBV_WC_REM_ACCESS_ERR", "IBV_WC_REM_OP_ERR", "IBV_WC_RETRY_EXC_ERR",
    "IBV_WC_RNR_RETRY_EXC_ERR", "IBV_WC_FATAL_ERR", "IBV_WC_GENERAL_ERR")}

# Masks of the usual transitions of an RC QP.
TO_INIT = (e.IBV_QP_STATE | e.IBV_QP_PKEY_INDEX | e.IBV_QP_PORT |
           e.IBV_QP_ACCESS_FLAGS)
TO_RTR = (e.IBV_QP_STATE | e.IBV_QP_AV | e.IBV_QP_PATH_MTU |
          e.IBV_QP_DEST_QPN | e.IBV_QP_RQ_PSN | e.IBV_QP_MAX_DEST_RD_ATOMIC |
          e.IBV_QP_MIN_RNR_TIMER)
TO_RTS = (e.IBV_QP_STATE | e.IBV_QP_TIMEOUT | e.IBV_QP_RETRY_CNT |
          e.IBV_QP_RNR_RETRY | e.IBV_QP_SQ_PSN | e.IBV_QP_MAX_QP_RD_ATOMIC)


class Failure(Exception):
    pass


def expect(got, want, what):
    if got != want:
        raise Failure("%s: got %r, want %r" % (what, got, want))


def check(true, what):
    if not true:
        raise Failure(what)


def refused(errnos, function, *args, **kwargs):
    """The call must fail, with one of the error numbers."""
    try:
        function(*args, **kwargs)
    except PyverbsRDMAError as error:
        check(error.error_code in errnos, "refused with errno %d, not %r" %
              (error.error_code, errnos))
        return
    raise Failure("was not refused")


def event_fds():
    found = set()
    for fd in os.listdir("/proc/self/fd"):
        try:
            if "infinibandevent" in os.readlink("/proc/self/fd/" + fd):
                found.add(int(fd))
        except OSError:
            pass
    return found


class Device:
    """An open device, with a PD and the RoCE v2 GID of a kind."""

    def __init__(self, name, kind="v4"):
        before = event_fds()
        self.name = name
        self.ctx = Context(name=name)
        self.async_fd = (event_fds() - before).pop()
        self.pd = PD(self.ctx)
        self.gid_index = self.find_gid(kind)
        self.gid = self.ctx.query_gid(1, self.gid_index)

    def find_gid(self, kind):
        start = {"v4": "0000:0000:0000:0000:0000:ffff:", "v6": "fd00:",
                 "ll": "fe80:"}[kind]
        folder = "/sys/class/infiniband/%s/ports/1/" % self.name
        for index in range(64):
            try:
                with open(folder + "gids/%d" % index, encoding="ascii") as file:
                    gid = file.read()
                with open(folder + "gid_attrs/types/%d" % index,
                          encoding="ascii") as file:
                    kind_of_gid = file.read().strip()
            except OSError:
                continue
            if gid.startswith(start) and kind_of_gid == "RoCE v2":
                return index
        raise Failure("%s has no %s GID" % (self.name, kind))

    def event(self, seconds=2.0):
        """The next asynchronous event's type, or None if none comes."""
        if not select.select([self.async_fd], [], [], seconds)[0]:
            return None
        event = self.ctx.get_async_event()
        kind = event.event_type
        event.ack()
        return kind

    def no_event(self):
        expect(self.event(0), None, "event")


class Memory:
    """Registered anonymous memory; `skip` bytes into a page."""

    def __init__(self, device, length, access=ALL, pd=None, skip=0, fill=None,
                 flags=0):
        flags |= mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.map = mmap.mmap(-1, max(length + skip, 1), flags=flags)
        self.skip = skip
        self.length = length
        self.addr = ctypes.addressof(ctypes.c_char.from_buffer(self.map)) + skip
        self.mr = MR(pd or device.pd, length, access, address=self.addr)
        self.lkey = self.mr.lkey
        self.rkey = self.mr.rkey
        if fill is not None:
            self[0:length] = fill

    def __getitem__(self, key):
        start, stop, _ = key.indices(self.length)
        return self.map[self.skip + start:self.skip + stop]

    def __setitem__(self, key, value):
        start, stop, _ = key.indices(self.length)
        self.map[self.skip + start:self.skip + stop] = value

    def sge(self, offset=0, length=None):
        if length is None:
            length = self.length - offset
        return SGE(self.addr + offset, length, self.lkey)


class Rc:
    """An RC QP with a CQ for each direction."""

    TYPE, TO_RTR, TO_RTS = e.IBV_QPT_RC, TO_RTR, TO_RTS

    def __init__(self, device, depth=64, sge=4, inline=0, cq_depth=256,
                 sig_all=0, channel=None, pd=None, srq=None):
        self.device = device
        self.channel = channel
        self.scq = CQ(device.ctx, cq_depth, None, channel, 0)
        self.rcq = CQ(device.ctx, cq_depth, None, channel, 0)
        cap = QPCap(max_send_wr=depth, max_recv_wr=depth, max_send_sge=sge,
                    max_recv_sge=sge, max_inline_data=inline)
        self.qp = QP(pd or device.pd, QPInitAttr(
            qp_type=self.TYPE, scq=self.scq, rcq=self.rcq, srq=srq, cap=cap,
            sq_sig_all=sig_all))
        self.number = self.qp.qp_num
        self.attrs = {}

    def to_init(self, access=ALL):
        attr = QPAttr(port_num=1)
        attr.qp_state = e.IBV_QPS_INIT
        attr.qp_access_flags = access
        self.qp.modify(attr, TO_INIT)

    def to_rtr(self, peer, mtu=e.IBV_MTU_1024, psn=0, max_dest_rd_atomic=4,
               min_rnr_timer=1, hop_limit=64, traffic_class=0, flow_label=0):
        attr = QPAttr(port_num=1)
        attr.qp_state = e.IBV_QPS_RTR
        attr.path_mtu = mtu
        attr.dest_qp_num = peer.number
        attr.rq_psn = psn
        attr.max_dest_rd_atomic = max_dest_rd_atomic
        attr.min_rnr_timer = min_rnr_timer
        route = GlobalRoute(dgid=peer.device.gid,
                            sgid_index=self.device.gid_index)
        route.hop_limit = hop_limit
        route.traffic_class = traffic_class
        route.flow_label = flow_label
        attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
        self.qp.modify(attr, self.TO_RTR)

    def to_rts(self, psn=0, timeout=12, retry_cnt=7, rnr_retry=7,
               max_rd_atomic=4):
        attr = QPAttr(port_num=1)
        attr.qp_state = e.IBV_QPS_RTS
        attr.timeout = timeout
        attr.retry_cnt = retry_cnt
        attr.rnr_retry = rnr_retry
        attr.sq_psn = psn
        attr.max_rd_atomic = max_rd_atomic
        self.qp.modify(attr, self.TO_RTS)

    def to(self, state, **others):
        """A transition that needs no more than the state."""
        attr = QPAttr(port_num=1)
        attr.qp_state = state
        mask = e.IBV_QP_STATE
        if "sqd_event" in others:
            attr.en_sqd_async_notify = others["sqd_event"]
            mask |= e.IBV_QP_EN_SQD_ASYNC_NOTIFY
        self.qp.modify(attr, mask)

    def state(self):
        return self.qp.query(e.IBV_QP_STATE)[0].qp_state

    def post(self, opcode, sges=(), wr_id=0, flags=e.IBV_SEND_SIGNALED,
             remote=None, imm=0, compare_add=0, swap=0):
        """`remote` is (Memory, offset) or (rkey, address)."""
        wr = work_request(SendWR, sges, wr_id=wr_id, opcode=opcode,
                          send_flags=flags, imm_data=imm)
        if remote:
            rkey, addr = remote
            if isinstance(rkey, Memory):
                rkey, addr = rkey.rkey, rkey.addr + addr
            if opcode in (CMP_SWAP, FETCH_ADD):
                wr.set_wr_atomic(rkey, addr, compare_add, swap)
            else:
                wr.set_wr_rdma(rkey, addr)
        self.qp.post_send(wr)

    def post_recv(self, sges=(), wr_id=0):
        self.qp.post_recv(work_request(RecvWR, sges, wr_id=wr_id))

    def sent(self, count=1, seconds=10.0):
        return poll(self.scq, count, seconds)

    def received(self, count=1, seconds=10.0):
        return poll(self.rcq, count, seconds)


class Uc(Rc):
    """The same of an unreliable connection."""

    TYPE = e.IBV_QPT_UC
    TO_RTR = TO_RTR & ~(e.IBV_QP_MAX_DEST_RD_ATOMIC | e.IBV_QP_MIN_RNR_TIMER)
    TO_RTS = e.IBV_QP_STATE | e.IBV_QP_SQ_PSN


def work_request(kind, sges, **kwargs):
    """pyverbs makes none without an SGE, but takes one away."""
    wr = kind(num_sge=len(sges) or 1, sg=list(sges) or [SGE(0, 0, 0)], **kwargs)
    wr.num_sge = len(sges)
    return wr


def poll(cq, count, seconds=10.0):
    """The next completions; the CQ must give as many in time."""
    got = []
    end = time.monotonic() + seconds
    while len(got) < count:
        number, wcs = cq.poll(count - len(got))
        got += wcs or []
        if not number:
            if time.monotonic() > end:
                raise Failure("%d of %d completions: %r" %
                              (len(got), count, statuses(got)))
            time.sleep(0.0005)
    return got


def empty(cq, seconds=0.0):
    """No completion comes."""
    end = time.monotonic() + seconds
    while True:
        _, wcs = cq.poll(8)
        expect(statuses(wcs or []), [], "completions")
        if time.monotonic() >= end:
            return
        time.sleep(0.005)


def statuses(wcs):
    return [(wc.wr_id, STATUS.get(wc.status, wc.status)) for wc in wcs]


def succeeded(wcs):
    for wc in wcs:
        expect(STATUS[wc.status], "SUCCESS", "status of %d" % wc.wr_id)
    return wcs


def connect(one, other, access=ALL, rtr=None, rts=None):
    """Takes two QPs to RTS; `rtr` and `rts` are keywords of those steps."""
    for qp in (one, other):
        qp.to_init(access)
    for qp, peer in ((one, other), (other, one)):
        qp.to_rtr(peer, **(rtr or {}))
    for qp in (one, other):
        qp.to_rts(**(rts or {}))


def pair(one, other, access=ALL, rtr=None, rts=None, kind=Rc, **kwargs):
    """Two new QPs on two devices, connected."""
    qps = kind(one, **kwargs), kind(other, **kwargs)
    connect(*qps, access=access, rtr=rtr, rts=rts)
    return qps


CASES = []


def case(function):
    CASES.append(function)
    return function


def main():
    """PROGRAM SERVER CLIENT [KIND-OF-GID [CASE]...] - runs the cases."""
    names = sys.argv[1:3]
    kind = sys.argv[3] if len(sys.argv) > 3 else "v4"
    chosen = sys.argv[4:]
    failed = 0
    for function in CASES:
        if chosen and function.__name__ not in chosen:
            continue
        print("  - %s" % (function.__doc__ or function.__name__).split("\n")[0],
              flush=True)
        try:
            function(*[Device(name, kind) for name in names])
        except Exception as error:
            traceback.print_exception(type(error), error,
                                      error.__traceback__.tb_next,
                                      file=sys.stdout)
            failed += 1
    sys.exit(1 if failed else 0)
