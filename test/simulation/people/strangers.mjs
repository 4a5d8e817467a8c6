/** What somebody tries who may not. Each call must be refused, and none may have an effect. */
export const strangerDeeds = {
  /** A report that the provider never signed. */
  async forgeReport(caller, { draws: [draw] }) {
    const { mails } = caller.world.outside.provider;
    const mail = mails[Math.floor(draw * mails.length)]?.mail;
    if (mail === undefined) return;
    const data = { email_id: "forged", tags: mail.tags };
    await deceive(caller, "POST", "/hooks/resend", {
      key: null,
      text: JSON.stringify({
        type: "email.complained",
        created_at: new Date(caller.world.time.now).toISOString(),
        data,
      }),
      headers: {
        "svix-id": "forged",
        "svix-timestamp": String(Math.floor(caller.world.time.now / 1_000)),
        "svix-signature": `v1,${btoa("a signature of thirty-two bytes!")}`,
      },
    });
  },

  /** A link of somebody else, which only the mail of that person has: to leave, to choose topics, to read. */
  async forgeLink(caller, { draws: [draw, which, where] }) {
    const { mails } = caller.world.outside.provider;
    const mail = mails[Math.floor(draw * mails.length)]?.mail;
    if (mail === undefined) return;
    const links = linksIn(mail);
    const path = links[Math.floor(which * links.length)];
    if (path === undefined) return;
    // The last character has bits that mean nothing.
    const token = path.lastIndexOf("/") + 1;
    const place = token + Math.floor(where * (path.length - 1 - token));
    const forged = path.slice(0, place) + (path[place] === "A" ? "B" : "A") + path.slice(place + 1);
    if (/^\/[oc]\//.test(path)) return deceive(caller, "GET", forged, { key: null });
    await deceive(caller, "POST", forged, {
      key: null,
      text: "List-Unsubscribe=One-Click",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
  },

  /** Reads, changes and deletes what another tenant has, by its id. */
  async reachForAnother(caller, { draws: [draw] }) {
    const another = caller.told.tenants.find(({ name }) => name !== caller.tenant.name);
    const made = [
      ["/templates", another.marketing.id],
      ["/webhooks", another.webhook.id],
      ...another.workflows.map(({ id }) => ["/workflows", id]),
      ["/segments", another.segments[0].id],
      ...another.campaigns.map(({ id }) => ["/campaigns", id]),
    ];
    const [path, id] = made[Math.floor(draw * made.length)];
    await deceive(caller, "GET", `${path}/${id}`);
    await deceive(caller, "PATCH", `${path}/${id}`, { body: { name: "Mine" } });
  },
};

/** The paths of the links of ours in an email. */
function linksIn({ html = "", headers }) {
  const all = `${html} ${headers?.["List-Unsubscribe"] ?? ""}`.matchAll(
    /https:\/\/mail\.acme\.test(\/[^"<>\s/]+\/[^"<>\s/?]+)/g,
  );
  return [...new Set([...all].map(([, path]) => path))];
}

const refusals = [400, 401, 403, 404, 405, 422];

async function deceive(caller, method, path, options) {
  const { status } = await caller.ask(method, path, { ...options, allowed: refusals });
  caller.note({ is: "deceived", what: `${method} ${path}`, status });
}
