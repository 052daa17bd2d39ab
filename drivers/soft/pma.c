// SPDX-License-Identifier: GPL-2.0
/*
 * The performance management agent (IBA 16.1).
 */
#include "pma.h"

#include <linux/unaligned.h>

#include "device.h"
#include "stats.h"

/* Classes and methods, and with them the answers to what is not one, are IBA 13.4's. */
#define PMA_VERSION	1
/* ClassPortInfo: answers come within 4.096 us * 2^18, a second. */
#define PMA_RESP_TIME	18

/* A member of an attribute: where, how wide, and which bit of CounterSelect it has. */
struct pma_field {
	enum soft_port_counter counter;
	u16 offset;
	u16 bytes;
	__be16 select;
};

#define FIELD(type, member, counter_, select_) {		\
	.counter = counter_,					\
	.offset = offsetof(struct type, member),		\
	.bytes = sizeof_field(struct type, member),		\
	.select = select_,					\
}

/* What is not here is always 0. */
static const struct pma_field port_counters[] = {
	FIELD(ib_pma_portcounters, link_downed_counter, SOFT_PORT_LINK_DOWNED,
	      IB_PMA_SEL_LINK_DOWNED),
	FIELD(ib_pma_portcounters, port_rcv_errors, SOFT_PORT_RCV_ERRORS,
	      IB_PMA_SEL_PORT_RCV_ERRORS),
	FIELD(ib_pma_portcounters, port_xmit_discards, SOFT_PORT_XMIT_DISCARDS,
	      IB_PMA_SEL_PORT_XMIT_DISCARDS),
	FIELD(ib_pma_portcounters, port_xmit_data, SOFT_PORT_XMIT_DATA, IB_PMA_SEL_PORT_XMIT_DATA),
	FIELD(ib_pma_portcounters, port_rcv_data, SOFT_PORT_RCV_DATA, IB_PMA_SEL_PORT_RCV_DATA),
	FIELD(ib_pma_portcounters, port_xmit_packets, SOFT_PORT_XMIT_PACKETS,
	      IB_PMA_SEL_PORT_XMIT_PACKETS),
	FIELD(ib_pma_portcounters, port_rcv_packets, SOFT_PORT_RCV_PACKETS,
	      IB_PMA_SEL_PORT_RCV_PACKETS),
};

static const struct pma_field port_counters_ext[] = {
	FIELD(ib_pma_portcounters_ext, port_xmit_data, SOFT_PORT_XMIT_DATA,
	      IB_PMA_SELX_PORT_XMIT_DATA),
	FIELD(ib_pma_portcounters_ext, port_rcv_data, SOFT_PORT_RCV_DATA,
	      IB_PMA_SELX_PORT_RCV_DATA),
	FIELD(ib_pma_portcounters_ext, port_xmit_packets, SOFT_PORT_XMIT_PACKETS,
	      IB_PMA_SELX_PORT_XMIT_PACKETS),
	FIELD(ib_pma_portcounters_ext, port_rcv_packets, SOFT_PORT_RCV_PACKETS,
	      IB_PMA_SELX_PORT_RCV_PACKETS),
};

/* Both attributes begin like this. */
struct pma_head {
	u8 reserved;
	u8 port_select;
	__be16 counter_select;
};

static_assert(offsetof(struct ib_pma_portcounters, counter_select) ==
	      offsetof(struct pma_head, counter_select));
static_assert(offsetof(struct ib_pma_portcounters_ext, counter_select) ==
	      offsetof(struct pma_head, counter_select));
static_assert(sizeof(struct ib_pma_mad) == sizeof(struct ib_mad));

/* A counter that is too narrow stays at its largest value (IBA 16.1.3.5). */
static void put(void *to, u16 bytes, u64 value)
{
	switch (bytes) {
	case 1:
		*(u8 *)to = min_t(u64, value, U8_MAX);
		break;
	case 2:
		put_unaligned_be16(min_t(u64, value, U16_MAX), to);
		break;
	case 4:
		put_unaligned_be32(min_t(u64, value, U32_MAX), to);
		break;
	default:
		put_unaligned_be64(value, to);
	}
}

static u64 get(const void *from, u16 bytes)
{
	switch (bytes) {
	case 1:
		return *(const u8 *)from;
	case 2:
		return get_unaligned_be16(from);
	case 4:
		return get_unaligned_be32(from);
	default:
		return get_unaligned_be64(from);
	}
}

/* A Set gives the counters that CounterSelect names the values that it has for them. */
static void set(const struct pma_field *fields, u32 nr, u64 *base, const u64 *now,
		const u8 *data)
{
	const struct pma_head *head = (const void *)data;
	u32 i;

	for (i = 0; i < nr; i++)
		if (head->counter_select & fields[i].select)
			base[fields[i].counter] = now[fields[i].counter] -
						  get(data + fields[i].offset, fields[i].bytes);
}

static __be16 answer_counters(struct soft_pma *pma, const struct pma_field *fields, u32 nr,
			      u64 *base, const u64 *now, const struct ib_pma_mad *in,
			      struct ib_pma_mad *out)
{
	const struct pma_head *asked = (const void *)in->data;
	struct pma_head *head = (void *)out->data;
	u32 i;

	if (asked->port_select != 1)
		return cpu_to_be16(IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
	spin_lock(&pma->lock);
	if (in->mad_hdr.method == IB_MGMT_METHOD_SET)
		set(fields, nr, base, now, in->data);
	memset(out->data, 0, sizeof(out->data));
	head->port_select = asked->port_select;
	head->counter_select = asked->counter_select;
	for (i = 0; i < nr; i++)
		put(out->data + fields[i].offset, fields[i].bytes,
		    now[fields[i].counter] - base[fields[i].counter]);
	spin_unlock(&pma->lock);
	return 0;
}

/* There are 64-bit counters, but not those that tell unicast from multicast. */
static __be16 answer_info(const struct ib_pma_mad *in, struct ib_pma_mad *out)
{
	struct ib_class_port_info info = {
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = PMA_VERSION,
		.capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF,
	};

	if (in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	ib_set_cpi_resp_time(&info, PMA_RESP_TIME);
	memset(out->data, 0, sizeof(out->data));
	memcpy(out->data, &info, sizeof(info));
	return 0;
}

static __be16 answer_attribute(struct soft_pma *pma, const u64 *now, const struct ib_pma_mad *in,
			       struct ib_pma_mad *out)
{
	switch (in->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		return answer_info(in, out);
	case IB_PMA_PORT_COUNTERS:
		return answer_counters(pma, port_counters, ARRAY_SIZE(port_counters), pma->base,
				       now, in, out);
	case IB_PMA_PORT_COUNTERS_EXT:
		return answer_counters(pma, port_counters_ext, ARRAY_SIZE(port_counters_ext),
				       pma->base_ext, now, in, out);
	default:
		return cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	}
}

bool soft_pma_answer(struct soft_pma *pma, const u64 *now, const struct ib_mad *in,
		     struct ib_mad *out)
{
	const struct ib_pma_mad *asked = (const void *)in;
	struct ib_pma_mad *said = (void *)out;

	/* An answer is for who asked: also a program on this device. */
	if (asked->mad_hdr.method != IB_MGMT_METHOD_GET &&
	    asked->mad_hdr.method != IB_MGMT_METHOD_SET)
		return false;
	*said = *asked;
	said->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	if (asked->mad_hdr.class_version != PMA_VERSION)
		said->mad_hdr.status = cpu_to_be16(IB_MGMT_MAD_STATUS_BAD_VERSION);
	else
		said->mad_hdr.status = answer_attribute(pma, now, asked, said);
	return true;
}

/* Made with the device. */
void soft_pma_init(struct soft_pma *pma)
{
	spin_lock_init(&pma->lock);
}

/**
 * soft_process_mad() - ib_device_ops.process_mad
 * @ibdev: the device
 * @flags: IB_MAD_IGNORE_*: there are no keys
 * @port: 1
 * @wc: of the datagram that brought @in; NULL: IB core asks for sysfs
 * @grh: of the same
 * @in: the datagram
 * @out: filled with the answer
 * @out_size: of @out
 * @out_pkey_index: the only one, 0, as it is
 *
 * Return: IB_MAD_RESULT_SUCCESS: it is for others; with IB_MAD_RESULT_REPLY: @out is to
 * be sent.
 */
int soft_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		     const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_size, u16 *out_pkey_index)
{
	struct soft_dev *dev = to_soft_dev(ibdev);
	u64 now[SOFT_NUM_PORT_COUNTERS];

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT)
		return IB_MAD_RESULT_SUCCESS;
	soft_stats_port(dev->stats, now);
	if (!soft_pma_answer(&dev->pma, now, in, out))
		return IB_MAD_RESULT_SUCCESS;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
