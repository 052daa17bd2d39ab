# SPDX-License-Identifier: GPL-2.0
"""A vfio-user client: QEMU's part, as far as the tests need it."""

import ctypes
import json
import mmap
import os
import select
import socket
import struct
import subprocess
import tempfile
import time

VERSION, DMA_MAP, DMA_UNMAP, GET_INFO, REGION_INFO = 1, 2, 3, 4, 5
IRQ_INFO, SET_IRQS, REGION_READ, REGION_WRITE = 7, 8, 9, 10
DMA_READ, DMA_WRITE, RESET = 11, 12, 13
BAR0, CONFIG = 0, 7
REPLY, NO_REPLY, ERROR = 1, 0x10, 0x20
HEADER = struct.Struct('<HHIII')


class Failed(Exception):
    """The server answered with an error; args[0] is the errno."""


class Model:
    """A model in a process of its own."""

    def __init__(self, program):
        self.program = program
        self.dir = tempfile.TemporaryDirectory(prefix='ohca-model-test.')
        self.path = os.path.join(self.dir.name, 'socket')
        self.log = open(os.path.join(self.dir.name, 'log'), 'w+b')
        self.process = None
        self.leave = lambda: None               # what a wire has to undo

    def start(self, *options, control=False):
        if control:
            options += ('--control', self.path + '.control')
        self.process = subprocess.Popen(
            [self.program, '--socket', self.path, '--mac', '02:00:00:00:00:01', *options],
            stderr=self.log, stdout=self.log)
        for _ in range(500):
            if os.path.exists(self.path) or self.process.poll() is not None:
                break
            time.sleep(0.02)

    def said(self):
        self.log.flush()
        with open(self.log.name, 'rb') as log:
            return log.read().decode(errors='replace')

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def stop(self):
        """Ends it; returns its exit status."""
        if self.process is None:
            return None
        if self.alive():
            self.process.terminate()
        status = self.process.wait(timeout=20)
        self.log.close()
        return status


class Client:
    """A connection, with the version agreed on."""

    def __init__(self, model, version=True):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(20)
        for _ in range(100):
            try:
                self.sock.connect(model.path)
                break
            except ConnectionRefusedError:      # bound, and not listening yet
                time.sleep(0.02)
        self.next_id = 0
        if version:
            caps = json.dumps({'capabilities': {'max_msg_fds': 8}}).encode() + b'\0'
            self.call(VERSION, struct.pack('<HH', 0, 1) + caps)

    def close(self):
        self.sock.close()

    def send(self, command, body=b'', fds=(), flags=0):
        self.next_id = (self.next_id + 1) & 0xffff
        data = HEADER.pack(self.next_id, command, HEADER.size + len(body), flags, 0) + body
        if fds:
            sent = socket.send_fds(self.sock, [data], list(fds))
            assert sent == len(data)
        else:
            self.sock.sendall(data)
        return self.next_id

    def receive(self):
        """The next message: (id, command, flags, error, body)."""
        head = self.read(HEADER.size)
        ident, command, size, flags, error = HEADER.unpack(head)
        return ident, command, flags, error, self.read(size - HEADER.size)

    def read(self, size):
        data = b''
        while len(data) < size:
            more = self.sock.recv(size - len(data))
            if not more:
                raise ConnectionError('the server hung up')
            data += more
        return data

    def call(self, command, body=b'', fds=()):
        ident = self.send(command, body, fds)
        while True:
            rid, rcommand, flags, error, rbody = self.receive()
            if flags & 0xf != REPLY:
                self.serve(rid, rcommand, rbody)
                continue
            assert (rid, rcommand) == (ident, command), 'an answer to something else'
            if flags & ERROR:
                raise Failed(error)
            return rbody

    def serve(self, ident, command, body):
        raise AssertionError(f'the server asks for command {command}')

    def region_read(self, region, offset, count):
        body = self.call(REGION_READ, struct.pack('<QII', offset, region, count))
        return body[16:]

    def region_write(self, region, offset, data):
        self.call(REGION_WRITE, struct.pack('<QII', offset, region, len(data)) + data)

    def config(self, offset, fmt):
        return struct.unpack('<' + fmt, self.region_read(CONFIG, offset, struct.calcsize(fmt)))[0]

    def set_config(self, offset, fmt, value):
        self.region_write(CONFIG, offset, struct.pack('<' + fmt, value))

    def bar(self, offset):
        return struct.unpack('>I', self.region_read(BAR0, offset, 4))[0]

    def set_bar(self, offset, value):
        self.region_write(BAR0, offset, struct.pack('>I', value))

    def map(self, iova, size, fd=None, offset=0, flags=3):
        body = struct.pack('<IIQQQ', 32, flags, offset, iova, size)
        self.call(DMA_MAP, body, () if fd is None else (fd,))

    def unmap(self, iova, size, flags=0):
        self.call(DMA_UNMAP, struct.pack('<IIQQ', 24, flags, iova, size))


class Memory:
    """Guest memory: a memfd, mapped at bus address BASE, and a bump allocator."""

    def __init__(self, client, base=0x100000000, size=16 << 20):
        self.client, self.base, self.size = client, base, size
        self.fd = os.memfd_create('guest')
        os.ftruncate(self.fd, size)
        self.data = mmap.mmap(self.fd, size)
        self.next = 0x1000
        client.map(base, size, self.fd)

    def alloc(self, size, align=4096):
        at = (self.next + align - 1) & -align
        self.next = at + size
        assert self.next <= self.size
        return self.base + at

    def get(self, address, size):
        return bytes(self.data[address - self.base:address - self.base + size])

    def put(self, address, data):
        self.data[address - self.base:address - self.base + len(data)] = data


class Vectors:
    """MSI-X vectors as eventfds."""

    def __init__(self, client, count):
        self.fds = [os.eventfd(0, os.EFD_NONBLOCK) for _ in range(count)]
        for start in range(0, count, 8):
            part = self.fds[start:start + 8]
            # EVENTFD | TRIGGER, MSI-X
            client.call(SET_IRQS, struct.pack('<IIIII', 20, 0x24, 2, start, len(part)), part)

    def wait(self, vector, timeout=10):
        ready, _, _ = select.select([self.fds[vector]], [], [], timeout)
        return os.eventfd_read(self.fds[vector]) if ready else 0


class Commands:
    """The command queue, as a driver uses it; polls."""

    SLOTS = 32

    def __init__(self, client, memory):
        self.client, self.memory = client, memory
        self.queue = memory.alloc(4096)
        self.mailbox = [memory.alloc(1024, 1024) for _ in range(80)]
        client.set_config(4, 'H', 6)        # memory and bus master
        client.set_bar(0x10, self.queue >> 32)
        client.set_bar(0x14, self.queue & 0xffffffff)
        self.token = 0

    def chain(self, boxes, data, length, token):
        """Lays out mailboxes for what does not fit inline; returns the first's address."""
        blocks = max(0, (length - 16 + 511) // 512)
        assert blocks <= len(boxes)
        for i in range(blocks):
            following = boxes[i + 1] if i + 1 < blocks else 0
            part = data[16 + 512 * i:16 + 512 * (i + 1)]
            self.memory.put(boxes[i], part.ljust(512, b'\0') + bytes(48) +
                            struct.pack('>QIBBBB', following, i, 0, token, 0, 0))
        return boxes[0] if blocks else 0

    def slot(self, data, outsize, **change):
        self.token = self.token % 255 + 1
        half = len(self.mailbox) // 2
        inptr = self.chain(self.mailbox[:half], data, len(data), self.token)
        outptr = self.chain(self.mailbox[half:], bytes(outsize), outsize, self.token)
        f = dict(type=7, inlen=len(data), inptr=inptr, outptr=outptr, outlen=outsize,
                 token=self.token, owner=1)
        sign = change.pop('sign', True)
        f.update(change)
        raw = bytearray(struct.pack('>B3xIQ', f['type'], f['inlen'], f['inptr']) +
                        data[:16].ljust(16, b'\0') + bytes(16) +
                        struct.pack('>QIBBBB', f['outptr'], f['outlen'], f['token'], 0, 0,
                                    f['owner']))
        total = 0
        for byte in raw:
            total ^= byte
        raw[0x3d] = total ^ (0xff if sign else 0)
        return bytes(raw)

    def deliver(self, data, outsize, slot=0, **change):
        """Runs a command; returns (delivery status, output)."""
        at = self.queue + 64 * slot
        self.memory.put(at, self.slot(data, outsize, **change))
        self.client.set_bar(0x18, 1 << slot)
        deadline = time.monotonic() + 10
        while self.memory.get(at + 0x3f, 1)[0] & 1:
            if time.monotonic() > deadline:
                return None, b''
            time.sleep(0.0005)
        raw = self.memory.get(at, 64)
        out = raw[0x20:0x30]
        half = len(self.mailbox) // 2
        for i in range(max(0, (outsize - 16 + 511) // 512)):
            out += self.memory.get(self.mailbox[half + i], 512)
        return raw[0x3f] >> 1, out[:outsize]

    def run(self, op, body=b'', mod=0, outlen=16, least=16, uid=0):
        """Runs a command; returns (status, output)."""
        data = (struct.pack('>HHHH', op, uid, 0, mod) + body).ljust(least, b'\0')
        delivery, out = self.deliver(data, outlen)
        assert delivery == 0, f'command 0x{op:x}: delivery status {delivery}'
        return out[0], out

    def ok(self, op, body=b'', mod=0, outlen=16, least=16):
        status, out = self.run(op, body, mod, outlen, least)
        syndrome = struct.unpack('>I', out[4:8])[0]
        assert status == 0, f'command 0x{op:x}: status 0x{status:x}, syndrome 0x{syndrome:x}'
        return out
