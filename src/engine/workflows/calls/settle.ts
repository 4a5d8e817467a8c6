import { shardOfContact } from "../shards";
import type { Settle } from "./report";

/** Reports to the contact's shard, which ignores the outcome if the execution no longer waits for the call. */
export const settleCall: Settle = async (ctx, { contactId, executionId, stepId }, outcome) => {
  const { address, shard } = shardOfContact(ctx, contactId);
  await shard.settle(address, { executionId, stepId, outcome });
};
