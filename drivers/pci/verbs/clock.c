// SPDX-License-Identifier: GPL-2.0
/*
 * The device's clock.
 *
 * A program converts a completion's time stamp with the page that is kept here: a
 * point that both clocks passed, and the rate between them. The page is brought up to
 * date long before the counter's product with the rate could overflow.
 */
#include "clock.h"

#include <linux/clocksource.h>
#include <linux/slab.h>
#include <linux/timecounter.h>
#include <linux/workqueue.h>
#include <rdma/mlx5-abi.h>
#include <ohca/compat.h>

/* Seconds that a conversion must be good for, and those after which it is renewed. */
#define CLOCK_RANGE	60
#define CLOCK_PERIOD	(10 * HZ)

/**
 * struct verbs_clock - conversion of an adapter's clock
 * @hca: the adapter
 * @cycles: its counter
 * @time: a point that both clocks passed; written by @work only
 * @info: the page that programs read
 * @work: brings both up to date
 */
struct verbs_clock {
	struct ohca_hca *hca;
	struct cyclecounter cycles;
	struct timecounter time;
	struct mlx5_ib_clock_info *info;
	struct delayed_work work;
};

/* The counter's halves are read one after the other: again if the high one turned. */
static u64 read_counter(struct ohca_hca *hca)
{
	u32 high, low, again;

	do {
		high = ioread32be(&hca->iseg->internal_timer_h);
		low = ioread32be(&hca->iseg->internal_timer_l);
		again = ioread32be(&hca->iseg->internal_timer_h);
	} while (again != high && !ohca_hca_dead(hca));
	return (u64)high << 32 | low;
}

static u64 read_cycles(ohca_cyclecounter_arg *cc)
{
	return read_counter(container_of(cc, struct verbs_clock, cycles)->hca);
}

/* Programs look at the sign before and after, and read again while it is odd. */
static void publish(struct verbs_clock *clock)
{
	struct mlx5_ib_clock_info *info = clock->info;
	u32 sign = info->sign;

	/* Odd before anything changes. */
	smp_store_mb(info->sign, sign | MLX5_IB_CLOCK_INFO_KERNEL_UPDATING);
	info->cycles = clock->time.cycle_last;
	info->mult = clock->cycles.mult;
	info->nsec = clock->time.nsec;
	info->frac = clock->time.frac;
	/* Even again, and another number, when all is written. */
	smp_store_release(&info->sign, sign + MLX5_IB_CLOCK_INFO_KERNEL_UPDATING * 2);
}

static void renew(struct work_struct *work)
{
	struct verbs_clock *clock = container_of(to_delayed_work(work), struct verbs_clock, work);

	if (ohca_hca_dead(clock->hca))
		return;
	timecounter_read(&clock->time);
	publish(clock);
	schedule_delayed_work(&clock->work, CLOCK_PERIOD);
}

/**
 * verbs_clock_create() - begins to convert an adapter's clock
 * @hca: the adapter
 *
 * Context: may sleep.
 * Return: the clock; NULL if the device does not say how fast its counter is, or
 * there is no memory.
 */
struct verbs_clock *verbs_clock_create(struct ohca_hca *hca)
{
	u32 khz = MLX5_CAP_GEN(hca, device_frequency_khz);
	struct verbs_clock *clock;

	if (!khz)
		return NULL;
	clock = kzalloc(sizeof(*clock), GFP_KERNEL);
	if (!clock)
		return NULL;
	clock->info = (struct mlx5_ib_clock_info *)get_zeroed_page(GFP_KERNEL);
	if (!clock->info) {
		kfree(clock);
		return NULL;
	}
	clock->hca = hca;
	clock->cycles.read = read_cycles;
	clock->cycles.mask = CLOCKSOURCE_MASK(64);
	clocks_calc_mult_shift(&clock->cycles.mult, &clock->cycles.shift, khz, USEC_PER_SEC,
			       CLOCK_RANGE);
	timecounter_init(&clock->time, &clock->cycles, ktime_get_real_ns());
	clock->info->mask = clock->cycles.mask;
	clock->info->shift = clock->cycles.shift;
	clock->info->overflow_period = CLOCK_PERIOD;
	INIT_DELAYED_WORK(&clock->work, renew);
	renew(&clock->work.work);
	return clock;
}

/**
 * verbs_clock_destroy() - ends it
 * @clock: the clock, or NULL
 *
 * Programs that still map its page keep that.
 *
 * Context: may sleep.
 */
void verbs_clock_destroy(struct verbs_clock *clock)
{
	if (!clock)
		return;
	cancel_delayed_work_sync(&clock->work);
	free_page((unsigned long)clock->info);
	kfree(clock);
}

/**
 * verbs_clock_info_page() - the page that programs read
 * @clock: the clock
 *
 * Context: any.
 * Return: its physical address.
 */
phys_addr_t verbs_clock_info_page(const struct verbs_clock *clock)
{
	return virt_to_phys(clock->info);
}
