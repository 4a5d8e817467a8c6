import { existsSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { randomHex, readEnvFile, writeEnvFile } from "../scripts/lib/settings.mjs";
import { call } from "./api.mjs";
import { doJobs } from "./console-jobs.mjs";
import { firstScreen, openDoor, reportFirstScreen } from "./first-screen.mjs";
import { median } from "./load.mjs";
import { makeProjects } from "./projects.mjs";
import { table } from "./report.mjs";
import { seed } from "./seed.mjs";
import { openBenchState, startBenchWorker } from "./worker.mjs";

const contacts = Number(process.env.BENCH_CONTACTS ?? 100_000);
const recipients = Number(process.env.BENCH_RECIPIENTS ?? 10_000);
const turns = 9;
/** The number of people who watch a campaign. Each page polls as the console does. */
const watchers = 50;
const pollMs = 2_000;
const watchedTurns = 5;
const owner = "owner@bench.test";
const browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/**
 * Measures the transferred size of the console, the time of its first screen over a slow line and of a page that was
 * open before, in a project of 100,000 people, and the cost of fifty open consoles for the campaign that they watch.
 */
export async function benchConsole() {
  const executablePath = process.env.CHROMIUM_PATH ?? browsers.find(existsSync);
  if (executablePath === undefined) throw new Error("No Chromium was found: install it, or name it in CHROMIUM_PATH.");
  const bench = await openBenchState();
  writeEnvFile(bench.state.settings, { ...readEnvFile(bench.state.settings), LINK_SECRETS: randomHex() });
  const { large, sending } = await makeProjects(bench, ["large", "sending"], async (post, name) => {
    await post("/domains", { domain: `${name}.test` });
    return { from: `news@${name}.test` };
  });
  seed(bench.state, [
    { id: large.id, contacts, events: contacts },
    { id: sending.id, contacts: recipients },
  ]);
  const worker = await startBenchWorker("src/index.ts", bench, { deliversMail: true });
  const door = await openDoor(worker.base);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const cookie = await openSession(door.base, worker, bench.adminToken);
    const site = { door, browser, cookie, start: `${door.base}/console/p/${large.id}` };
    const first = [];
    for (let turn = 0; turn < turns; turn++) first.push(await firstScreen(site));
    reportFirstScreen(first);
    reportPages(await pageToPage(site));
    reportJobs(await jobsIn(site, worker, sending));
    reportWatched(await watched(worker, sending, cookie));
  } finally {
    await browser.close();
    door.close();
    await worker.stop();
    bench.remove();
  }
}

/** Opens a session by a printed link, as its reader does. */
async function openSession(base, worker, adminToken) {
  const { url } = await call(`${worker.base}/admin/people/link`, adminToken, {});
  const answer = await fetch(worker.base + new URL(url).pathname, {
    method: "POST",
    headers: { Origin: worker.base },
    body: new URLSearchParams({ email: owner }),
    redirect: "manual",
  });
  const [, name, value] = /^(petrel)=(\w+);/.exec(answer.headers.getSetCookie().join("\n")) ?? [];
  if (value === undefined) throw new Error(`No session: ${answer.status} ${await answer.text()}`);
  return { name, value, url: base };
}

/** Measures pages that were open before, from a click until their heading and rows are shown. */
async function pageToPage({ browser, cookie, start }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([cookie]);
  const page = await context.newPage();
  await page.goto(start, { waitUntil: "networkidle" });
  const names = ["Mail", "People", "Domains", "Home"];
  const visit = async (name) => {
    const link = page.getByRole("navigation").getByText(name, { exact: true });
    // The browser measures from the click to the frame that shows the new heading.
    return link.evaluate(
      (element) =>
        new Promise((done) => {
          const before = document.querySelector("h1");
          const startedAt = performance.now();
          const look = () => {
            const heading = document.querySelector("h1");
            const isThere =
              heading !== null &&
              heading !== before &&
              document.querySelector("[role=status].waiting, [role=status] .waiting") === null;
            if (isThere) done(performance.now() - startedAt);
            else requestAnimationFrame(look);
          };
          element.click();
          requestAnimationFrame(look);
        }),
    );
  };
  for (const name of names) {
    await visit(name);
    await page.waitForLoadState("networkidle");
  }
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let turn = 0; turn < turns; turn++) {
    for (const name of names) {
      times[name].push(await visit(name));
      await sleep(300);
    }
  }
  await context.close();
  return times;
}

function reportPages(times) {
  const ms = (values) => ({ value: median(values), unit: "ms" });
  const worst = Math.max(...Object.values(times).map((values) => median(values)));
  table({
    title: "A page that was open before, from the click to its rows",
    names: ["it"],
    figures: [
      {
        ...Object.fromEntries(Object.entries(times).map(([name, values]) => [name, ms(values)])),
        worst: { value: worst, unit: "ms" },
      },
    ],
    aims: { worst: "≤ 100" },
  });
}

/** Does people's jobs in a project that has sent a campaign, and an email. */
async function jobsIn({ browser, door, cookie }, worker, project) {
  await sendWatched(worker, project, cookie, 0);
  const post = (path, body) => call(`${worker.base}${path}`, project.secret, body);
  const written = { subject: "News", body: "<p>News</p>", from: project.from };
  const make = async (name, more) =>
    (await post("/campaigns", { ...written, name, audienceType: "ALL", ...more })).data;
  const draft = await make("Draft", {});
  const planned = await make("Planned", {});
  const compared = await make("Compared", {
    variants: [
      { name: "plain", weight: 1 },
      { name: "curious", weight: 1, subject: "Have you seen this?" },
    ],
  });
  const sending = await make("Slow", { canary: { percent: 10, holdMinutes: 60 } });
  for (const { id } of [compared, sending]) await post(`/campaigns/${id}/send`, {});
  const failed = "Refused";
  await post("/v1/send", { ...written, to: "reject@simulator.test", subject: failed });
  const [reader, subject] = ["reader@bench.test", "Your receipt"];
  const mail = { to: reader, from: project.from, subject, body: "<p>News</p>" };
  await call(`${worker.base}/v1/send`, project.secret, mail);
  const list = (path) => call(`${worker.base}${path}`, project.secret);
  const [campaigns, people] = [await list("/campaigns"), await list("/contacts?limit=20")];
  const subscribed = people.data.filter((one) => one.subscribed && one.email.startsWith("person"));
  const [person, erased] = subscribed.map(({ email }) => email);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([cookie]);
  const start = `${door.base}/console/p/${project.id}`;
  const done = await doJobs(context, start, {
    ...{ person, erased, reader, subject, failed, draft, planned, compared, sending },
    campaign: campaigns.data.find(({ name }) => name === "News"),
  });
  await context.close();
  return done;
}

function reportJobs(done) {
  const rows = Object.entries(done).map(([name, { clicks, seconds }]) => [
    name,
    { clicks: { value: clicks, unit: "" }, time: { value: seconds * 1_000, unit: "ms" } },
  ]);
  table({
    title: "Jobs of a person, from the start page, without the time of reading and typing",
    names: ["clicks", "time"],
    figures: ["clicks", "time"].map((figure) => Object.fromEntries(rows.map(([name, one]) => [name, one[figure]]))),
  });
}

/**
 * Sends campaigns in turns: with nobody watching, with as many calls of a route that reads nothing as fifty people
 * make, and with these people. Returns the emails per second of each. A call takes most of its time in the servers that
 * local development puts in front of the Worker, so the difference of the last two is the cost of a console.
 */
async function watched(worker, project, cookie) {
  await sendWatched(worker, project, cookie, 0);
  const speeds = { alone: [], called: [], watched: [] };
  for (let turn = 0; turn < watchedTurns; turn++) {
    speeds.alone.push(await sendWatched(worker, project, cookie, 0));
    speeds.called.push(await sendWatched(worker, project, cookie, watchers, "/health"));
    speeds.watched.push(await sendWatched(worker, project, cookie, watchers));
  }
  return speeds;
}

async function sendWatched({ base }, { id: project, secret, from }, cookie, people, door) {
  const written = { name: "News", subject: "News", body: "<p>News</p>", from, audienceType: "ALL" };
  const { data } = await call(`${base}/campaigns`, secret, written);
  const path = `${base}/campaigns/${data.id}`;
  const headers = { Cookie: `${cookie.name}=${cookie.value}`, "Petrel-Project": project };
  let isOver = false;
  const watch = async (n) => {
    await sleep((pollMs / people) * n);
    while (!isOver) {
      const answer = await fetch(door ? base + door : `${path}/progress`, { headers });
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      await sleep(pollMs);
    }
  };
  const startedAt = performance.now();
  await call(`${path}/send`, secret, {});
  const watching = Array.from({ length: people }, (_, n) => watch(n));
  while ((await call(path, secret)).status !== "SENT") await sleep(100);
  const seconds = (performance.now() - startedAt) / 1_000;
  isOver = true;
  await Promise.all(watching);
  return (await call(`${path}/stats`, secret)).sentCount / seconds;
}

function reportWatched({ alone, called, watched: seen }) {
  const ratios = called.map((speed, turn) => (1 - seen[turn] / speed) * 100);
  const cell = (values) => ({ value: median(values), unit: "a second" });
  table({
    title: "A campaign beside open consoles",
    names: ["it"],
    figures: [
      {
        "with nobody who watches": cell(alone),
        "with as many calls that read nothing": cell(called),
        [`with ${watchers} who watch`]: cell(seen),
        "slower than with these calls by": { value: median(ratios), unit: "%" },
      },
    ],
    aims: { "slower than with these calls by": "≤ 5" },
  });
}
