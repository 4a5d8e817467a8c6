import { isGood } from "./contacts.mjs";

const audiences = ["ALL", "SEGMENT", "FILTERED"];
const minuteMs = 60_000;
const condition = (value) => ({
  logic: "AND",
  groups: [{ filters: [{ field: "data.plan", operator: "equals", value }] }],
});

/** What tenants do with campaigns and segments. */
export const campaignDeeds = {
  async startCampaign(caller, { number, draws: [how, audience, when] }) {
    const { tenant } = caller;
    const audienceType = audiences[Math.floor(audience * audiences.length)];
    const { status, body } = await caller.ask("POST", "/campaigns", {
      body: {
        ...{
          name: `Campaign ${number}`,
          subject: `News ${number}`,
          body: `<p>News: <a href="https://${tenant.name}.example/news">read</a></p>`,
          from: tenant.from,
          audienceType,
        },
        ...(audienceType === "SEGMENT" ? { segmentId: tenant.segments[0].id } : {}),
        ...(audienceType === "FILTERED" ? { audienceCondition: condition("free") } : {}),
        ...(audience * 10 - Math.floor(audience * 10) < 0.4 ? { variants: variantsOf(number) } : {}),
        ...(how < 0.3 ? { canary: { percent: 30, holdMinutes: 1, maxBounceRate: 100, maxComplaintRate: 100 } } : {}),
      },
    });
    if (!isGood(status)) return;
    tenant.campaigns.push(body);
    caller.note({ is: "made", path: `/campaigns/${body.id}` });
    const scheduledFor = when < 0.4 ? new Date(caller.now() + when * 5 * minuteMs).toISOString() : null;
    await caller.insist("POST", `/campaigns/${body.id}/send`, {
      body: { scheduledFor },
      headers: { "Idempotency-Key": caller.newKey() },
      allowed: [409],
    });
  },

  pauseCampaign: (caller, entry) => change(caller, entry, "pause"),
  resumeCampaign: (caller, entry) => change(caller, entry, "resume"),

  async cancelCampaign(caller, entry) {
    const { status } = await change(caller, entry, "cancel");
    if (status === 200) caller.note({ is: "cancelled", campaign: chosen(caller, entry).id });
  },

  async createSegment(caller, { number, draws: [draw] }) {
    const { status, body } = await caller.ask("POST", "/segments", {
      body: { name: `Segment ${number}`, condition: condition(draw < 0.5 ? "pro" : "free"), trackMembership: true },
    });
    if (isGood(status)) caller.tenant.segments.push(body);
  },

  /** Contacts enter and leave at a computation, and the next one by itself may come when the world is over. */
  async computeSegment(caller, { draws: [which] }) {
    const { segments } = caller.tenant;
    const { id } = segments[Math.floor(which * segments.length)];
    await caller.ask("POST", `/segments/${id}/compute`, { allowed: [409] });
  },

  async changeSegment(caller, { draws: [which, plan] }) {
    const { segments } = caller.tenant;
    const segment = segments[Math.floor(which * segments.length)];
    await caller.insist("PATCH", `/segments/${segment.id}`, {
      body: { condition: condition(plan < 0.5 ? "pro" : "free") },
    });
  },
};

/** Two forms of a campaign, by their names; one has the subject of the campaign. */
function variantsOf(number) {
  return [
    { name: "plain", weight: 30 },
    { name: "curious", weight: 70, subject: `Curious ${number}` },
  ];
}

async function change(caller, entry, verb) {
  const campaign = chosen(caller, entry);
  if (campaign === undefined) return {};
  // It may have ended, or not begun.
  return caller.ask("POST", `/campaigns/${campaign.id}/${verb}`, { body: {}, allowed: [400, 409] });
}

function chosen({ tenant }, { draws: [draw] }) {
  return tenant.campaigns[Math.floor(draw * tenant.campaigns.length)];
}
