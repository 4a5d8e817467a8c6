import { shardOfContact } from "../shards";
import type { Settle } from "./call-some";

/** Tells the shard of the contact. An execution that waits for the call no longer is none of its business. */
export const settleCall: Settle = async (ctx, { contactId, executionId, stepId }, outcome) => {
  const { address, shard } = shardOfContact(ctx, contactId);
  await shard.settle(address, { executionId, stepId, outcome });
};
