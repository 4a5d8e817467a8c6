import { standingOf } from "../../../core/mail/reputation";
import { statement } from "../../../db/statement";
import { readBlock, selectBlocks } from "../../../engine/mail/report/reputation";
import { pauseOf } from "../../../engine/projects/sending-paused";
import type { AttentionCheck } from "../check";
import type { AttentionItem } from "../schema";

/** A project counts as near a limit when it has reached this part of the limit. */
const nearPart = 0.5;

/** Reports bounces and complaints once they reach half of the rate at which marketing mail is paused. */
export const checkReputation: AttentionCheck = (ctx, batch) => {
  const blocks = batch.add(statement(selectBlocks(ctx), readBlock));
  const { bouncePercent, complaintPercent } = ctx.config.reputation;
  return () => {
    const standing = standingOf(blocks.all, blocks.first?.mails ?? 0, ctx.project.sendingCountedFrom ?? 0);
    if (standing === null || pauseOf(ctx.project) !== null) return [];
    const { mails, bounced, complained } = standing;
    const isNear = (count: number, percent: number) => percent > 0 && count * 100 > nearPart * percent * mails;
    const itemOf = (code: AttentionItem["code"], count: number, what: string, percent: number): AttentionItem => ({
      code,
      severity: "warn",
      message: `${count} of the last ${mails} emails ${what}. Above ${percent} %, marketing email is paused.`,
      count,
      since: null,
      target: null,
      action: {
        text: "Look at the recipients of these emails.",
        method: "GET",
        path: `/emails?status=${code === "bounces_near_limit" ? "BOUNCED" : "COMPLAINED"}`,
      },
    });
    return [
      ...(isNear(bounced, bouncePercent) ? [itemOf("bounces_near_limit", bounced, "bounced", bouncePercent)] : []),
      ...(isNear(complained, complaintPercent)
        ? [itemOf("complaints_near_limit", complained, "drew complaints", complaintPercent)]
        : []),
    ];
  };
};
