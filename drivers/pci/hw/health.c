// SPDX-License-Identifier: GPL-2.0
/*
 * Health. A poll looks at the initialization segment: the counter has to go on, the
 * health buffer must not say that the firmware failed, and reads must not be all ones,
 * which is what an absent device answers.
 *
 * A device that failed is cut off from memory at once; then the functions on it learn
 * of it, and a reset of the function is tried, through the same steps as a reset that
 * an administrator asks for (probe.c, reset_prepare and reset_done).
 */
#include "health.h"

#include <linux/slab.h>
#include <linux/workqueue.h>
#include <ohca/compat.h>

#include "cmd.h"
#include "eq.h"
#include "event.h"
#include "hca.h"

#define POLL_MS		1000
/* Polls in a row that find the counter as it was. */
#define MAX_STUCK	3
/* A device that fails so soon after a recovery is left alone, seconds. */
#define RECOVERY_S	60
#define RETRY_MS	500

#define ABSENT		0xffffffff

/**
 * struct ohca_health - watches an adapter
 * @hca: the adapter
 * @poll: looks; disabled but between ohca_health_start() and ohca_health_stop()
 * @recover: resets a device that failed
 * @counter: of the latest poll
 * @stuck: polls since it changed
 * @watching: the poll goes on, and a failure is recovered from
 * @leaving: the driver is leaving the device: no recovery any more
 * @recovered: when the latest recovery was, jiffies; 0: never
 */
struct ohca_health {
	struct ohca_hca *hca;
	struct delayed_work poll;
	struct delayed_work recover;
	u32 counter;
	unsigned int stuck;
	bool watching;
	bool leaving;
	unsigned long recovered;
};

/* Words for the syndrome of the health buffer. */
static const struct {
	u8 syndrome;
	const char *text;
} syndromes[] = {
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_FW_INTERNAL_ERR, "firmware internal error" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_DEAD_IRISC, "irisc not responding" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_HW_FATAL_ERR, "unrecoverable hardware error" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_FW_CRC_ERR, "firmware CRC error" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_ICM_FETCH_PCI_ERR, "ICM fetch PCI error" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_ICM_PAGE_ERR, "ICM fetch error" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_ASYNCHRONOUS_EQ_BUF_OVERRUN,
	  "asynchronous event queue overrun" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_EQ_IN_ERR, "event queue error" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_EQ_INV, "invalid event queue referenced" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_FFSER_ERR, "FFSER error" },
	{ MLX5_INITIAL_SEG_HEALTH_SYNDROME_HIGH_TEMP_ERR, "high temperature" },
};

static const char *syndrome_text(u8 syndrome)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(syndromes); i++) {
		if (syndromes[i].syndrome == syndrome)
			return syndromes[i].text;
	}
	return "unknown failure";
}

/**
 * ohca_hca_gone() - whether the device is not there any more
 * @hca: the adapter
 *
 * Context: any.
 * Return: whether.
 */
bool ohca_hca_gone(struct ohca_hca *hca)
{
	return pci_channel_offline(hca->pdev) ||
	       ioread32be(&hca->iseg->health.fw_ver) == ABSENT;
}

/* Why the adapter has failed; NULL: it has not. */
static const char *failure(struct ohca_health *health)
{
	struct mlx5_init_seg __iomem *iseg = health->hca->iseg;
	u8 syndrome;
	u32 counter;

	if (ohca_hca_gone(health->hca))
		return "it does not answer: surprise removal?";
	syndrome = ioread8(&iseg->health.synd);
	if (syndrome)
		return syndrome_text(syndrome);
	if (ioread8(&iseg->health.rfr_severity) & BIT(MLX5_RFR_BIT_OFFSET))
		return "the firmware asks for a reset";
	counter = ioread32be(&iseg->health_counter);
	health->stuck = counter == health->counter ? health->stuck + 1 : 0;
	health->counter = counter;
	return health->stuck >= MAX_STUCK ? "the health counter stands still" : NULL;
}

/* What the health buffer says, for whoever has to look into it. */
static void dump(struct ohca_hca *hca)
{
	struct health_buffer __iomem *h = &hca->iseg->health;
	int i;

	if (ohca_hca_gone(hca))
		return;
	for (i = 0; i < ARRAY_SIZE(h->assert_var); i++)
		ohca_hca_err(hca, "health: assert_var[%d] 0x%08x\n", i,
			     ioread32be(&h->assert_var[i]));
	ohca_hca_err(hca, "health: exit_ptr 0x%08x callra 0x%08x fw_ver 0x%08x hw_id 0x%08x\n",
		     ioread32be(&h->assert_exit_ptr), ioread32be(&h->assert_callra),
		     ioread32be(&h->fw_ver), ioread32be(&h->hw_id));
	ohca_hca_err(hca, "health: severity 0x%02x irisc %u syndrome 0x%02x/0x%04x\n",
		     ioread8(&h->rfr_severity), ioread8(&h->irisc_index), ioread8(&h->synd),
		     ioread16be(&h->ext_synd));
}

/**
 * ohca_hca_die() - gives the adapter up: it failed, or has gone
 * @hca: the adapter
 * @why: for the log
 *
 * From here on the device can't reach memory, commands fail, and what they were to
 * give back counts as given back. Once only; later calls do nothing.
 *
 * Context: process; may be called while a command waits, or from within one.
 */
void ohca_hca_die(struct ohca_hca *hca, const char *why)
{
	struct ohca_health *health = hca->health;
	u16 command;

	if (cmpxchg(&hca->state, OHCA_HCA_UP, OHCA_HCA_DEAD) != OHCA_HCA_UP)
		return;
	ohca_hca_err(hca, "device failed: %s\n", why);
	pci_clear_master(hca->pdev);
	/* What the device wrote before is in memory when this read has come back. */
	pci_read_config_word(hca->pdev, PCI_COMMAND, &command);
	dump(hca);
	ohca_cmd_abort_all(hca);
	atomic_notifier_call_chain(&hca->events, OHCA_EVENT_DEAD, NULL);
	if (READ_ONCE(health->watching))
		queue_delayed_work(ohca_unbound_wq, &health->recover, 0);
}

static void poll_work(struct work_struct *work)
{
	struct ohca_health *health = container_of(to_delayed_work(work), struct ohca_health,
						  poll);
	struct ohca_hca *hca = health->hca;
	const char *why;

	if (ohca_hca_dead(hca))
		return;
	why = failure(health);
	if (why) {
		ohca_hca_die(hca, why);
		return;
	}
	ohca_eqs_poll(hca);
	if (READ_ONCE(health->watching))
		queue_delayed_work(ohca_unbound_wq, &health->poll,
				   msecs_to_jiffies(POLL_MS));
}

/*
 * The reset takes the device's lock, which driver core holds while it calls remove();
 * that waits for this work. So it only tries, and tries again as long as the driver
 * stays.
 */
static void recover_work(struct work_struct *work)
{
	struct ohca_health *health = container_of(to_delayed_work(work), struct ohca_health,
						  recover);
	struct ohca_hca *hca = health->hca;
	unsigned long last = health->recovered;
	int err;

	if (READ_ONCE(health->leaving))
		return;
	if (ohca_hca_gone(hca)) {
		ohca_hca_err(hca, "the device has gone\n");
		return;
	}
	if (last && time_before(jiffies, last + RECOVERY_S * HZ)) {
		ohca_hca_err(hca, "failed again within %u s of a recovery: left as it is\n",
			     RECOVERY_S);
		return;
	}
	err = pci_try_reset_function(hca->pdev);
	if (err == -EAGAIN) {
		queue_delayed_work(ohca_unbound_wq, &health->recover,
				   msecs_to_jiffies(RETRY_MS));
		return;
	}
	health->recovered = jiffies ?: 1;
	if (err || READ_ONCE(hca->state) != OHCA_HCA_UP)
		ohca_hca_err(hca, "reset after the failure: %d; not recovered\n", err);
	else
		ohca_hca_info(hca, "recovered by a reset\n");
}

/**
 * ohca_health_look() - looks at once, as something said that the device failed
 * @hca: the adapter
 *
 * Context: any.
 */
void ohca_health_look(struct ohca_hca *hca)
{
	struct ohca_health *health = hca->health;

	if (READ_ONCE(health->watching))
		mod_delayed_work(ohca_unbound_wq, &health->poll, 0);
}

/**
 * ohca_health_start() - begins to watch
 * @hca: the adapter, which is up, with its event queues
 *
 * Context: may sleep.
 */
void ohca_health_start(struct ohca_hca *hca)
{
	struct ohca_health *health = hca->health;

	health->stuck = 0;
	health->counter = ioread32be(&hca->iseg->health_counter);
	WRITE_ONCE(health->watching, true);
	enable_delayed_work(&health->poll);
	queue_delayed_work(ohca_unbound_wq, &health->poll, msecs_to_jiffies(POLL_MS));
}

/**
 * ohca_health_stop() - ends that; a recovery that runs may be the caller
 * @hca: the adapter
 *
 * Context: may sleep.
 */
void ohca_health_stop(struct ohca_hca *hca)
{
	WRITE_ONCE(hca->health->watching, false);
	/* An event that is being handled may still ask for a look. */
	disable_delayed_work_sync(&hca->health->poll);
}

/**
 * ohca_health_hold() - somebody else recovers the device: nothing is done by ourselves
 * @hca: the adapter; until ohca_health_start()
 *
 * Context: any.
 */
void ohca_health_hold(struct ohca_hca *hca)
{
	WRITE_ONCE(hca->health->watching, false);
}

/**
 * ohca_health_give_up() - the driver leaves the device: no recovery from here on
 * @hca: the adapter
 *
 * Context: may sleep; the device's lock may be held, but not the adapter's lifecycle.
 */
void ohca_health_give_up(struct ohca_hca *hca)
{
	WRITE_ONCE(hca->health->leaving, true);
	cancel_delayed_work_sync(&hca->health->recover);
}

/**
 * ohca_health_init() - makes the watch
 * @hca: the adapter
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ohca_health_init(struct ohca_hca *hca)
{
	struct ohca_health *health = kzalloc(sizeof(*health), GFP_KERNEL);

	if (!health)
		return -ENOMEM;
	health->hca = hca;
	INIT_DELAYED_WORK(&health->poll, poll_work);
	disable_delayed_work(&health->poll);
	INIT_DELAYED_WORK(&health->recover, recover_work);
	hca->health = health;
	return 0;
}

/**
 * ohca_health_fini() - undoes ohca_health_init()
 * @hca: the adapter
 *
 * Context: may sleep; ohca_health_stop() and ohca_health_give_up() were called.
 */
void ohca_health_fini(struct ohca_hca *hca)
{
	kfree(hca->health);
	hca->health = NULL;
}
