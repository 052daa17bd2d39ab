# SPDX-License-Identifier: GPL-2.0
"""Faults, by the control socket."""

import socket
import struct
import time

import bringup as b
from test_queue import SEND, WRITE, opcode, rdma

PAGE_REQUEST, PORT_CHANGE = 0x0b, 0x09
HEALTH_RFR, HEALTH_SYND, HEALTH_COUNTER = 0x238, 0x23c, 0x1010


class Control:
    """The control socket of a model."""

    def __init__(self, model):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(10)
        self.sock.connect(model.path + '.control')

    def __call__(self, line):
        self.sock.sendall(line.encode() + b'\n')
        return self.sock.recv(65536).decode()

    def ok(self, line):
        answer = self(line)
        assert answer.startswith('ok'), answer


def test_words(model):
    control = Control(model)
    assert control('help').count('\n') > 10
    for line in ('nonsense', 'fail', 'fail 500', 'fail 500 0', 'fail zz 3', 'pages 0', 'link',
                 'link sideways', 'health 0', 'lose -1', 'x' * 100):
        assert control(line).startswith('error'), line
    assert 'state 0' in control('show')
    control.sock.sendall(b'y' * 4096)           # longer than any line: hung up on
    try:
        assert control.sock.recv(10) == b''
    except ConnectionResetError:
        pass
    assert Control(model)('show').startswith('ok')


def test_command_fails(model):
    d = b.Device(model)
    control = Control(model)
    control.ok('fail 800 0f 2')
    for status in (0x0f, 0x0f, 0):
        assert d.commands.run(b.ALLOC_PD)[0] == status
    assert d.commands.run(b.NOP)[0] == 0


def test_command_is_not_answered(model):
    d = b.Device(model)
    control = Control(model)
    control.ok('stall 800')
    at = d.commands.queue
    d.memory.put(at, d.commands.slot(struct.pack('>HHHH8x', b.ALLOC_PD, 0, 0, 0), 16))
    d.client.set_bar(0x18, 1)
    time.sleep(0.2)
    assert d.memory.get(at + 0x3f, 1) == b'\x01'        # still the device's
    # Other slots go on.
    delivery, out = d.commands.deliver(struct.pack('>HHHH8x', b.NOP, 0, 0, 0), 16, slot=1)
    assert delivery == 0 and out[0] == 0


def test_internal_error(model):
    d = b.Device(model)
    control = Control(model)
    counter = d.client.bar(HEALTH_COUNTER)
    time.sleep(0.2)
    assert d.client.bar(HEALTH_COUNTER) != counter
    control.ok('health 8 rfr')
    control.ok('freeze')
    assert d.client.bar(HEALTH_SYND) >> 16 & 0xff == 8 and d.client.bar(HEALTH_RFR) >> 31
    counter = d.client.bar(HEALTH_COUNTER)
    time.sleep(0.2)
    assert d.client.bar(HEALTH_COUNTER) == counter
    control.ok('reset')
    assert 'state 0' in control('show')
    d.client.set_config(4, 'H', 6)              # memory and bus master, again
    assert d.client.bar(HEALTH_SYND) == 0 and d.client.bar(HEALTH_COUNTER) != counter


def test_lost_interrupt(model):
    d = rdma(model)
    control = Control(model)
    control.ok('lose')
    d.queue.arm()
    d.cq_a.arm(0)
    d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(8, d.key, d.src))
    assert d.queue.next()                       # the entry is there
    assert d.vectors.wait(2, 0.2) == 0          # nobody was told
    d.queue.arm()
    d.cq_a.arm(1)
    assert d.vectors.wait(2) == 1               # it had come before the arming


def test_pages(model):
    d = b.Device(model)
    control = Control(model)
    queue = d.eq(1, events=1 << PAGE_REQUEST)
    control.ok('pages 4')
    entry = queue.next()
    assert entry[1] == PAGE_REQUEST and struct.unpack_from('>Hi', entry, 0x22)[1] == 4
    page = d.memory.alloc(4 * 4096)
    pas = b''.join(struct.pack('>Q', page + 4096 * i) for i in range(4))
    had = int(control('show').split()[4])
    d.commands.ok(b.MANAGE_PAGES, struct.pack('>II', 0, 4) + pas, mod=1)
    assert int(control('show').split()[4]) == had + 4
    control.ok('pages -4')
    assert struct.unpack_from('>i', queue.next(), 0x24)[0] == -4
    out = d.commands.ok(b.MANAGE_PAGES, struct.pack('>II', 0, 4), mod=2, outlen=16 + 32)
    assert b.word(out, 8) == 4
    assert set(struct.unpack('>4Q', out[16:48])) == {page + 4096 * i for i in range(4)}


def test_link(model):
    d = b.Device(model)
    control = Control(model)
    queue = d.eq(1, events=1 << PORT_CHANGE)
    control.ok('link down')
    entry = queue.next()
    assert entry[1] == PORT_CHANGE and entry[3] == 1
    control.ok('link up')
    entry = queue.next()
    assert entry[1] == PORT_CHANGE and entry[3] == 4
    control.ok('link up')                       # no change, no event
    assert queue.next(0.2) is None


def test_late_access(model):
    d = rdma(model)
    control = Control(model)
    d.memory.put(d.src, b'\x5a')
    at = control('where %x %x' % (d.key, d.src)).split()
    assert at[0] == 'ok' and int(at[1], 16) == d.src
    assert control('read ' + at[1]) == 'ok 5a\n'
    for line in ('where', 'where 1', 'where x 1', 'where 0 0', 'where %x -1' % d.key, 'read'):
        assert control(line).startswith('error'), line
    assert 'bus_errors 0' in control('show')
    d.client.set_config(4, 'H', 2)              # no bus master any more
    assert control('read ' + at[1]).startswith('error: bus')
    assert 'bus_errors 1' in control('show')


def test_unplug(model):
    d = rdma(model)
    control = Control(model)
    control.ok('unplug')
    assert d.client.bar(0x10) == 0xffffffff and d.client.config(0, 'I') == 0xffffffff
    d.qa.post_send(WRITE, b.remote(d.dst, d.key) + b.data(8, d.key, d.src))
    assert d.cq_a.next(0.2) is None
    control.ok('plug')
    assert d.client.config(0, 'H') == 0x15b3
    b_again = d.client.config(4, 'H')
    assert not b_again & 6                      # as after a reset


def test_client_comes_back(model):
    d = rdma(model)
    d.qb.post_recv(d.dst, 64, d.key)
    d.qa.post_send(SEND, b.data(8, d.key, d.src))
    d.client.close()
    d = rdma(model)                             # the whole bring-up, from the beginning
    d.qb.post_recv(d.dst, 64, d.key)
    d.qa.post_send(SEND, b.data(8, d.key, d.src))
    assert opcode(d.cq_b.next()) == 2 and opcode(d.cq_a.next()) == 0


for function in list(vars().values()):
    if getattr(function, '__name__', '').startswith('test_'):
        function.control = True
        function.wire = True
