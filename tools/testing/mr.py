# SPDX-License-Identifier: GPL-2.0
"""Memory regions: huge pages, odd addresses, large ones, zero-based ones, and
what can't be registered."""

import errno
import mmap
import os

from verbs import *

MAP_HUGETLB = 0x40000
HUGE = 2 ** 21


def write_and_read(qp, peer, ours, theirs, offset, length, base=None):
    """Bytes go over and come back."""
    data = os.urandom(length)
    ours[0:length] = data
    where = theirs.addr if base is None else base
    qp.post(WRITE, [ours.sge(0, length)], remote=(theirs.rkey, where + offset))
    succeeded(qp.sent())
    expect(theirs[offset:offset + length], data, "written")
    ours[0:length] = bytes(length)
    qp.post(READ, [ours.sge(0, length)], remote=(theirs.rkey, where + offset))
    succeeded(qp.sent())
    expect(ours[0:length], data, "read")


@case
def huge_pages(a, b):
    """memory of huge pages"""
    qp, peer = pair(a, b)
    ours = Memory(a, 3 * HUGE, flags=MAP_HUGETLB)
    theirs = Memory(b, 3 * HUGE, flags=MAP_HUGETLB)
    for offset in (0, 1, 4095, HUGE - 1, HUGE - 1000, 2 * HUGE - 3):
        write_and_read(qp, peer, ours, theirs, offset, 100000)
    tail = Memory(b, HUGE - 5000, flags=MAP_HUGETLB, skip=4099)
    write_and_read(qp, peer, ours, tail, HUGE - 5000 - 77, 77)
    huge = Memory(b, HUGE, ALL | e.IBV_ACCESS_HUGETLB, flags=MAP_HUGETLB)
    write_and_read(qp, peer, ours, huge, 12345, 54321)


@case
def odd_addresses(a, b):
    """regions that begin and end anywhere in a page"""
    qp, peer = pair(a, b)
    ours = Memory(a, 20000, skip=3)
    for skip, length in ((1, 1), (4095, 2), (4095, 1), (7, 4096), (4000, 8193)):
        theirs = Memory(b, length, skip=skip)
        write_and_read(qp, peer, ours, theirs, 0, length)


@case
def large(a, b):
    """a region of 512 MiB, at both ends and in between"""
    qp, peer = pair(a, b)
    length = 2 ** 29
    ours, theirs = Memory(a, 70000), Memory(b, length)
    for offset in (0, length // 2 - 100, length - 70000):
        write_and_read(qp, peer, ours, theirs, offset, 70000)


@case
def zero_based(a, b):
    """a zero-based region begins at 0 for both sides"""
    qp, peer = pair(a, b, rts={"timeout": 10, "retry_cnt": 2})
    ours = Memory(a, 9000)
    theirs = Memory(b, 9000, ALL | e.IBV_ACCESS_ZERO_BASED, skip=100)
    write_and_read(qp, peer, ours, theirs, 0, 9000, base=0)
    write_and_read(qp, peer, ours, theirs, 8999, 1, base=0)
    peer.post_recv([SGE(10, 100, theirs.lkey)])
    ours[0:100] = b"q" * 100
    qp.post(SEND, [ours.sge(0, 100)])
    succeeded(qp.sent())
    succeeded(peer.received())
    expect(theirs[10:110], b"q" * 100, "received")
    qp.post(WRITE, [ours.sge(0, 1)], remote=(theirs.rkey, 9000))
    expect(statuses(qp.sent()), [(0, "REM_ACCESS_ERR")], "behind its end")


@case
def one_memory_many_regions(a, b):
    """regions overlap; each goes alone"""
    qp, peer = pair(a, b, rts={"timeout": 10, "retry_cnt": 2})
    ours, theirs = Memory(a, 4096), Memory(b, 8192)
    other = MR(b.pd, 4096, ALL, address=theirs.addr + 2048)
    theirs.mr.close()
    ours[:] = b"o" * 4096
    qp.post(WRITE, [ours.sge()], remote=(other.rkey, theirs.addr + 2048))
    succeeded(qp.sent())
    expect(theirs[2048:6144], b"o" * 4096, "data")
    qp.post(WRITE, [ours.sge(0, 8)], remote=(theirs.rkey, theirs.addr))
    expect(statuses(qp.sent()), [(0, "REM_ACCESS_ERR")], "the freed one")
    expect(theirs[0:8], bytes(8), "data")


@case
def keys_are_not_reused_soon(a, b):
    """the key of a freed region is not that of the next one"""
    seen = set()
    for _ in range(50):
        memory = Memory(a, 64)
        check(memory.rkey not in seen, "key %#x again" % memory.rkey)
        seen.add(memory.rkey)
        memory.mr.close()


@case
def what_is_refused(a, b):
    """what can't be registered"""
    memory = mmap.mmap(-1, 16384)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))

    def register(length, access, where=address):
        return MR(a.pd, length, access, address=where)

    for access in (e.IBV_ACCESS_REMOTE_WRITE, e.IBV_ACCESS_REMOTE_ATOMIC,
                   e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ):
        refused([errno.EINVAL], register, 4096, access)
    refused([errno.EINVAL, errno.EOPNOTSUPP], register, 4096, 1 << 18)
    unmapped = mmap.mmap(-1, 8192)
    gone = ctypes.addressof(ctypes.c_char.from_buffer(unmapped))
    libc = ctypes.CDLL(None)
    libc.munmap(ctypes.c_void_p(gone + 4096), ctypes.c_size_t(4096))
    errors = [errno.EFAULT, errno.ENOMEM, errno.EINVAL]
    refused(errors, register, 8192, LOCAL, gone)
    refused(errors, register, 4096, LOCAL, 2 ** 47)
    refused(errors, register, 4096, LOCAL, 2 ** 64 - 4096)
    refused(errors, register, 2 ** 62, LOCAL)
    refused(errors, register, 2 ** 64 - 1, LOCAL)
    read_only = mmap.mmap(-1, 4096)
    where = ctypes.addressof(ctypes.c_char.from_buffer(read_only))
    libc.mprotect(ctypes.c_void_p(where), ctypes.c_size_t(4096), 1)
    refused(errors, register, 4096, LOCAL, where)
    register(4096, ALL).close()


if __name__ == "__main__":
    main()
