import { deedsOn, type Ended, mayHaveFailed, ofAudience, out } from "./campaign-audience-faults";
import type { Deed, Person, Play, ToldCampaign } from "./campaign-play";

interface CampaignNow {
  id: string;
  status: string;
  sentAt: number | null;
  completedAt: number | null;
  heldReason: string | null;
  phase: string | null;
  open: number;
}

const final = [...out, "FAILED", "SUPPRESSED", "CANCELLED", "UNKNOWN"];

/** How the campaigns stand now. Remembers when each was first seen to be sent, and to have its whole ledger. */
export async function observe({ project, world, campaigns, deeds }: Play): Promise<string[]> {
  const now = await campaignsNow(project);
  const faults: string[] = [];
  for (const told of campaigns) {
    const row = now.find(({ id }) => id === told.id);
    told.status = row?.status ?? "deleted";
    if (!row) continue;
    if (row.sentAt !== null) told.frozenBy ??= world.now;
    const isWritten = row.phase === "deliver" || row.phase === "reopen";
    if (row.status === "SENT" || (row.status === "SENDING" && isWritten)) told.writtenBy ??= world.now;
    const isRetried = deeds.some(({ kind }) => kind === "retry email");
    if (row.status === "SENT" && row.open > 0 && !isRetried) faults.push(`${told.id} is SENT with ${row.open} open`);
    if (row.status === "SENT" && row.phase !== null) faults.push(`${told.id} is SENT, and has a run`);
    if ((row.status === "SENT") !== (row.completedAt !== null)) faults.push(`${told.id}: completedAt of ${row.status}`);
  }
  return faults;
}

export async function campaignsNow({ db, number }: Play["project"]): Promise<CampaignNow[]> {
  const { results } = await db
    .prepare(
      `SELECT c.id, c.status, c.sent_at AS sentAt, c.completed_at AS completedAt, c.held_reason AS heldReason,
        r.progress->>'phase' AS phase, (SELECT count(*) FROM emails e WHERE e.project_id = c.project_id
          AND +e.campaign_id = c.id AND e.status IN ('QUEUED', 'SENDING')) AS open
      FROM campaigns c LEFT JOIN campaign_runs r ON r.project_id = c.project_id AND r.id = c.id WHERE c.project_id = ?`,
    )
    .bind(number)
    .all<CampaignNow>();
  return results;
}

/** What is wrong with how everything ended. */
export async function faultsAtRest(play: Play): Promise<string[]> {
  const { db, number } = play.project;
  const { results } = await db
    .prepare(
      `SELECT e.id, e.campaign_id, e.contact_id, e.status, e.due_at IS NOT NULL OR e.next_attempt_at IS NOT NULL AS isOpen
      FROM emails e WHERE e.project_id = ?`,
    )
    .bind(number)
    .all<{ id: string; campaign_id: string; contact_id: string; status: string; isOpen: number }>();
  const emails = results.map(({ campaign_id: campaign, contact_id: contact, ...email }) => ({
    ...email,
    campaign,
    contact,
  }));
  const faults = [...play.provider.faults];
  const now = await campaignsNow(play.project);
  for (const campaign of play.campaigns) {
    const own = emails.filter((email) => email.campaign === campaign.id);
    const status = now.find(({ id }) => id === campaign.id)?.status ?? "deleted";
    const found = [...ofStatus(play, campaign, status), ...ofAudience(play, campaign, status, own)];
    for (const email of own)
      found.push(...ofEmail(play, campaign, status, email).map((fault) => `${email.id}: ${fault}`));
    faults.push(...found.map((fault) => `Campaign ${campaign.id}, ${status}: ${fault}`));
  }
  const used = await db
    .prepare(`SELECT (SELECT coalesce(sum(emails), 0) FROM monthly_usage WHERE project_id = ?1)
      - (SELECT count(*) FROM emails WHERE project_id = ?1 AND status NOT IN ('FAILED', 'SUPPRESSED', 'CANCELLED')) AS n`)
    .bind(number)
    .first<number>("n");
  if (used !== 0) faults.push(`The month counts ${used} too many`);
  const left = "SELECT count(*) AS n FROM campaign_runs WHERE project_id = ?";
  const runs = await db.prepare(left).bind(number).first<number>("n");
  if (runs !== 0) faults.push(`${runs} runs are left`);
  return faults;
}

function ofStatus(play: Play, { id }: ToldCampaign, status: string): string[] {
  const sent = deedsOn(play, id, "send", "schedule");
  const cancelled = deedsOn(play, id, "cancel");
  const wasDisabled = play.isDisabled.possible(0, play.world.now).has(true);
  const may: string[] = [];
  const isSure = (several: Deed[]) => several.some((deed) => deed.isSure);
  const deleted = deedsOn(play, id, "delete");
  if (deleted.length > 0) may.push("deleted");
  if (isSure(deleted)) return may.includes(status) ? [] : ["is not deleted"];
  if (isSure(cancelled)) may.push("CANCELLED");
  else {
    if (!isSure(sent) || deedsOn(play, id, "unschedule").length > 0) may.push("DRAFT");
    if (sent.length > 0) may.push("SENT");
    if (cancelled.length > 0 || (wasDisabled && deedsOn(play, id, "schedule").length > 0)) may.push("CANCELLED");
  }
  return may.includes(status) ? [] : [`is not ${may.join(" or ")}`];
}

/** What became of one email, and what the provider saw of it. */
function ofEmail(play: Play, campaign: ToldCampaign, status: string, email: Ended): string[] {
  const { provider, doubted } = play;
  const faults: string[] = [];
  if (!final.includes(email.status) || email.isOpen) faults.push(`is ${email.status} and open: ${email.isOpen}`);
  const takes = provider.takes.get(email.id) ?? [];
  const again = [
    ...deedsOn(play, campaign.id, "retry").filter(({ statuses }) => statuses?.includes("UNKNOWN")),
    ...deedsOn(play, email.id, "retry email"),
  ];
  const isDoubted = provider.lost.has(email.id) || doubted.has(email.id);
  const said = `is ${email.status}, was taken ${takes.length} times`;
  if (takes.length > 1 + (isDoubted ? again.length : 0)) faults.push(said);
  if (out.includes(email.status) && takes.length === 0) faults.push(said);
  if (email.status === "UNKNOWN" && !isDoubted) faults.push(`${said}, and no outcome was lost`);
  const isNeverOut = ["FAILED", "SUPPRESSED", "CANCELLED"].includes(email.status);
  if (isNeverOut && takes.length > 0 && again.length === 0) faults.push(said);
  if (email.status === "FAILED" && !mayHaveFailed(play, email.id)) faults.push("is FAILED without a reason");
  if (email.status === "CANCELLED" && status !== "CANCELLED" && status !== "deleted") {
    const person = play.people.find(({ id }) => id === email.contact);
    if (person && deedsOn(play, email.id, "cancel email").length === 0 && !mayHaveLeft(play, campaign, person))
      faults.push("is CANCELLED without a reason");
  }
  for (const take of takes)
    faults.push(...ofTake(play, campaign, email, take.handedAt).map((fault) => `${said} at ${take.at}, ${fault}`));
  return faults;
}

function mayHaveLeft({ world }: Play, { type, hasTopic }: ToldCampaign, person: Person): boolean {
  const was = (register: Person["exists"], value: boolean) => register.possible(0, world.now).has(value);
  const left =
    type !== "TRANSACTIONAL" && (was(person.subscribed, false) || (hasTopic && was(person.isInTopic, false)));
  return left || was(person.exists, false);
}

/** Nobody gets mail who did not want any when it was handed over, and nothing goes out of a campaign that is stopped. */
function ofTake(play: Play, { id, type, hasTopic }: ToldCampaign, email: Ended, at: number): string[] {
  const faults: string[] = [];
  const person = play.people.find((one) => one.id === email.contact);
  // A call that had no answer is repeated as it was.
  if (!person || play.provider.lost.has(email.id) || play.doubted.has(email.id)) return [];
  if (person.exists.isSurely(false, at)) faults.push("when its contact was deleted");
  if (type !== "TRANSACTIONAL" && person.subscribed.isSurely(false, at))
    faults.push("when its contact had unsubscribed");
  if (hasTopic && person.isInTopic.isSurely(false, at)) faults.push("when its contact had left the topic");
  if (play.suppressed.get(person.email)?.isSurely(true, at)) faults.push("when its address was suppressed");
  if (play.isDisabled.isSurely(true, at - 150_000, at)) faults.push("when the project was disabled");
  if (deedsOn(play, email.id, "retry email").length > 0) return faults;
  const isBefore = (deed: Deed) => deed.isSure && deed.to <= at;
  if (deedsOn(play, id, "cancel").some(isBefore)) faults.push("after the campaign was cancelled");
  const paused = deedsOn(play, id, "pause").filter(isBefore).at(-1);
  const resumed = deedsOn(play, id, "resume").some(({ from, to }) => paused && to >= paused.from && from <= at);
  if (paused && !resumed) faults.push("while the campaign was paused");
  return faults;
}
