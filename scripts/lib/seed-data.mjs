const FIRST_NAMES = words(`
  Ada Aiko Amara Anna Ben Carlos Chen Clara Dana David Elena Emil Fatima Felix Grace Hana Hugo Ines Ivan Jan Jonas
  Kai Laila Leo Lin Luis Mara Maya Milan Nadia Nils Noor Omar Paula Priya Rosa Sam Sofia Tara Tom Vera Yusuf Zoe
`);
const LAST_NAMES = words(`
  Adeyemi Almeida Becker Bianchi Brown Costa Diaz Dubois Evans Fischer Garcia Haddad Hansen Ito Jansen Kaya Khan
  Kim Kowalski Larsen Lee Lopez Martin Meyer Moreau Nguyen Novak Okafor Olsen Patel Petrov Rossi Sato Schmidt
  Silva Singh Smith Suzuki Tanaka Visser Weber Wilson Wong Yilmaz
`);
// Reserved by RFC 2606, so they belong to nobody.
const MAIL_DOMAINS = ["example.com", "example.net", "example.org"];
const COUNTRIES = ["DE", "US", "GB", "FR", "ES", "BR", "IN", "JP", "NL", "NG"];
const REPORTS = ["revenue", "retention", "signups"];
const DAY_MS = 24 * 60 * 60 * 1000;

export const CONTACTS = 10_000;
export const EVENTS = 5_000;

/**
 * Makes people with plans, seats and dates. The same seed makes the same people, except that dates count back from
 * `now`.
 */
export function makePeople(seed, now) {
  const random = randomOf(seed);
  return Array.from({ length: CONTACTS }, (_, n) => {
    const [firstName, lastName] = [pick(random, FIRST_NAMES), pick(random, LAST_NAMES)];
    const plan = pick(random, ["free", "free", "free", "free", "free", "free", "pro", "pro", "pro", "team"]);
    // Recent days have more people, as in a growing product.
    const daysAgo = Math.floor(700 * random() ** 2);
    return {
      email: `${firstName}.${lastName}.${n + 1}@${pick(random, MAIL_DOMAINS)}`.toLowerCase(),
      firstName,
      lastName,
      country: pick(random, COUNTRIES),
      plan,
      seats: plan === "team" ? 2 + Math.floor(random() * 49) : plan === "pro" ? 1 : "",
      trial: plan === "free" && daysAgo < 14 ? "yes" : "no",
      signedUpAt: new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10),
      isSubscribed: random() > 0.06,
    };
  });
}

/** Returns a CSV file of people. No value contains a comma or a quote. */
export function csvOf(people) {
  const columns = ["email", "firstName", "lastName", "country", "plan", "seats", "trial", "signedUpAt"];
  return [columns, ...people.map((person) => columns.map((column) => person[column]))].join("\n");
}

/**
 * Makes people's events, as bodies of `POST /events/track`. Few people cause most of them, and only paying ones buy.
 */
export function makeEvents(seed, people) {
  const random = randomOf(seed + 1_000_000);
  return Array.from({ length: EVENTS }, () => {
    const { email, plan } = people[Math.floor(people.length * random() ** 3)];
    const kind = random();
    if (plan !== "free" && kind < 0.15) {
      const amount = plan === "team" ? 199 : 49;
      return { email, event: "purchase", data: ofTheEvent({ item: `${plan} plan`, amount }) };
    }
    if (kind < 0.3) return { email, event: "report.exported", data: ofTheEvent({ report: pick(random, REPORTS) }) };
    return { email, event: "app.opened" };
  });
}

/** Returns values that stay on the event, and are not merged into the contact. */
function ofTheEvent(values) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, persistent: false }]));
}

/** Makes bodies of `POST /templates`. */
export function makeTemplates(domain) {
  const from = `hello@${domain}`;
  const hi = '<p>Hi {{ firstName ?? "there" }},</p>';
  return [
    {
      name: "Welcome",
      type: "TRANSACTIONAL",
      subject: 'Welcome, {{ firstName ?? "friend" }}',
      body: `${hi}<p>Good to have you. You are on the {{ plan ?? "free" }} plan.</p>`,
    },
    {
      name: "Receipt",
      type: "TRANSACTIONAL",
      subject: "Your receipt for {{ item }}",
      body: `${hi}<p>We received {{ amount }} € for {{ item }}. Thank you.</p>`,
    },
    {
      name: "Monthly news",
      type: "MARKETING",
      subject: "What is new this month",
      body: `${hi}<h2>New</h2><ul><li>Reports can be exported.</li><li>Teams may have 50 seats.</li></ul>`,
    },
    {
      name: "Your trial ends soon",
      type: "MARKETING",
      subject: "{{ firstName ?? 'Hello' }}, your trial ends soon",
      body: `${hi}<p>Stay for 49 € a month.{% if country == "DE" %} VAT is included.{% endif %}</p>`,
    },
    {
      name: "Come back",
      type: "MARKETING",
      subject: "We have not seen you for a while",
      body: `${hi}<p>Your reports are still here.</p>`,
    },
  ].map((template) => ({ ...template, from, fromName: "Petrel" }));
}

/** Bodies of `POST /segments`. The static one is filled by hand. */
export const SEGMENTS = [
  {
    name: "On a paid plan",
    trackMembership: true,
    condition: anyOf([["data.plan", "equals", "pro"]], [["data.plan", "equals", "team"]]),
  },
  { name: "On trial", condition: anyOf([["data.trial", "equals", true]]) },
  { name: "Bought in the last 30 days", condition: anyOf([["event.purchase", "triggeredWithin", 30, "days"]]) },
  {
    name: "Large teams that never exported a report",
    condition: anyOf([
      ["data.seats", "greaterThan", 10],
      ["event.report.exported", "notTriggered"],
    ]),
  },
  { name: "Beta testers", type: "STATIC" },
];

function anyOf(...groups) {
  const filters = (group) => group.map(([field, operator, value, unit]) => ({ field, operator, value, unit }));
  return { logic: "OR", groups: groups.map((group) => ({ filters: filters(group) })) };
}

/** Returns numbers from 0 to 1 that depend only on the seed (mulberry32). */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick(random, list) {
  return list[Math.floor(random() * list.length)];
}

function words(text) {
  return text.trim().split(/\s+/);
}
