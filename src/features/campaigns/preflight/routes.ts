import { publicId } from "../../../core/ids";
import { accepted, createRoute, errors } from "../../../http/define";
import { createRouter } from "../../../http/router";
import { QueuedJob } from "../../../http/started-job";
import { CampaignParam } from "../param";
import { startPreflight } from "./start";

export const preflights = createRouter();

const preflight = createRoute({
  method: "post",
  path: "/campaigns/{id}/preflight",
  policy: { isRead: true },
  operationId: "preflightCampaign",
  tags: ["Campaigns"],
  summary: "Check a campaign for every recipient, without sending it",
  description: `A background job composes the mail of everybody in the audience, by the same code that sends it, for all variants.
Nothing is sent, and no email record is made. \`GET /jobs/{id}\` has its progress and its \`result\`, which grows while the job is
\`processing\`:

\`\`\`json
{
  "recipients": 1042,
  "willSend": 1000,
  "skipped": [{ "reason": "unsubscribed", "count": 40 }, { "reason": "suppressed_bounce", "count": 1 }],
  "missing": [{ "variable": "firstName", "count": 17, "examples": ["0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d"] }],
  "renderErrors": [{ "message": "…", "count": 1, "examples": ["0199a0f2-7a10-7d31-8c42-9e5f6a7b8c9d"] }],
  "clipped": 0,
  "warnings": [{ "code": "empty_link", "message": "A link leads nowhere: …", "count": 3, "examples": ["<a href="#">Read more"] }],
  "estimatedSeconds": 3,
  "rowsWritten": 9003
}
\`\`\`

- \`willSend\`, \`skipped\` and \`renderErrors\` add up to \`recipients\`: everybody whom the audience finds.
- \`skipped\` says who gets no mail, by the rules of sending: \`unsubscribed\` and \`snoozed\` (not for TRANSACTIONAL), \`not_in_topic\`,
  \`suppressed_bounce\`, \`suppressed_complaint\`, \`suppressed_unsubscribe\`, \`suppressed_manual\`, and \`monthly_limit\` once the
  month's quota is used up.
- \`missing\` names the variables without a value that the mail names, also where a fallback stands for them; at most 100.
- \`renderErrors\` are why the mail of some cannot be composed: theirs would end FAILED. At most 50 are told one by one.
- \`clipped\` counts mail with more than 102 KB of HTML, tracking included: Gmail cuts it there.
- \`warnings\` count recipients whose mail is sent all the same: \`empty_link\`, \`link_not_absolute\`, \`image_without_alt\`,
  \`missing_unsubscribe_link\`, \`missing_postal_address\` (the project has none), \`missing_company\` (it has an address and no \`company\`), \`public_source\` (the contact came with a public key, and confirmed nothing), \`sending_paused\`, \`disabled\`.
- \`estimatedSeconds\` is how long sending takes when nothing else is sent, with the hold of a canary: at the pace of the project
  (\`sendRatePerSecond\`), that of the provider, or the speed at which this installation sent its last campaigns, whichever is the
  slowest. Before it has sent any, 400 a second stand for that speed. \`rowsWritten\` is what sending writes to the database.
- \`examples\` are ids of contacts, five at most, of whom one may be erased by now; of \`warnings\` the links and images that they are
  about, as far as they are written in the body.

A campaign has one such job at a time: a call while it goes on answers with the same \`jobId\`. A campaign that is changed meanwhile is
checked from the beginning. Of one that is SENDING, the job checks the whole audience as it is now. When it is deleted, the job is \`failed\`. A disabled project may check its campaigns. 409 when the campaign is
SENT or CANCELLED, and while three others of the project are being checked.`,
  request: { params: CampaignParam },
  responses: { ...accepted(QueuedJob), ...errors(404, 409, 422) },
});

preflights.openapi(preflight, async (c) => {
  const jobId = await startPreflight(c.var.ctx, c.req.valid("param").id);
  return c.json({ jobId: publicId(jobId) }, 202);
});
