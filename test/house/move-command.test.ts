import { afterEach, expect, it } from "vitest";
import { closeCheckouts, openCheckout, startStubWorker } from "../support/deploy-checkout";

afterEach(closeCheckouts);

const adminToken = "t".repeat(32);
const result = { database: "DB_01", rows: 40, compared: 41, refusedMs: 340 };
const job = (progress: number, more = {}) => ({ status: "processing", progress, result: null, errors: [], ...more });
const moved = job(100, { status: "completed", result });
const moving = { to: "DB_01", jobId: "j1", since: "2026-01-31T09:00:00.000Z", turnsBack: false };

/** `npm run move` beside an installation whose project p1 and its job are in these states, one a look. */
async function moveOf(projects: unknown[], jobs: unknown[], others = {}) {
  const next = (states: unknown[]): [number, unknown] => [200, states.length > 1 ? states.shift() : states[0]];
  const worker = await startStubWorker({
    others: {
      "GET /admin/projects/p1": () => next(projects),
      "GET /admin/jobs/j1": () => next(jobs),
      "POST /admin/projects/p1/move": [202, { jobId: "j1" }],
      "DELETE /admin/projects/p1/move": [202, { jobId: "j1" }],
      ...others,
    },
  });
  const checkout = openCheckout();
  checkout.write("petrel.toml", `[deployed]\naddress = "${worker.base}"\n`);
  const move = async (args: string[], environment: Record<string, string> = {}) => {
    const given = { ADMIN_TOKEN: adminToken, ...environment };
    const { code, out, err } = await checkout.run("move", [...args, "--deployed"], given, { isTerminal: false });
    return { code, out, words: (out + err).replaceAll(/\s+/g, " ") };
  };
  return { move, bodies: () => worker.calls.filter(({ call }) => call.startsWith("POST")).map(({ body }) => body) };
}

it("npm run move moves a project, and says how far it is", async () => {
  const projects = [
    { database: "DB", moving: null },
    { database: "DB_01", moving: null },
  ];
  const { move, bodies } = await moveOf(projects, [job(1), job(32), moved]);
  const { code, words } = await move(["p1", "--to", "DB_01"]);
  expect(words).toContain("1 % preparing 32 % copying 100 % moved");
  expect(words).toContain("40 rows copied, 41 compared, writes refused for 340 ms. The project is in DB_01.");
  expect([code, bodies()]).toEqual([0, ['{"database":"DB_01"}']]);
  const again = await move(["p1", "--to", "DB_01", "--json"]);
  expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { database: "DB_01", status: "completed" }]);
  expect(bodies()).toHaveLength(1);
});

it("npm run move watches a move that goes on, and leaves it alone when it is interrupted", async () => {
  const { move, bodies } = await moveOf([{ database: "DB", moving }], [job(70)]);
  const interrupting = "data:text/javascript,setTimeout(()=>process.kill(process.pid,'SIGINT'),3000).unref()";
  const { code, words } = await move(["p1", "--to", "DB_01"], { NODE_OPTIONS: `--import="${interrupting}"` });
  expect([code, bodies()]).toEqual([130, []]);
  expect(words).toContain("70 % comparing The move goes on without this command.");
  expect(words).toContain("npm run move -- p1 --to DB_01 --deployed watches it again");
  expect(words).toContain("npm run move -- p1 --back --deployed takes it back");
  const back = await move(["p1", "--back"], { NODE_OPTIONS: `--import="${interrupting}"` });
  expect(back.words).toContain("The way back goes on without this command.");
  expect(back.words).not.toContain("--to DB_01");
  const other = await move(["p1", "--to", "DB_02"]);
  expect([other.code, bodies()]).toEqual([1, []]);
  expect(other.words).toContain("Wait for its end with --to DB_01, or take it back with --back");
});

it("npm run move outlives an answer that is lost, and no refusal", async () => {
  const projects = [
    { database: "DB", moving: null },
    { database: "DB_01", moving: null },
  ];
  const answers: [number, unknown][] = [[503, { message: "The database does not answer." }]];
  const lost = { "GET /admin/jobs/j1": (): [number, unknown] => answers.shift() ?? [200, moved] };
  const { move } = await moveOf(projects, [moved], lost);
  expect(await move(["p1", "--to", "DB_01"])).toMatchObject({ code: 0 });
  const { move: refused } = await moveOf([{ database: "DB", moving }], [], {
    "GET /admin/jobs/j1": [404, { message: "There is no such job." }],
  });
  expect(await refused(["p1", "--to", "DB_01"])).toMatchObject({
    code: 1,
    words: expect.stringContaining("There is no such job."),
  });
});

it("npm run move says why a move has failed, and takes one back", async () => {
  const failed = job(95, { status: "failed", errors: [{ reason: "The move was taken back." }] });
  const { move } = await moveOf([{ database: "DB", moving: null }], [failed]);
  const { code, out } = await move(["p1", "--to", "DB_01", "--json"]);
  expect([code, JSON.parse(out)]).toMatchObject([1, { jobId: "j1", reason: "The move was taken back." }]);
  const back = await move(["p1", "--back"]);
  expect([back.code, back.words]).toEqual([0, expect.stringContaining("The project is in DB.")]);
  const wrong = await move(["p1"]);
  expect([wrong.code, wrong.words]).toEqual([1, expect.stringContaining("takes one project by its id, and --to")]);
});
