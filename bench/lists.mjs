import { performance } from "node:perf_hooks";
import { call } from "./api.mjs";
import { median } from "./load.mjs";
import { makeProjects } from "./projects.mjs";
import { table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { seedMail } from "./seed-mail.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const size = Number(process.env.BENCH_LARGE ?? 1_000_000);
const times = 15;
const aim = "≤ 50";

/** The lists of the console's pages, each filter by itself, in a project of a million people who each got one email. */
export async function benchLists() {
  const bench = await openBenchState();
  let worker;
  try {
    const { large } = await makeProjects(bench, ["large"]);
    seed(bench.state, [{ id: large.id, contacts: size, events: size }]);
    seedMail(bench.state, { id: large.id, mails: size });
    worker = await startBenchWorker("bench/timed.ts", bench);
    await report(worker.base, large.secret, "mail log", await mailLog(worker.base, large.secret));
    await report(worker.base, large.secret, "other lists", await otherLists(worker.base, large.secret));
  } finally {
    await worker?.stop();
    bench.remove();
  }
}

async function mailLog(base, secret) {
  const { data } = await call(`${base}/emails?limit=100`, secret);
  const { data: campaigns } = await call(`${base}/campaigns?pageSize=25`, secret);
  const [newest, oldest] = [campaigns.at(0), campaigns.at(-1)].map(({ id }) => id);
  const template = await aTemplate(base, secret);
  const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const filters = {
    "no filter": "",
    "to an address": `to=${encodeURIComponent(data[0].to)}`,
    "to an address that there is not": "to=nobody@bench.test",
    "of a person": `contactId=${data[0].contactId}`,
    "a common status": "status=DELIVERED",
    "a rare status": "status=BOUNCED",
    "what failed": "status=FAILED",
    "a status that no mail has": "status=COMPLAINED",
    "of campaigns": "source=CAMPAIGN",
    "of tests": "source=TEST",
    "of the last campaign": `campaignId=${newest}`,
    "of the first campaign": `campaignId=${oldest}`,
    "what counts as opened, of the first campaign": `campaignId=${oldest}&countedAs=opened`,
    "what counts as complained, of the first campaign": `campaignId=${oldest}&countedAs=complained`,
    "by a template": `templateId=${template}`,
    "since a week": `startDate=${day(7)}`,
    "a week, two months ago": `startDate=${day(67)}&endDate=${day(60)}`,
    "a rare status in that week": `startDate=${day(67)}&endDate=${day(60)}&status=BOUNCED`,
  };
  return Object.fromEntries(Object.entries(filters).map(([title, query]) => [title, `/emails?limit=100&${query}`]));
}

/** Returns the template of the newest mail that was sent with one. */
async function aTemplate(base, secret) {
  for (let cursor = ""; ; ) {
    const page = await call(`${base}/emails?limit=100&source=TRANSACTIONAL&cursor=${cursor}`, secret);
    const found = page.data.find(({ templateId }) => templateId !== null);
    if (found !== undefined) return found.templateId;
    cursor = page.cursor;
  }
}

async function otherLists(base, secret) {
  const query = (body) => ({ path: "/contacts/query", body: { limit: 100, ...body } });
  const where = (...filters) => ({ condition: { logic: "AND", groups: [{ filters }] } });
  const { data } = await call(`${base}/contacts?limit=1`, secret);
  return {
    people: query({}),
    "people, a part of the address": query({ search: "person99" }),
    "people, a part that no address has": query({ search: "nobody" }),
    "people, a common value": query(where({ field: "data.plan", operator: "equals", value: "pro" })),
    "people, an address": query(where({ field: "email", operator: "equals", value: data[0].email })),
    "people, two conditions": query(
      where(
        { field: "data.plan", operator: "equals", value: "pro" },
        { field: "data.seats", operator: "greaterThan", value: 90 },
      ),
    ),
    "people, a value that is not there": query(where({ field: "data.plan", operator: "equals", value: "none" })),
    "people, who did something": query(where({ field: "event.purchase", operator: "triggered" })),
    campaigns: "/campaigns?pageSize=25",
    "campaigns, of a state": "/campaigns?pageSize=25&status=SENT",
    "campaigns, by a word": "/campaigns?pageSize=25&search=news",
    "one person's timeline": `/activity?contactId=${data[0].id}&limit=50`,
    jobs: "/jobs?limit=100",
    "the audit log": "/audit?limit=100",
    "a search of everything": "/search?q=person99",
    "what needs a hand": "/attention",
  };
}

async function report(base, secret, what, asked) {
  const figures = { answer: {}, statement: {}, rows: {} };
  for (const [title, one] of Object.entries(asked)) {
    const { answerMs, statementMs, rowsRead } = await measure(base, secret, one);
    figures.answer[title] = { value: answerMs, unit: "ms" };
    figures.statement[title] = { value: statementMs, unit: "ms" };
    figures.rows[title] = { value: rowsRead, unit: "rows" };
  }
  const aims = Object.fromEntries(Object.keys(asked).map((title) => [title, aim]));
  const title = `A page of ${what} at ${size.toLocaleString("en")}`;
  table({ title: `${title}: median of an answer`, names: ["it"], figures: [figures.answer], aims });
  table({ title: `${title}: its longest statement`, names: ["it"], figures: [figures.statement] });
  table({ title: `${title}: rows of the statement that reads most`, names: ["it"], figures: [figures.rows] });
}

async function measure(base, secret, asked) {
  const { path, body } = typeof asked === "string" ? { path: asked } : asked;
  const answers = [];
  const statements = [];
  let rowsRead = 0;
  await call(base + path, secret, body);
  for (let turn = 0; turn < times; turn++) {
    await call(`${base}/bench/longest`);
    const startedAt = performance.now();
    await call(base + path, secret, body);
    answers.push(performance.now() - startedAt);
    const longest = await call(`${base}/bench/longest`);
    statements.push(longest.statementMs);
    rowsRead = longest.rowsRead;
  }
  return { answerMs: median(answers), statementMs: median(statements), rowsRead };
}
