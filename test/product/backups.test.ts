import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, inject, it } from "vitest";
import { operatorOf } from "./operator";

const product = inject("product");
const { adminToken } = product;
const { api, run } = operatorOf(product);
const folder = mkdtempSync(join(tmpdir(), "petrel-backups-"));

afterAll(() => rmSync(folder, { recursive: true }));

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

it("are one file each in a folder, from which a project is restored that has the same", {
  timeout: 120_000,
}, async () => {
  type Made = { project: { id: string }; keys: { secret: string } };
  const { project, keys } = await api<Made>(adminToken, "POST", "/admin/projects", { name: "Acme" });
  // U+2028 ends a line for some readers, and not in JSON.
  const people = ["one", "two\u2028and\nmore", "naïve"].map((note, n) => ({
    email: `p${n}@example.com`,
    data: { note },
  }));
  for (const person of people) await api(keys.secret, "POST", "/contacts", person);
  const form = new FormData();
  form.append("file", new File([png], "logo.png"));
  const image = await api<{ id: string; url: string }>(keys.secret, "POST", "/files", form);

  const backup = await run("backup", project.id, "--to", folder, "--json");
  expect(backup).toMatchObject({ code: 0, err: "" });
  const [made] = JSON.parse(backup.out).backups;
  expect(made).toMatchObject({ project: project.id, reason: null, file: expect.stringContaining(folder) });
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([made.file]);
  expect(statSync(made.file).mode & 0o777).toBe(0o600);
  const lines = readFileSync(made.file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ email }) => email).map(({ email }) => email)).toEqual(people.map(({ email }) => email));
  expect(readFileSync(made.file, "utf8")).not.toContain(keys.secret);
  // Neither the project nor its backup in the bucket is needed any more.
  await api(adminToken, "DELETE", `/admin/projects/${project.id}`);

  const restored = await run("restore", "--from", made.file, "--as", "Again", "--json");
  expect(restored).toMatchObject({ code: 0, err: "" });
  const copy = JSON.parse(restored.out);
  expect(copy).toMatchObject({ status: "completed", reason: null, result: { rows: made.rows } });
  const { secret } = copy.keys;
  type Listed<Item> = { data: Item[] };
  const { data } = await api<Listed<{ email: string; data: object }>>(secret, "GET", "/contacts?sort=email&dir=asc");
  expect(data.map((contact) => ({ email: contact.email, data: contact.data }))).toEqual(people);
  const { data: files } = await api<Listed<{ id: string; url: string }>>(secret, "GET", "/files");
  expect(files).toEqual([expect.objectContaining({ id: image.id })]);
  expect(Buffer.from(await (await fetch(String(files[0]?.url))).arrayBuffer())).toEqual(png);
  expect(await api(adminToken, "GET", `/admin/projects/${copy.project}`)).toMatchObject({
    name: "Again",
    disabled: true,
  });

  const whole = readFileSync(made.file, "utf8");
  const damages = [whole.replace("p1@", "p2@"), whole.slice(0, whole.lastIndexOf('{"end"')), ""];
  for (const damaged of damages) {
    const path = join(folder, "damaged.ndjson");
    writeFileSync(path, damaged);
    const refused = await run("restore", "--from", path);
    expect(refused.err).toContain(`${path} cannot be restored: `);
    expect([refused.code, refused.out]).toEqual([1, ""]);
  }
  const missing = await run("backup", project.id, "--to", folder);
  expect([missing.code, missing.out]).toEqual([1, expect.stringContaining("failed: ")]);
  expect((await run("restore", "--from", join(folder, "none"))).err).toContain("cannot be read (ENOENT)");
  expect(readdirSync(folder)).toHaveLength(2);
});
