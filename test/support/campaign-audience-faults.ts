import type { Deed, Person, Play, ToldAudience, ToldCampaign } from "./campaign-play";

/** A campaign's email as its row says. */
export interface Ended {
  id: string;
  campaign: string;
  contact: string;
  status: string;
  isOpen: number;
}

/** It went out, whatever was reported of it. */
export const out = ["SENT", "DELIVERED", "OPENED", "CLICKED", "BOUNCED", "COMPLAINED"];

export function deedsOn({ deeds }: Play, id: string, ...kinds: Deed["kind"][]): Deed[] {
  return deeds.filter((deed) => deed.id === id && kinds.includes(deed.kind));
}

/** From before the audience was frozen until after: whoever was the same all that time, has or has no row. */
function freezeOf(play: Play, { id, frozenBy }: ToldCampaign): { from: number; to: number } | null {
  const begun = deedsOn(play, id, "send", "schedule");
  const sent = begun.find(({ kind, isSure }) => kind === "send" && isSure);
  if (sent) return sent;
  const from = Math.min(...begun.map((deed) => deed.from));
  return frozenBy === null ? null : { from, to: frozenBy };
}

/** Who has a row, and who has none. */
export function ofAudience(play: Play, campaign: ToldCampaign, status: string, own: Ended[]): string[] {
  const faults: string[] = [];
  const freeze = freezeOf(play, campaign);
  const known = new Set(play.people.map(({ id }) => id));
  for (const { contact } of own) if (!known.has(contact)) faults.push(`Nobody knows ${contact}`);
  if (new Set(own.map(({ contact }) => contact)).size < own.length) faults.push("Somebody has two rows");
  if (freeze === null) return own.length > 0 ? [...faults, "It has rows, and was never sent"] : faults;
  const isWhole = campaign.writtenBy !== null || status === "SENT";
  const to = campaign.writtenBy ?? play.world.now;
  for (const person of play.people) {
    const row = own.find(({ contact }) => contact === person.id);
    const said = `${person.email} (${person.id})`;
    const wants = isWanted(play, campaign, person, freeze, to);
    if (wants === "no" && row) faults.push(`${said} is not of the audience, and has a row: ${row.status}`);
    if (wants === "yes" && isWhole && !row) faults.push(`${said} is left out`);
    if (row && wants === "yes" && status === "SENT") faults.push(...whyNotOut(play, campaign, person, row));
  }
  return faults;
}

function isWanted(
  play: Play,
  { type, hasTopic, audience }: ToldCampaign,
  person: Person,
  freeze: { from: number; to: number },
  to: number,
): "yes" | "no" | "perhaps" {
  const { from } = freeze;
  const { id, email, exists, subscribed, isInTopic, plan } = person;
  const looks = [...plan.possible(from, to)].flatMap((plan) =>
    [...subscribed.possible(from, to)].map((subscribed) => ({ id, email, subscribed, data: { plan } })),
  );
  const answersOf = (told: ToldAudience): boolean[] => {
    if (told === null) return [true];
    if (told !== "segment") return looks.map(told.holds);
    return [...play.segment.rule.possible(from, freeze.to)].flatMap(({ holds }) => looks.map(holds));
  };
  const answers = new Set([...audience.possible(from, freeze.to)].flatMap(answersOf));
  const asked = [
    exists.possible(from, to),
    answers,
    ...(type !== "TRANSACTIONAL" ? [subscribed.possible(from, to)] : []),
    ...(hasTopic ? [isInTopic.possible(from, to)] : []),
  ];
  if (exists.isSurely(false, from, freeze.to) || asked.some((values) => !values.has(true))) return "no";
  return asked.some((values) => values.has(false)) ? "perhaps" : "yes";
}

/** Of somebody who wanted it until the end, and to whom it did not go. */
function whyNotOut(play: Play, { id, type, hasTopic }: ToldCampaign, person: Person, row: Ended): string[] {
  const { world, provider, doubted } = play;
  const always = (register: { isSurely(value: boolean, from: number, to: number): boolean }, value: boolean) =>
    register.isSurely(value, freezeStart(play, id), world.now);
  const isAlwaysReached =
    always(person.exists, true) &&
    (type === "TRANSACTIONAL" || always(person.subscribed, true)) &&
    (!hasTopic || always(person.isInTopic, true)) &&
    play.suppressed.get(person.email)?.isSurely(false, 0, world.now) === true;
  if (!isAlwaysReached || out.includes(row.status)) return [];
  if (row.status === "FAILED" && mayHaveFailed(play, row.id)) return [];
  if (row.status === "UNKNOWN" && (provider.lost.has(row.id) || doubted.has(row.id))) return [];
  if (row.status === "CANCELLED" && deedsOn(play, row.id, "cancel email").length > 0) return [];
  return [`${person.email} wanted it all the time, and it is ${row.status}`];
}

function freezeStart(play: Play, id: string): number {
  return Math.min(...deedsOn(play, id, "send", "schedule").map(({ from }) => from));
}

/** It was refused, or its sender was. */
export function mayHaveFailed({ provider, isVerified, world }: Play, emailId: string): boolean {
  return provider.refusals.has(emailId) || isVerified.possible(0, world.now).has(false);
}
