import { kindsOfEvents } from "./documents.mjs";
import { persons } from "./plan.mjs";

/** An email of business too may offer to leave, also to a person who never subscribed. */
const leaveBody = '<p>Hello</p><p><a href="{{ unsubscribeUrl }}">Leave</a></p>';

/** Sends and tracks. Some callers give a key, and some of these call from two machines at once. */
export const mailDeeds = {
  send: (caller, entry) =>
    submit(caller, "/v1/send", {
      ...{ to: recipientsOf(caller), from: caller.tenant.from },
      ...{ subject: `Mail ${entry.number}`, body: leaveBody, data: { [`s${entry.number}`]: entry.number } },
    }),
  /** Some of it waits for its time, and people may leave until then. */
  sendMarketing: (caller, entry) =>
    submit(caller, "/v1/send", {
      ...(entry.draws[0] < 0.5 ? { scheduledAt: in2Minutes(caller) } : {}),
      ...{ to: recipientsOf(caller), template: caller.tenant.marketing.id },
      subject: `Mail ${entry.number}`,
    }),
  /** Browsers track with a public key, and servers with a secret one. */
  track: (caller, { number, draws: [draw] }) =>
    submit(caller, number % 3 === 0 ? "/events/track" : "/v1/track", {
      email: caller.address(),
      event: eventOf(draw),
      data: { kind: { value: kindsOfEvents[number % kindsOfEvents.length], persistent: false } },
    }),
};

function eventOf(draw) {
  if (draw < 0.4) return "signup";
  return draw < 0.7 ? "purchase" : "visit";
}

/** Some sends go to strangers, who are then contacts that never subscribed. */
function recipientsOf({ tenant, entry: { people, draws } }) {
  return people.map((person) => tenant.address(draws[2] > 0.7 ? persons + person : person));
}

function in2Minutes(caller) {
  return new Date(caller.now() + 120_000).toISOString();
}

async function submit(caller, path, body) {
  const { draws } = caller.entry;
  // A secret key may be renewed between two tries.
  const key = path === "/v1/track" ? caller.tenant.keys.public : undefined;
  const hasKey = draws[1] < 0.7;
  const headers = hasKey ? { "Idempotency-Key": caller.newKey() } : {};
  // A caller without a key does not know whether it may call again.
  const callers = hasKey && draws[2] < 0.4 ? 2 : 1;
  const call = () =>
    (hasKey ? caller.insist : caller.ask).call(caller, "POST", path, { key, body, headers, allowed: [409] });
  const answers = (await Promise.all(Array.from({ length: callers }, call))).map(firstOf);
  if (path !== "/v1/send") caller.note({ is: "tracked", answers, hasKey });
  else {
    const notBefore = body.scheduledAt === undefined ? 0 : Date.parse(body.scheduledAt);
    caller.note({ is: "sent", subject: body.subject, to: body.to, answers, hasKey, notBefore });
  }
}

/** A repeat is refused with the answer of the first call in its details, which counts as its own. */
function firstOf(answer) {
  const first = answer.body?.error?.details?.originalResponse?.data;
  return answer.status === 409 && first ? { ...answer, status: 200, body: first } : answer;
}
