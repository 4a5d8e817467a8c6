import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { newWebhookSecret, signedHeaders } from "../../../src/core/webhooks/signature";

it("gives the signature of the official package", async () => {
  const secret = newWebhookSecret();
  const signed = { id: "0199a0f2-9d02-7e6f-b1c4-2a3b4c5d6e7f", at: Date.now(), body: '{"type":"é ☃ 🎉"}' };
  const headers = await signedHeaders([secret], signed);
  expect(headers["webhook-signature"]).toBe(new Webhook(secret).sign(signed.id, new Date(signed.at), signed.body));
  expect(new Webhook(secret).verify(signed.body, headers)).toEqual({ type: "é ☃ 🎉" });
});

it("has one signature for each secret", async () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()];
  const headers = await signedHeaders(secrets, { id: "1", at: Date.now(), body: "{}" });
  expect(headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
  for (const secret of secrets) expect(new Webhook(secret).verify("{}", headers)).toEqual({});
  expect(() => new Webhook(newWebhookSecret()).verify("{}", headers)).toThrow();
});
