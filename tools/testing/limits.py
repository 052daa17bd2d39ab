# SPDX-License-Identifier: GPL-2.0
"""As many objects as the device says that it has, and no more."""

import errno

from pyverbs.mr import MW

from verbs import *


def exhaust(make, most, internal=0):
    """Makes objects until it is refused; the kernel's own few count too."""
    made = []
    refused({errno.ENOMEM},
            lambda: [made.append(make()) for _ in range(most + 1)])
    check(most - internal <= len(made) <= most,
          "%d of %d" % (len(made), most))
    for one in made:
        one.close()


@case
def windows(a, _b):
    """memory windows"""
    exhaust(lambda: MW(a.pd, e.IBV_MW_TYPE_1), a.ctx.query_device().max_mw)
    MW(a.pd, e.IBV_MW_TYPE_2).close()


@case
def domains(a, _b):
    """protection domains"""
    exhaust(lambda: PD(a.ctx), a.ctx.query_device().max_pd, 10)
    PD(a.ctx).close()


main()
