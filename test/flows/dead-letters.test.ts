import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { consumeInOutage } from "../support/consume-in-outage";

it("what failed every try is written down once, after hours in which no database answers", async () => {
  const body = { type: "mail.deliver", marker: crypto.randomUUID() };
  const isAcknowledged = await consumeInOutage({
    ...{ queue: "petrel-mail-dead", body, retries: 100, awaySeconds: 20 * 3_600 },
  });
  expect(isAcknowledged).toBe(true);
  const { results } = await env.DB.prepare("SELECT queue FROM dead_letters WHERE body = ?")
    .bind(JSON.stringify(body))
    .all();
  expect(results).toEqual([{ queue: "petrel-mail-dead" }]);
});
