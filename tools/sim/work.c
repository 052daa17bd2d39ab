// SPDX-License-Identifier: GPL-2.0
/*
 * The consumers: they post random work, in random turns.
 *
 * A WR that touches memory of one before it that is still out is fenced where
 * the IBA asks for it (10.8.3.3), or made anew, so that there is exactly one
 * right outcome, which the oracle's model has.
 */
#include "sim.h"

#define TRIES	6u

bool ranges_overlap(const struct sim_range *a, const struct sim_range *b)
{
	if (!a->len || !b->len || a->area != b->area)
		return false;
	return a->off < b->off ? b->off - a->off < a->len : a->off - b->off < b->len;
}

/* Whether any WR that is out uses @range. */
static bool in_use(const struct sim_qp *qp, const struct sim_range *range)
{
	const struct sim_send *s;
	u32 i, k;

	for (i = qp->seen; i < qp->sends.nr; i++) {
		s = qp->sends.item[i];
		if (ranges_overlap(range, &s->remote))
			return true;
		for (k = 0; k < s->num_sge; k++)
			if (ranges_overlap(range, &s->local[k]))
				return true;
	}
	return false;
}

/*
 * What @s needs because of the WRs that are out. False: it must not be posted
 * now. Sets the fence flag where a READ or ATOMIC has to end first.
 */
static bool order(const struct sim_qp *qp, struct sim_send *s)
{
	bool fetch = is_fetch(s->opcode), reads = s->opcode == IB_UVERBS_WR_RDMA_READ;
	const struct sim_send *out;
	u32 i, k, j;

	for (i = qp->seen; i < qp->sends.nr; i++) {
		out = qp->sends.item[i];
		/* A READ that is sent again must find what it found at first. */
		if (out->opcode == IB_UVERBS_WR_RDMA_READ && !reads &&
		    ranges_overlap(&out->remote, &s->remote))
			s->flags |= TP_SEND_FENCE;
		for (k = 0; k < out->num_sge; k++) {
			for (j = 0; j < s->num_sge; j++) {
				if (!ranges_overlap(&out->local[k], &s->local[j]))
					continue;
				if (is_fetch(out->opcode))
					s->flags |= TP_SEND_FENCE;
				else if (fetch)
					return false;
			}
		}
	}
	return true;
}

/* Cuts @len bytes into @n parts, some of them empty. */
static void cut(u32 *part, u32 n, u32 len)
{
	struct sim_random *rng = &world->rng;
	u32 i;

	for (i = 0; i + 1 < n; i++) {
		part[i] = random_chance(rng, 100) ? 0 : random_below(rng, 2 * (len / (n - i)) + 2);
		if (part[i] > len)
			part[i] = len;
		len -= part[i];
	}
	part[n - 1] = len;
}

static void name_local(struct sim_qp *qp, struct tp_sge *sge, struct sim_range *range,
		       u32 access)
{
	struct sim_region *region;

	if (!range->len) {
		/* No key is checked for no bytes. */
		*sge = (struct tp_sge){ .addr = random_bits(&world->rng),
					.lkey = random_bits(&world->rng) };
		return;
	}
	region = region_pick(range->area, range->off, range->len, qp->pd, access);
	sge->addr = region->iova + (range->off - region->off);
	sge->length = range->len;
	sge->lkey = region->lkey;
}

/* Chooses the local memory of @s: anywhere to send from, without overlap to read to. */
static void choose_local(struct sim_qp *qp, struct sim_send *s)
{
	struct sim_random *rng = &world->rng;
	bool fetch = is_fetch(s->opcode);
	u32 part[TP_MAX_SGE], i, at, n;

	n = random_range(rng, 1, is_atomic(s->opcode) ? 1 : qp->init.max_send_sge);
	if (!s->length && random_chance(rng, 500))
		n = 0;
	s->num_sge = n;
	if (!n)
		return;
	cut(part, n, s->length);
	at = random_below(rng, qp->local->size - s->length + 1);
	for (i = 0; i < n; i++) {
		if (!fetch)
			at = random_below(rng, qp->local->size - part[i] + 1);
		s->local[i] = (struct sim_range){ qp->local, at, part[i] };
		name_local(qp, &s->sge[i], &s->local[i], fetch ? TP_ACCESS_LOCAL_WRITE : 0);
		at += part[i];
	}
}

static bool choose_remote(struct sim_qp *qp, struct sim_send *s)
{
	struct sim_random *rng = &world->rng;
	struct sim_area *area = qp->peer->target;
	u32 access = is_write(s->opcode) ? TP_ACCESS_REMOTE_WRITE :
		     is_atomic(s->opcode) ? TP_ACCESS_REMOTE_ATOMIC : TP_ACCESS_REMOTE_READ;
	struct sim_region *region;
	u32 off;

	off = random_below(rng, area->size - s->length + 1);
	if (is_atomic(s->opcode))
		off &= ~7u;
	if (!s->length) {
		/* As above: C9-88. */
		s->va = random_bits(rng);
		s->rkey = random_bits(rng);
		return true;
	}
	region = region_pick(area, off, s->length, qp->peer->pd, access);
	if (!region)
		return false;
	s->remote = (struct sim_range){ area, off, s->length };
	s->va = region->iova + (off - region->off);
	s->rkey = region->rkey;
	return true;
}

static const u32 uc_opcodes[] = {
	IB_UVERBS_WR_SEND, IB_UVERBS_WR_SEND_WITH_IMM, IB_UVERBS_WR_RDMA_WRITE,
	IB_UVERBS_WR_RDMA_WRITE_WITH_IMM, IB_UVERBS_WR_LOCAL_INV, TP_WR_REG_MR,
};

static const u32 rc_opcodes[] = {
	IB_UVERBS_WR_SEND, IB_UVERBS_WR_SEND_WITH_IMM, IB_UVERBS_WR_SEND_WITH_INV,
	IB_UVERBS_WR_RDMA_WRITE, IB_UVERBS_WR_RDMA_WRITE_WITH_IMM, IB_UVERBS_WR_RDMA_READ,
	IB_UVERBS_WR_ATOMIC_CMP_AND_SWP, IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD,
	IB_UVERBS_WR_LOCAL_INV, IB_UVERBS_WR_RDMA_WRITE, IB_UVERBS_WR_SEND, IB_UVERBS_WR_RDMA_READ,
	TP_WR_REG_MR,
};

static u32 choose_opcode(void)
{
	if (world->cfg.service == TP_UC)
		return uc_opcodes[random_below(&world->rng, ARRAY_SIZE(uc_opcodes))];
	return rc_opcodes[random_below(&world->rng, ARRAY_SIZE(rc_opcodes))];
}

/* A key of @owner that can be given up, or 0. */
static u32 take_spare(struct sim_qp *owner)
{
	struct sim_region *region;

	if (owner->spare_used == owner->spare.nr)
		return 0;
	region = owner->spare.item[owner->spare_used++];
	return region->rkey;
}

static u32 choose_length(struct sim_send *s)
{
	const struct sim_config *cfg = &world->cfg;
	struct sim_random *rng = &world->rng;
	bool send = takes_recv(s->opcode) && !is_write(s->opcode);
	u32 max = send ? cfg->max_send : cfg->max_msg;

	if (is_atomic(s->opcode))
		return 8;
	/* The edges of packets and of trains. */
	if (random_chance(rng, 200))
		return (random_range(rng, 0, max / cfg->mtu) * cfg->mtu +
			random_range(rng, 0, 2)) % (max + 1);
	return random_magnitude(rng, max);
}

static void choose_operands(struct sim_send *s)
{
	struct sim_random *rng = &world->rng;

	s->swap = random_bits(rng);
	s->compare = random_bits(rng);
	if (s->opcode == IB_UVERBS_WR_ATOMIC_CMP_AND_SWP && random_chance(rng, 500))
		memcpy(&s->compare, s->remote.area->model + s->remote.off, 8);
}

static void choose_flags(struct sim_qp *qp, struct sim_send *s)
{
	struct sim_random *rng = &world->rng;

	s->signaled = qp->sig_all || random_chance(rng, 500);
	s->flags = s->signaled && !qp->sig_all ? TP_SEND_SIGNALED : 0;
	if (random_chance(rng, 50))
		s->flags |= TP_SEND_FENCE;
	if (takes_recv(s->opcode) && random_chance(rng, 300))
		s->flags |= TP_SEND_SOLICITED;
	s->imm = random_bits(rng);
}

static bool choose(struct sim_qp *qp, struct sim_send *s)
{
	struct sim_random *rng = &world->rng;

	memset(s, 0, sizeof(*s));
	s->opcode = choose_opcode();
	if (is_fetch(s->opcode) && !world->cfg.rd)
		return false;
	if (!uc_may_post(qp, s))
		return false;
	choose_flags(qp, s);
	if (s->opcode == IB_UVERBS_WR_LOCAL_INV) {
		s->inv_rkey = random_chance(rng, 300) ? take_spare(qp) : 0;
		return s->inv_rkey;
	}
	if (s->opcode == TP_WR_REG_MR)
		return true;
	s->length = choose_length(s);
	if (!takes_recv(s->opcode) || is_write(s->opcode)) {
		if (!choose_remote(qp, s))
			return false;
	}
	if (is_atomic(s->opcode))
		choose_operands(s);
	if (!is_fetch(s->opcode) && s->length <= qp->init.max_inline && random_chance(rng, 300)) {
		s->flags |= TP_SEND_INLINE;
		s->inline_data = malloc(s->length + 1);
		random_fill(rng, s->inline_data, s->length);
	} else {
		choose_local(qp, s);
	}
	if (!order(qp, s)) {
		free(s->inline_data);
		return false;
	}
	if (s->opcode == IB_UVERBS_WR_SEND_WITH_INV) {
		s->inv_rkey = random_chance(rng, 300) ? take_spare(qp->peer) : 0;
		if (!s->inv_rkey)
			s->opcode = IB_UVERBS_WR_SEND;
	}
	return true;
}

/* Fresh bytes in memory that nothing else uses now. */
static void freshen(struct sim_qp *qp, struct sim_send *s)
{
	u32 i, n;

	for (i = 0; i < s->num_sge; i++) {
		n = s->local[i].len;
		if (n && !in_use(qp, &s->local[i]))
			area_scribble(s->local[i].area, s->local[i].off, n < 256 ? n : 256);
	}
	/* A WR that ended is not in use here, but may still be on its way there. */
	n = world->cfg.service == TP_RC ? s->remote.len : 0;
	if (n && random_chance(&world->rng, 300) && !in_use(qp, &s->remote))
		area_scribble(s->remote.area, s->remote.off, n < 256 ? n : 256);
}

void queue_add(struct sim_queue *q, void *item)
{
	if (q->nr == q->room) {
		q->room = q->room ? 2 * q->room : 16;
		q->item = realloc(q->item, q->room * sizeof(*q->item));
		if (!q->item)
			abort();
	}
	q->item[q->nr++] = item;
}

/* Takes @s over: it is in the model from now on. */
void post_send(struct sim_qp *qp, struct sim_send *s)
{
	struct sim_send *copy = malloc(sizeof(*copy));

	*copy = *s;
	copy->wr_id = ++world->next_id << 20 | (random_bits(&world->rng) & 0xfffff);
	copy->number = qp->sends.nr;
	oracle_post(qp, copy);
	queue_add(&qp->sends, copy);
	if (takes_recv(copy->opcode))
		queue_add(&qp->msgs, copy);
}

void post_recv(struct sim_qp *qp, struct sim_recv *r)
{
	r->wr_id = ++world->next_id << 20 | (random_bits(&world->rng) & 0xfffff);
	queue_add(&qp->rq->posted, r);
	trace("qp %u posts recv %llx: len %u", qp->qpn, (unsigned long long)r->wr_id, r->length);
}

struct sim_recv *work_make_recv(struct sim_qp *qp, u32 len)
{
	struct sim_random *rng = &world->rng;
	struct sim_rq *rq = qp->rq;
	u32 part[TP_MAX_SGE], i, at;
	struct sim_recv *r;
	int slot;

	for (slot = 0; slot < (int)rq->depth && rq->slots[slot]; slot++)
		;
	if (slot == (int)rq->depth)
		return NULL;
	rq->slots[slot] = 1;
	r = calloc(1, sizeof(*r));
	r->slot = slot;
	r->length = len;
	r->num_sge = len ? random_range(rng, 1, world->cfg.max_sge) : 0;
	if (r->num_sge)
		cut(part, r->num_sge, len);
	at = slot * rq->slot_len + random_below(rng, rq->slot_len - len + 1);
	for (i = 0; i < r->num_sge; i++) {
		r->local[i] = (struct sim_range){ rq->area, at, part[i] };
		name_local(qp, &r->sge[i], &r->local[i], TP_ACCESS_LOCAL_WRITE);
		at += part[i];
	}
	return r;
}

/* Bytes of the next receive WR: exactly the next message's if that is known, at times. */
static u32 recv_length(struct sim_qp *qp)
{
	struct sim_rq *rq = qp->rq;
	struct sim_send *m;

	if (rq == &qp->own_rq && rq->posted.nr < qp->peer->msgs.nr &&
	    (world->cfg.service == TP_RC || uc_lossless()) &&
	    random_chance(&world->rng, 500)) {
		m = qp->peer->msgs.item[rq->posted.nr];
		return is_write(m->opcode) ? random_below(&world->rng, 2) * 16 : m->length;
	}
	return rq->slot_len;
}

static bool post_some_recvs(struct sim_qp *qp)
{
	struct sim_rq *rq = qp->rq;
	u32 n = random_range(&world->rng, 1, 4);
	struct sim_recv *r;

	for (; n && rq->posted.nr - rq->done < rq->depth; n--) {
		r = work_make_recv(qp, recv_length(qp));
		if (!r)
			break;
		post_recv(qp, r);
	}
	tell_recv(qp);
	return rq->posted.nr - rq->done < rq->depth;
}

static bool post_some_sends(struct sim_qp *qp)
{
	u32 n = random_range(&world->rng, 1, 8), tries = TRIES;
	struct sim_send s;
	bool any = false;

	while (n && qp->sends.nr < qp->quota && qp->sends.nr - qp->done < qp->init.max_send_wr) {
		if (!choose(qp, &s)) {
			if (!--tries)
				break;
			continue;
		}
		freshen(qp, &s);
		post_send(qp, &s);
		any = true;
		n--;
	}
	if (any)
		kick_send(qp);
	return qp->sends.nr < qp->quota && qp->sends.nr - qp->done < qp->init.max_send_wr;
}

static void turn_at(struct sim_qp *qp, u64 wait)
{
	if (qp->app_due)
		return;
	qp->app_due = true;
	clock_add(&world->clock, world->clock.now + wait, EV_APP, qp);
}

void work_wake(struct sim_qp *qp)
{
	/* Few go on when there are errors. */
	if ((qp->failed[0] || qp->failed[1]) && random_below(&world->rng, 16))
		return;
	if (world->working)
		turn_at(qp, random_below(&world->rng, world->cfg.turn + 1));
}

void work_turn(struct sim_qp *qp)
{
	struct sim_random *rng = &world->rng;
	bool recvs, sends;

	qp->app_due = false;
	if (!world->working)
		return;
	recvs = post_some_recvs(qp);
	sends = post_some_sends(qp);
	if (qp->failed[0] || qp->failed[1])
		return;
	if (recvs && world->cfg.late_recv)
		turn_at(qp, random_below(rng, 20 * world->cfg.turn + 1));
	else if (recvs || sends)
		turn_at(qp, random_below(rng, world->cfg.turn + 1));
}

void work_start(void)
{
	u32 i;

	world->working = true;
	for (i = 0; i < world->nr_qps; i++) {
		world->qp[i].quota = world->cfg.quota;
		work_wake(&world->qp[i]);
	}
}

bool work_done(void)
{
	const struct sim_qp *qp;
	u32 i;

	for (i = 0; i < world->nr_qps; i++) {
		qp = &world->qp[i];
		if (qp->sends.nr < qp->quota || qp->seen < qp->sends.nr)
			return false;
		if (qp->matched < qp->peer->msgs.nr &&
		    (world->cfg.service == TP_RC || uc_lossless()))
			return false;
	}
	return true;
}
