import assert from "node:assert/strict";
import { WebhookVerificationError, webhooks } from "petrel-client";

const secret = `whsec_${btoa("a secret of twenty-four b")}`;
const body = JSON.stringify({ type: "email.delivered", timestamp: "2026-01-31T09:00:00.000Z", data: { emailId: "1" } });

async function signed(at = Math.floor(Date.now() / 1000), text = body) {
  const bytes = new TextEncoder();
  const key = bytes.encode(atob(secret.slice("whsec_".length)));
  const hmac = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", hmac, bytes.encode(`msg_1.${at}.${text}`));
  const encoded = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return { "webhook-id": "msg_1", "webhook-timestamp": `${at}`, "webhook-signature": `v1,${encoded}` };
}

export const signatures: Record<string, () => Promise<void>> = {
  async "a signed call is an event, whatever form its headers and body have"() {
    const headers = await signed();
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = headers;
    const node = { "Webhook-Id": [id], "Webhook-Timestamp": at, "Webhook-Signature": `v1,bad= v2,${id} ${signature}` };
    for (const form of [headers, new Headers(headers), node]) {
      assert.equal((await webhooks.verify(body, form, secret)).data.emailId, "1");
    }
    assert.equal((await webhooks.verify(new TextEncoder().encode(body), headers, secret)).type, "email.delivered");
  },

  async "a call that is not signed with the secret is refused"() {
    const headers = await signed();
    const now = Math.floor(Date.now() / 1000);
    const { "webhook-signature": _, ...unsigned } = headers;
    for (const [text, given, by] of [
      [`${body} `, headers, secret],
      [body, headers, `whsec_${btoa("another")}`],
      [body, { ...headers, "webhook-id": "msg_2" }, secret],
      [body, { ...headers, "webhook-signature": "v1,!" }, secret],
      [body, unsigned, secret],
      [body, await signed(now - 400), secret],
      [body, await signed(now + 400), secret],
      [body, { ...headers, "webhook-timestamp": "soon" }, secret],
    ] as const) {
      await assert.rejects(webhooks.verify(text, given, by), WebhookVerificationError);
    }
  },
};
