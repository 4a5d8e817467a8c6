import type { Tool } from "./tool";
import { explainContact } from "./tools/explain-contact";
import { findContacts } from "./tools/find-contacts";
import { preflightCampaign } from "./tools/preflight-campaign";
import { previewTemplate } from "./tools/preview-template";
import { searchDocs } from "./tools/search-docs";
import { sendCampaign } from "./tools/send-campaign";
import { sendEmail } from "./tools/send-email";
import { simulateWorkflow } from "./tools/simulate-workflow";
import { statistics } from "./tools/statistics";
import { whyNotDelivered } from "./tools/why-not-delivered";

/** All tools, in the order in which clients see them. */
export const tools: readonly Tool[] = [
  findContacts,
  whyNotDelivered,
  explainContact,
  statistics,
  previewTemplate,
  preflightCampaign,
  simulateWorkflow,
  searchDocs,
  sendEmail,
  sendCampaign,
];
