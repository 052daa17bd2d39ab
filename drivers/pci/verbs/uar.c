// SPDX-License-Identifier: GPL-2.0
/*
 * UARs of programs. A queue names the UAR that its doorbells are in by number, and may
 * name only one of its own program's.
 */
#include "ucontext.h"

#include <linux/slab.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME ohca_pci
#include <rdma/uverbs_named_ioctl.h>

#include "verbs.h"

/**
 * verbs_uar_make() - gives a program a UAR
 * @uctx: the program's context
 *
 * Context: may sleep.
 * Return: the UAR, for verbs_uar_put(); or an ERR_PTR.
 */
struct verbs_uar *verbs_uar_make(struct verbs_ucontext *uctx)
{
	struct ohca_hca *hca = to_hca(uctx->ibuctx.device);
	struct verbs_uar *uar = kzalloc(sizeof(*uar), GFP_KERNEL_ACCOUNT);
	int err;

	if (!uar)
		return ERR_PTR(-ENOMEM);
	uar->uctx = uctx;
	kref_init(&uar->refs);
	err = ohca_uar_alloc(hca, &uar->uar, false);
	if (err)
		goto err_uar;
	err = xa_err(xa_store(&uctx->uars, uar->uar.index, uar, GFP_KERNEL));
	if (err)
		goto err_store;
	return uar;

err_store:
	ohca_uar_free(hca, &uar->uar);
err_uar:
	kfree(uar);
	return ERR_PTR(err);
}

/**
 * verbs_uar_get() - a program's UAR by number
 * @uctx: the program's context
 * @index: number that the program gave, any value
 *
 * Context: may sleep.
 * Return: the UAR, for verbs_uar_put(); NULL: the program has none of that number.
 */
struct verbs_uar *verbs_uar_get(struct verbs_ucontext *uctx, u32 index)
{
	struct verbs_uar *uar;

	xa_lock(&uctx->uars);
	uar = xa_load(&uctx->uars, index);
	if (uar && !kref_get_unless_zero(&uar->refs))
		uar = NULL;
	xa_unlock(&uctx->uars);
	return uar;
}

static void uar_release(struct kref *refs)
{
	struct verbs_uar *uar = container_of(refs, struct verbs_uar, refs);

	xa_erase(&uar->uctx->uars, uar->uar.index);
	ohca_uar_free(to_hca(uar->uctx->ibuctx.device), &uar->uar);
	kfree(uar);
}

/**
 * verbs_uar_put() - drops a reference
 * @uar: the UAR; it goes back to the device when it was the last
 *
 * Context: may sleep.
 */
void verbs_uar_put(struct verbs_uar *uar)
{
	kref_put(&uar->refs, uar_release);
}

/* The object: uobj->object is what the program maps. */
static int uar_cleanup(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	struct verbs_map *map = uobj->object;

	rdma_user_mmap_entry_remove(&map->entry);
	return 0;
}

static struct verbs_map *uar_map(struct ib_ucontext *ibuctx, struct verbs_uar *uar,
				 enum mlx5_ib_uapi_uar_alloc_type type)
{
	enum verbs_map_kind kind = type == MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF ? VERBS_MAP_UAR_WC :
									     VERBS_MAP_UAR_NC;

	return verbs_map_add(ibuctx, kind, uar->uar.addr, uar,
			     verbs_map_offset(VERBS_MAP_FIRST_FREE, 0),
			     verbs_map_offset(VERBS_MAP_LAST_FREE, 0xffff));
}

static int uar_answer(struct uverbs_attr_bundle *attrs, struct verbs_map *map, u32 index)
{
	u64 offset = rdma_user_mmap_get_offset(&map->entry);
	u32 length = PAGE_SIZE;
	int err;

	err = uverbs_copy_to(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset,
			     sizeof(offset));
	err = err ?: uverbs_copy_to(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length,
				    sizeof(length));
	return err ?: uverbs_copy_to(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &index,
				     sizeof(index));
}

static int UVERBS_HANDLER(MLX5_IB_METHOD_UAR_OBJ_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs,
							  MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE);
	enum mlx5_ib_uapi_uar_alloc_type type;
	struct ib_ucontext *ibuctx;
	struct verbs_uar *uar;
	struct verbs_map *map;
	u32 index;
	int err;

	ibuctx = ib_uverbs_get_ucontext(attrs);
	if (IS_ERR(ibuctx))
		return PTR_ERR(ibuctx);
	err = uverbs_get_const(&type, attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	if (err)
		return err;
	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return -EOPNOTSUPP;
	uar = verbs_uar_make(to_verbs_ucontext(ibuctx));
	if (IS_ERR(uar))
		return PTR_ERR(uar);
	index = uar->uar.index;
	map = uar_map(ibuctx, uar, type);
	/* The map holds it from now on, or it goes. */
	verbs_uar_put(uar);
	if (IS_ERR(map))
		return PTR_ERR(map);
	uobj->object = map;
	uverbs_finalize_uobj_create(attrs, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE);
	return uar_answer(attrs, map, index);
}

DECLARE_UVERBS_NAMED_METHOD(MLX5_IB_METHOD_UAR_OBJ_ALLOC,
			    UVERBS_ATTR_IDR(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE,
					    MLX5_IB_OBJECT_UAR, UVERBS_ACCESS_NEW, UA_MANDATORY),
			    UVERBS_ATTR_CONST_IN(MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE,
						 enum mlx5_ib_uapi_uar_alloc_type, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET,
						UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID,
						UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(MLX5_IB_METHOD_UAR_OBJ_DESTROY,
				    UVERBS_ATTR_IDR(MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE,
						    MLX5_IB_OBJECT_UAR, UVERBS_ACCESS_DESTROY,
						    UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(MLX5_IB_OBJECT_UAR, UVERBS_TYPE_ALLOC_IDR(uar_cleanup),
			    &UVERBS_METHOD(MLX5_IB_METHOD_UAR_OBJ_ALLOC),
			    &UVERBS_METHOD(MLX5_IB_METHOD_UAR_OBJ_DESTROY));

/* A CQ's UAR has its own attribute where the number has more than 16 bits. */
ADD_UVERBS_ATTRIBUTES_SIMPLE(ohca_pci_cq_create, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE,
			     UVERBS_ATTR_PTR_IN(MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX,
						UVERBS_ATTR_TYPE(u32), UA_OPTIONAL));

const struct uapi_definition verbs_uar_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(MLX5_IB_OBJECT_UAR),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_CQ, &ohca_pci_cq_create),
	{},
};
