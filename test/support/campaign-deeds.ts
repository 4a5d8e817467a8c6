import { type Id, readId } from "../../src/core/ids";
import { cancelCampaign } from "../../src/features/campaigns/cancel";
import { deleteCampaign } from "../../src/features/campaigns/delete";
import { pauseCampaign } from "../../src/features/campaigns/pause";
import { replaceCampaign } from "../../src/features/campaigns/replace";
import { resumeCampaign } from "../../src/features/campaigns/resume";
import { retryCampaign } from "../../src/features/campaigns/retry";
import { sendCampaign } from "../../src/features/campaigns/send";
import { unscheduleCampaign } from "../../src/features/campaigns/unschedule";
import { cancelEmail } from "../../src/features/emails/cancel";
import { retryEmail } from "../../src/features/emails/retry";
import type { Context } from "../../src/platform/context";
import type { Drawn } from "./acts";
import type { Draw } from "./campaign-changes";
import { audienceFields, type Deed, type Play, type ToldCampaign } from "./campaign-play";

/** What people do with campaigns. Whatever is in a list more often is drawn more often. */
export const ofCampaign: Draw[] = [
  ...[
    send,
    send,
    schedule,
    schedule,
    unschedule,
    replace,
    pause,
    pause,
    resume,
    resume,
    resume,
    cancel,
    retry,
    retry,
    retry,
    remove,
  ],
];

/** What they do with single emails. */
export const ofEmail: Draw[] = [cancelOne, retryOne];

/** The states, as they were last seen, in which people mostly do it. */
const fits: Partial<Record<Deed["kind"], string[]>> = {
  send: ["DRAFT", "SCHEDULED"],
  schedule: ["DRAFT"],
  unschedule: ["SCHEDULED"],
  pause: ["SENDING"],
  resume: ["SENDING"],
  cancel: ["SENDING"],
  retry: ["SENT"],
  delete: ["SENT", "CANCELLED"],
};

/** What somebody does with a campaign. */
function deed(
  play: Play,
  kind: Deed["kind"],
  run: (ctx: Context, campaign: ToldCampaign) => Promise<unknown>,
  more: Pick<Deed, "statuses"> = {},
): Drawn {
  const { random, campaigns } = play;
  const fit = campaigns.filter(({ status }) => fits[kind]?.includes(status));
  const campaign = random.of(fit.length > 0 && random.isIn(80) ? fit : campaigns);
  const { id } = campaign;
  return {
    name: `${kind} ${id.slice(-4)} ${more.statuses?.join() ?? ""}`,
    run: (ctx) => run(ctx, campaign),
    told: (span) => play.deeds.push({ kind, id, ...span, ...more }),
  };
}

export function send(play: Play): Drawn {
  return deed(play, "send", (ctx, { row }) => sendCampaign(ctx, row, {}));
}

function schedule(play: Play): Drawn {
  const at = play.world.now + play.random.of([-1, 1, 3]) * 60_000;
  const scheduledFor = new Date(at).toISOString();
  return deed(play, "schedule", (ctx, { row }) => sendCampaign(ctx, row, { scheduledFor }));
}

function unschedule(play: Play): Drawn {
  return deed(play, "unschedule", (ctx, { row }) => unscheduleCampaign(ctx, row));
}

/** It goes to others. */
function replace(play: Play): Drawn {
  const { random, campaigns, segment, rules } = play;
  const open = campaigns.filter(({ status }) => status === "DRAFT" || status === "SCHEDULED");
  const campaign = random.of(open.length > 0 ? open : campaigns);
  const audience = random.of([null, "segment", random.of(rules)] as const);
  return {
    name: `${campaign.id.slice(-4)} goes to ${JSON.stringify(audience)?.slice(0, 100)}`,
    run: (ctx) => replaceCampaign(ctx, campaign.row, audienceFields(audience, segment.row)),
    told: (span) => campaign.audience.write(audience, span),
  };
}

function pause(play: Play): Drawn {
  return deed(play, "pause", (ctx, { row }) => pauseCampaign(ctx, row));
}

function resume(play: Play): Drawn {
  return deed(play, "resume", (ctx, { row }) => resumeCampaign(ctx, row));
}

function cancel(play: Play): Drawn {
  return deed(play, "cancel", (ctx, { row }) => cancelCampaign(ctx, row));
}

function retry(play: Play): Drawn {
  const statuses = play.random.of([["FAILED"], ["UNKNOWN"], ["FAILED", "UNKNOWN"], ["FAILED", "CANCELLED"]] as const);
  return deed(play, "retry", (ctx, { row }) => retryCampaign(ctx, row, { statuses: [...statuses] }), {
    statuses: [...statuses],
  });
}

function remove(play: Play): Drawn {
  return deed(play, "delete", (ctx, { row }) => deleteCampaign(ctx, row));
}

function cancelOne(play: Play): Drawn {
  return toEmail(play, "cancel email", cancelEmail);
}

function retryOne(play: Play): Drawn {
  return toEmail(play, "retry email", retryEmail);
}

/** Which email that is, is known when it is done. */
function toEmail(play: Play, kind: Deed["kind"], run: (ctx: Context, id: Id) => Promise<unknown>): Drawn {
  const { project, random } = play;
  const wanted = kind === "cancel email" ? "('QUEUED')" : "('FAILED', 'UNKNOWN', 'CANCELLED')";
  const index = random.below(5);
  let id = "";
  return {
    name: kind,
    async run(ctx) {
      const query = `SELECT id FROM emails WHERE project_id = ? AND status IN ${wanted} ORDER BY id LIMIT 1 OFFSET ?`;
      id = (await project.db.prepare(query).bind(project.number, index).first<string>("id")) ?? "";
      if (id) await run(ctx, readId(id));
    },
    told: (span) => id && play.deeds.push({ kind, id, ...span }),
  };
}
