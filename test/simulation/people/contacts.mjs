/** What is done to contacts, by tenants and by the people themselves. */
export const contactDeeds = {
  async saveContact(caller, { number, draws: [draw] }) {
    const email = caller.address();
    const data = { [`k${number}`]: number, plan: draw < 0.5 ? "pro" : "free" };
    const { status } = await caller.insist("POST", "/contacts", { body: { email, data } });
    if (isGood(status)) caller.note({ is: "saved", email, key: `k${number}`, value: number });
  },

  async patchContact(caller, { number }) {
    const email = caller.address();
    const id = await idOf(caller, email);
    if (id === null) return;
    const { status } = await caller.insist("PATCH", `/contacts/${id}`, {
      body: { data: { [`k${number}`]: number } },
      allowed: [404],
    });
    if (isGood(status)) caller.note({ is: "saved", email, key: `k${number}`, value: number });
  },

  /** Follows the link in the header of an email that arrived, as a mailbox provider does, or the one in its text. */
  async optOutByLink(caller, { draws: [draw] }) {
    const { provider } = caller.world.outside;
    const mails = provider.mails.filter(({ mail }) => linkOf(mail) && nameOf(mail) === caller.tenant.name);
    const mail = mails[Math.floor(draw * mails.length)]?.mail;
    if (mail === undefined) return;
    const { status } = await caller.insist("POST", new URL(linkOf(mail)).pathname, {
      key: null,
      text: "List-Unsubscribe=One-Click",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      allowed: [404],
    });
    if (status === 200) caller.note({ is: "optedOut", email: addressOf(mail), isSaidBySelf: true });
  },

  async optOutByApi(caller) {
    const email = caller.address();
    const { status, body } = await caller.insist("POST", "/contacts", { body: { email, subscribed: false } });
    // A contact that was never subscribed has nothing to leave.
    if (isGood(status) && body.optedOutAt !== null) caller.note({ is: "optedOut", email });
  },

  async optOutMany(caller, { people }) {
    const found = await Promise.all(people.map((person) => idOf(caller, caller.tenant.address(person))));
    const contactIds = found.filter((id) => id !== null);
    if (contactIds.length > 0) await caller.insist("POST", "/contacts/bulk-unsubscribe", { body: { contactIds } });
  },

  async resubscribe(caller) {
    const email = caller.address();
    caller.note({ is: "resubscribing", email });
    await caller.insist("POST", "/contacts", { body: { email, subscribed: true } });
    // The last call without an answer may still be at work.
    caller.note({ is: "resubscribing", email });
  },

  async suppress(caller) {
    const email = caller.address();
    const { status } = await caller.insist("POST", "/suppressions", { body: { email }, allowed: [409] });
    if (isGood(status)) caller.note({ is: "suppressed", email });
  },

  async suppressMany(caller, { people }) {
    const emails = people.map((person) => caller.tenant.address(person));
    const suppressions = emails.map((email) => ({ email, createdAt: "2025-06-01T00:00:00Z" }));
    const { status } = await caller.insist("POST", "/suppressions/bulk", { body: { suppressions } });
    if (isGood(status)) for (const email of emails) caller.note({ is: "suppressed", email });
  },

  /** Has a person live in some parts of the product, and be forgotten. */
  async liveAndBeErased(caller, { number, draws: [draw, parts] }) {
    const email = `e${number}@${caller.tenant.name}.example`;
    const { from } = caller.tenant;
    await caller.insist("POST", "/contacts", { body: { email, data: { plan: "pro", nick: `nick of ${email}` } } });
    const body = { to: email, from, subject: `To ${email}`, body: "<p>Hello</p>" };
    if (parts < 0.6) await caller.ask("POST", "/v1/send", { body });
    const event = parts < 0.3 || parts > 0.8 ? "signup" : "look";
    await caller.ask("POST", "/events/track", { body: { email, event, data: { note: `by ${email}` } } });
    const id = await idOf(caller, email);
    if (id === null) return;
    const [{ id: journey }] = caller.tenant.workflows;
    const started = { contactId: id, context: { note: `by ${email}` } };
    if (parts < 0.45)
      await caller.ask("POST", `/workflows/${journey}/executions`, { body: started, allowed: [404, 409] });
    await caller.world.time.wait(draw * draw * 60_000);
    const { status } = await caller.insist("DELETE", `/contacts/${id}`, { allowed: [404] });
    if (isGood(status) || status === 404) caller.note({ is: "erased", email });
  },

  async importContacts(caller, { number, people }) {
    const news = people.map((person) => `i${number}.${person}@${caller.tenant.name}.example`);
    const emails = [...people.map((person) => caller.tenant.address(person)), ...news];
    const rows = emails.map((email) => `${email},${number}`);
    const form = new FormData();
    form.append("file", new File([`email,i${number}\n${rows.join("\n")}\n`], "people.csv", { type: "text/csv" }));
    const { status, body } = await caller.ask("POST", "/contacts/import", { form });
    if (status !== 202) return;
    caller.note({
      is: "imported",
      jobId: body.jobId,
      ...{ emails, news: news.length },
      key: `i${number}`,
      value: number,
    });
  },
};

/** The id of a contact by its address; null when there is none, or no answer. */
export async function idOf(caller, email) {
  const { status, body } = await caller.insist("GET", `/contacts?email=${encodeURIComponent(email)}`);
  return status === 200 ? (listOf(body)[0]?.id ?? null) : null;
}

export function listOf(body) {
  return Array.isArray(body) ? body : (body?.data ?? []);
}

export function isGood(status) {
  return status >= 200 && status < 300;
}

export function addressOf(mail) {
  return /<?([^<>\s]+@[^<>\s]+?)>?$/.exec([mail.to].flat()[0])[1];
}

/** The tenant to whose people an email goes. */
function nameOf(mail) {
  return addressOf(mail).split("@")[1].split(".")[0];
}

function linkOf(mail) {
  const header = /<(https:[^>]+)>/.exec(mail.headers?.["List-Unsubscribe"] ?? "")?.[1];
  return header ?? /href="(https:[^"]+\/unsubscribe\/[^"]+)"/.exec(mail.html ?? "")?.[1];
}
