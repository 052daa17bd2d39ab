# SPDX-License-Identifier: GPL-2.0
"""Configuration space and BAR 0."""

from client import CONFIG, RESET, Client


def capabilities(c):
    at, found = c.config(0x34, 'B'), {}
    while at:
        found[c.config(at, 'B')] = at
        at = c.config(at + 1, 'B')
    return found


def test_identity(model):
    c = Client(model)
    assert (c.config(0, 'H'), c.config(2, 'H')) == (0x15b3, 0x101d)
    assert c.config(0x0a, 'H') == 0x0200
    assert c.config(0x10, 'I') & 0xf == 0xc         # 64-bit, prefetchable


def test_capabilities(model):
    c = Client(model)
    found = capabilities(c)
    assert set(found) == {0x01, 0x10, 0x11}
    assert c.config(found[0x11] + 2, 'H') & 0x7ff == 63
    assert c.config(found[0x10] + 4, 'I') >> 28 & 1  # FLR
    assert c.config(0x100, 'H') == 1                # AER


def test_bar_size(model):
    c = Client(model)
    for bar in (0x10, 0x14):
        c.set_config(bar, 'I', 0xffffffff)
    assert c.config(0x10, 'I') & ~0xf == (-(32 << 20)) & 0xffffffff
    assert c.config(0x14, 'I') == 0xffffffff


def test_read_only_bits(model):
    c = Client(model)
    for offset in range(0, 256, 4):
        if offset in (0x68,):                       # would be a reset
            continue
        c.set_config(offset, 'I', 0xffffffff)
    assert (c.config(0, 'H'), c.config(2, 'H')) == (0x15b3, 0x101d)
    assert set(capabilities(c)) == {0x01, 0x10, 0x11}
    assert c.config(4, 'H') & ~0x547 == 0


def test_memory_space_off(model):
    c = Client(model)
    assert c.bar(0) == 0xffffffff
    c.set_config(4, 'H', 2)
    assert c.bar(4) >> 16 == 5


def test_init_segment(model):
    c = Client(model)
    c.set_config(4, 'H', 2)
    assert c.bar(0x1fc) >> 31 == 0
    assert c.bar(0x14) & 0xff == 0x56
    first = c.bar(0x1004)
    assert c.bar(0x1004) != first
    assert c.bar(0x230) != 0xffffffff


def test_flr_and_reset(model):
    c = Client(model)
    at = capabilities(c)[0x10]
    for reset in (lambda: c.set_config(at + 8, 'H', 0x8000), lambda: c.call(RESET)):
        c.set_config(4, 'H', 6)
        c.set_bar(0x10, 0x1234)
        reset()
        assert c.config(4, 'H') == 0
        c.set_config(4, 'H', 2)
        assert c.bar(0x10) == 0
