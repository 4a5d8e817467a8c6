import { possibleDocuments, slackMs } from "./documents.mjs";

const publicEveryMs = 60_000;

/** An event starts a workflow once, and a contact is in it once at a time, or once for ever without re-entry. */
export function startFaults({ facts, restored }, tenant, { id, documents }, seen, rows) {
  const byContact = Map.groupBy(seen, ({ contact }) => contact.id);
  const isDisabled = facts.some(({ is, tenant: name }) => is === "disabling" && name === tenant.name);
  const isRestored = restored.some(({ names }) => names.has(tenant.name));
  return [...rows.contacts.values()].flatMap((contact) => {
    const own = byContact.get(contact.id) ?? [];
    const started = own.filter(({ isByEvent }) => isByEvent).map(({ taken }) => taken[0].id);
    const events = rows.events.get(contact.id) ?? [];
    return [
      ...(new Set(started).size < started.length ? [`An event of ${contact.email} started two executions`] : []),
      ...overlapping(own, documents[0].document.allowReentry).map((fault) => `${contact.email} ${fault}`),
      // Its object may know of more than the rows.
      ...(isDisabled || (isRestored && rows.hasBeenIn(id, contact.id)) ? [] : events)
        .filter((event) => !started.includes(event.id) && mustStart(event, events, own, documents))
        .map((event) => `${event.name} ${event.at} of ${contact.email} started nothing`),
    ];
  });
}

function overlapping(own, allowReentry) {
  const spans = own
    .map(({ execution: { startedAt, completedAt } }) => ({ from: Date.parse(startedAt), to: Date.parse(completedAt) }))
    // On a test clock, one may be over at the instant at which the next begins.
    .sort((a, b) => a.from - b.from || a.to - b.to);
  if (!allowReentry) return spans.length > 1 ? [`entered ${spans.length} times`] : [];
  const isTwice = spans.some(({ from }, place) => place > 0 && from < spans[place - 1].to - slackMs);
  return isTwice ? ["was in a workflow twice at a time"] : [];
}

/** Nothing has refused the event: the workflow was enabled, its contact was not in it, and no other came a minute before. */
function mustStart(event, events, own, documents) {
  const possible = possibleDocuments(documents, event.at, event.at + slackMs);
  if (!possible.every(({ enabled, eventName }) => enabled && eventName === event.name)) return false;
  const { allowReentry } = documents[0].document;
  const isNear = (other) =>
    other !== event && other.name === event.name && Math.abs(other.at - event.at) < publicEveryMs;
  // A message that is late may find the contact in the workflow by then.
  const isIn = ({ execution: { startedAt, completedAt } }) =>
    !allowReentry ||
    (Date.parse(startedAt) < event.at + 10 * publicEveryMs && Date.parse(completedAt) > event.at - slackMs);
  return !own.some(isIn) && !(event.is_public && events.some(isNear));
}
