import { bodyFileName } from "../../core/campaigns/body-file";
import type { StoredVariant } from "../../core/campaigns/campaign";
import { type Id, newIdAt } from "../../core/ids";
import { Stale } from "../../db/fresh";
import type { CampaignRow } from "../../db/tables";
import { blobKey } from "../../platform/blobs";
import type { Context } from "../../platform/context";

/** The bodies of a copy of a campaign. */
interface CopiedBodies {
  bodyKey: string | null;
  variants: StoredVariant[] | null;
  /** The keys of the new files. */
  copied: string[];
}

/**
 * Copies the files of a campaign's bodies for another campaign, because a campaign's files are deleted with it. Files
 * of a template are shared: they stay while a campaign names them. Throws Stale if a file was replaced meanwhile.
 */
export async function copyFiles(ctx: Context, { bodyKey, variants }: CampaignRow, copyId: Id): Promise<CopiedBodies> {
  const prefix = blobKey("campaign", ctx.project.id, "");
  const copied: string[] = [];
  const copyOf = async (key: string) => {
    if (!key.startsWith(prefix)) return key;
    const content = await ctx.blobs.get(key);
    if (content === null) throw new Stale();
    const copy = `${prefix}${bodyFileName(copyId, newIdAt(ctx.now.getTime()))}`;
    await ctx.blobs.put(copy, content);
    copied.push(copy);
    return copy;
  };
  const own = bodyKey === null ? null : await copyOf(bodyKey);
  const ofVariants: StoredVariant[] = [];
  // One file after another, because they may be large.
  for (const variant of variants ?? [])
    ofVariants.push(variant.bodyKey === undefined ? variant : { ...variant, bodyKey: await copyOf(variant.bodyKey) });
  return { bodyKey: own, variants: variants && ofVariants, copied };
}
