import { type SQL, sql } from "drizzle-orm";
import type { Id } from "../../core/ids";
import { hashKey, randomHex } from "../../core/keys";
import { newCode } from "../../core/people/code";
import { invitationMail } from "../../core/people/invitation-mail";
import { type OwnMail, signInMail } from "../../core/people/sign-in-mail";
import { minuteMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { controlShard } from "../../db/client";
import { asOneOf, asText, columns, orNull } from "../../db/rows";
import { select, statement } from "../../db/statement";
import type { SignInLinkRow } from "../../db/tables";
import type { Platform } from "../../platform/context";
import { exists, type IsDue } from "../../platform/due";
import { reasonOf } from "../../platform/log";
import { sendOwnMail } from "./own-mail";

/** The maximum number of attempts to mail a link while it is valid. */
const maxAttempts = 5;
const mailsPerSweep = 20;

const readClaimed = columns({
  id: asText,
  kind: asOneOf<SignInLinkRow["kind"]>(),
  email: asText,
  origin: asText,
  invitedBy: orNull(asText),
  project: orNull(asText),
});

const dueLinks = (now: Date) =>
  sql`FROM sign_in_links INDEXED BY ix_sign_in_links_due WHERE due_at <= ${now.getTime()}`;

export const hasDueLinks: IsDue = ({ now }) => exists(dueLinks(now));

/** Sweeps sign-in links whose mail was not sent, because the provider refused for a while or the process died. */
export async function mailDueLinks(platform: Platform): Promise<void> {
  if (!platform.shards.includes(controlShard)) return;
  const now = platform.now.getTime();
  const due = await select(
    platform.control,
    sql`SELECT id ${dueLinks(platform.now)} ORDER BY due_at LIMIT ${mailsPerSweep}`,
    columns({ id: asText }),
  );
  for (const { id } of due) await mailLink(platform, sql`id = ${id} AND due_at <= ${now}`);
}

/** Mails a link that was just requested. If that fails, the sweep mails it within two minutes. */
export async function mailNewLink(platform: Platform, id: Id): Promise<void> {
  await mailLink(platform, sql`id = ${id} AND attempts = 0`).catch((error: unknown) => {
    platform.log("warn", "A sign-in mail could not be sent now; the sweep will retry", { reason: reasonOf(error) });
  });
}

/**
 * Mails a link. Only hashes are stored, so each attempt makes a new link and a new code. When the answer to the first
 * attempt was lost, the person gets two emails, and only the second mail works. An address without a person gets no
 * mail.
 */
async function mailLink(platform: Platform, isMeant: SQL): Promise<void> {
  const now = platform.now.getTime();
  const [token, code] = [randomHex(32), newCode()];
  const [hash, codeHash] = await Promise.all([hashKey(token), hashKey(code)]);
  const isOpen = sql`${isMeant} AND due_at IS NOT NULL AND used_at IS NULL AND expires_at > ${now}
    AND attempts < ${maxAttempts} AND email IN (SELECT email FROM people)`;
  const batch = openBatch(platform, platform.control);
  const claimed = batch.add(
    statement(
      sql`UPDATE sign_in_links SET hash = ${hash}, code_hash = ${codeHash}, attempts = attempts + 1, due_at = ${now + minuteMs}
        WHERE ${isOpen} RETURNING id, kind, email, origin, invited_by,
          (SELECT name FROM projects WHERE number = invited_to) AS project`,
      readClaimed,
    ),
  );
  // Clears the due time of a row for which no mail is to be sent, so that the sweep does not read it again.
  batch.add(statement(sql`UPDATE sign_in_links SET due_at = NULL WHERE ${isMeant} AND hash IS NOT ${hash}`));
  await batch.commit();
  const link = claimed.first;
  if (!link) return;
  const isSent = await sendOwnMail(platform, link.email, mailOf(link, token, code)).catch((error: unknown) => {
    platform.log("warn", "The provider did not answer a call with a sign-in mail", { reason: reasonOf(error) });
    return false;
  });
  if (!isSent) return;
  const sent = openBatch(platform, platform.control);
  sent.mayRepeat();
  sent.add(statement(sql`UPDATE sign_in_links SET due_at = NULL WHERE hash = ${hash}`));
  await sent.commit();
}

function mailOf(link: ReturnType<typeof readClaimed>, token: string, code: string): OwnMail {
  const { kind, origin, invitedBy: by, project } = link;
  const url = `${origin}/console/session/link/${token}`;
  return kind === "invitation"
    ? invitationMail({ origin, url, by, project })
    : signInMail({ host: new URL(origin).host, url, code });
}
