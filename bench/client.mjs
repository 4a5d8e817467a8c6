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

/** Measures a call of the client, and the same call by hand, to a server that does nothing. The two take turns. */
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
    figures.client.push(await perCall(() => petrel.emails.send(mail)));
    figures.bare.push(await perCall(() => sendByHand(baseUrl)));
  }
  server.close();
  server.closeAllConnections();
  const [ours, bare] = [figures.client, figures.bare].map((turns) => ({
    call: typical(turns.map(({ ms }) => ms)),
    "CPU, with the server": typical(turns.map(({ cpuMs }) => cpuMs)),
  }));
  const names = { ours: "client", bare: "fetch" };
  compare({ title: "A call of the client, beside fetch by hand", ours, bare, aims: {}, names });
  single("What the client adds to a call", ours.call.value - bare.call.value, "ms", "≤ 0.2");
}

async function sendByHand(baseUrl) {
  const response = await fetch(`${baseUrl}/v1/send`, {
    method: "POST",
    headers: { Authorization: "Bearer sk_bench", "Content-Type": "application/json" },
    body: JSON.stringify(mail),
  });
  return (await response.json()).data;
}

function typical(values) {
  return { value: median(values.toSorted((one, other) => one - other)), unit: "ms" };
}

/** CPU time, because others may also use the machine. */
async function perCall(call) {
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
  for (let made = 0; made < callsInTurn; made++) await call();
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    ms: (performance.now() - startedAt) / callsInTurn,
    cpuMs: (user + system) / 1_000 / callsInTurn,
  };
}
