// SPDX-License-Identifier: GPL-2.0
/*
 * The PCI driver. It takes a device only when driver_override names it (see README),
 * so it never takes one away from mlx5_core.
 *
 * Probe and remove, a reset of the function, error recovery, and sleep are all the same
 * two steps: the functions on top leave or come back, and the adapter goes down or up.
 */
#include <linux/module.h>

#include "event.h"
#include "hca.h"
#include "health.h"

#define BAR	0

static int bar_map(struct ohca_hca *hca)
{
	struct pci_dev *pdev = hca->pdev;
	int err;

	if (!(pci_resource_flags(pdev, BAR) & IORESOURCE_MEM) ||
	    pci_resource_len(pdev, BAR) < sizeof(struct mlx5_init_seg)) {
		ohca_hca_err(hca, "BAR %d is no adapter's\n", BAR);
		return -ENODEV;
	}
	err = pci_request_region(pdev, BAR, KBUILD_MODNAME);
	if (err)
		return err;
	hca->bar = pci_resource_start(pdev, BAR);
	hca->bar_bytes = pci_resource_len(pdev, BAR);
	hca->iseg = ioremap(hca->bar, sizeof(*hca->iseg));
	if (hca->iseg)
		return 0;
	pci_release_region(pdev, BAR);
	return -ENOMEM;
}

static void bar_unmap(struct ohca_hca *hca)
{
	iounmap(hca->iseg);
	pci_release_region(hca->pdev, BAR);
}

static int pci_up(struct ohca_hca *hca)
{
	int err;

	err = pci_enable_device(hca->pdev);
	if (err)
		return err;
	err = dma_set_mask_and_coherent(&hca->pdev->dev, DMA_BIT_MASK(64));
	if (err)
		goto disable;
	dma_set_max_seg_size(&hca->pdev->dev, SZ_2G);
	err = bar_map(hca);
	if (err)
		goto disable;
	return 0;

disable:
	pci_disable_device(hca->pdev);
	return err;
}

static void pci_down(struct ohca_hca *hca)
{
	bar_unmap(hca);
	pci_disable_device(hca->pdev);
}

/* The adapter goes down for a while. */
static void go_down(struct ohca_hca *hca)
{
	mutex_lock(&hca->lifecycle);
	ohca_functions_suspend(hca);
	ohca_hca_unload(hca);
	mutex_unlock(&hca->lifecycle);
}

/* It comes back. On an error it stays down, its functions suspended. */
static int go_up(struct ohca_hca *hca)
{
	int err = 0;

	mutex_lock(&hca->lifecycle);
	if (!hca->loaded)
		err = ohca_hca_load(hca);
	if (!err)
		ohca_functions_resume(hca);
	mutex_unlock(&hca->lifecycle);
	return err;
}

static struct ohca_hca *hca_alloc(struct pci_dev *pdev)
{
	struct ohca_hca *hca;

	hca = kzalloc_node(sizeof(*hca), GFP_KERNEL, dev_to_node(&pdev->dev));
	if (!hca)
		return NULL;
	hca->pdev = pdev;
	mutex_init(&hca->lifecycle);
	ohca_event_init(hca);
	if (ohca_caps_alloc(hca))
		goto free_hca;
	if (ohca_health_init(hca))
		goto free_caps;
	return hca;

free_caps:
	ohca_caps_free(hca);
free_hca:
	ohca_event_fini(hca);
	kfree(hca);
	return NULL;
}

static void hca_free(struct ohca_hca *hca)
{
	ohca_health_fini(hca);
	ohca_caps_free(hca);
	ohca_event_fini(hca);
	mutex_destroy(&hca->lifecycle);
	kfree(hca);
}

static int ohca_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct ohca_hca *hca;
	int err;

	hca = hca_alloc(pdev);
	if (!hca)
		return -ENOMEM;
	pci_set_drvdata(pdev, hca);
	err = pci_up(hca);
	if (err)
		goto free_hca;
	err = go_up(hca);
	if (err)
		goto pci_down;
	pci_save_state(pdev);
	ohca_hca_info(hca, "firmware %s, board %s\n", hca->fw_version, hca->board_id);
	return 0;

pci_down:
	ohca_health_give_up(hca);
	pci_down(hca);
free_hca:
	pci_set_drvdata(pdev, NULL);
	hca_free(hca);
	return err;
}

static void ohca_remove(struct pci_dev *pdev)
{
	struct ohca_hca *hca = pci_get_drvdata(pdev);

	ohca_health_give_up(hca);
	/* Nothing waits for a device that was pulled out. */
	if (ohca_hca_gone(hca))
		ohca_hca_die(hca, "it has gone");
	mutex_lock(&hca->lifecycle);
	ohca_functions_remove(hca);
	ohca_hca_unload(hca);
	mutex_unlock(&hca->lifecycle);
	pci_down(hca);
	pci_set_drvdata(pdev, NULL);
	hca_free(hca);
}

/* Before kexec: the new kernel finds a device that is down and writes no memory. */
static void ohca_shutdown(struct pci_dev *pdev)
{
	struct ohca_hca *hca = pci_get_drvdata(pdev);

	ohca_health_give_up(hca);
	go_down(hca);
	pci_disable_device(pdev);
}

static void ohca_reset_prepare(struct pci_dev *pdev)
{
	go_down(pci_get_drvdata(pdev));
}

static void ohca_reset_done(struct pci_dev *pdev)
{
	go_up(pci_get_drvdata(pdev));
}

static pci_ers_result_t ohca_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct ohca_hca *hca = pci_get_drvdata(pdev);

	ohca_hca_info(hca, "PCI error, channel state %u\n", state);
	ohca_health_hold(hca);
	ohca_hca_die(hca, "PCI error");
	go_down(hca);
	pci_disable_device(pdev);
	return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT :
	       PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t ohca_slot_reset(struct pci_dev *pdev)
{
	struct ohca_hca *hca = pci_get_drvdata(pdev);
	int err;

	err = pci_enable_device(pdev);
	if (err) {
		ohca_hca_err(hca, "not enabled after the reset: %d\n", err);
		return PCI_ERS_RESULT_DISCONNECT;
	}
	pci_restore_state(pdev);
	pci_save_state(pdev);
	return ohca_hca_gone(hca) ? PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_RECOVERED;
}

static void ohca_error_resume(struct pci_dev *pdev)
{
	struct ohca_hca *hca = pci_get_drvdata(pdev);

	if (!go_up(hca))
		ohca_hca_info(hca, "recovered from the PCI error\n");
}

static const struct pci_error_handlers ohca_error_handlers = {
	.error_detected = ohca_error_detected,
	.slot_reset = ohca_slot_reset,
	.resume = ohca_error_resume,
	.reset_prepare = ohca_reset_prepare,
	.reset_done = ohca_reset_done,
};

static int ohca_suspend(struct device *dev)
{
	go_down(dev_get_drvdata(dev));
	return 0;
}

static int ohca_resume(struct device *dev)
{
	return go_up(dev_get_drvdata(dev));
}

static DEFINE_SIMPLE_DEV_PM_OPS(ohca_pm_ops, ohca_suspend, ohca_resume);

/* No table of ids: driver core binds it to what driver_override names it for, only. */
static struct pci_driver ohca_driver = {
	.name = KBUILD_MODNAME,
	.probe = ohca_probe,
	.remove = ohca_remove,
	.shutdown = ohca_shutdown,
	.err_handler = &ohca_error_handlers,
	.driver.pm = pm_sleep_ptr(&ohca_pm_ops),
};

/**
 * ohca_pci_register() - begins to drive adapters
 * @functions: what to build on each, in order; NULL ends it
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_pci_register(const struct ohca_function *const *functions)
{
	ohca_functions_set(functions);
	return pci_register_driver(&ohca_driver);
}

/**
 * ohca_pci_unregister() - leaves all adapters
 *
 * Context: may sleep.
 */
void ohca_pci_unregister(void)
{
	pci_unregister_driver(&ohca_driver);
}
