const final = [
  "SENT",
  "DELIVERED",
  "OPENED",
  "CLICKED",
  "BOUNCED",
  "COMPLAINED",
  "FAILED",
  "SUPPRESSED",
  "CANCELLED",
  "UNKNOWN",
];
const taken = ["SENT", "DELIVERED", "OPENED", "CLICKED", "BOUNCED", "COMPLAINED"];

/** Returns what must hold and does not, seen from outside: the rows, what the provider took, and the answers. */
export function faultsIn(world, deeds) {
  const emails = world.rows("SELECT id, project_id, status, to_email FROM emails");
  const contacts = world.rows("SELECT project_id, email FROM contacts");
  const events = world.rows("SELECT id FROM events WHERE next_announce_at IS NOT NULL");
  const takenTimes = countBy(world.outside.mails.map(({ tags }) => storedId(tags[0].value.split("_")[1])));
  const known = new Set(emails.map(({ id }) => id));
  return [
    ...emails.flatMap((email) => faultsOfEmail(email, takenTimes.get(email.id) ?? 0)),
    ...[...takenTimes.keys()].filter((id) => !known.has(id)).map((id) => `The provider took ${id}, which has no row`),
    ...deeds.flatMap((deed) => faultsOfDeed(deed, known)),
    ...strangers(world, contacts),
    ...(events.length > 0 ? [`${events.length} events still wait for their listeners`] : []),
    ...(world.queues.size > 0 ? [`${world.queues.size} messages still wait in the queues`] : []),
  ];
}

function faultsOfEmail({ id, status }, times) {
  if (!final.includes(status)) return [`${id} is still ${status}`];
  if (taken.includes(status) && times !== 1) return [`${id} is ${status}, and the provider took it ${times} times`];
  if (status === "UNKNOWN" ? times > 1 : !taken.includes(status) && times > 0) {
    return [`${id} is ${status}, and the provider took it ${times} times`];
  }
  return [];
}

/** What was answered with 2xx is there; and with one key, it is the same each time. */
function faultsOfDeed({ entry, answers }, known) {
  const name = `${entry.kind} ${entry.number}`;
  const good = answers.filter(({ status }) => status >= 200 && status < 300);
  const unexpected = answers.filter(({ status }) => status >= 400 && ![409, 503].includes(status));
  const faults = unexpected.map(({ status, body }) => `${name} was answered ${status}: ${JSON.stringify(body)}`);
  if (answers.length === 0) faults.push(`${name} was never answered`);
  if (entry.hasKey && good.length === 0) faults.push(`${name} has a key, and never succeeded`);
  if (entry.kind !== "send") return faults;
  const ids = good.flatMap(({ body }) => body.emails.map(({ email }) => email));
  const lost = ids.filter((id) => !known.has(storedId(id)));
  return [...faults, ...lost.map((id) => `${name} was answered with ${id}, which is not there`)];
}

const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const stored = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/** The id of a row by its UUID: base64 with an alphabet that sorts. */
function storedId(uuid) {
  const text = Buffer.from(uuid.replaceAll("-", ""), "hex").toString("base64url");
  return [...text].map((character) => stored[base64url.indexOf(character)]).join("");
}

/** Each tenant has people of its own domain alone. */
function strangers(world, contacts) {
  const names = new Map(
    world.databases.DB.peek("SELECT number, name FROM projects").map(({ number, name }) => [number, name]),
  );
  return contacts
    .filter(({ project_id: project, email }) => !email.endsWith(`@${names.get(project)}.example`))
    .map(({ project_id: project, email }) => `${email} is a contact of ${names.get(project)}`);
}

function countBy(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
