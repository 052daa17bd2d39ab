# SPDX-License-Identifier: GPL-2.0
"""icrc.py FILE - checks the ICRC of each RoCE v2 packet in a pcap file."""

import struct
import sys

import roce


def packets(name):
    """The IP packets of a pcap file with Ethernet frames."""
    with open(name, "rb") as file:
        data = file.read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at + 16 <= len(data):
        caught, length = struct.unpack_from(order + "II", data, at + 8)
        frame = data[at + 16:at + 16 + caught]
        at += 16 + caught
        assert caught == length, "a frame was cut"
        yield frame[14:]


def main():
    count = 0
    for packet in packets(sys.argv[1]):
        if packet[0] >> 4 == 4:
            length = struct.unpack_from("!H", packet, 2)[0]
        else:
            length = 40 + struct.unpack_from("!H", packet, 4)[0]
        packet = packet[:length]
        count += 1
        said = struct.unpack("<I", packet[-4:])[0]
        right = roce.icrc(packet[:-4])
        if said != right:
            sys.exit("packet %d: ICRC %08x, should be %08x: %s" %
                     (count, said, right, packet.hex()))
    if not count:
        sys.exit("no packets")
    print("  %d packets with the right ICRC" % count)


if __name__ == "__main__":
    main()
