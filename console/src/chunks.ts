import { withPageWords } from "./words/shown";

/**
 * The pages by their paths, those of a project by their paths within it. Each page is a chunk, which is loaded with the
 * first address, or when a link to it is hovered. If two paths match an address, the first one counts.
 */
export const chunks = {
  "/": () => import("./routes/home/page"),
  emails: withPageWords(() => import("./routes/emails/page")),
  "emails/$email": withPageWords(() => import("./routes/email/page")),
  people: withPageWords(() => import("./routes/people/page")),
  "people/import": withPageWords(() => import("./routes/people-import/page")),
  "people/$person": withPageWords(() => import("./routes/person/page")),
  campaigns: withPageWords(() => import("./routes/campaigns/page")),
  "campaigns/new": withPageWords(() => import("./routes/campaign-edit/new-page")),
  "campaigns/$campaign": withPageWords(() => import("./routes/campaign/page")),
  "campaigns/$campaign/edit": withPageWords(() => import("./routes/campaign-edit/page")),
  domains: withPageWords(() => import("./routes/domains/page")),
  settings: withPageWords(() => import("./routes/settings/page")),
  "settings/project": withPageWords(() => import("./routes/settings/project/page")),
  "settings/members": withPageWords(() => import("./routes/settings/members/page")),
  "settings/keys": withPageWords(() => import("./routes/settings/keys/page")),
  "settings/topics": withPageWords(() => import("./routes/settings/topics/page")),
  "settings/jobs": withPageWords(() => import("./routes/settings/jobs/page")),
  "settings/trash": withPageWords(() => import("./routes/settings/trash/page")),
  "settings/audit": withPageWords(() => import("./routes/settings/audit/page")),
  more: withPageWords(() => import("./routes/more/page")),
  account: withPageWords(() => import("./routes/account/page")),
  "installation/projects": withPageWords(() => import("./routes/installation/projects")),
  "installation/people": withPageWords(() => import("./routes/installation/people")),
  "installation/audit": withPageWords(() => import("./routes/installation/audit")),
};

export const loadSignIn = () => import("./routes/sign-in/sign-in");

/** Starts to load the page at a path, if there is one. */
export function loadChunkAt(path: string): void {
  const isAt = (pattern: string) => new RegExp(`^${pattern.replace(/\$\w+/g, "[^/]+")}$`).test(path || "/");
  const [, load] = Object.entries(chunks).find(([pattern]) => isAt(pattern)) ?? [];
  // The router loads it again, and shows a failure then.
  load?.().catch(() => undefined);
}
