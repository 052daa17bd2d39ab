# SPDX-License-Identifier: GPL-2.0
"""headers.py DEVICE NAMESPACE PEER-ADDRESS KIND-OF-GID

An address's traffic class, hop limit and flow label are found in the packets, of
the requester and of the responder.
"""

import os
import socket
import struct
import sys
import time

from pyverbs.addr import GID

import roce
from verbs import *

TCLASS, HOPS, FLOW = 0x68, 9, 0x54321
# IBA Annex A17.3.2 leaves it to the sender; Linux folds the 20 bits into 14.
SPORT = 0xc000 | (FLOW & 0x3fff) ^ (FLOW >> 14)

name, namespace, peer_address, kind = sys.argv[1:5]


class Peer:
    number = 0x123456

    def __init__(self):
        self.device = self
        self.gid = GID(roce.gid_text(peer_address))


def sniffer():
    """A packet socket in the peer's namespace."""
    with open("/proc/self/ns/net", encoding="ascii") as own, \
            open("/run/netns/" + namespace, encoding="ascii") as other:
        os.setns(other.fileno())
        try:
            sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                                 socket.ntohs(3))
        finally:
            os.setns(own.fileno())
    sock.settimeout(5)
    return sock


def next_packet(sock, opcode):
    """The next RoCE v2 packet with the opcode."""
    while True:
        data = sock.recv(65536)
        header = 20 if data[0] >> 4 == 4 else 40
        protocol = data[9] if header == 20 else data[6]
        if protocol != socket.IPPROTO_UDP or len(data) < header + 24:
            continue
        if struct.unpack_from("!H", data, header + 2)[0] != roce.PORT:
            continue
        if data[header + 8] == opcode:
            return data


def check_headers(data, what):
    sport = struct.unpack_from("!H", data, 20 if data[0] >> 4 == 4 else 40)[0]
    if data[0] >> 4 == 4:
        expect(data[1], TCLASS, what + ": type of service")
        expect(data[8], HOPS, what + ": time to live")
        expect(struct.unpack_from("!H", data, 6)[0] & 0x3fff, 0,
               what + ": not a fragment")
    else:
        first = struct.unpack_from("!I", data)[0]
        expect(first >> 20 & 0xff, TCLASS, what + ": traffic class")
        expect(first & 0xfffff, FLOW, what + ": flow label")
        expect(data[7], HOPS, what + ": hop limit")
    expect(sport, SPORT, what + ": UDP source port")


def main_():
    device = Device(name, kind)
    memory = Memory(device, 4096)
    sock = sniffer()
    rc = Rc(device)
    rc.to_init()
    rc.to_rtr(Peer(), traffic_class=TCLASS, flow_label=FLOW)
    rc.to_rts(timeout=0)
    rc.post(SEND, [memory.sge(0, 64)])
    check_headers(next_packet(sock, roce.SEND_ONLY), "request")


try:
    main_()
except Exception:
    traceback.print_exc(file=sys.stdout)
    sys.exit(1)
