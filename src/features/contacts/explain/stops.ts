import { sql } from "drizzle-orm";
import { publicIdOrNull } from "../../../core/ids";
import type { EmailType } from "../../../core/mail/status";
import { iso, isoOrNull } from "../../../core/time";
import { asId, asNumber, asOneOf, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { selectOne } from "../../../db/statement";
import { failures } from "../../../engine/mail/failures";
import { monthIsOver, usedThisMonth } from "../../../engine/projects/monthly-usage";
import { pauseOf } from "../../../engine/projects/sending-paused";
import type { Context } from "../../../platform/context";
import type { Because } from "./schema";

/** Facts about mail that was not accepted yet. Null means unknown. */
export interface PlannedMail {
  type: EmailType | null;
  fromEmail: string | null;
}

/** Returns the reasons that stop the planned mail for all contacts of the project. */
export async function findStops(ctx: Context, { type, fromEmail }: PlannedMail): Promise<Because[]> {
  const { project } = ctx;
  const domain = fromEmail === null ? null : fromEmail.slice(fromEmail.indexOf("@") + 1);
  const found = await selectOne(
    ctx.db,
    sql`SELECT ${usedThisMonth(ctx)} AS used, d.id AS domain_id, d.status, d.failing_since
      FROM (SELECT 1) LEFT JOIN domains d ON ${inProject(ctx, "d")} AND d.domain = ${domain}`,
    columns({
      used: asNumber,
      domainId: orNull(asId),
      status: orNull(asOneOf<"PENDING" | "VERIFIED" | "FAILED">()),
      failingSince: orNull(asNumber),
    }),
  );
  const ofProject = { type: "project" as const, id: project.id };
  const pause = type === "MARKETING" ? pauseOf(project) : null;
  const isOver = project.monthlySendLimit !== null && found.used >= project.monthlySendLimit;
  const isUnverified = domain !== null && found.status !== "VERIFIED";
  const at = null;
  const stops: (Because | false)[] = [
    project.disabled && { at, code: "project_disabled", message: failures.projectDisabled, source: ofProject },
    pause !== null && {
      at: iso(pause.at),
      code: "sending_paused",
      message: `This project's marketing email is paused: ${pause.reason}`,
      source: ofProject,
    },
    isUnverified && {
      at: isoOrNull(found.failingSince),
      code: "sender_domain",
      message: `The sender domain ${domain} is not verified in this project`,
      source: { type: "domain", id: publicIdOrNull(found.domainId) ?? domain },
    },
    isOver && { at, code: "monthly_limit", message: monthIsOver, source: ofProject },
  ];
  return stops.filter((stop) => stop !== false);
}
