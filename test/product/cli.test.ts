import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { BIN, machinePath } from "../../scripts/lib/paths.mjs";
import { readPages } from "../../scripts/lib/site/outline.mjs";
import { blocksOf } from "./blocks/read";
import { folder, installCli, newDesk, petrel } from "./cli";

const { base } = inject("product");

beforeAll(installCli);

describe("the command line", () => {
  it("has no dependencies", () => {
    const installed = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["petrel-cli"]);
  });

  it("says what is missing, and which command there is none of", async () => {
    const { folder: cwd, env } = await newDesk();
    const unset = await petrel(["tail"], cwd, { ...env, PETREL_KEY: "" });
    expect(unset).toMatchObject({ code: 2, err: expect.stringContaining("PETREL_KEY must be set") });
    expect(await petrel(["sned"], cwd, env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("no command sned"),
    });
    expect(await petrel(["send", "--cc", "x"], cwd, env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--cc"),
    });
    const help = await petrel(["send", "--help"], cwd, env);
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining("--template <name>"), err: "" });
  });

  it("has each command, with each option, that the documents show", async () => {
    const { folder: cwd, env } = await newDesk();
    const lines = readPages().flatMap(({ source }) => blocksOf(source).flatMap(({ code }) => code.split("\n")));
    const shown = lines.filter((line) => line.startsWith("npx petrel "));
    expect(shown.length).toBeGreaterThan(2);
    for (const line of shown) {
      const words = line.split(/ +/).slice(2);
      expect(await petrel([...words, "--help"], cwd, env), line).toMatchObject({ code: 0 });
    }
  });

  it.each([
    ["the Node of this machine", machinePath],
    ["the Node of the lockfile", BIN + delimiter + machinePath],
  ])("sends a mail on %s, and shows why one is refused", async (_, path) => {
    const desk = await newDesk();
    writeFileSync(
      join(desk.folder, "mail.md"),
      `---\nsubject: Hi {{ name }}\nfrom: ${desk.from}\n---\n\n# Hello {{ name ?? "you" }}\n`,
    );
    writeFileSync(join(desk.folder, ".env"), `PETREL_URL=${base}\nPETREL_KEY=${desk.env.PETREL_KEY}\n`);
    const { PETREL_URL: _url, PETREL_KEY: _key, ...env } = { ...desk.env, PATH: path };
    const args = ["send", "--to", "ada@example.com", "--file", "mail.md", "--data", "name=Ada"];
    expect(await petrel(args, desk.folder, env)).toMatchObject({
      code: 0,
      out: expect.stringContaining("✓ ada@example.com  QUEUED"),
    });
    const { data } = await desk.call<{ data: unknown[] }>("GET", "/emails");
    expect(data).toMatchObject([{ to: "ada@example.com", subject: "Hi Ada" }]);
    const refused = await petrel([...args, "--from", "hello@nobody.example.org"], desk.folder, env);
    expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("nobody.example.org") });
  });

  it("shows what happens as it happens, until Ctrl-C", async () => {
    const desk = await newDesk();
    await desk.call("POST", "/events/track", { email: "ada@example.com", event: "first" });
    const args = ["tail", "--types", "event.triggered"];
    const child = spawn(join(folder, "node_modules", ".bin", "petrel"), args, { cwd: desk.folder, env: desk.env });
    child.stdout.setEncoding("utf8");
    const shown = { text: "" };
    const until = (word: string) =>
      new Promise<void>((resolve) => {
        const look = () => shown.text.includes(word) && resolve();
        child.stdout.on("data", look);
        look();
      });
    child.stdout.on("data", (chunk) => (shown.text += chunk));
    const ended = new Promise((resolve) => child.on("close", resolve));
    await until("first");
    await desk.call("POST", "/events/track", { email: "ada@example.com", event: "second" });
    await until("second");
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(shown.text.split("\n").filter((line) => line.includes("ada@example.com"))).toHaveLength(2);
  });

  it("imports a CSV file, and names the rows that it skipped", async () => {
    const desk = await newDesk();
    writeFileSync(join(desk.folder, "contacts.csv"), "email,subscribed,plan\nada@example.com,no,pro\nnope,yes,free\n");
    const { code, out } = await desk.petrel("import", "contacts.csv", "--subscribed", "column");
    expect([code, out.split("\n").slice(0, 2)]).toEqual([
      0,
      ["✓ 2 rows: 1 new, 0 updated, 1 skipped", "  row 3  invalid_email  nope"],
    ]);
    const { data } = await desk.call<{ data: unknown[] }>("GET", "/contacts");
    expect(data).toMatchObject([{ email: "ada@example.com", subscribed: false, data: { plan: "pro" } }]);
    // Over 5 MB, in two parts, whose end is inside of a row.
    const rows = Array.from({ length: 110 }, (_, n) => `p${n}@example.com,${"é".repeat(25_000)}`);
    writeFileSync(join(desk.folder, "large.csv"), `email,plan\n${rows.join("\n")}\n`);
    const large = await desk.petrel("import", "large.csv");
    expect([large.code, large.out]).toEqual([0, "✓ 110 rows: 110 new, 0 updated, 0 skipped\n"]);
    expect(await desk.petrel("import", "none.csv")).toMatchObject({
      code: 1,
      err: expect.stringContaining("No such file: none.csv"),
    });
  });
});
