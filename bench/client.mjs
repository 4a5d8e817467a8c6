import { createServer } from "node:http";
import { join } from "node:path";
import { buildClient } from "../scripts/lib/client/pack.mjs";
import { CLIENT } from "../scripts/lib/paths.mjs";
import { median } from "./load.mjs";
import { compare, single } from "./report.mjs";

const turns = 21;
const callsInTurn = 200;

const mail = {
  to: "ada@example.com",
  from: "hello@petrel.test",
  subject: "Hi {{ name }}",
  body: "<p>Hi {{ name }}</p>",
  data: { name: "Ada" },
};
const answer = JSON.stringify({
  success: true,
  data: { emails: [{ contact: { id: "1", email: mail.to }, email: "2", status: "QUEUED" }], timestamp: "" },
});

/** Measures a call of the client, and the same call by hand, to a server that does nothing. They take turns. */
export async function benchClient() {
  await buildClient();
  const { Petrel } = await import(join(CLIENT, "dist", "index.js"));
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.setHeader("Content-Type", "application/json").end(answer));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  const petrel = new Petrel({ key: "sk_bench", baseUrl });
  const figures = { client: [], bare: [] };
  for (let turn = 0; turn < turns; turn++) {
    figures.client.push(await msPerCall(() => petrel.emails.send(mail)));
    figures.bare.push(await msPerCall(() => sendByHand(baseUrl)));
  }
  server.close();
  server.closeAllConnections();
  const [ours, bare] = [figures.client, figures.bare].map((ms) => median(ms.toSorted((one, other) => one - other)));
  compare({
    title: "A call of the client, beside fetch by hand",
    ours: { call: { value: ours, unit: "ms" } },
    bare: { call: { value: bare, unit: "ms" } },
    aims: {},
    names: { ours: "client", bare: "fetch" },
  });
  single("What the client adds to a call", ours - bare, "ms", "≤ 0.2");
}

async function sendByHand(baseUrl) {
  const response = await fetch(`${baseUrl}/v1/send`, {
    method: "POST",
    headers: { Authorization: "Bearer sk_bench", "Content-Type": "application/json" },
    body: JSON.stringify(mail),
  });
  return (await response.json()).data;
}

async function msPerCall(call) {
  const startedAt = performance.now();
  for (let made = 0; made < callsInTurn; made++) await call();
  return (performance.now() - startedAt) / callsInTurn;
}
