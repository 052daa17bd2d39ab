# SPDX-License-Identifier: GPL-2.0
"""Keys changed by work requests: registration, invalidation, windows."""

import struct

import bringup as b
from test_queue import READ, SEND, WRITE, expect_error, opcode, rdma

UMR, SEND_INVAL = 0x25, 0x01
LEN, PAGE_SIZE, START, PD, EN_RINVAL, KEY, QPN = 1, 1 << 1, 1 << 6, 1 << 7, 1 << 8, 1 << 13, 1 << 14
RIGHTS, FREE_BIT = 0x1f << 17, 1 << 29
NOT_FREE, CHECK_FREE, INLINE, OFFSET = 1 << 5, 2 << 5, 1 << 7, 1 << 4
FREE, PAGES, KLMS, ALL = 1 << 30, 1 << 8, 2 << 8, 0x7c00
REGISTER = LEN | PAGE_SIZE | START | EN_RINVAL | KEY | RIGHTS | FREE_BIT


def free_key(d, octowords=4, mode=PAGES, pd=None):
    """A key that a UMR can make valid; its number without the variant."""
    body = b.pack(0x108, x8=('I', FREE | 1 << 15 | mode), xc=('I', 0xffffff << 8),
                  x14=('I', d.pd if pd is None else pd), x3c=('I', octowords))
    return d.new(b.CREATE_MKEY, body) << 8


def context(access=ALL, key=0, start=0, length=0, qpn=0xffffff, free=0, pd=0, rinval=1):
    return bytes(b.pack(64, x0=('I', free | access), x4=('I', qpn << 8 | key & 0xff),
                        xc=('I', rinval << 24 | pd), x10=('Q', start), x18=('Q', length),
                        x38=('I', 12)).ljust(64, b'\0'))


def post(qp, key, mask, mkc, xlt=b'', flags=0, octowords=0, offset=0):
    seg = struct.pack('>B3xHHQI28x', flags, octowords, offset & 0xffff, mask, offset >> 16)
    assert len(seg) == 48
    qp.post_send(UMR, seg + mkc + xlt, imm=key)


def register(d, qp, key, pages, start, length, **more):
    at = d.memory.alloc(4096)
    mtt = b''.join(struct.pack('>Q', p) for p in pages)
    octowords = (len(mtt) + 15) // 16
    d.memory.put(at, mtt)
    post(qp, key, REGISTER, context(key=key, start=start, length=length, **more),
         b.data(octowords * 16, d.key, at), flags=NOT_FREE, octowords=octowords)


def invalidate(qp, key):
    post(qp, key, FREE_BIT, context(free=FREE), flags=INLINE)


def test_register_use_invalidate(model):
    d = rdma(model)
    pages = [d.memory.alloc(4096) for _ in range(3)][::-1]
    key = free_key(d) | 7
    register(d, d.qa, key, pages, 0x7000000800, 8192)
    assert opcode(d.cq_a.next()) == 0
    d.memory.put(d.src, bytes(range(256)) * 16)
    # The peer's key is of the same device: what it writes to is what was registered.
    d.qa.post_send(WRITE, b.remote(0x7000000800, key) + b.data(4096, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    assert d.memory.get(pages[0] + 0x800, 2048) == bytes(range(256)) * 8
    assert d.memory.get(pages[1], 2048) == bytes(range(256)) * 8
    invalidate(d.qa, key)
    done = d.cq_a.next()
    assert opcode(done) == 0 and done[56] == UMR
    # Again, under another variant.
    register(d, d.qa, key ^ 0xf, pages, 0, 4096)
    assert opcode(d.cq_a.next()) == 0
    d.qa.post_send(WRITE, b.remote(0, key ^ 0xf) + b.data(16, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0
    d.qa.post_send(WRITE, b.remote(0, key) + b.data(16, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x13)


def test_free_key_refuses(model):
    d = rdma(model)
    key = free_key(d)
    d.qa.post_send(SEND, b.data(16, key, 0))
    expect_error(d, d.cq_a.next(), 4)


def test_register_twice(model):
    d = rdma(model)
    key = free_key(d)
    register(d, d.qa, key, [d.src], 0, 4096)
    register(d, d.qa, key, [d.src], 0, 4096)
    assert opcode(d.cq_a.next()) == 0
    expect_error(d, d.cq_a.next(), 6)           # it is not free


def test_more_than_the_key_holds(model):
    for offset, count in ((0, 5), (4, 1), (1, 4), (1 << 31, 1), (0, 65535)):
        d = rdma(model)
        key = free_key(d)
        post(d.qa, key, REGISTER, context(), b.data(count * 16, d.key, d.src),
             flags=NOT_FREE | OFFSET, octowords=count, offset=offset)
        expect_error(d, d.cq_a.next(), 6)
        d.client.close()


def test_translations_out_of_reach(model):
    d = rdma(model)
    key = free_key(d)
    post(d.qa, key, REGISTER, context(length=4096), b.data(64, d.key, 0x5555000000000000),
         flags=NOT_FREE, octowords=4)
    expect_error(d, d.cq_a.next(), 6)


def test_other_domain(model):
    d = rdma(model)
    other = d.new(b.ALLOC_PD)
    key = free_key(d, pd=other)
    register(d, d.qa, key, [d.src], 0, 4096)
    expect_error(d, d.cq_a.next(), 6)
    assert d.qa.modify(b.TO_RST) == 0


def test_domain_is_not_for_consumers(model):
    d = rdma(model)
    key = free_key(d)
    post(d.qa, key, REGISTER | PD, context(pd=d.pd), flags=NOT_FREE)
    expect_error(d, d.cq_a.next(), 6)


def test_own_queue(model):
    """The driver's UMR QP: of no domain, and it may move a key to one."""
    d = rdma(model)
    qp = b.Qp(d, d.cq_b, st=0xc)
    for op in (b.RST2INIT, b.INIT2RTR, b.RTR2RTS):
        assert qp.modify(op) == 0
    key = free_key(d, pd=d.new(b.ALLOC_PD))
    at = d.memory.alloc(4096)
    d.memory.put(at, struct.pack('>QQ', d.src, d.dst))
    # The translations in two parts, as long lists are; only the second enables the key.
    post(qp, key, 0, context(), b.data(16, d.key, at), flags=NOT_FREE, octowords=1)
    post(qp, key, REGISTER | PD, context(pd=d.pd, length=8192), b.data(16, d.key, at),
         flags=NOT_FREE | OFFSET, octowords=1, offset=1)
    assert opcode(d.cq_b.next()) == 0 and opcode(d.cq_b.next()) == 0
    d.memory.put(d.src, b'registered')
    back = d.memory.alloc(4096)
    d.qa.post_send(READ, b.remote(0, key) + b.data(10, d.key, back))
    assert opcode(d.cq_a.next()) == 0 and d.memory.get(back, 10) == b'registered'
    post(qp, key, FREE_BIT, context(), flags=NOT_FREE)      # it is not free
    expect_error(d, d.cq_b.next(), 6)
    post(qp, key, FREE_BIT, context(free=FREE), flags=INLINE)
    expect_error(d, d.cq_b.next(), 5)


def window(d, qp, key, region, address, length, access, qpn=0xffffff):
    klm = struct.pack('>IIQ', length, region, address)
    post(qp, key, LEN | START | KEY | QPN | RIGHTS | FREE_BIT | EN_RINVAL,
         context(access=access, key=key, start=address, length=length, qpn=qpn),
         klm.ljust(64, b'\0'), flags=INLINE, octowords=4)


def test_window(model):
    d = rdma(model)
    local = d.mkey(access=0x0c00)               # no remote rights
    key = free_key(d, mode=KLMS) | 1
    window(d, d.qb, key, local, d.dst + 64, 64, 0x3000)
    assert opcode(d.cq_b.next()) == 0
    d.memory.put(d.src, b'through a window')
    d.qa.post_send(WRITE, b.remote(d.dst + 64, key) + b.data(16, d.key, d.src))
    assert opcode(d.cq_a.next()) == 0 and d.memory.get(d.dst + 64, 16) == b'through a window'
    # A peer invalidates it with a message.
    d.qb.post_recv(d.dst + 4096, 64, d.key)
    d.qa.post_send(SEND_INVAL, b.data(4, d.key, d.src), imm=key)
    got = d.cq_b.next()
    assert opcode(got) == 4 and b.word(got, 0x24) == key
    assert opcode(d.cq_a.next()) == 0
    d.qa.post_send(WRITE, b.remote(d.dst + 64, key) + b.data(16, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x13)


def test_window_of_one_queue(model):
    d = rdma(model)
    key = free_key(d, mode=KLMS) | 1
    window(d, d.qb, key, d.key, d.dst, 64, 0x3000, qpn=d.qa.qpn)
    assert opcode(d.cq_b.next()) == 0
    d.qa.post_send(WRITE, b.remote(d.dst, key) + b.data(16, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x13)        # it came over qb


def test_window_leads_nowhere(model):
    d = rdma(model)
    key = free_key(d, mode=KLMS) | 1
    window(d, d.qb, key, key, d.dst, 64, 0x3000)            # itself
    assert opcode(d.cq_b.next()) == 0
    d.qa.post_send(WRITE, b.remote(d.dst, key) + b.data(16, d.key, d.src))
    expect_error(d, d.cq_a.next(), 0x13)
