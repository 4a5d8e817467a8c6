import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { chunksOf } from "../../src/core/chunks";
import type { EmailStatus } from "../../src/core/mail/status";
import { writeTag } from "../../src/core/mail/tag";
import worker from "../../src/index";
import { Outside } from "../support/outside";
import { newProject, type TestProject } from "../support/project";
import { postmarkDouble } from "../support/provider-doubles";
import { sample } from "../support/sample";

/** What Postmark may say of a mail. */
const says = {
  delivered: { RecordType: "Delivery" },
  delayed: { RecordType: "Bounce", ID: 1, Type: "Transient" },
  "out of office": { RecordType: "Bounce", ID: 2, Type: "AutoResponder" },
  "gave up": { RecordType: "Bounce", ID: 3, Type: "SoftBounce" },
  blocked: { RecordType: "Bounce", ID: 4, Type: "Blocked" },
  hard: { RecordType: "Bounce", ID: 5, Type: "HardBounce" },
  complained: { RecordType: "SpamComplaint", ID: 6, Type: "SpamComplaint" },
};
type Said = keyof typeof says;
const all = Object.keys(says) as Said[];

/** Every order of up to `length` different reports. */
function orders(length: number, of = all): Said[][] {
  if (length === 0) return [[]];
  return [
    [],
    ...of.flatMap((one) =>
      orders(
        length - 1,
        of.filter((other) => other !== one),
      ).map((rest) => [one, ...rest]),
    ),
  ];
}

/** What is left of a mail after its reports. */
interface Fate {
  status: EmailStatus;
  /** The times that it has. */
  times: string[];
  /** Its events and its contact's, in their order. */
  events: string[];
  subscribed: boolean;
  suppressed: boolean;
}

const wereSent: EmailStatus[] = ["SENT", "OPENED"];

/** The model: what decisions.md says, told once more and without SQL. */
class Mail {
  private times = new Set<string>();
  private events: string[] = [];
  private heard = new Set<Said>();
  private subscribed = true;
  private suppressed = false;

  constructor(private status: EmailStatus) {
    if (wereSent.includes(status)) this.times.add("sent");
  }

  hear(said: Said): void {
    if (["QUEUED", "SENDING", "UNKNOWN"].includes(this.status)) this.move("SENT", "sent");
    switch (said) {
      case "delivered":
        if (this.status === "SENT") this.move("DELIVERED", "delivered");
        break;
      case "delayed":
      case "out of office":
        this.soft(said);
        break;
      case "gave up":
      case "blocked":
        if (this.status === "SENT") this.move("BOUNCED", "bounced", ":soft");
        else this.soft(said);
        break;
      case "hard":
        if (["SENT", "DELIVERED"].includes(this.status)) this.move("BOUNCED", "bounced", ":hard");
        else if (!this.heard.has(said)) this.happen("bounced", ":hard");
        this.loseTrust(said);
        break;
      case "complained":
        if (["SENT", "DELIVERED", "OPENED", "CLICKED"].includes(this.status)) this.move("COMPLAINED", "complained");
        else if (!this.heard.has(said)) this.happen("complained");
        this.loseTrust(said);
    }
    this.heard.add(said);
  }

  get fate(): Fate {
    const { status, events, subscribed, suppressed } = this;
    return { status, times: [...this.times].sort(), events, subscribed, suppressed };
  }

  private move(status: EmailStatus, name: string, type = ""): void {
    this.status = status;
    this.happen(name, type);
  }

  private happen(name: string, type = ""): void {
    this.times.add(name);
    this.events.push(`email.${name}${type}`);
  }

  private soft(said: Said): void {
    if (this.status !== "BOUNCED" && !this.heard.has(said)) this.events.push("email.bounced:soft");
  }

  private loseTrust(said: Said): void {
    if (this.heard.has(said)) return;
    if (this.subscribed) this.events.push("contact.unsubscribed");
    this.subscribed = false;
    this.suppressed = true;
  }
}

let settings: object;
beforeAll(() => {
  settings = postmarkDouble(new Outside()).settings;
});

async function post(project: TestProject, emailId: string, said: Said, notice?: number): Promise<void> {
  const Metadata = { petrel: writeTag({ projectId: project.id, emailId }) };
  const request = new Request<unknown, IncomingRequestCfProperties>("https://petrel.example/hooks/postmark", {
    method: "POST",
    headers: { Authorization: `Basic ${btoa("petrel:hook-password")}` },
    body: JSON.stringify({ ...says[said], ...(notice && { ID: notice }), MessageID: "pm-1", Metadata }),
  });
  const execution = createExecutionContext();
  const response = await worker.fetch(request, { ...env, ...settings }, execution);
  expect(response.status).toBe(200);
  await waitOnExecutionContext(execution);
}

/** Mails that Postmark took, to one contact each, with the status that their record has by now. */
async function mails(project: TestProject, status: EmailStatus, count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, (_, index) => `c${index}@example.com`);
  // A scheduled one stays where it is.
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
  for (const to of chunksOf(addresses, 500)) {
    expect((await project.api.send({ to, subscribed: true, scheduledAt })).status).toBe(200);
  }
  await project.db
    .prepare("UPDATE emails SET status = ?, provider = 'postmark', due_at = NULL, sent_at = ? WHERE project_id = ?")
    .bind(status, wereSent.includes(status) ? Date.now() : null, project.id)
    .run();
  const { results } = await project.db
    .prepare("SELECT id FROM emails WHERE project_id = ? ORDER BY id")
    .bind(project.id)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

async function fates(project: TestProject): Promise<Map<string, Fate>> {
  const { results } = await project.db
    .prepare(
      `SELECT e.id, e.status, e.sent_at, e.delivered_at, e.bounced_at, e.complained_at, c.subscribed,
         EXISTS (SELECT 1 FROM suppressions s WHERE s.project_id = e.project_id AND s.email = e.to_email) AS suppressed,
         (SELECT group_concat(v.name || coalesce(':' || (v.data->>'bounceType'), ''), ' ' ORDER BY v.id) FROM events v
          WHERE v.project_id = c.project_id AND v.contact_id = c.id) AS events
       FROM emails e JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id WHERE e.project_id = ?`,
    )
    .bind(project.id)
    .all<Record<string, string | number | null> & { id: string; status: EmailStatus; events: string | null }>();
  return new Map(
    results.map((row) => [
      row.id,
      {
        status: row.status,
        times: ["bounced", "complained", "delivered", "sent"].filter((name) => row[`${name}_at`] !== null),
        events: row.events?.split(" ") ?? [],
        subscribed: row.subscribed === 1,
        suppressed: row.suppressed === 1,
      },
    ]),
  );
}

/** Several mails at a time, each with its reports one after the other. */
async function play(project: TestProject, played: { id: string; order: Said[] }[]): Promise<void> {
  const waiting = [...played];
  const one = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      for (const said of next.order) await post(project, next.id, said);
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
}

async function expectFates(project: TestProject, status: EmailStatus, played: { id: string; order: Said[] }[]) {
  const found = await fates(project);
  const told = played.map(({ id, order }) => ({ order: order.join(", "), ...found.get(id) }));
  const expected = played.map(({ order }) => {
    const mail = new Mail(status);
    for (const said of order) mail.hear(said);
    return { order: order.join(", "), ...mail.fate };
  });
  for (const [index, one] of told.entries()) expect(one).toEqual(expected[index]);
}

/** Every order that begins with this report. Of four, `blocked` is none: it is another last word, as in the shorter ones. */
function beginningWith(first: Said): Said[][] {
  const rest = all.filter((said) => said !== first);
  const four = orders(
    3,
    rest.filter((said) => said !== "blocked"),
  ).filter(({ length }) => length === 3);
  return [...orders(2, rest), ...(first === "blocked" ? [] : four)].map((order) => [first, ...order]);
}

/** Each of another meaning. */
const differing: Said[] = ["delivered", "delayed", "gave up", "hard", "complained"];

describe("reports in any order", () => {
  it.each<[status: EmailStatus, which: string, orders: Said[][]]>([
    ...all.map((first): [EmailStatus, string, Said[][]] => ["SENT", `first ${first}`, beginningWith(first)]),
    ["QUEUED", "up to two", orders(2)],
    ["SENDING", "up to two", orders(2)],
    ["UNKNOWN", "up to two", orders(2)],
    ["FAILED", "up to three", [...orders(2), ...orders(3, differing).filter(({ length }) => length === 3)]],
    ["CANCELLED", "up to two", orders(2)],
    ["SUPPRESSED", "up to two", orders(2)],
    ["OPENED", "up to two", orders(2)],
  ])(
    "of a mail that is %s, %s: each means what the model says, and nothing when it is repeated",
    async (status, which, all) => {
      const project = await newProject();
      const orders = sample(all, { name: status + which });
      const ids = await mails(project, status, orders.length);
      const played = orders.map((order, index) => ({ id: ids[index] ?? "", order }));
      await play(project, played);
      await expectFates(project, status, played);
      const short = played.filter(({ order }) => order.length <= 2);
      await play(project, short);
      await expectFates(project, status, played);
    },
  );
});

describe("soft bounces of one mail", () => {
  it("have an event for each notice, and at most twenty", async () => {
    const project = await newProject();
    const [id = ""] = await mails(project, "SENT", 1);
    for (let notice = 1; notice <= 25; notice++) await post(project, id, "delayed", notice);
    expect(await fates(project)).toEqual(
      new Map([
        [
          id,
          {
            ...{ status: "SENT", times: ["sent"], subscribed: true, suppressed: false },
            events: Array.from({ length: 20 }, () => "email.bounced:soft"),
          },
        ],
      ]),
    );
  });
});

describe("a hard bounce of a mail that a person sent again", () => {
  it("ends the mail a second time", async () => {
    const project = await newProject();
    const [id = ""] = await mails(project, "FAILED", 1);
    await post(project, id, "hard");
    expect((await fates(project)).get(id)).toMatchObject({ status: "FAILED", subscribed: false, suppressed: true });
    await project.api.delete("/suppressions/c0@example.com");
    await project.db.prepare("UPDATE emails SET status = 'SENT' WHERE project_id = ?").bind(project.id).run();
    await post(project, id, "hard");
    expect((await fates(project)).get(id)).toMatchObject({ status: "BOUNCED", suppressed: true });
    await project.api.delete("/suppressions/c0@example.com");
    await post(project, id, "hard");
    expect((await fates(project)).get(id)).toMatchObject({ status: "BOUNCED", suppressed: false });
  });
});
