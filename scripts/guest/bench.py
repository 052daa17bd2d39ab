#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs in the guest: OpenHCA, rxe, siw and TCP, the same tests in turn.

   namespace one         OpenHCA on a dummy netdev, with itself
   initial namespace     rxe and siw, each on a dummy netdev, with itself; TCP
   near --- veth --- far OpenHCA, siw and TCP, each on a veth pair of its own

(6.12's rxe lives in the initial namespace only.)  Each round runs every test with
each of them, one after another, so that a slow moment of the machine hits all
of them; the table has medians.
"""

import argparse
import re
import statistics
import subprocess
import sys
import time

LATENCY, BANDWIDTH, RATE = "us", "MiB/s", "M/s"


class Test:
    def __init__(self, title, tool, size, unit, iterations, tcp=None):
        self.title = title
        self.tool = tool
        self.size = size
        self.unit = unit
        self.iterations = iterations
        self.tcp = tcp


def latency(kind):
    return Test("%s latency, 8 B" % kind, "ib_%s_lat" % kind, 8, LATENCY, 2000,
                "tcp_lat" if kind == "send" else None)


def bandwidth(kind, size, name, iterations):
    return Test("%s bandwidth, %s" % (kind, name), "ib_%s_bw" % kind, size,
                BANDWIDTH, iterations, "tcp_bw" if kind == "write" else None)


TESTS = [latency("send"), latency("write"), latency("read")]
for kind_ in ("write", "send", "read"):
    TESTS.append(bandwidth(kind_, 65536, "64 KiB", 1000))
    TESTS.append(bandwidth(kind_, 1 << 20, "1 MiB", 100))
TESTS.append(Test("write rate, 8 B", "ib_write_bw", 8, RATE, 5000))


def run(*words):
    subprocess.run(words, check=True)


def in_namespace(namespace, words):
    return (["ip", "netns", "exec", namespace] if namespace else []) + list(words)


def netdev(namespace, name, address):
    for words in (["sysctl", "-qw", "net.ipv6.conf.%s.accept_dad=0" % name],
                  ["ip", "link", "set", name, "mtu", "9000", "up"],
                  ["ip", "addr", "add", address + "/24", "dev", name]):
        run(*in_namespace(namespace, words))


class Peer:
    """Two ends of one kind: how a test is run between them."""

    port = 20000

    def __init__(self, name, server, client, address, cm=False):
        self.name = name
        self.server = server            # (namespace, device)
        self.client = client
        self.address = address          # of the server
        self.cm = cm                    # the connection is made by librdmacm

    def words(self, end, test, client):
        _, device = end
        Peer.port += not client
        words = [test.tool, "-s", str(test.size), "-n", str(test.iterations),
                 "-p", str(Peer.port), "-F"]
        if self.cm:
            # Of devices of a kind only one can listen to all addresses.
            words += ["-R"] + ([] if client else ["--bind_source_ip", self.address])
        else:
            words += ["-d", device, "-x", str(gid_index(end))]
        return in_namespace(end[0], words + ([self.address] if client else []))

    def measure(self, test):
        """One number, or None."""
        server = subprocess.Popen(self.words(self.server, test, False),
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            (wait_for_cm if self.cm else wait_for_listener)(self.server[0], Peer.port)
            done = subprocess.run(self.words(self.client, test, True),
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT,
                                  text=True, timeout=60)
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            return None
        finally:
            server.kill()
            server.wait()
        return number_of(done.stdout, test)


class Tcp:
    """The same over plain TCP, by qperf."""

    def __init__(self, namespace, other, address):
        self.name = "TCP"
        self.namespace = namespace
        self.address = address
        # pylint: disable=consider-using-with
        subprocess.Popen(in_namespace(other, ["qperf"]),
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_listener(other, 19765)

    def measure(self, test):
        if not test.tcp:
            return None
        done = subprocess.run(
            in_namespace(self.namespace,
                         ["qperf", "-t", "2", "-m", str(test.size), "--unify_units",
                          self.address, test.tcp]),
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            check=False)
        found = re.search(r"(?:latency|bw) *= *([\d.e+,]+) *(\S+)", done.stdout)
        if not found:
            return None
        value = float(found.group(1).replace(",", ""))
        scale = {"sec": 1e6, "ms": 1e3, "us": 1, "ns": 1e-3, "bytes/sec": 1.0 / 2 ** 20,
                 "KB/sec": 1e3 / 2 ** 20, "MB/sec": 1e6 / 2 ** 20,
                 "GB/sec": 1e9 / 2 ** 20}[found.group(2)]
        return value * scale


def gid_index(end):
    """The index of a device's IPv4 RoCE v2 GID."""
    folder = "/sys/class/infiniband/%s/ports/1/" % end[1]
    for index in range(64):
        try:
            with open(folder + "gids/%d" % index, encoding="ascii") as file:
                gid = file.read()
            with open(folder + "gid_attrs/types/%d" % index, encoding="ascii") as file:
                kind = file.read().strip()
        except OSError:
            continue
        if gid.startswith("0000:0000:0000:0000:0000:ffff:") and kind == "RoCE v2":
            return index
    raise SystemExit("%s has no IPv4 GID" % end[1])


def wait_for(namespace, words, pattern):
    """Until what the command says has the pattern; the client reports it if it never has."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        done = subprocess.run(in_namespace(namespace, words), stdout=subprocess.PIPE,
                              text=True, check=False)
        if re.search(pattern, done.stdout):
            return
        time.sleep(0.05)


def wait_for_listener(namespace, port):
    wait_for(namespace, ["ss", "-Hltn", "sport = :%d" % port], "LISTEN")


def wait_for_cm(namespace, port):
    """librdmacm's listeners are no sockets that ss sees."""
    wait_for(namespace, ["rdma", "resource", "show", "cm_id"], r":%d\b" % port)


def number_of(text, test):
    """What perftest's table says: typical latency, average bandwidth, or rate."""
    for line in text.splitlines():
        fields = line.split()
        if len(fields) < 5 or fields[0] != str(test.size):
            continue
        column = {LATENCY: 4, BANDWIDTH: 3, RATE: 4}[test.unit]
        try:
            value = float(fields[column])
        except ValueError:
            return None
        # perftest's estimate of the clock fails now and then: inf, or 0.
        return value if 0 < value < float("inf") else None
    return None


def add_device(namespace, name, kind, netdev_name):
    run(*in_namespace(namespace, ["rdma", "link", "add", name, "type", kind,
                                  "netdev", netdev_name]))


def same_host():
    """OpenHCA is in a namespace of its own, as rxe has the initial one's UDP port."""
    run("ip", "netns", "add", "one")
    run("ip", "-n", "one", "link", "set", "lo", "up")
    run("ip", "-n", "one", "link", "add", "d0", "type", "dummy")
    netdev("one", "d0", "10.70.0.1")
    add_device("one", "ohca0", "ohca", "d0")
    for number, kind in ((1, "rxe"), (2, "siw")):
        run("ip", "link", "add", "d%d" % number, "type", "dummy")
        netdev(None, "d%d" % number, "10.7%d.0.1" % number)
        add_device(None, kind + "0", kind, "d%d" % number)
    time.sleep(1)
    ohca, rxe, siw = ("one", "ohca0"), (None, "rxe0"), (None, "siw0")
    return [Peer("OpenHCA", ohca, ohca, "10.70.0.1"),
            Peer("rxe", rxe, rxe, "10.71.0.1"),
            Peer("siw", siw, siw, "10.72.0.1", cm=True),
            Tcp(None, None, "10.71.0.1")]


def over_veth():
    for namespace in ("near", "far"):
        run("ip", "netns", "add", namespace)
        run("ip", "-n", namespace, "link", "set", "lo", "up")
    for number, kind in ((3, "ohca"), (4, "siw")):
        run("ip", "link", "add", "a%d" % number, "netns", "near", "type", "veth",
            "peer", "name", "b%d" % number, "netns", "far")
        netdev("near", "a%d" % number, "10.7%d.0.1" % number)
        netdev("far", "b%d" % number, "10.7%d.0.2" % number)
        add_device("near", kind + "1", kind, "a%d" % number)
        add_device("far", kind + "2", kind, "b%d" % number)
    time.sleep(1)
    return [Peer("OpenHCA", ("far", "ohca2"), ("near", "ohca1"), "10.73.0.2"),
            Peer("siw", ("far", "siw2"), ("near", "siw1"), "10.74.0.2", cm=True),
            Tcp("near", "far", "10.74.0.2")]


class Scene:
    """One way to be connected, and what was measured in it."""

    def __init__(self, title, peers, bandwidth_mark):
        self.title = title
        self.peers = peers
        self.bandwidth_mark = bandwidth_mark
        self.samples = {}

    def round(self, tests):
        for test in tests:
            for peer in self.peers:
                value = None
                for _ in range(3):
                    value = peer.measure(test)
                    if value is not None or (peer.name == "TCP" and not test.tcp):
                        break
                if value is not None:
                    self.samples.setdefault((test.title, peer.name), []).append(value)

    def median(self, test, name):
        samples = self.samples.get((test.title, name))
        return statistics.median(samples) if samples else None

    def better(self, test, name):
        """How many times better OpenHCA is."""
        ours, theirs = self.median(test, "OpenHCA"), self.median(test, name)
        if not ours or not theirs:
            return None
        return theirs / ours if test.unit == LATENCY else ours / theirs

    def print_table(self, tests):
        others = [peer.name for peer in self.peers[1:]]
        print()
        print("%-32s%10s" % (self.title, "OpenHCA") +
              "".join("%10s" % name for name in others) +
              "".join("%10s" % ("x " + name) for name in others))
        for test in tests:
            line = "%-32s" % ("%s (%s)" % (test.title, test.unit))
            for name in ["OpenHCA"] + others:
                value = self.median(test, name)
                line += "%10s" % ("-" if value is None else "%.*f" % (
                    3 if test.unit == RATE else 1, value))
            for name in others:
                ratio = self.better(test, name)
                line += "%10s" % ("-" if ratio is None else "%.2f" % ratio)
            print(line)

    def marks(self, tests):
        """(text, met) of what is asked of OpenHCA against siw."""
        for test in tests:
            if test.unit == RATE:
                continue
            mark = 1.0 if test.unit == LATENCY else self.bandwidth_mark
            ratio = self.better(test, "siw")
            yield ("%s, %s: %s times siw's, asked %.1f" % (
                self.title, test.title,
                "?" if ratio is None else "%.2f" % ratio, mark),
                ratio is not None and ratio >= mark)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0,
                        help="iterations, as a part of the usual")
    parser.add_argument("--scene", choices=("host", "veth"), action="append",
                        help="only this one")
    options = parser.parse_args()
    for test in TESTS:
        test.iterations = max(int(test.iterations * options.scale), 20)

    wanted = options.scene or ["host", "veth"]
    scenes = []
    if "host" in wanted:
        scenes.append(Scene("same host", same_host(), 1.5))
    if "veth" in wanted:
        scenes.append(Scene("two namespaces over veth", over_veth(), 1.0))
    for number in range(options.rounds):
        for scene in scenes:
            print("round %d of %d: %s" % (number + 1, options.rounds, scene.title),
                  file=sys.stderr, flush=True)
            scene.round(TESTS)
    print("medians of %d rounds; x: how many times better OpenHCA is than the other" %
          options.rounds)
    for scene in scenes:
        scene.print_table(TESTS)
    print()
    marks = [mark for scene in scenes for mark in scene.marks(TESTS)]
    for text, met in marks:
        print("%-6s %s" % ("met" if met else "MISSED", text))
    print("%d of %d marks met" % (sum(met for _, met in marks), len(marks)))
    measured = [scene.median(test, "OpenHCA") for scene in scenes for test in TESTS]
    sys.exit(0 if all(measured) else 1)


if __name__ == "__main__":
    main()
