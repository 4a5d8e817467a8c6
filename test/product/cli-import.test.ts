import { existsSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { listmonk } from "../cli/accounts/listmonk";
import { installCli, newDesk, petrel } from "./cli";

const { base } = inject("product");

interface Contact {
  id: string;
  email: string;
  subscribed: boolean;
  createdAt: string;
  confirmedAt: string | null;
  optedOutAt: string | null;
  data: object;
}

let service: Server;
let url = "";

beforeAll(async () => {
  const answers: Record<string, unknown> = listmonk;
  service = createServer(({ url: path = "" }, response) => {
    const answer = answers[path];
    response.writeHead(answer === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  await installCli();
});
afterAll(() => service.close());

async function desk() {
  const opened = await newDesk();
  writeFileSync(join(opened.folder, ".env"), "LISTMONK_API_KEY=user:token\n");
  const move = (...args: string[]) => opened.petrel("import", "--from", "listmonk", "--url", url, ...args);
  const contacts = async () => {
    const { data } = await opened.call<{ data: Contact[] }>("GET", "/contacts?limit=100");
    return new Map(data.map((contact) => [contact.email, contact]));
  };
  return { ...opened, move, contacts };
}

describe("an account of another service", () => {
  it("is counted by state in a dry run, which changes nothing", async () => {
    const { move, contacts, call } = await desk();
    const { code, out } = await move("--dry-run");
    expect(code).toBe(0);
    for (const line of ["suppressed      3", "left            2", "not subscribed  3", "subscribed      2"])
      expect(out).toContain(line);
    expect(out).toContain('line 2  {{ Date "2006" }}');
    expect((await contacts()).size).toBe(0);
    expect(await call("GET", "/topics")).toMatchObject({ total: 0 });
    expect(await call("GET", "/suppressions")).toMatchObject({ total: 0 });
  });

  it("comes with its times, topics and opt-outs, and asks nobody to confirm", async () => {
    const { move, contacts, call, folder } = await desk();
    const done = await move();
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining("✓ All of it is here") });
    const found = await contacts();
    expect(found.get("ada@example.com")).toMatchObject({
      ...{ subscribed: true, createdAt: "2020-02-10T22:07:16.199Z", source: "IMPORT" },
      data: { city: "London", projects: { open: 3 }, name: "Ada Lovelace", privateLists: "Staff" },
    });
    expect(found.get("bob@example.com")).toMatchObject({ subscribed: false, optedOutAt: "2020-04-01T10:00:00.000Z" });
    expect(found.get("dan@example.com")).toMatchObject({ subscribed: true, confirmedAt: "2020-04-01T10:00:00.000Z" });
    for (const out of ["cleo", "eve", "fay", "gil"])
      expect(found.get(`${out}@example.com`)).toMatchObject({ subscribed: false });
    const topics = async (name: string) => call("GET", `/contacts/${found.get(`${name}@example.com`)?.id}/topics`);
    expect(await topics("ada")).toMatchObject({ topics: { "product-news": true, confirmed: false } });
    expect(await topics("dan")).toMatchObject({ topics: { "product-news": false, confirmed: true } });
    const { data } = await call<{ data: object[] }>("GET", "/suppressions");
    expect(data).toContainEqual({
      ...{ email: "hard@example.com", reason: "bounce", createdAt: "2021-01-01T10:00:00.000Z" },
    });
    expect(await call("GET", "/emails")).toMatchObject({ total: 0 });
    expect(existsSync(join(folder, ".petrel/import-listmonk.json"))).toBe(false);
  });

  it("subscribes nobody who had left here, and lets nobody join a topic that they had left here", async () => {
    const { move, contacts, call } = await desk();
    const topic = await call<{ slug: string }>("POST", "/topics", { name: "Product news" });
    await call("POST", "/contacts", { email: "dan@example.com", subscribed: false });
    const ada = await call<Contact>("POST", "/contacts", { email: "ada@example.com" });
    await call("PUT", `/contacts/${ada.id}/topics`, { topics: { [topic.slug]: false } });
    await call("POST", "/contacts", { email: "bob@example.com" });
    const { code, out } = await move();
    expect([code, out]).toEqual([0, expect.stringContaining("1 who had left here and stay away")]);
    const found = await contacts();
    expect(found.get("dan@example.com")).toMatchObject({ subscribed: false });
    expect(found.get("bob@example.com")).toMatchObject({ subscribed: false });
    expect(await call("GET", `/contacts/${ada.id}/topics`)).toMatchObject({ topics: { "product-news": false } });
  });

  it("is continued where it died, and sends nothing twice", async () => {
    const { contacts, call, folder, env } = await desk();
    const uploads: string[] = [];
    let isDown = true;
    // The service goes away with the second upload.
    const between = createServer(async (request, response) => {
      const isUpload = request.url === "/contacts/import" && request.method === "POST";
      if (isUpload) uploads.push(request.url ?? "");
      const body = await buffer(request);
      const answer =
        isUpload && isDown && uploads.length === 2
          ? new Response("{}", { status: 503, headers: { "Content-Type": "application/json" } })
          : await forward(request, body);
      response.writeHead(answer.status, { "Content-Type": "application/json" });
      response.end(await answer.text());
    });
    await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void between.close());
    const through = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
    const args = ["import", "--from", "listmonk", "--url", url];
    const move = () => petrel(args, folder, { ...env, PETREL_URL: through });
    expect(await move()).toMatchObject({ code: 1 });
    expect(existsSync(join(folder, ".petrel/import-listmonk.json"))).toBe(true);
    isDown = false;
    uploads.length = 0;
    expect(await move()).toMatchObject({ code: 0, out: expect.stringContaining("was begun before, and continues") });
    // Those who are out and those who are subscribed choose topics. The opt-outs themselves are here.
    expect(uploads).toHaveLength(2);
    expect((await contacts()).size).toBe(7);
    expect(await call("GET", "/suppressions")).toMatchObject({ total: 3 });
  });
});

/** Passes a request on to the product. */
function forward({ method = "GET", url: path = "", headers }: IncomingMessage, body: Buffer): Promise<Response> {
  const kept = { Authorization: headers.authorization ?? "", "Content-Type": headers["content-type"] ?? "" };
  return fetch(base + path, { method, headers: kept, ...(body.length > 0 && { body }) });
}
