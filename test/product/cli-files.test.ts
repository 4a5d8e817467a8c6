import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CLI } from "../../scripts/lib/paths.mjs";
import { sample } from "../support/sample";
import { blocksOf } from "./blocks/read";
import { folder, installCli, newDesk, petrel } from "./cli";

interface Workflow {
  id: string;
  steps: { id: string; key: string; name: string; waiting?: number }[];
}

beforeAll(installCli);

async function onlyWorkflow(call: Awaited<ReturnType<typeof newDesk>>["call"]): Promise<string> {
  const { data } = await call<{ data: Workflow[] }>("GET", "/workflows");
  return data[0]?.id ?? "";
}

/** A service in front of which somebody else is quicker: `before` runs before the first change that a command makes. */
async function openLateService(base: string, before: () => Promise<unknown>) {
  let isFirst = true;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "GET", url = "/", headers } = request;
    const isChange = method === "PATCH" || (method === "PUT" && !url.includes("dryRun"));
    if (isChange && isFirst) {
      isFirst = false;
      await before();
    }
    const kept = ["authorization", "content-type", "if-match", "idempotency-key"];
    const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => kept.includes(name)));
    const answer = await fetch(base + url, {
      method,
      headers: sent as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, { "Content-Type": answer.headers.get("Content-Type") ?? "text/plain" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe("a project as files", () => {
  const topic = "name: Product news\n";
  const segment =
    "name: On pro\ncondition:\n  logic: AND\n  groups:\n    - filters:\n        - { field: data.plan, operator: equals, value: pro }\n";
  const nested = segment
    .replace("On pro", "A nested one")
    .replace(/- \{.*\}/, "- { field: segment, operator: memberOfSegment, value: On pro }");
  const template = (from: string) =>
    `---\nname: Welcome\nsubject: Hi {{ name ?? "you" }}\nfrom: ${from}\ntopic: Product news\n---\n\n# Hello {{ name ?? "you" }}\n`;
  const workflow = `name: Onboarding
eventName: signup
enabled: true
steps:
  - { key: welcome, type: SEND_EMAIL, template: Welcome }
  - { key: wait, type: DELAY, config: { amount: 3, unit: days } }
  - { key: is-pro, type: CONDITION, config: { field: segment, operator: memberOfSegment, value: On pro } }
transitions:
  - { from: trigger, to: welcome }
  - { from: welcome, to: wait }
  - { from: wait, to: is-pro }
`;

  function fill({ folder: at, from }: Awaited<ReturnType<typeof newDesk>>) {
    for (const name of ["topics", "segments", "templates", "workflows"]) mkdirSync(join(at, name));
    writeFileSync(join(at, "topics/news.yaml"), topic);
    writeFileSync(join(at, "segments/a-nested.yaml"), nested);
    writeFileSync(join(at, "segments/pro.yaml"), segment);
    writeFileSync(join(at, "templates/welcome.md"), template(from));
    writeFileSync(join(at, "workflows/onboarding.yaml"), workflow);
  }

  it("is pushed once, and shown before", async () => {
    const desk = await newDesk();
    fill(desk);
    const dry = await desk.petrel("push", "--dry-run");
    expect(dry.out).toContain("5 files would be pushed");
    expect(await desk.call("GET", "/topics")).toMatchObject({ total: 0 });
    expect(await desk.petrel("push")).toMatchObject({ code: 0, out: expect.stringContaining("✓ 5 files pushed") });
    const again = await desk.petrel("push");
    expect(again).toMatchObject({ code: 0, out: "✓ Nothing to push: the service has what is here\n" });
    expect(await desk.petrel("diff")).toMatchObject({ code: 0 });
    const { data } = await desk.call<{ data: unknown[] }>("GET", "/templates");
    expect(data).toMatchObject([
      { name: "Welcome", body: '<h1>Hello {{ name ?? "you" }}</h1>\n', topicId: expect.any(String) },
    ]);
    const kept = readFileSync(join(desk.folder, "workflows/onboarding.yaml"), "utf8");
    expect(kept).toBe(workflow);
  });

  it("has the form that the README shows", async () => {
    const desk = await newDesk();
    fill(desk);
    const blocks = blocksOf(readFileSync(join(CLI, "README.md"), "utf8"));
    expect(blocks.map(({ language }) => language)).toEqual(["sh", "sh", "md", "yaml"]);
    const [, , shown, graph] = blocks.map(({ code }) => code.replace("hello@acme.com", desk.from));
    writeFileSync(join(desk.folder, "templates/welcome.md"), shown ?? "");
    writeFileSync(join(desk.folder, "workflows/onboarding.yaml"), graph ?? "");
    expect(await desk.petrel("push")).toMatchObject({ code: 0, out: expect.stringContaining("✓ 5 files pushed") });
    expect(await desk.petrel("diff")).toMatchObject({ code: 0 });
  });

  it("is continued by the next push when one dies half-way", async () => {
    const desk = await newDesk();
    fill(desk);
    writeFileSync(
      join(desk.folder, "workflows/broken.yaml"),
      workflow.replace("Onboarding", "A broken one").replace("days", "years"),
    );
    expect(await desk.petrel("push")).toMatchObject({
      code: 1,
      err: expect.stringContaining("workflows/broken.yaml: "),
    });
    rmSync(join(desk.folder, "workflows/broken.yaml"));
    // As if it had died before it knew what it had created.
    const file = join(desk.folder, ".petrel/state.json");
    const state = JSON.parse(readFileSync(file, "utf8"));
    for (const entries of Object.values<Record<string, { id?: string }>>(state))
      delete entries["templates/welcome.md"]?.id;
    writeFileSync(file, JSON.stringify(state));
    expect(await desk.petrel("push")).toMatchObject({ code: 0 });
    expect(await desk.petrel("push")).toMatchObject({ out: expect.stringContaining("Nothing to push") });
    for (const [path, total] of [
      ["/templates", 1],
      ["/topics", 1],
      ["/workflows", 1],
    ] as const)
      expect(await desk.call("GET", path)).toMatchObject({ total });
    expect(await desk.call("GET", "/segments")).toHaveLength(2);
  });

  it("is the same in another folder after a pull, without an id in any file", async () => {
    const desk = await newDesk();
    fill(desk);
    await desk.petrel("push");
    const id = await onlyWorkflow(desk.call);
    const step = {
      type: "EXIT",
      name: "The end",
      config: {},
      connectFrom: (await desk.call<Workflow>("GET", `/workflows/${id}`)).steps.at(-1)?.id,
    };
    await desk.call("POST", `/workflows/${id}/steps`, { ...step, branch: "yes" });
    const other = { ...desk, folder: mkdtempSync(join(folder, "other-")) };
    const there = (...args: string[]) => petrel(args, other.folder, other.env);
    expect(await there("pull")).toMatchObject({ code: 0, out: expect.stringContaining("✓ 5 files pulled") });
    for (const file of [
      "topics/product-news.yaml",
      "segments/a-nested-one.yaml",
      "templates/welcome.html",
      "workflows/onboarding.yaml",
    ])
      expect(readFileSync(join(other.folder, file), "utf8")).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    expect(readFileSync(join(other.folder, "workflows/onboarding.yaml"), "utf8")).toContain("key: the-end");
    expect(await there("diff")).toMatchObject({ code: 0 });
    expect(await there("push")).toMatchObject({ out: expect.stringContaining("Nothing to push") });
    // A step that was made alone stays itself when its file changes.
    const file = join(other.folder, "workflows/onboarding.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("The end", "The very end"));
    expect(await there("push")).toMatchObject({ code: 0 });
    const { steps } = await desk.call<Workflow>("GET", `/workflows/${id}/document`);
    expect(steps.map(({ name }) => name)).toContain("The very end");
    expect(await there("diff")).toMatchObject({ code: 0 });
  });

  it("tells the second of two people to pull, and changes nothing", async () => {
    const [ada] = [await newDesk()];
    fill(ada);
    await ada.petrel("push");
    const bob = mkdtempSync(join(folder, "bob-"));
    cpSync(ada.folder, bob, { recursive: true });
    writeFileSync(join(ada.folder, "topics/news.yaml"), `${topic}description: Of Ada\n`);
    expect(await ada.petrel("push")).toMatchObject({ code: 0, out: expect.stringContaining("+description: Of Ada") });
    writeFileSync(join(bob, "topics/news.yaml"), `${topic}description: Of Bob\n`);
    writeFileSync(join(bob, "segments/pro.yaml"), `${segment}description: Of Bob\n`);
    const refused = await petrel(["push"], bob, ada.env);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("topics/news.yaml: somebody else changed it"),
    });
    expect(refused.err).toContain("petrel pull");
    expect(await ada.call("GET", "/topics")).toMatchObject({ data: [{ description: "Of Ada" }] });
    expect(JSON.stringify(await ada.call("GET", "/segments"))).not.toContain("Of Bob");
    expect(await petrel(["pull"], bob, ada.env)).toMatchObject({
      code: 1,
      err: expect.stringContaining("Nothing was pulled"),
    });
    expect(await petrel(["pull", "topics", "--force"], bob, ada.env)).toMatchObject({ code: 0 });
    expect(readFileSync(join(bob, "topics/news.yaml"), "utf8")).toContain("Of Ada");
    expect(await petrel(["push"], bob, ada.env)).toMatchObject({
      code: 0,
      out: expect.stringContaining("✓ 1 file pushed"),
    });
  });

  const overtaken = [
    ["templates/welcome.md", "/templates", "# Hello", "# Dear"],
    ["segments/pro.yaml", "/segments", "value: pro", "value: max"],
    ["workflows/onboarding.yaml", "/workflows", "amount: 3", "amount: 4"],
  ] as const;

  it.each(sample(overtaken))(
    "overwrites nothing that somebody changes while a push of %s is under way",
    async (file, path, from, to) => {
      const desk = await newDesk();
      fill(desk);
      await desk.petrel("push");
      const listed = await desk.call<{ data: { id: string }[] } | { id: string; name: string }[]>("GET", path);
      const { id } = (Array.isArray(listed) ? listed.find(({ name }) => name === "On pro") : listed.data[0]) ?? {};
      writeFileSync(join(desk.folder, file), readFileSync(join(desk.folder, file), "utf8").replace(from, to));
      const late = await openLateService(desk.env.PETREL_URL, () =>
        desk.call("PATCH", `${path}/${id}`, { description: "Of Ada" }),
      );
      const refused = await petrel(["push"], desk.folder, { ...desk.env, PETREL_URL: late.url });
      await late.close();
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`${file}: somebody else has changed it`) });
      const text = JSON.stringify(
        await desk.call("GET", path === "/workflows" ? `${path}/${id}/document` : `${path}/${id}`),
      );
      expect(text).not.toContain(JSON.stringify(to).slice(1, -1));
      expect(await desk.petrel("push")).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was pushed") });
    },
  );

  it("counts the executions that a change would leave without a step, and moves them", async () => {
    const desk = await newDesk();
    fill(desk);
    await desk.petrel("push");
    const id = await onlyWorkflow(desk.call);
    const ada = await desk.call<{ id: string }>("POST", "/contacts", { email: "ada@example.com" });
    await desk.call("POST", `/workflows/${id}/executions`, { contactId: ada.id });
    await expect
      .poll(
        async () =>
          (await desk.call<Workflow>("GET", `/workflows/${id}/stats`)).steps.find(({ name }) => name === "DELAY")
            ?.waiting,
        { timeout: 20_000 },
      )
      .toBe(1);
    const file = join(desk.folder, "workflows/onboarding.yaml");
    const shorter = workflow
      .split("\n")
      .filter((line) => !/key: wait|to: wait/.test(line))
      .join("\n")
      .replace("from: wait", "from: welcome");
    writeFileSync(file, shorter);
    const dry = await desk.petrel("push", "--dry-run");
    expect(dry.out).toContain("→ 1 execution at wait would lose their step");
    expect(await desk.petrel("push")).toMatchObject({ code: 1, err: expect.stringContaining("--move-to") });
    expect(await desk.petrel("push", "--move-to", "is-pro")).toMatchObject({ code: 0 });
    const { steps } = await desk.call<Workflow>("GET", `/workflows/${id}/document`);
    expect(steps.map(({ key }) => key)).toEqual(["welcome", "is-pro"]);
  });

  it("names the file and the line of what it cannot read, and a name that nothing has", async () => {
    const desk = await newDesk();
    fill(desk);
    writeFileSync(join(desk.folder, "topics/news.yaml"), 'name: News\ndescription: "half\n');
    expect(await desk.petrel("push")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/topics\/news\.yaml:\d+: /),
    });
    writeFileSync(join(desk.folder, "topics/news.yaml"), "name: News\n");
    expect(await desk.petrel("push")).toMatchObject({
      code: 1,
      err: expect.stringContaining("templates/welcome.md: there is no topic named Product news"),
    });
    expect(await desk.call("GET", "/topics")).toMatchObject({ total: 0 });
  });
});
