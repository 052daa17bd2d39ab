// SPDX-License-Identifier: GPL-2.0
/*
 * Functions: what is built on an adapter.
 */
#include "hca.h"

static const struct ohca_function *const *functions;

/**
 * ohca_functions_set() - says which functions there are
 * @list: the functions in the order in which they are added; NULL ends it
 *
 * Context: before the first adapter is probed.
 */
void ohca_functions_set(const struct ohca_function *const *list)
{
	functions = list;
}

static void add(struct ohca_hca *hca, int i)
{
	int err = functions[i]->add(hca);

	if (err)
		ohca_hca_err(hca, "%s: not added: %d\n", functions[i]->name, err);
	else
		hca->added |= BIT(i);
}

static void remove(struct ohca_hca *hca, int i)
{
	functions[i]->remove(hca);
	hca->added &= ~BIT(i);
	hca->suspended &= ~BIT(i);
}

static int count(void)
{
	int n = 0;

	while (functions[n])
		n++;
	return n;
}

/**
 * ohca_functions_add() - adds those that are not there
 * @hca: the adapter, which is up
 *
 * Context: may sleep; under the lifecycle lock, as all of these.
 */
void ohca_functions_add(struct ohca_hca *hca)
{
	int i;

	for (i = 0; functions[i]; i++) {
		if (!(hca->added & BIT(i)))
			add(hca, i);
	}
}

/**
 * ohca_functions_remove() - removes all, the last one first
 * @hca: the adapter; up, dead, or down with its functions suspended
 *
 * Context: as ohca_functions_add().
 */
void ohca_functions_remove(struct ohca_hca *hca)
{
	int i;

	for (i = count() - 1; i >= 0; i--) {
		if (hca->added & BIT(i))
			remove(hca, i);
	}
}

/**
 * ohca_functions_suspend() - suspends all that can be; the others are removed
 * @hca: the adapter, up or dead
 *
 * Context: as ohca_functions_add().
 */
void ohca_functions_suspend(struct ohca_hca *hca)
{
	int i;

	for (i = count() - 1; i >= 0; i--) {
		if (!(hca->added & BIT(i)) || hca->suspended & BIT(i))
			continue;
		if (!functions[i]->suspend) {
			remove(hca, i);
			continue;
		}
		functions[i]->suspend(hca);
		hca->suspended |= BIT(i);
	}
}

/**
 * ohca_functions_resume() - resumes what is suspended, and adds what is not there
 * @hca: the adapter, which is up
 *
 * Context: as ohca_functions_add().
 */
void ohca_functions_resume(struct ohca_hca *hca)
{
	int i, err;

	for (i = 0; functions[i]; i++) {
		if (!(hca->added & BIT(i))) {
			add(hca, i);
			continue;
		}
		if (!(hca->suspended & BIT(i)))
			continue;
		err = functions[i]->resume(hca);
		if (err) {
			ohca_hca_err(hca, "%s: not resumed: %d\n", functions[i]->name, err);
			remove(hca, i);
		}
		hca->suspended &= ~BIT(i);
	}
}
