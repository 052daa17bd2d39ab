# SPDX-License-Identifier: GPL-2.0
"""On-demand paging: regions whose pages come when they are used, and go while
they are: by munmap(), madvise(), fork() and compaction."""

import os
import threading
import warnings

from pyverbs.mr import MW, MWBind, MWBindInfo

from verbs import *

ON_DEMAND = e.IBV_ACCESS_ON_DEMAND
PAGE = 4096
MADV_DONTNEED, MADV_NOHUGEPAGE = 4, 15
PROT_READ, PROT_WRITE = 1, 2
MAP_FIXED = 0x10

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                      ctypes.c_int, ctypes.c_int, ctypes.c_long]


def odp(device, length, access=ALL, **kwargs):
    """Memory none of whose pages is there."""
    return Memory(device, length, access | ON_DEMAND, **kwargs)


def call(function, memory, page, pages, *args):
    """A system call on pages of a region that begins with a page."""
    result = getattr(libc, function)(ctypes.c_void_p(memory.addr + page * PAGE),
                                     ctypes.c_size_t(pages * PAGE), *args)
    check(result != -1, "%s: errno %d" % (function, ctypes.get_errno()))


def map_again(memory, page, pages):
    call("mmap", memory, page, pages, PROT_READ | PROT_WRITE,
         mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED, -1, 0)


def write(qp, ours, theirs, offset, length, want="SUCCESS"):
    qp.post(WRITE, [ours.sge(0, length)], remote=(theirs, offset))
    expect(statuses(qp.sent()), [(0, want)], "WRITE")


def read(qp, ours, theirs, offset, length, want="SUCCESS"):
    qp.post(READ, [ours.sge(0, length)], remote=(theirs, offset))
    expect(statuses(qp.sent()), [(0, want)], "READ")


@case
def announced(a, _b):
    """what the device says that it can do"""
    caps = a.ctx.query_device_ex().odp_caps
    check(caps.general_caps & e.IBV_ODP_SUPPORT, "ODP")
    for bit in ("SEND", "RECV", "WRITE", "READ", "ATOMIC"):
        check(caps.rc_odp_caps & getattr(e, "IBV_ODP_SUPPORT_" + bit), bit)


@case
def every_operation(a, b):
    """SEND, WRITE, READ and ATOMIC, from and to pages that nobody has touched"""
    for length in (1, PAGE, 3 * PAGE + 5, 300 * PAGE, 2000 * PAGE + 1):
        qp, peer = pair(a, b)
        data = os.urandom(length)
        ours = Memory(a, length, fill=data)
        for skip in (0, 4000):
            theirs, back = odp(b, length, skip=skip), odp(a, length, skip=skip)
            write(qp, ours, theirs, 0, length)
            expect(theirs[0:length] == data, True, "written")
            read(qp, back, theirs, 0, length)
            expect(back[0:length] == data, True, "read")
            inbox = odp(b, length, skip=skip)
            peer.post_recv([inbox.sge()])
            qp.post(SEND, [back.sge()])
            succeeded(qp.sent() + peer.received())
            expect(inbox[0:length] == data, True, "received")
    source, target = odp(a, 5 * PAGE), odp(b, 5 * PAGE)
    target[0:5 * PAGE] = b"x" * (5 * PAGE)
    write(qp, source, target, 0, 5 * PAGE)
    expect(target[0:5 * PAGE], bytes(5 * PAGE), "nothing, written")
    counter, old = odp(b, 8), odp(a, 8)
    for i in range(3):
        qp.post(FETCH_ADD, [old.sge()], remote=(counter, 0), compare_add=5)
        succeeded(qp.sent())
        expect(int.from_bytes(old[0:8], "little"), 5 * i, "before")
    qp.post(CMP_SWAP, [old.sge()], remote=(counter, 0), compare_add=15, swap=99)
    succeeded(qp.sent())
    expect(int.from_bytes(counter[0:8], "little"), 99, "swapped")


@case
def pages_that_go(a, b):
    """madvise(), and another mapping in the same place"""
    qp, peer = pair(a, b)
    length = 16 * PAGE
    ours = Memory(a, length, fill=os.urandom(length))
    theirs = odp(b, length)
    for _ in range(20):
        write(qp, ours, theirs, 0, length)
        expect(theirs[0:length], ours[0:length], "written")
        call("madvise", theirs, 4, 4, MADV_DONTNEED)
        back = Memory(a, length)
        read(qp, back, theirs, 0, length)
        expect(back[0:length], ours[0:4 * PAGE] + bytes(4 * PAGE) +
               ours[8 * PAGE:length], "read after madvise()")
        map_again(theirs, 0, 16)
        theirs[0:2] = b"ab"
        read(qp, back, theirs, 0, length)
        expect(back[0:length], b"ab" + bytes(length - 2), "read after mmap()")


@case
def forks(a, b):
    """a child has its own copy of what is written after the fork"""
    qp, peer = pair(a, b)
    ours = Memory(a, PAGE)
    theirs = odp(b, PAGE)
    ours[0:6] = b"before"
    write(qp, ours, theirs, 0, 6)
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        os.read(told, 1)
        os._exit(0 if theirs[0:6] == b"before" else 1)
    ours[0:6] = b"behind"
    write(qp, ours, theirs, 0, 6)
    expect(theirs[0:6], b"behind", "the parent's")
    os.write(tell, b".")
    _, status = os.waitpid(child, 0)
    expect(status, 0, "the child's page")


@case
def under_traffic(a, b):
    """pages move and are shared with children while they are written and read"""
    qp, peer = pair(a, b, depth=32)
    length = 64 * PAGE
    ours, theirs = odp(a, length), odp(b, length)
    back = odp(a, length)
    stop = threading.Event()
    count = [0]

    def disturb():
        while not stop.is_set():
            child = os.fork()
            if not child:
                os._exit(0)
            os.waitpid(child, 0)
            with open("/proc/sys/vm/compact_memory", "w",
                      encoding="ascii") as file:
                file.write("1")
            call("madvise", back, 0, 64, MADV_DONTNEED)
            count[0] += 1

    warnings.simplefilter("ignore", DeprecationWarning)
    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        end = time.monotonic() + 6
        rounds = 0
        while time.monotonic() < end:
            data = os.urandom(length)
            ours[0:length] = data
            for i in range(16):
                qp.post(WRITE, [ours.sge(4 * i * PAGE, 4 * PAGE)],
                        remote=(theirs, 4 * i * PAGE))
            succeeded(qp.sent(16, 60))
            expect(theirs[0:length] == data, True, "written")
            qp.post(READ, [back.sge()], remote=(theirs, 0))
            succeeded(qp.sent(1, 60))
            rounds += 1
    finally:
        stop.set()
        thread.join()
    print("    %d rounds, disturbed %d times" % (rounds, count[0]))
    check(rounds > 2 and count[0] > 2, "too few")


@case
def no_memory(a, b):
    """a hole in the region is an error at the end that has it, for once"""
    quick = {"rts": {"timeout": 14, "retry_cnt": 2}}
    ours, theirs = Memory(a, 4 * PAGE), odp(b, 4 * PAGE)
    hole = odp(a, 4 * PAGE)
    for memory in theirs, hole:
        call("munmap", memory, 2, 1)
    qp, peer = pair(a, b, **quick)
    write(qp, ours, theirs, 0, 2 * PAGE)
    write(qp, ours, theirs, 0, 2 * PAGE + 1, "REM_ACCESS_ERR")
    qp, peer = pair(a, b, **quick)
    read(qp, ours, theirs, 2 * PAGE, 1, "REM_ACCESS_ERR")
    qp, peer = pair(a, b, **quick)
    write(qp, hole, theirs, 0, 3 * PAGE, "LOC_PROT_ERR")
    qp, peer = pair(a, b, **quick)
    read(qp, hole, theirs, 0, 3 * PAGE, "REM_ACCESS_ERR")
    map_again(theirs, 2, 1)
    qp, peer = pair(a, b, **quick)
    read(qp, hole, theirs, 0, 3 * PAGE, "LOC_PROT_ERR")
    qp, peer = pair(a, b, **quick)
    peer.post_recv([hole_of(b).sge()])
    qp.post(SEND, [ours.sge(0, 3 * PAGE)])
    expect(statuses(qp.sent()), [(0, "REM_OP_ERR")], "sender")
    expect(statuses(peer.received()), [(0, "LOC_PROT_ERR")], "receiver")
    for memory in theirs, hole:
        map_again(memory, 2, 1)
    qp, peer = pair(a, b, **quick)
    write(qp, hole, theirs, 0, 4 * PAGE)
    read(qp, hole, theirs, 0, 4 * PAGE)


def hole_of(device):
    memory = odp(device, 4 * PAGE)
    call("munmap", memory, 2, 1)
    return memory


@case
def read_only(a, b):
    """pages that the program may not write, the device may not either"""
    ours, theirs = Memory(a, PAGE), odp(b, 4 * PAGE)
    theirs[0:4 * PAGE] = b"r" * (4 * PAGE)
    call("mprotect", theirs, 1, 1, PROT_READ)
    qp, peer = pair(a, b)
    read(qp, ours, theirs, PAGE, PAGE)
    expect(ours[0:PAGE], b"r" * PAGE, "read")
    write(qp, ours, theirs, PAGE, 1, "REM_ACCESS_ERR")
    call("mprotect", theirs, 1, 1, PROT_READ | PROT_WRITE)
    qp, peer = pair(a, b)
    write(qp, ours, theirs, PAGE, 1)


@case
def window(a, b):
    """a memory window on such a region"""
    qp, peer = pair(a, b)
    ours = Memory(a, 8 * PAGE, fill=os.urandom(8 * PAGE))
    theirs = odp(b, 8 * PAGE, LOCAL | e.IBV_ACCESS_MW_BIND)
    mw = MW(b.pd, e.IBV_MW_TYPE_1)
    info = MWBindInfo(theirs.mr, theirs.addr, 8 * PAGE,
                      e.IBV_ACCESS_REMOTE_WRITE)
    peer.qp.bind_mw(mw, MWBind(info, e.IBV_SEND_SIGNALED, 0))
    succeeded(peer.sent())
    for _ in range(5):
        qp.post(WRITE, [ours.sge()], remote=(mw.rkey, theirs.addr))
        succeeded(qp.sent())
        expect(theirs[0:8 * PAGE], ours[0:8 * PAGE], "written")
        call("madvise", theirs, 0, 8, MADV_DONTNEED)
    mw.close()


main()
