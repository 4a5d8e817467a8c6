import { type ForeignName, foreign } from "../../core/foreign-names";
import { foreignNamesOfContent } from "../../core/mail/foreign-names";

/** The names that other APIs use for the fields of a campaign, a broadcast or a newsletter. */
export const foreignNamesOfCampaign: ForeignName[] = [
  ...foreignNamesOfContent,
  ...foreign(["audience_id", "audienceId", "audience", "list_id", "listId", "list_ids", "recipients", "segment_id"], {
    standsFor: "audienceType",
    advice: 'Use audienceType: "ALL", "SEGMENT" with a segmentId, or "FILTERED" with an audienceCondition',
  }),
  ...foreign(["segment", "segments"], { standsFor: "segmentId", advice: 'Use segmentId, with audienceType "SEGMENT"' }),
  ...foreign(["preview_text", "preheader"], { standsFor: "previewText", advice: "Use previewText" }),
  ...foreign(["template_id", "template"], { standsFor: "templateId", advice: "Use templateId, the template's id" }),
  ...foreign(["scheduled_at", "scheduledAt", "scheduled_for", "send_at", "sendAt"], {
    advice: "A campaign begins as a draft: give scheduledFor to POST /campaigns/{id}/send",
  }),
];

/**
 * Fields of a campaign that a draft does not take. They are ignored with advice, because a caller may send back a
 * campaign as it was returned.
 */
export const advisedNamesOfCampaign: ForeignName[] = [
  { name: "scheduledFor", advice: "A campaign begins as a draft: give scheduledFor to POST /campaigns/{id}/send" },
];
