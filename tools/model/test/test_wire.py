# SPDX-License-Identifier: GPL-2.0
"""The kinds of wire: a frame out of each, and one in."""

import contextlib
import ctypes
import fcntl
import os
import random
import socket
import struct

from test_fault import Control
from test_queue import OWN, PEER, Ethernet, ipv4, opcode

CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP, ETH_P_ALL = 0x8913, 0x8914, 1, 3


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(('127.0.0.1', 0))
        return sock.getsockname()[1]


def both_ways(model, send, receive):
    """@send(frame) puts a frame onto the wire, @receive() takes the next one off it."""
    e = Ethernet(model, wire=False)
    e.steer(e.receive_queue())
    for size in (20, 1400):
        frame = ipv4(PEER, OWN, os.urandom(size))
        e.send(frame)
        assert receive() == frame
        assert opcode(e.cq.next()) == 0
        frame = ipv4(OWN, PEER, os.urandom(size))
        send(frame)
        assert opcode(e.cq.next()) == 2
    assert 'carrier 1' in Control(model)('show')


def test_udp(model):
    both_ways(model, model.peer.send, lambda: model.peer.recv(65536))


def udp(model, folder):
    here, there = free_port(), free_port()
    model.peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    model.peer.bind(('127.0.0.1', there))
    model.peer.connect(('127.0.0.1', here))
    return f'udp:127.0.0.1:{here},127.0.0.1:{there}'


def test_hub(model):
    def receive():
        while True:                             # one's own come back
            frame = model.peer.recv(65536)
            if frame[6:12] == OWN:
                return frame

    both_ways(model, lambda frame: model.peer.sendto(frame, model.group), receive)


def hub(model, folder):
    model.group = (f'239.192.{random.randrange(256)}.{random.randrange(1, 255)}', free_port())
    sock = model.peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(model.group)
    loopback = socket.inet_aton('127.0.0.1')
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                    socket.inet_aton(model.group[0]) + loopback)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, loopback)
    return f'mcast:{model.group[0]}:{model.group[1]}'


class Stream:
    """Frames on a stream, each behind its length."""

    def __init__(self, sock):
        self.sock = sock
        self.sock.settimeout(10)

    def send(self, frame):
        data = struct.pack('>I', len(frame)) + frame
        for at in range(0, len(data), 100):     # in pieces
            self.sock.sendall(data[at:at + 100])

    def read(self, size):
        data = b''
        while len(data) < size:
            more = self.sock.recv(size - len(data))
            assert more, 'hung up'
            data += more
        return data

    def receive(self):
        return self.read(struct.unpack('>I', self.read(4))[0])


def stream_to(path):
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.connect(path)
    return Stream(sock)


def test_stream_listens(model):
    peer = stream_to(model.stream)
    # Nonsense loses the peer and nothing else.
    peer.sock.sendall(b'\xff' * 64)
    with contextlib.suppress(ConnectionResetError):
        assert peer.sock.recv(1) == b''
    peer = stream_to(model.stream)
    both_ways(model, peer.send, peer.receive)


def listens(model, folder):
    model.stream = os.path.join(folder, 'stream')
    return 'stream:listen,' + model.stream


def test_stream_connects(model):
    peer = Stream(model.listener.accept()[0])
    both_ways(model, peer.send, peer.receive)


def connects(model, folder):
    path = os.path.join(folder, 'stream')
    model.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    model.listener.settimeout(10)
    model.listener.bind(path)
    model.listener.listen(1)
    return 'stream:connect,' + path


def test_interface(model):
    def receive():
        while True:
            frame, source = model.peer.recvfrom(65536)
            if frame[6:12] == OWN and source[2] != socket.PACKET_OUTGOING:
                return frame

    both_ways(model, model.peer.send, receive)


def interface(model, folder):
    """The loopback interface of a network namespace of this thread and the model."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open('/proc/thread-self/ns/net', os.O_RDONLY)
    if libc.unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), 'a network namespace needs root')
    model.leave = lambda: (libc.setns(before, CLONE_NEWNET), os.close(before))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = fcntl.ioctl(sock, SIOCGIFFLAGS, struct.pack('16sH22x', b'lo', 0))
        flags = struct.unpack_from('H', request, 16)[0] | IFF_UP
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack('16sH22x', b'lo', flags))
    model.peer = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    model.peer.bind(('lo', ETH_P_ALL))
    return 'packet:lo'


for function, wire in ((test_udp, udp), (test_hub, hub), (test_stream_listens, listens),
                       (test_stream_connects, connects), (test_interface, interface)):
    function.wire = wire
    function.control = True
