# SPDX-License-Identifier: GPL-2.0
"""Ranks of MPI: a ring, allreduce and alltoall; every byte is looked at."""
import array
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


def expect(what, condition):
    """Ends all ranks if it is not as it must be."""
    if not condition:
        print("rank %d: %s" % (rank, what), flush=True)
        world.Abort(1)


def ring(count):
    """What goes round comes back, with one added by each rank."""
    data = array.array("q", range(count))
    if rank == 0:
        world.Send([data, MPI.INT64_T], dest=1)
        world.Recv([data, MPI.INT64_T], source=size - 1)
        expect("ring of %d" % count,
               data == array.array("q", range(size - 1, count + size - 1)))
    else:
        world.Recv([data, MPI.INT64_T], source=rank - 1)
        data = array.array("q", (item + 1 for item in data))
        world.Send([data, MPI.INT64_T], dest=(rank + 1) % size)


def allreduce(count):
    """The sum of all ranks' numbers, at each rank."""
    mine = array.array("q", (item * (rank + 1) for item in range(count)))
    total = array.array("q", bytes(8 * count))
    world.Allreduce([mine, MPI.INT64_T], [total, MPI.INT64_T], op=MPI.SUM)
    factor = size * (size + 1) // 2
    expect("allreduce of %d" % count,
           total == array.array("q", (item * factor for item in range(count))))


def alltoall(count):
    """Each rank's piece for each other."""
    mine = array.array("q", (rank * size + to for to in range(size) for _ in range(count)))
    got = array.array("q", bytes(8 * count * size))
    world.Alltoall([mine, MPI.INT64_T], [got, MPI.INT64_T])
    expect("alltoall of %d" % count,
           got == array.array("q", (origin * size + rank for origin in range(size)
                                    for _ in range(count))))


def main():
    """All of it, small and large."""
    expect("%d ranks" % size, size == int(sys.argv[1]))
    for count in (1, 100, 5000, 100000):
        ring(count)
        allreduce(count)
        alltoall(count)
    world.Barrier()
    if rank == 0:
        print("all well")


main()
