/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spinlocks of a single thread: nothing to spin on, but the rules are checked.
 *
 * Each spin_lock_init() in the source is a class of locks. A lock of a class is
 * never taken while one of the same class is held, and two classes are always
 * taken in the same order, once seen. What breaks that aborts.
 */
#ifndef OHCA_SHIM_LINUX_SPINLOCK_H
#define OHCA_SHIM_LINUX_SPINLOCK_H

#include <stdio.h>
#include <stdlib.h>
#include <linux/types.h>

#define OHCA_LOCK_CLASSES	16

struct ohca_lock_class {
	const char *name;
	unsigned int id;	/* 1 and up, 0 until the first lock of it is made */
};

typedef struct {
	struct ohca_lock_class *class;
	bool held;
} spinlock_t;

struct ohca_lock_rules {
	unsigned int classes;
	unsigned int held;		/* bit: a lock of this class is held */
	/* By class, bits: classes that were held when it was taken. */
	unsigned int before[OHCA_LOCK_CLASSES + 1];
	const char *name[OHCA_LOCK_CLASSES + 1];
};

/* One for the program, in whichever object the linker finds it first. */
__attribute__((__weak__)) struct ohca_lock_rules ohca_lock_rules;

static inline void ohca_lock_fail(const spinlock_t *lock, const char *why)
{
	unsigned int i;

	fprintf(stderr, "lock %s: %s; held:", lock->class ? lock->class->name : "(none)", why);
	for (i = 1; i <= ohca_lock_rules.classes; i++) {
		if (ohca_lock_rules.held & 1u << i)
			fprintf(stderr, " %s", ohca_lock_rules.name[i]);
	}
	fputc('\n', stderr);
	abort();
}

static inline void ohca_lock_init(spinlock_t *lock, struct ohca_lock_class *class)
{
	lock->class = class;
	lock->held = false;
	if (class->id)
		return;
	if (ohca_lock_rules.classes == OHCA_LOCK_CLASSES)
		ohca_lock_fail(lock, "too many classes");
	class->id = ++ohca_lock_rules.classes;
	ohca_lock_rules.name[class->id] = class->name;
}

#define spin_lock_init(lock) do {					\
	static struct ohca_lock_class ohca_class_ = { #lock, 0 };	\
	ohca_lock_init(lock, &ohca_class_);				\
} while (0)

static inline void spin_lock(spinlock_t *lock)
{
	struct ohca_lock_rules *rules = &ohca_lock_rules;
	unsigned int id, i;

	if (!lock->class)
		ohca_lock_fail(lock, "taken before it was made");
	id = lock->class->id;
	if (lock->held)
		ohca_lock_fail(lock, "taken twice");
	if (rules->held & 1u << id)
		ohca_lock_fail(lock, "taken inside another of its class");
	for (i = 1; i <= rules->classes; i++) {
		if ((rules->held & 1u << i) && (rules->before[i] & 1u << id))
			ohca_lock_fail(lock, "taken in the wrong order");
	}
	rules->before[id] |= rules->held;
	rules->held |= 1u << id;
	lock->held = true;
}

static inline void spin_unlock(spinlock_t *lock)
{
	if (!lock->held)
		ohca_lock_fail(lock, "released but not held");
	lock->held = false;
	ohca_lock_rules.held &= ~(1u << lock->class->id);
}

#define spin_lock_bh(lock)		spin_lock(lock)
#define spin_unlock_bh(lock)		spin_unlock(lock)
#define spin_lock_irqsave(lock, flags)		do { (flags) = 0; spin_lock(lock); } while (0)
#define spin_unlock_irqrestore(lock, flags)	do { (void)(flags); spin_unlock(lock); } while (0)

#define lockdep_assert_held(lock) do {			\
	if (!(lock)->held)				\
		ohca_lock_fail(lock, "not held");	\
} while (0)

#endif /* OHCA_SHIM_LINUX_SPINLOCK_H */
