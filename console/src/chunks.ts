/**
 * The pages by their paths, those of a project by their paths in it. Each is a chunk of its own, which is loaded with the first address, or when a
 * link to it is pointed at. Of two that fit an address, the first one is meant.
 */
export const chunks = {
  "/": () => import("./routes/home/page"),
  emails: () => import("./routes/emails/page"),
  "emails/$email": () => import("./routes/email/page"),
  people: () => import("./routes/people/page"),
  "people/$person": () => import("./routes/person/page"),
  campaigns: () => import("./routes/campaigns/page"),
  "campaigns/new": () => import("./routes/campaign-edit/new-page"),
  "campaigns/$campaign": () => import("./routes/campaign/page"),
  "campaigns/$campaign/edit": () => import("./routes/campaign-edit/page"),
  domains: () => import("./routes/domains/page"),
  settings: () => import("./routes/settings/page"),
  "settings/project": () => import("./routes/settings/project/page"),
  "settings/members": () => import("./routes/settings/members/page"),
  "settings/keys": () => import("./routes/settings/keys/page"),
  "settings/topics": () => import("./routes/settings/topics/page"),
  "settings/jobs": () => import("./routes/settings/jobs/page"),
  "settings/audit": () => import("./routes/settings/audit/page"),
  more: () => import("./routes/more/page"),
  account: () => import("./routes/account/page"),
  "installation/projects": () => import("./routes/installation/projects"),
  "installation/people": () => import("./routes/installation/people"),
  "installation/audit": () => import("./routes/installation/audit"),
};

/** Begins to load the page at a path, if there is one. */
export function loadChunkAt(path: string): void {
  const isAt = (pattern: string) => new RegExp(`^${pattern.replace(/\$\w+/g, "[^/]+")}$`).test(path || "/");
  const [, load] = Object.entries(chunks).find(([pattern]) => isAt(pattern)) ?? [];
  // The router loads it again, and shows why that fails.
  load?.().catch(() => undefined);
}
