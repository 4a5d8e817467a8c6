import { sql } from "drizzle-orm";
import { publicId } from "../../../core/ids";
import type { KeyGrant } from "../../../core/keys";
import { dayMs, iso } from "../../../core/time";
import { asId, asNumber, asOneOf, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { statement } from "../../../db/statement";
import { type AttentionCheck, maxItems } from "../check";

const unusedDays = 30;

const readKey = columns({
  id: asId,
  kind: asOneOf<KeyGrant>(),
  name: orNull(asText),
  prefix: asText,
  createdAt: asNumber,
});

/**
 * Finds keys that were never used. They should be revoked, because every key can leak. Keys are in the control
 * database, so this check has a batch of its own.
 */
export const checkKeys: AttentionCheck = (ctx, control) => {
  const until = ctx.realClock().getTime() - unusedDays * dayMs;
  const unused = control.add(
    statement(
      sql`SELECT id, kind, name, prefix, created_at FROM (SELECT * FROM api_keys WHERE ${inProject(ctx)} LIMIT 1000)
        WHERE last_used_at IS NULL AND created_at <= ${until} LIMIT ${maxItems}`,
      readKey,
    ),
  );
  return () =>
    unused.all.map(({ id, kind, name, prefix, createdAt }) => ({
      code: "key_unused",
      severity: "info",
      message: `The ${kind} key ${name === null ? "" : `${JSON.stringify(name)} `}is over ${unusedDays} days old and was never used.`,
      count: 1,
      since: iso(createdAt),
      target: { type: "key", id: publicId(id), name: name ?? prefix },
      action: {
        text: "Revoke the key unless somebody needs it.",
        method: "DELETE",
        path: `/admin/projects/${ctx.project.id}/keys/${publicId(id)}`,
      },
    }));
};
