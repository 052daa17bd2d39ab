# SPDX-License-Identifier: GPL-2.0
"""The vfio-user protocol, and clients that do not keep to it."""

import errno
import os
import random
import socket
import struct

from client import (CONFIG, DMA_MAP, DMA_READ, DMA_WRITE, GET_INFO, HEADER, IRQ_INFO, NO_REPLY,
                    REGION_INFO, REGION_READ, REGION_WRITE, REPLY, RESET, SET_IRQS, VERSION,
                    Client, Commands, Failed, Memory, Vectors)


def refused(function, *args, number=None):
    try:
        function(*args)
    except Failed as why:
        assert number is None or why.args[0] == number, f'errno {why.args[0]}'
        return
    raise AssertionError('it was accepted')


def test_version_and_info(model):
    c = Client(model)
    argsz, flags, regions, irqs = struct.unpack('<IIII', c.call(GET_INFO, bytes(16)))
    assert flags == 3 and regions == 9 and irqs == 5
    info = struct.unpack('<IIIIQQ', c.call(REGION_INFO, struct.pack('<IIIIQQ', 32, 0, 0, 0, 0, 0)))
    assert info[4] == 32 << 20 and info[1] == 3
    info = struct.unpack('<IIII', c.call(IRQ_INFO, struct.pack('<IIII', 16, 0, 2, 0)))
    assert info[3] == 64
    refused(c.call, REGION_INFO, struct.pack('<IIIIQQ', 32, 0, 9, 0, 0, 0), number=errno.EINVAL)


def test_version_comes_first(model):
    c = Client(model, version=False)
    refused(c.call, GET_INFO, bytes(16))
    refused(c.call, VERSION, struct.pack('<HH', 1, 0) + b'{}\0')
    c.call(VERSION, struct.pack('<HH', 0, 0) + b'{}\0')
    c.call(GET_INFO, bytes(16))


def test_comes_and_goes(model):
    for _ in range(5):
        c = Client(model)
        assert c.config(0, 'H') == 0x15b3
        c.close()


def test_second_client_is_turned_away(model):
    first = Client(model)
    second = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    second.settimeout(10)
    second.connect(model.path)
    assert second.recv(1) == b''
    assert first.config(2, 'H') == 0x101d


def test_short_messages(model):
    c = Client(model)
    for command in range(0, 20):
        for size in (0, 1, 3, 15):
            if command == VERSION and size >= 4:
                continue
            try:
                c.call(command, bytes(size))
            except Failed:
                pass
    assert c.config(0, 'H') == 0x15b3


def test_bad_sizes_hang_up(model):
    for size in (0, 15, 1 << 20, 0xffffffff):
        c = Client(model)
        c.sock.sendall(HEADER.pack(1, GET_INFO, size, 0, 0))
        c.sock.settimeout(10)
        try:
            assert c.sock.recv(1) == b''
        except ConnectionResetError:
            pass
    assert Client(model).config(0, 'H') == 0x15b3


def test_half_a_message(model):
    c = Client(model)
    c.sock.sendall(HEADER.pack(1, GET_INFO, 32, 0, 0)[:7])
    c.close()
    c = Client(model)
    for byte in HEADER.pack(7, GET_INFO, 32, 0, 0) + bytes(16):
        c.sock.sendall(bytes([byte]))
    assert c.receive()[0] == 7


def test_regions_have_ends(model):
    c = Client(model)
    for region, offset, count in ((CONFIG, 4095, 2), (CONFIG, 4096, 1), (CONFIG, 2**64 - 1, 2),
                                  (0, 32 << 20, 4), (1, 0, 4), (9, 0, 4), (2**32 - 1, 0, 4),
                                  (CONFIG, 0, 2**32 - 1)):
        refused(c.call, REGION_READ, struct.pack('<QII', offset, region, count))
        refused(c.call, REGION_WRITE, struct.pack('<QII', offset, region, count) + bytes(8))
    refused(c.call, REGION_WRITE, struct.pack('<QII', 0, CONFIG, 64) + bytes(8))


def test_no_reply(model):
    c = Client(model)
    c.send(REGION_WRITE, struct.pack('<QII', 0x0c, CONFIG, 1) + b'\x10', flags=NO_REPLY)
    assert c.config(0x0c, 'B') == 0x10


def test_answers_to_nothing(model):
    c = Client(model)
    c.send(REGION_READ, bytes(16), flags=REPLY)
    assert c.config(0, 'H') == 0x15b3


def test_map_is_forgiving_as_qemu_needs(model):
    c = Client(model)
    fd = os.memfd_create('m')
    os.ftruncate(fd, 1 << 20)
    c.unmap(0x5000, 0x1000)                     # never mapped
    c.map(0, 1 << 20, fd)
    c.map(0, 1 << 20, fd)                       # again
    c.map(0x1000, 0x1000, fd)                   # within
    c.unmap(0, 1 << 20)
    c.unmap(0, 0, flags=2)                      # all
    refused(c.map, 0, 0, fd)
    refused(c.map, 2**64 - 0x1000, 0x2000, fd)
    refused(c.map, 0, 2 << 20, fd)              # larger than its file
    refused(c.map, 0, 0x1000, fd, 2**64 - 0x1000)


def test_read_only_file(model):
    c = Client(model)
    path = model.path + '.file'
    with open(path, 'wb') as f:
        f.write(bytes(8192))
    fd = os.open(path, os.O_RDONLY)
    refused(c.map, 0, 4096, fd)
    c.map(0, 4096, fd, 0, 1)


def test_many_maps(model):
    c = Client(model)
    fd = os.memfd_create('m')
    os.ftruncate(fd, 1 << 20)
    pages = list(range(256))
    random.Random(1).shuffle(pages)
    for page in pages:
        c.map(page << 12, 0x1000, fd, page << 12)
    c.unmap(0x3000, 0x20000)
    c.unmap(0, 1 << 20)


def test_vectors(model):
    c = Client(model)
    v = Vectors(c, 64)
    # DATA_NONE | TRIGGER raises
    c.call(SET_IRQS, struct.pack('<IIIII', 20, 0x21, 2, 5, 1))
    assert v.wait(5) == 1
    # masked, raised, unmasked
    c.call(SET_IRQS, struct.pack('<IIIII', 20, 0x09, 2, 5, 1))
    c.call(SET_IRQS, struct.pack('<IIIII', 20, 0x21, 2, 5, 1))
    assert v.wait(5, 0.2) == 0
    c.call(SET_IRQS, struct.pack('<IIIII', 20, 0x11, 2, 5, 1))
    assert v.wait(5) == 1
    for start, count in ((64, 1), (0, 65), (2**32 - 1, 2), (1, 2**32 - 1)):
        refused(c.call, SET_IRQS, struct.pack('<IIIII', 20, 0x21, 2, start, count))
    c.call(SET_IRQS, struct.pack('<IIIII', 20, 0x21, 2, 0, 0))


def test_random_messages(model):
    rng = random.Random(20261130)
    c = Client(model)
    fd = os.memfd_create('m')
    os.ftruncate(fd, 1 << 16)
    for _ in range(3000):
        command = rng.choice((2, 3, 4, 5, 7, 8, 9, 10, 13, rng.randrange(65536)))
        body = bytearray(rng.randbytes(rng.randrange(64)))
        for i in range(0, len(body) - 7, 4):
            if rng.random() < 0.5:
                body[i:i + 4] = struct.pack('<I', rng.choice((0, 1, 2, 4, 7, 0x24, 0x1000)))
        try:
            c.call(command, bytes(body), (fd,) if rng.random() < 0.2 else ())
        except Failed:
            pass
    c.call(RESET)
    assert c.config(0, 'H') == 0x15b3


class Remote(Client):
    """Memory without a file: the server asks for it by message."""

    def __init__(self, model, size):
        self.bytes = bytearray(size)
        self.asked = 0
        super().__init__(model)

    def serve(self, ident, command, body):
        address, count = struct.unpack('<QQ', body[:16])
        self.asked += 1
        answer = body[:16]
        if command == DMA_READ:
            answer += bytes(self.bytes[address:address + count])
        else:
            assert command == DMA_WRITE and len(body) == 16 + count
            self.bytes[address:address + count] = body[16:]
        self.sock.sendall(HEADER.pack(ident, command, HEADER.size + len(answer), REPLY, 0) + answer)

    def get(self, address, size):
        return bytes(self.bytes[address:address + size])

    def put(self, address, data):
        self.bytes[address:address + len(data)] = data


def test_memory_by_message(model):
    c = Remote(model, 1 << 20)
    c.map(0, 1 << 20)

    class Plain(Memory):
        def __init__(self):
            self.base, self.next, self.size = 0, 0x1000, 1 << 20
            self.get, self.put = c.get, c.put

    commands = Commands(c, Plain())
    data = struct.pack('>HHHHQ', 0x80d, 0, 0, 0, 0)     # NOP
    c.put(commands.queue, commands.slot(data, 16))
    c.set_bar(0x18, 1)
    c.config(0, 'H')                                    # takes in what the server asks
    for _ in range(20):
        if not c.get(commands.queue + 0x3f, 1)[0] & 1:
            break
        c.config(0, 'H')
    assert c.asked >= 3 and c.get(commands.queue + 0x3f, 1) == b'\0'
