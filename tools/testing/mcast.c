// SPDX-License-Identifier: GPL-2.0
/*
 * mcast refuse|copies|hold|receive|send DEVICE GID-INDEX GROUP
 *
 * refuse   what must not be attached is refused: other QPs, other addresses, more
 *          groups and more QPs than the device says it has
 * copies   each QP attached gets a copy of a datagram, the sender's too, and no other
 * hold     attaches a QP, says so and waits to be killed
 * receive  attaches a QP, says so and waits for a datagram
 * send     sends one, not attached itself
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <unistd.h>

#include "rc.h"

#define QKEY 0x11111111
#define GRH 40
#define TEXT "to whom it may concern"

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t data[256];
};

static struct rc_dev dev;

static struct ibv_qp *make_qp(struct ibv_cq *cq, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = type,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(dev.pd, &init);

	if (!qp)
		die("create_qp");
	return qp;
}

static void to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_QKEY))
		die("to INIT");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		die("to RTR");
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN))
		die("to RTS");
}

static void make_end(struct end *end)
{
	struct ibv_sge sge = { .addr = (uintptr_t)end->data, .length = sizeof(end->data) };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int i;

	end->cq = ibv_create_cq(dev.ctx, 16, NULL, NULL, 0);
	end->mr = ibv_reg_mr(dev.pd, end->data, sizeof(end->data), IBV_ACCESS_LOCAL_WRITE);
	if (!end->cq || !end->mr)
		die("set up an end");
	end->qp = make_qp(end->cq, IBV_QPT_UD);
	to_rts(end->qp);
	sge.lkey = end->mr->lkey;
	for (i = 0; i < 3; i++)
		if (ibv_post_recv(end->qp, &wr, &bad))
			die("post_recv");
}

static void attach(struct ibv_qp *qp, const union ibv_gid *group)
{
	if (ibv_attach_mcast(qp, group, 0))
		die("attach");
}

/* The call must fail with @want. */
static void refused(int err, int want, const char *what)
{
	if (err != want && errno != want)
		die("%s: %d, not %d", what, err, want);
	if (!err)
		die("%s was not refused", what);
	errno = 0;
}

static void refuse_kinds(const union ibv_gid *group)
{
	struct ibv_cq *cq = ibv_create_cq(dev.ctx, 16, NULL, NULL, 0);
	union ibv_gid other = *group;
	struct ibv_qp *qp;

	qp = make_qp(cq, IBV_QPT_RC);
	refused(ibv_attach_mcast(qp, group, 0), EINVAL, "attach of an RC QP");
	ibv_destroy_qp(qp);

	qp = make_qp(cq, IBV_QPT_UD);
	refused(ibv_attach_mcast(qp, &dev.gid, 0), EINVAL, "attach to a unicast address");
	memset(&other, 0, sizeof(other));
	refused(ibv_attach_mcast(qp, &other, 0), EINVAL, "attach to no address");
	other.raw[10] = 0xff;
	other.raw[11] = 0xff;
	other.raw[12] = 10;
	refused(ibv_attach_mcast(qp, &other, 0), EINVAL, "attach to an IPv4 address");
	refused(ibv_detach_mcast(qp, group, 0), EINVAL, "detach of what is not attached");
	attach(qp, group);
	attach(qp, group);
	if (ibv_detach_mcast(qp, group, 0))
		die("detach");
	refused(ibv_detach_mcast(qp, group, 0), EINVAL, "a second detach");
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
}

static void refuse_many(const union ibv_gid *group)
{
	struct ibv_cq *cq = ibv_create_cq(dev.ctx, 16, NULL, NULL, 0);
	struct ibv_device_attr attr;
	union ibv_gid other = *group;
	struct ibv_qp *qp;
	int i, most;

	if (ibv_query_device(dev.ctx, &attr) || attr.max_mcast_grp <= 0 ||
	    attr.max_mcast_qp_attach <= 0)
		die("the device tells no limits");
	qp = make_qp(cq, IBV_QPT_UD);
	for (i = 0; i < attr.max_mcast_grp; i++) {
		other.raw[14] = i >> 8;
		other.raw[15] = i;
		attach(qp, &other);
	}
	other.raw[14] = i >> 8;
	other.raw[15] = i;
	refused(ibv_attach_mcast(qp, &other, 0), ENOMEM, "a group too many");
	refused(ibv_destroy_qp(qp), EBUSY, "the end of a QP that is attached");
	while (i--) {
		other.raw[14] = i >> 8;
		other.raw[15] = i;
		if (ibv_detach_mcast(qp, &other, 0))
			die("detach");
	}
	if (ibv_destroy_qp(qp))
		die("destroy_qp");
	most = attr.max_mcast_qp_attach;
	for (i = 0; i < most; i++)
		attach(make_qp(cq, IBV_QPT_UD), group);
	qp = make_qp(cq, IBV_QPT_UD);
	refused(ibv_attach_mcast(qp, group, 0), ENOMEM, "a QP too many");
}

static void send_to(struct end *from, const union ibv_gid *group)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = *group, .hop_limit = 1, .sgid_index = dev.gid_index },
	};
	static char text[] = TEXT;
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, text, sizeof(text), 0);
	struct ibv_sge sge = { .addr = (uintptr_t)text, .length = sizeof(text) };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .remote_qpn = 0xffffff, .remote_qkey = QKEY },
	}, *bad;
	struct ibv_wc wc;

	wr.wr.ud.ah = ibv_create_ah(dev.pd, &attr);
	if (!mr || !wr.wr.ud.ah)
		die("set up sending");
	sge.lkey = mr->lkey;
	if (ibv_post_send(from->qp, &wr, &bad))
		die("post_send");
	wc = rc_poll(from->cq);
	if (wc.status || wc.opcode != IBV_WC_SEND)
		die("the send ended with status %d, opcode %d", wc.status, wc.opcode);
	ibv_destroy_ah(wr.wr.ud.ah);
	ibv_dereg_mr(mr);
}

/* The next completion is a good datagram to @group, from QP @from or, if that is 0, from any. */
static void gets(struct end *end, uint32_t from, const union ibv_gid *group)
{
	bool v4 = !group->raw[0];
	struct ibv_wc wc = rc_poll(end->cq);

	if (wc.status || wc.opcode != IBV_WC_RECV)
		die("received with status %d, opcode %d", wc.status, wc.opcode);
	if (wc.byte_len != GRH + sizeof(TEXT) || !(wc.wc_flags & IBV_WC_GRH) ||
	    (from && wc.src_qp != from) || wc.qp_num != end->qp->qp_num)
		die("%u bytes from %u, flags %x", wc.byte_len, wc.src_qp, wc.wc_flags);
	if (strcmp((char *)end->data + GRH, TEXT))
		die("the text is another");
	if (memcmp(end->data + (v4 ? 36 : 24), group->raw + (v4 ? 12 : 0), v4 ? 4 : 16))
		die("the header names another group");
	memset(end->data, 0, sizeof(end->data));
}

static void gets_nothing(struct end *end)
{
	struct ibv_wc wc;

	if (ibv_poll_cq(end->cq, 1, &wc))
		die("a datagram that is for others");
}

static void copies(const union ibv_gid *group)
{
	struct end member[3], other;
	union ibv_gid neighbour = *group;
	int i;

	neighbour.raw[15] ^= 1;
	make_end(&other);
	attach(other.qp, &neighbour);
	for (i = 0; i < 3; i++) {
		make_end(&member[i]);
		attach(member[i].qp, group);
	}
	send_to(&member[0], group);
	for (i = 0; i < 3; i++)
		gets(&member[i], member[0].qp->qp_num, group);
	gets_nothing(&other);

	if (ibv_detach_mcast(member[1].qp, group, 0))
		die("detach");
	send_to(&other, group);
	gets(&member[0], other.qp->qp_num, group);
	gets(&member[2], other.qp->qp_num, group);
	usleep(50000);
	gets_nothing(&member[1]);
	gets_nothing(&other);
}

static void say_attached(void)
{
	printf("attached\n");
	fflush(stdout);
}

static void refuse(const union ibv_gid *group)
{
	refuse_kinds(group);
	refuse_many(group);
}

static void hold(const union ibv_gid *group)
{
	struct ibv_cq *cq = ibv_create_cq(dev.ctx, 16, NULL, NULL, 0);

	attach(make_qp(cq, IBV_QPT_UD), group);
	say_attached();
	pause();
}

static void receive(const union ibv_gid *group)
{
	struct end end;

	make_end(&end);
	attach(end.qp, group);
	say_attached();
	gets(&end, 0, group);
}

static void send_one(const union ibv_gid *group)
{
	struct end end;

	make_end(&end);
	send_to(&end, group);
}

static const struct mode {
	const char *name;
	void (*run)(const union ibv_gid *group);
} modes[] = {
	{ "refuse", refuse }, { "copies", copies }, { "hold", hold }, { "receive", receive },
	{ "send", send_one }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	union ibv_gid group = { };
	const struct mode *mode;

	if (argc != 5)
		die("usage: mcast refuse|copies|hold|receive|send DEVICE GID-INDEX GROUP");
	if (inet_pton(AF_INET, argv[4], group.raw + 12) == 1)
		memset(group.raw + 10, 0xff, 2);
	else if (inet_pton(AF_INET6, argv[4], group.raw) != 1)
		die("no address: %s", argv[4]);
	rc_open(&dev, argv[2], atoi(argv[3]));
	for (mode = modes; mode->name; mode++) {
		if (strcmp(argv[1], mode->name))
			continue;
		mode->run(&group);
		return 0;
	}
	die("unknown: %s", argv[1]);
}
