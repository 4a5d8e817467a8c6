import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { sealPreflight } from "../../src/core/campaigns/preflight-token";
import { readId } from "../../src/core/ids";
import { minuteMs } from "../../src/core/time";
import { sendCampaign } from "../../src/features/campaigns/send";
import { newCampaign, putCampaign } from "../support/campaign";
import { preflightToken } from "../support/preflight";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { World } from "../support/world";

/** A token as a pre-flight makes it that has seen this version, and ended so long ago. */
function tokenOf({ id }: TestProject, campaignId: string, { version = 1, minutesAgo = 0 } = {}): Promise<string> {
  const expiresAt = Date.now() + (15 - minutesAgo) * minuteMs;
  return sealPreflight(
    [env.LINK_SECRETS ?? ""],
    { projectId: id, campaignId: readId(campaignId) },
    { version, expiresAt },
  );
}

async function set() {
  const project = await newProject();
  const { id } = await newCampaign(project);
  const send = (token: unknown, more: object = {}) =>
    project.api.post(`/campaigns/${id}/send`, { preflightToken: token, ...more });
  const status = async () => (await project.api.get(`/campaigns/${id}`)).body.status;
  return { project, id, send, status };
}

describe("the preflightToken of POST /campaigns/{id}/send", () => {
  it("sends the campaign that was checked", async () => {
    const { project, id, send } = await set();
    const { status, body } = await send(await preflightToken(project, id));
    expect([status, body.data.status, body.message]).toEqual([200, "SENDING", "Campaign is being sent"]);
  });

  it("schedules it, once", async () => {
    const { project, id, send, status } = await set();
    const token = await preflightToken(project, id);
    const scheduledFor = new Date(Date.now() + 60 * minuteMs).toISOString();
    expect((await send(token, { scheduledFor })).body.data).toMatchObject({ status: "SCHEDULED", scheduledFor });
    for (const more of [{}, { scheduledFor }]) {
      const details = { field: "preflightToken", reason: "changed" };
      expectRefusal(await send(token, more), 409, "CONFLICT", { details });
    }
    expect(await status()).toBe("SCHEDULED");
    expect((await send(await preflightToken(project, id))).body.data.status).toBe("SENDING");
  });

  it("is refused when the campaign was changed since, even to the same words", async () => {
    const { project, id, send, status } = await set();
    const token = await preflightToken(project, id);
    await putCampaign(project, id, { subject: "News for {{ firstName }}" });
    const answer = await send(token);
    expectRefusal(answer, 409, "CONFLICT", { details: { field: "preflightToken", reason: "changed" } });
    expect(answer.body.error.suggestion).toContain("another pre-flight");
    expect(await status()).toBe("DRAFT");
  });

  it("is refused after 15 minutes", async () => {
    const { project, id, send, status } = await set();
    const details = { field: "preflightToken", reason: "expired", expiredAt: expect.any(String) };
    expectRefusal(await send(await tokenOf(project, id, { minutesAgo: 15 })), 409, "CONFLICT", { details });
    expect(await status()).toBe("DRAFT");
    expect((await send(await tokenOf(project, id, { minutesAgo: 14 }))).status).toBe(200);
  });

  it("is refused for another campaign, another project, and as a text of the caller's own", async () => {
    const { project, id, send, status } = await set();
    const sister = await newCampaign(project);
    const tokens = [await preflightToken(project, sister.id), await tokenOf(await newProject(), id), "1 9999999999999"];
    for (const token of tokens) {
      expectRefusal(await send(token), 400, "BAD_REQUEST", {
        details: { field: "preflightToken", reason: "foreign" },
      });
    }
    expect(await status()).toBe("DRAFT");
  });

  it.each([null, "", 7])("is refused as %j, and under another name", async (token) => {
    const { project, id, send, status } = await set();
    expectInvalid(await send(token), "preflightToken", token === "" ? "too_small" : "invalid_type");
    const misspelt = await project.api.post(`/campaigns/${id}/send`, { preflight_token: "x" });
    expectInvalid(misspelt, "preflight_token", "custom");
    expect(await status()).toBe("DRAFT");
  });

  it("does not hinder the repeat of a call whose answer was lost", async () => {
    const { project, id, send } = await set();
    const token = await preflightToken(project, id);
    const headers = { ...bearer(project.keys.secret).headers, "Idempotency-Key": "send-march" };
    const sendOnce = () => call("POST", `/campaigns/${id}/send`, { preflightToken: token }, { headers });
    expect((await sendOnce()).status).toBe(200);
    const again = await sendOnce();
    expect(again.body.error).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED", details: { sameRequest: true } });
    expect((await send(token)).status).toBe(400);
  });

  it("sends nothing of a campaign that changes while it is being sent", async () => {
    const [world, { project, id, status }] = [new World(), await set()];
    const token = await preflightToken(project, id);
    const { ctx } = await world.context(project);
    let changes = 0;
    world.fault = {
      meet: async (trip, make) => {
        if (trip.writes && changes++ === 0) await putCampaign(project, id, { subject: "Other news" });
        return make();
      },
    };
    const sent = sendCampaign({ ...ctx, origin: "https://petrel.example" }, readId(id), {
      preflightToken: token ?? "",
    });
    await expect(sent).rejects.toMatchObject({ details: { reason: "changed" } });
    expect([changes, await status(), world.queue]).toEqual([1, "DRAFT", []]);
  });

  it("is none for a campaign that is being sent already", async () => {
    const { project, id, send } = await set();
    expect((await send(await preflightToken(project, id))).status).toBe(200);
    await project.db.prepare("UPDATE campaigns SET status = 'SENDING' WHERE id = ?").bind(readId(id)).run();
    expect(await preflightToken(project, id)).toBeNull();
  });
});
