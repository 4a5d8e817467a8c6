import { sql } from "drizzle-orm";
import { Conflict } from "../../../core/errors";
import { newId } from "../../../core/ids";
import type { RelyingParty } from "../../../core/people/relying-party";
import type { Visitor } from "../../../core/people/visitor";
import { openBatch } from "../../../db/batch";
import { wholeRow } from "../../../db/rows";
import { statement } from "../../../db/statement";
import { passkeys } from "../../../db/tables";
import { recordChange } from "../../../engine/audit/record-change";
import type { Platform } from "../../../platform/context";
import { sessionEnded } from "../sessions";
import { requireChallenge, useChallenge } from "./challenge";
import { auditedPasskey, maxPasskeys, passkeyJson } from "./passkey";
import type { AddPasskey } from "./schema";
import { verifyRegistration } from "./verify";

/** Adds a passkey with which the person can sign in from now on. */
export async function addPasskey(
  platform: Platform,
  visitor: Visitor,
  party: RelyingParty,
  { name, credential }: AddPasskey,
) {
  const { person, sessionId } = visitor;
  const purpose = { is: "registration" as const, personId: person.id };
  const challenge = await requireChallenge(platform, purpose, credential.response.clientDataJSON);
  const made = await verifyRegistration(platform, credential, { challenge: challenge.text, party });
  const [id, now] = [newId(), platform.now.getTime()];
  const own = sql`SELECT * FROM passkeys WHERE id = ${id}`;
  const batch = openBatch(platform, platform.control);
  batch.recognise(sql`EXISTS (${own})`);
  batch.addAll([useChallenge(challenge)]);
  // Sessions are cached, so this guard keeps a session that has just ended from adding a passkey.
  batch.guard(sql`EXISTS (SELECT 1 FROM sessions WHERE id = ${sessionId} AND person_id = ${person.id})`, () =>
    sessionEnded(),
  );
  batch.guard(sql`(SELECT count(*) FROM passkeys WHERE person_id = ${person.id}) < ${maxPasskeys}`, () =>
    tooManyPasskeys(),
  );
  recordChange(batch, platform, auditedPasskey(visitor, id));
  const added = batch.add(
    statement(
      sql`INSERT INTO passkeys (credential_id, id, person_id, public_key, counter, is_backup_eligible, is_backed_up,
          transports, name, created_at)
        VALUES (${made.credentialId}, ${id}, ${person.id}, ${made.publicKey}, ${made.counter},
          ${made.isBackupEligible ? 1 : 0}, ${made.isBackedUp ? 1 : 0},
          ${JSON.stringify(credential.response.transports ?? [])}, ${name}, ${now}) RETURNING *`,
      wholeRow(passkeys),
      { again: own, refusals: [{ on: { unique: "passkeys.credential_id" }, refuse: () => alreadyAdded() }] },
    ),
  );
  await batch.commit();
  return passkeyJson(added.one);
}

export function alreadyAdded(): Conflict {
  return new Conflict("This passkey was added before. Nothing was done.", {
    suggestion: "Sign in with the passkey: POST /console/session/passkey.",
  });
}

function tooManyPasskeys(): Conflict {
  return new Conflict(`A person has at most ${maxPasskeys} passkeys. Nothing was done.`, {
    suggestion: "Remove a passkey that is no longer used: DELETE /console/passkeys/{id}.",
  });
}
