import type { NavigateOptions } from "@tanstack/react-router";
import type { Attention, Email } from "petrel-client";

interface Place {
  word: "domains" | "campaign" | "emails" | "keys" | "jobs" | "project";
  to: NavigateOptions;
}

const statuses: Partial<Record<string, Email["status"]>> = {
  emails_failed: "FAILED",
  emails_unknown: "UNKNOWN",
  bounces_near_limit: "BOUNCED",
  complaints_near_limit: "COMPLAINED",
};

/** Returns the page where a problem can be fixed. Null while there is none, and for codes that are not known yet. */
export function placeOf({ code, target }: Attention["items"][number], project: string): Place | null {
  const status = statuses[code];
  if (status) return { word: "emails", to: { to: "/p/$project/emails", params: { project }, search: { status } } };
  if (target?.type === "campaign") {
    const params = { project, campaign: target.id };
    return { word: "campaign", to: { to: "/p/$project/campaigns/$campaign", params } };
  }
  if (target?.type === "key") return { word: "keys", to: { to: "/p/$project/settings/keys", params: { project } } };
  // A disabled project can only be enabled by an API call.
  if (target?.type === "project" && code !== "project_disabled") {
    return { word: "project", to: { to: "/p/$project/settings/project", params: { project } } };
  }
  if (code === "jobs_failed") {
    const search = { status: "failed" } as const;
    return { word: "jobs", to: { to: "/p/$project/settings/jobs", params: { project }, search } };
  }
  const isDomain = target?.type === "domain" || code === "no_verified_domain";
  return isDomain ? { word: "domains", to: { to: "/p/$project/domains", params: { project } } } : null;
}
