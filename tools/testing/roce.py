# SPDX-License-Identifier: GPL-2.0
"""RoCE v2 packets from bytes, after IBA Annex A17: an outsider to the driver.

build() makes an IP packet; icrc() computes the check that ends it.
"""

import ipaddress
import struct
import zlib

PORT = 4791

# BTH opcodes of RC.
SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY = 0x00, 0x01, 0x02, 0x04
WRITE_ONLY, READ_REQUEST, ACKNOWLEDGE, FETCH_ADD = 0x0a, 0x0c, 0x11, 0x14


def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def icrc(packet):
    """The ICRC of an IP packet, whose last 4 bytes (the ICRC's) are not in it.

    Fields that routers may change count as ones (A17.3.3).
    """
    data = bytearray(packet)
    if data[0] >> 4 == 4:
        header = (data[0] & 15) * 4
        data[1] = 0xff                          # type of service
        data[8] = 0xff                          # time to live
        data[10:12] = b"\xff\xff"               # header checksum
    else:
        header = 40
        data[0] |= 0x0f                         # traffic class, flow label
        data[1:4] = b"\xff\xff\xff"
        data[7] = 0xff                          # hop limit
    data[header + 6:header + 8] = b"\xff\xff"   # UDP checksum
    if len(data) > header + 12:
        data[header + 12] = 0xff                # BTH resv8a
    return zlib.crc32(b"\xff" * 8 + bytes(data)) & 0xffffffff


def bth(opcode, qpn, psn, pad=0, pkey=0xffff, version=0, ackreq=False,
        solicited=False):
    flags = (solicited << 7) | (1 << 6) | (pad << 4) | version
    return struct.pack("!BBHII", opcode, flags, pkey, qpn,
                       (ackreq << 31) | psn)


def reth(va, rkey, length):
    return struct.pack("!QII", va, rkey, length)


def gid_text(address):
    """The GID of an address, all digits of it."""
    packed = ipaddress.ip_address(address).packed
    if len(packed) == 4:
        packed = bytes(10) + b"\xff\xff" + packed
    return ":".join(packed[i:i + 2].hex() for i in range(0, 16, 2))


def build(src, dst, transport, sport=0xc000, good_icrc=True):
    """The IP packet that carries `transport` (BTH up to the padding)."""
    src = ipaddress.ip_address(src)
    dst = ipaddress.ip_address(dst)
    length = 8 + len(transport) + 4
    udp = struct.pack("!HHHH", sport, PORT, length, 0)
    if src.version == 4:
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + length, 0x1234, 0x4000,
                         64, 17, 0, src.packed, dst.packed)
        ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    else:
        ip = struct.pack("!IHBB16s16s", 6 << 28, length, 17, 64,
                         src.packed, dst.packed)
        # IPv6 wants a UDP checksum.
        pseudo = src.packed + dst.packed + struct.pack("!II", length, 17)
    check = icrc(ip + udp + transport)
    if not good_icrc:
        check ^= 0x01020304
    payload = transport + struct.pack("<I", check)
    if src.version == 6:
        data = pseudo + udp + payload
        value = checksum(data + b"\0" * (len(data) % 2)) or 0xffff
        udp = udp[:6] + struct.pack("!H", value)
    return ip + udp + payload
