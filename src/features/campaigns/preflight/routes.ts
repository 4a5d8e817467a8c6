import { publicId } from "../../../core/ids";
import { projectRoutes } from "../../../http/routes";
import { QueuedJob, starting } from "../../../http/started-job";
import { CampaignParam } from "../param";
import { PreflightResult } from "./schema";
import { startPreflight } from "./start";

export const preflights = projectRoutes("Campaigns");

preflights.post(
  "/campaigns/{id}/preflight",
  {
    id: "preflightCampaign",
    summary: "Check a campaign for every recipient, without sending it",
    description: `A background job composes the email of every contact in the audience, with the code that sends it, for all variants.
Nothing is sent, and no email record is created. \`GET /jobs/{id}\` has its progress and its \`result\`, which grows while the job is
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
  "rowsWritten": 7006,
  "preflightToken": "…"
}
\`\`\`

- \`willSend\`, \`skipped\` and \`renderErrors\` add up to \`recipients\`: all contacts in the audience.
- \`skipped\` counts contacts that get no email, by the rules of sending: \`unsubscribed\` and \`snoozed\` (not for TRANSACTIONAL), \`not_in_topic\`,
  \`suppressed_bounce\`, \`suppressed_complaint\`, \`suppressed_unsubscribe\`, \`suppressed_manual\`, and \`monthly_limit\` once the
  month's quota is used up.
- \`missing\` lists variables that the email uses and that have no value, even when a fallback replaces them; at most 100.
- \`renderErrors\` lists the reasons why emails cannot be composed: these would end FAILED. At most 50 are listed one by one.
- \`clipped\` counts emails with more than 102 KB of HTML, tracking included: Gmail clips them there.
- \`warnings\` count recipients whose email is sent all the same: \`empty_link\`, \`link_not_absolute\`, \`image_without_alt\`,
  \`missing_unsubscribe_link\`, \`missing_postal_address\` (the project has none), \`missing_company\` (it has an address and no \`company\`), \`public_source\` (the contact was created with a public key and never confirmed its address), \`sending_paused\`, \`no_marketing_provider\`, \`disabled\`.
- \`estimatedSeconds\` is how long sending takes when nothing else is sent, including the hold of a canary: at the pace of the project
  (\`sendRatePerSecond\`), that of the provider, or the speed at which this installation sent its last campaigns, whichever is the
  slowest. Before the first campaign, that speed is assumed to be 400 a second. \`rowsWritten\` is the number of rows that sending writes to the database.
- \`examples\` are at most five ids of contacts, which may have been erased since; for \`warnings\` they are the affected links and
  images, if the body contains them.
- \`preflightToken\` is present once the job is \`completed\`. \`POST /campaigns/{id}/send\` takes it for 15 minutes, and then sends exactly the
  version that was checked, or nothing. Null for a campaign that is SENDING.

A campaign has one such job at a time: a call while it is running returns the same \`jobId\`. If the campaign is changed meanwhile,
the check starts again. For a campaign that is SENDING, the job checks the whole audience as it is now. If the campaign is deleted, the job is \`failed\`. A disabled project may check its campaigns. 409 if the campaign is
SENT or CANCELLED, and while three other campaigns of the project are being checked.`,
    isRead: true,
    params: CampaignParam,
    accepted: starting(QueuedJob, PreflightResult),
    also: [409],
  },
  async (ctx, { params }) => {
    const jobId = await startPreflight(ctx, params.id);
    return { jobId: publicId(jobId) };
  },
);
