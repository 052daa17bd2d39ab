// SPDX-License-Identifier: GPL-2.0
/*
 * The command queue: entries and mailboxes in, dispatch, and back out.
 *
 * Everything in guest memory may change under the model's hands, so the entry
 * and the input are copied once and only the copies are looked at.
 */
#include <stdlib.h>

#include "cmd.h"
#include "eq.h"

#define SLOT_BYTES	BIT(CMD_LOG_STRIDE)
#define CMD_TYPE	7
#define OWNER_HW	1
#define INLINE_BYTES	16u
/* Opcode and modifier in, status and syndrome out: no command has less. */
#define LEAST_BYTES	8u
#define BLOCK_DATA	((u32)MLX5_CMD_DATA_BLOCK_SIZE)

/* Delivery status, bits 7:1 of status_own. */
enum {
	DELIVERY_OK		= 0x0,
	DELIVERY_SIGNATURE	= 0x1,
	DELIVERY_TOKEN		= 0x2,
	DELIVERY_BLOCK		= 0x3,
	DELIVERY_OUT_POINTER	= 0x4,
	DELIVERY_IN_POINTER	= 0x5,
	DELIVERY_INTERNAL	= 0x6,
	DELIVERY_IN_LENGTH	= 0x7,
	DELIVERY_OUT_LENGTH	= 0x8,
	DELIVERY_DESCRIPTOR	= 0x10,
};

static u8 xor8(const void *data, u32 len)
{
	const u8 *p = data;
	u8 sum = 0;

	while (len--)
		sum ^= *p++;
	return sum;
}

/*
 * The chain of mailboxes at @addr: reads into, or writes from, @data. Only as
 * many blocks count as @len asks for; a chain may be longer.
 */
static int mailboxes(struct hca *hca, u64 addr, u8 token, u8 *data, u32 len, bool write)
{
	const int bad_pointer = write ? DELIVERY_OUT_POINTER : DELIVERY_IN_POINTER;
	struct mlx5_cmd_prot_block block;
	u32 number, n;

	for (number = 0; len; number++, data += n, len -= n) {
		if (!addr || addr & 0x3ff || dma_read(&hca->dma, addr, &block, sizeof(block)))
			return bad_pointer;
		if (block.token != token)
			return DELIVERY_TOKEN;
		if (be32_to_cpu(block.block_num) != number)
			return DELIVERY_BLOCK;
		n = len < BLOCK_DATA ? len : BLOCK_DATA;
		if (!write)
			memcpy(data, block.data, n);
		else if (dma_write(&hca->dma, addr, data, n))
			return bad_pointer;
		addr = be64_to_cpu(block.next);
	}
	return DELIVERY_OK;
}

int cmd_execute(struct cmd *cmd)
{
	const struct cmd_entry *entry;
	int status, fault;

	cmd->op = MLX5_GET(nop_in, cmd->in, opcode);
	cmd->op_mod = MLX5_GET(nop_in, cmd->in, op_mod);
	entry = cmd_lookup(cmd->op);
	fault = fault_command(cmd->hca, cmd->op);
	if (fault == FAULT_STALL) {
		info("command 0x%x is not answered", cmd->op);
		return fault;
	}
	if (fault != FAULT_NONE)
		status = cmd_fail(cmd, fault);
	else if (!entry)
		status = cmd_fail(cmd, MLX5_CMD_STAT_BAD_OP_ERR);
	else if (cmd->inlen < entry->in)
		status = cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	else if (cmd->outlen < entry->out)
		status = cmd_fail(cmd, MLX5_CMD_STAT_BAD_OUTP_LEN_ERR);
	else if (cmd->hca->state < entry->state)
		status = cmd_fail(cmd, MLX5_CMD_STAT_BAD_SYS_STATE_ERR);
	else
		status = entry->fn(cmd);
	if (status) {
		if (!cmd->syndrome)
			cmd->syndrome = 1;
		info("command %s (0x%x) op_mod 0x%x in %u out %u: status 0x%x syndrome 0x%x",
		     entry ? entry->name : "unknown", cmd->op, cmd->op_mod, cmd->inlen,
		     cmd->outlen, status, cmd->syndrome);
		memset(cmd->out, 0, cmd->outlen);
	} else {
		cmd->syndrome = 0;
		info("command %s op_mod 0x%x", entry->name, cmd->op_mod);
	}
	MLX5_SET(nop_out, cmd->out, status, status);
	MLX5_SET(nop_out, cmd->out, syndrome, cmd->syndrome);
	return status;
}

/* One slot's command; returns its delivery status, or FAULT_STALL. */
static int run(struct hca *hca, struct mlx5_cmd_layout *slot)
{
	static u8 in[CMD_MAX_IN] __aligned(8);
	static u8 out[CMD_MAX_OUT] __aligned(8);
	struct cmd cmd = { .hca = hca, .in = in, .out = out };
	int ret;

	if (xor8(slot, sizeof(*slot)) != 0xff)
		return DELIVERY_SIGNATURE;
	if (slot->type != CMD_TYPE)
		return DELIVERY_DESCRIPTOR;
	cmd.inlen = be32_to_cpu(slot->inlen);
	cmd.outlen = be32_to_cpu(slot->outlen);
	if (cmd.inlen < LEAST_BYTES || cmd.inlen > CMD_MAX_IN)
		return DELIVERY_IN_LENGTH;
	if (cmd.outlen < LEAST_BYTES || cmd.outlen > CMD_MAX_OUT)
		return DELIVERY_OUT_LENGTH;
	memcpy(in, slot->in, INLINE_BYTES);
	ret = mailboxes(hca, be64_to_cpu(slot->in_ptr), slot->token, in + INLINE_BYTES,
			cmd.inlen - min(cmd.inlen, INLINE_BYTES), false);
	if (ret)
		return ret;
	memset(out, 0, max(cmd.outlen, INLINE_BYTES));
	if (cmd_execute(&cmd) == FAULT_STALL)
		return FAULT_STALL;
	memcpy(slot->out, out, INLINE_BYTES);
	return mailboxes(hca, be64_to_cpu(slot->out_ptr), slot->token, out + INLINE_BYTES,
			 cmd.outlen - min(cmd.outlen, INLINE_BYTES), true);
}

static void run_slot(struct hca *hca, u32 i)
{
	u64 addr = hca->cmdq + i * SLOT_BYTES;
	struct mlx5_cmd_layout slot;
	struct eq *eq = hca->cmd_eq;
	u8 owner;
	int delivery;

	if (dma_read(&hca->dma, addr, &slot, sizeof(slot)))
		return;
	if (!(slot.status_own & OWNER_HW))
		return;
	delivery = run(hca, &slot);
	if (delivery == FAULT_STALL)
		return;
	if (delivery)
		info("command slot %u: delivery status 0x%x", i, delivery);
	/* The answer first, and only then the ownership. */
	owner = (u8)(delivery << 1);
	slot.sig = 0;
	slot.status_own = owner;
	slot.sig = (u8)~xor8(&slot, sizeof(slot));
	slot.status_own |= OWNER_HW;
	if (dma_write(&hca->dma, addr, &slot, sizeof(slot)))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (dma_write(&hca->dma, addr + offsetof(struct mlx5_cmd_layout, status_own), &owner, 1))
		return;
	/* The queue that was there when the command came, if it still is. */
	if (eq && eq == hca->cmd_eq)
		eq_command(hca, i);
}

static void run_commands(void *arg)
{
	struct hca *hca = arg;
	u32 i;

	if (!hca->cmd_pending)
		return;
	i = (u32)__builtin_ctz(hca->cmd_pending);
	hca->cmd_pending &= ~(1u << i);
	if (hca->cmd_pending)
		loop_queue(&hca->loop, &hca->cmd_work);
	if (hca->cmdq)
		run_slot(hca, i);
}

void cmd_doorbell(struct hca *hca, u32 mask)
{
	hca->cmd_pending |= mask;
	loop_queue(&hca->loop, &hca->cmd_work);
}

void cmd_init(struct hca *hca)
{
	hca->cmd_work = (struct work){ .fn = run_commands, .arg = hca };
}
