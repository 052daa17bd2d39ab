// SPDX-License-Identifier: GPL-2.0
/*
 * A module that does what a test run must not miss.
 */
#include <linux/module.h>
#include <linux/slab.h>

static char *how = "";
module_param(how, charp, 0444);
MODULE_PARM_DESC(how, "warn, oops, leak or stay");

static noinline void leak(void)
{
	void *lost = kmalloc(777, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(lost);
}

static int __init ohca_complain_init(void)
{
	if (!strcmp(how, "warn"))
		WARN(1, "asked to\n");
	else if (!strcmp(how, "oops"))
		WRITE_ONCE(*(int *)8, 1);
	else if (!strcmp(how, "leak"))
		leak();
	else if (!strcmp(how, "stay"))
		__module_get(THIS_MODULE);
	else
		return -EINVAL;
	return 0;
}

static void __exit ohca_complain_exit(void)
{
}

module_init(ohca_complain_init);
module_exit(ohca_complain_exit);

MODULE_DESCRIPTION("OpenHCA: does what a test run must not miss");
MODULE_AUTHOR("OpenHCA contributors");
MODULE_LICENSE("GPL");
