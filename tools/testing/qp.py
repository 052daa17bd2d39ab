# SPDX-License-Identifier: GPL-2.0
"""The states and attributes of a QP: what is allowed, what is refused, and that
query_qp gives back what was set."""

import errno

from verbs import *

QUERY_ALL = 0x1fffff        # IBV_QP_STATE to IBV_QP_DEST_QPN


@case
def query_gives_back(a, b):
    """query_qp gives back what create and modify set"""
    qp, peer = Rc(a, depth=100, sge=7, inline=200), Rc(b)
    attr, init = qp.qp.query(QUERY_ALL)
    expect(attr.qp_state, e.IBV_QPS_RESET, "state")
    for cap in (attr.cap, init.cap):
        check(cap.max_send_wr >= 100, "max_send_wr %d" % cap.max_send_wr)
        check(cap.max_recv_wr >= 100, "max_recv_wr %d" % cap.max_recv_wr)
        check(cap.max_send_sge >= 7, "max_send_sge %d" % cap.max_send_sge)
        check(cap.max_recv_sge >= 7, "max_recv_sge %d" % cap.max_recv_sge)
        check(cap.max_inline_data >= 200, "inline %d" % cap.max_inline_data)
    expect(init.qp_type, e.IBV_QPT_RC, "type")
    expect(init.sq_sig_all, 0, "sq_sig_all")
    expect(Rc(a, sig_all=1).qp.query(QUERY_ALL)[1].sq_sig_all, 1, "sq_sig_all")

    access = e.IBV_ACCESS_REMOTE_READ | LOCAL
    qp.to_init(access)
    attr, _ = qp.qp.query(QUERY_ALL)
    expect(attr.qp_state, e.IBV_QPS_INIT, "state")
    expect(attr.qp_access_flags & REMOTE, access & REMOTE, "access")
    expect(attr.port_num, 1, "port_num")
    expect(attr.pkey_index, 0, "pkey_index")

    peer.to_init()
    qp.to_rtr(peer, mtu=e.IBV_MTU_512, psn=0x123456, max_dest_rd_atomic=3,
              min_rnr_timer=21, traffic_class=0x68, flow_label=0x54321)
    attr, _ = qp.qp.query(QUERY_ALL)
    expect(attr.qp_state, e.IBV_QPS_RTR, "state")
    expect(attr.path_mtu, e.IBV_MTU_512, "path_mtu")
    expect(attr.dest_qp_num, peer.number, "dest_qp_num")
    expect(attr.rq_psn, 0x123456, "rq_psn")
    expect(attr.max_dest_rd_atomic, 3, "max_dest_rd_atomic")
    expect(attr.min_rnr_timer, 21, "min_rnr_timer")
    address = attr.ah_attr
    expect(address.is_global, 1, "is_global")
    expect(str(address.dgid), str(b.gid), "dgid")
    expect(address.sgid_index, a.gid_index, "sgid_index")
    # IB core takes the route's.
    expect(address.hop_limit, 64, "hop_limit")
    expect(address.traffic_class, 0x68, "traffic_class")
    expect(address.flow_label, 0x54321, "flow_label")

    qp.to_rts(psn=0xabcdef, timeout=17, retry_cnt=5, rnr_retry=4,
              max_rd_atomic=2)
    attr, _ = qp.qp.query(QUERY_ALL)
    expect(attr.qp_state, e.IBV_QPS_RTS, "state")
    expect(attr.sq_psn, 0xabcdef, "sq_psn")
    expect(attr.timeout, 17, "timeout")
    expect(attr.retry_cnt, 5, "retry_cnt")
    expect(attr.rnr_retry, 4, "rnr_retry")
    expect(attr.max_rd_atomic, 2, "max_rd_atomic")

    # What may change in RTS.
    attr = QPAttr(port_num=1)
    attr.min_rnr_timer = 5
    attr.qp_access_flags = e.IBV_ACCESS_REMOTE_WRITE
    qp.qp.modify(attr, e.IBV_QP_MIN_RNR_TIMER | e.IBV_QP_ACCESS_FLAGS)
    attr, _ = qp.qp.query(QUERY_ALL)
    expect(attr.min_rnr_timer, 5, "min_rnr_timer")
    expect(attr.qp_access_flags & REMOTE, e.IBV_ACCESS_REMOTE_WRITE, "access")


@case
def transitions(a, b):
    """every transition that the IBA has not is refused"""
    states = {"RESET": e.IBV_QPS_RESET, "INIT": e.IBV_QPS_INIT,
              "RTR": e.IBV_QPS_RTR, "RTS": e.IBV_QPS_RTS,
              "SQD": e.IBV_QPS_SQD, "ERR": e.IBV_QPS_ERR}
    allowed = {"RESET": (), "INIT": (), "RTR": (), "RTS": ("SQD", "RTS"),
               "SQD": ("RTS", "SQD"), "ERR": ()}
    for start in states:
        for end, state in states.items():
            qp, peer = Rc(a), Rc(b)
            peer.to_init()
            if start != "RESET":
                qp.to_init()
            if start in ("RTR", "RTS", "SQD"):
                qp.to_rtr(peer)
            if start in ("RTS", "SQD"):
                qp.to_rts()
            if start in ("SQD", "ERR"):
                qp.to(states[start])
            # With nothing but the state: those that need attributes fail too.
            # Linux has no way from RESET to ERR.
            fine = (end == "RESET" or end in allowed[start] or
                    end == "ERR" and start != "RESET")
            if fine:
                qp.to(state)
                expect(qp.state(), state, "%s to %s" % (start, end))
            elif (start, end) != ("INIT", "INIT"):
                try:
                    refused([errno.EINVAL], qp.to, state)
                except Failure as error:
                    raise Failure("%s to %s: %s" % (start, end, error))
                expect(qp.state(), states[start], "state after refusal")


@case
def required_attributes(a, b):
    """each attribute that a transition needs, left out"""
    def without(mask, all_of, change):
        bit = 1
        while bit <= all_of:
            if bit & all_of and bit != e.IBV_QP_STATE:
                refused([errno.EINVAL], change, all_of & ~bit)
            bit <<= 1

    qp, peer = Rc(a), Rc(b)
    peer.to_init()
    attr = QPAttr(port_num=1)
    attr.qp_state = e.IBV_QPS_INIT
    without("INIT", TO_INIT, lambda mask: qp.qp.modify(attr, mask))
    qp.to_init()
    route = GlobalRoute(dgid=b.gid, sgid_index=a.gid_index)
    attr = QPAttr(port_num=1)
    attr.qp_state = e.IBV_QPS_RTR
    attr.path_mtu = e.IBV_MTU_1024
    attr.dest_qp_num = peer.number
    attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
    without("RTR", TO_RTR, lambda mask: qp.qp.modify(attr, mask))
    qp.to_rtr(peer)
    attr = QPAttr(port_num=1)
    attr.qp_state = e.IBV_QPS_RTS
    without("RTS", TO_RTS, lambda mask: qp.qp.modify(attr, mask))
    qp.to_rts()
    expect(qp.state(), e.IBV_QPS_RTS, "state")


@case
def values(a, b):
    """values out of range are refused"""
    peer = Rc(b)
    peer.to_init()

    def init(**fields):
        qp = Rc(a)
        attr = QPAttr(port_num=1)
        attr.qp_state = e.IBV_QPS_INIT
        for field, value in fields.items():
            setattr(attr, field, value)
        qp.qp.modify(attr, TO_INIT)

    def rtr(**kwargs):
        qp = Rc(a)
        qp.to_init()
        qp.to_rtr(peer, **kwargs)
        return qp

    refused([errno.EINVAL], init, port_num=2)
    refused([errno.EINVAL], init, port_num=0)
    refused([errno.EINVAL], init, pkey_index=1)
    refused([errno.EINVAL], rtr, mtu=0)
    refused([errno.EINVAL], rtr, mtu=6)
    refused([errno.EINVAL], rtr, max_dest_rd_atomic=255)
    refused([errno.EINVAL], rtr, min_rnr_timer=32)
    refused([errno.EINVAL], lambda: rtr().to_rts(timeout=32))
    refused([errno.EINVAL], lambda: rtr().to_rts(retry_cnt=8))
    refused([errno.EINVAL], lambda: rtr().to_rts(rnr_retry=8))
    refused([errno.EINVAL], lambda: rtr().to_rts(max_rd_atomic=255))
    index, a.gid_index = a.gid_index, 60
    refused([errno.EINVAL, errno.ENODATA, errno.ENOENT], rtr)
    a.gid_index = 255
    refused([errno.EINVAL, errno.ENODATA, errno.ENOENT], rtr)
    a.gid_index = index
    rtr().to_rts()


@case
def wrong_state(a, b):
    """posting in a state that does not allow it is an error, and harmless"""
    ours = Memory(a, 64)
    qp = Rc(a)
    refused([errno.EINVAL], qp.post, SEND, [ours.sge()])
    refused([errno.EINVAL], qp.post_recv, [ours.sge()])
    qp = Rc(a)
    peer = Rc(b)
    peer.to_init()
    qp.to_init()
    qp.post_recv([ours.sge()], wr_id=5)
    refused([errno.EINVAL], qp.post, SEND, [ours.sge()])
    empty(qp.scq)
    qp.to(e.IBV_QPS_ERR)
    expect(statuses(qp.received()), [(5, "WR_FLUSH_ERR")], "receive")


@case
def too_much_for_a_request(a, b):
    """more SGEs or inline data than the QP was made for"""
    qp, _ = pair(a, b, sge=2, inline=64)
    init = qp.qp.query(QUERY_ALL)[1]
    ours = Memory(a, 8192)
    most = init.cap.max_send_sge
    refused([errno.EINVAL], qp.post, SEND, [ours.sge(0, 8)] * (most + 1))
    refused([errno.EINVAL], qp.post, SEND, [ours.sge(0, init.cap.max_inline_data + 1)],
            flags=e.IBV_SEND_INLINE | e.IBV_SEND_SIGNALED)
    most = init.cap.max_recv_sge
    refused([errno.EINVAL], qp.post_recv, [ours.sge(0, 8)] * (most + 1))


@case
def full_queues(a, b):
    """a full queue takes no more"""
    qp = Rc(a, depth=8)
    qp.to_init()
    ours = Memory(a, 64)
    room = qp.qp.query(QUERY_ALL)[1].cap.max_recv_wr
    for i in range(room):
        qp.post_recv([ours.sge()], wr_id=i)
    refused([errno.ENOMEM], qp.post_recv, [ours.sge()])
    qp.to(e.IBV_QPS_ERR)
    expect(len(qp.received(room)), room, "flushed receives")


@case
def absurd_sizes(a, b):
    """create parameters that no device has are refused"""
    errors = [errno.EINVAL, errno.ENOMEM, errno.EOPNOTSUPP]
    cq = CQ(a.ctx, 10, None, None, 0)
    limit = a.ctx.query_device()
    for depth in (0x7fffffff, limit.max_cqe + 1, 0, -1):
        refused(errors, CQ, a.ctx, depth, None, None, 0)
    refused(errors, CQ, a.ctx, 10, None, None, 1000000)

    def make(kind=e.IBV_QPT_RC, **sizes):
        fields = {"max_send_wr": 1, "max_recv_wr": 1, "max_send_sge": 1,
                  "max_recv_sge": 1, "max_inline_data": 0}
        fields.update(sizes)
        return QP(a.pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq,
                                   cap=QPCap(**fields)))

    make().close()
    for field in ("max_send_wr", "max_recv_wr", "max_send_sge", "max_recv_sge",
                  "max_inline_data"):
        for value in (0xffffffff, 0x7fffffff, 0x40000000, 10000000):
            refused(errors, make, **{field: value})
    refused(errors, make, max_send_wr=limit.max_qp_wr + 1)
    refused(errors, make, max_send_sge=limit.max_sge + 1)
    # Each size in range and all at once.
    refused_or_made(errors, make, max_send_wr=limit.max_qp_wr,
                    max_recv_wr=limit.max_qp_wr, max_send_sge=limit.max_sge,
                    max_recv_sge=limit.max_sge)
    # Nothing to send or to receive.
    refused_or_made(errors, make, max_send_wr=0, max_recv_wr=0, max_send_sge=0,
                    max_recv_sge=0)
    for kind in (0, 1, 77, e.IBV_QPT_RAW_PACKET, e.IBV_QPT_XRC_SEND):
        refused(errors, make, kind=kind)


def refused_or_made(errnos, function, **kwargs):
    try:
        function(**kwargs).close()
    except PyverbsRDMAError as error:
        check(error.error_code in errnos, "errno %d" % error.error_code)


@case
def in_use(a, b):
    """what is in use can't be taken away"""
    cq = CQ(a.ctx, 10, None, None, 0)
    pd = PD(a.ctx)
    memory = Memory(a, 64, pd=pd)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq,
                           cap=QPCap(1, 1, 1, 1, 0)))
    # pyverbs closes what depends on it first; that must work in this order.
    qp.close()
    memory.mr.close()
    cq.close()
    pd.close()


@case
def very_many(a, b):
    """hundreds of each object, made and freed"""
    pds = [PD(a.ctx) for _ in range(200)]
    cqs = [CQ(a.ctx, 1, None, None, 0) for _ in range(200)]
    memory = [Memory(a, 4096) for _ in range(200)]
    qps = [QP(a.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq,
                               cap=QPCap(1, 1, 1, 1, 0))) for cq in cqs]
    expect(len({qp.qp_num for qp in qps}), 200, "QP numbers")
    expect(len({each.mr.rkey for each in memory}), 200, "keys")
    for each in qps + [each.mr for each in memory] + cqs + pds:
        each.close()


if __name__ == "__main__":
    main()
