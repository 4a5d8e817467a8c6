import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { chunks } from "./chunks";
import { Refused } from "./parts/states";
import { readCampaignFilters } from "./routes/campaigns/filters";
import { readEmailFilters } from "./routes/emails/filters";
import { readPeopleFilters } from "./routes/people/filters";
import { readAuditFilters } from "./routes/settings/audit/filters";
import { readJobFilters } from "./routes/settings/jobs/filters";
import { Entry } from "./shell/entry";
import { Nowhere } from "./shell/nowhere";
import { OwnShell } from "./shell/own-shell";
import { Root } from "./shell/root";
import { Shell } from "./shell/shell";

const root = createRootRoute({ component: Root, notFoundComponent: Nowhere });
const entry = createRoute({ getParentRoute: () => root, path: "/", component: Entry });
const own = createRoute({ getParentRoute: () => root, id: "own", component: OwnShell });
const project = createRoute({ getParentRoute: () => root, path: "p/$project", component: Shell });

const pages = [
  createRoute({
    getParentRoute: () => project,
    path: "/",
    component: lazyRouteComponent(chunks["/"], "HomePage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "emails",
    validateSearch: readEmailFilters,
    component: lazyRouteComponent(chunks.emails, "EmailsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "emails/$email",
    component: lazyRouteComponent(chunks["emails/$email"], "EmailPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "people",
    validateSearch: readPeopleFilters,
    component: lazyRouteComponent(chunks.people, "PeoplePage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "people/import",
    component: lazyRouteComponent(chunks["people/import"], "ImportPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "people/$person",
    component: lazyRouteComponent(chunks["people/$person"], "PersonPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "campaigns",
    validateSearch: readCampaignFilters,
    component: lazyRouteComponent(chunks.campaigns, "CampaignsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "campaigns/$campaign",
    component: lazyRouteComponent(chunks["campaigns/$campaign"], "CampaignPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "campaigns/new",
    component: lazyRouteComponent(chunks["campaigns/new"], "NewCampaignPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "campaigns/$campaign/edit",
    component: lazyRouteComponent(chunks["campaigns/$campaign/edit"], "CampaignEditPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "domains",
    component: lazyRouteComponent(chunks.domains, "DomainsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings",
    component: lazyRouteComponent(chunks.settings, "SettingsIndex"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/project",
    component: lazyRouteComponent(chunks["settings/project"], "ProjectPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/members",
    component: lazyRouteComponent(chunks["settings/members"], "MembersPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/keys",
    component: lazyRouteComponent(chunks["settings/keys"], "KeysPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/topics",
    component: lazyRouteComponent(chunks["settings/topics"], "TopicsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/jobs",
    validateSearch: readJobFilters,
    component: lazyRouteComponent(chunks["settings/jobs"], "JobsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/trash",
    component: lazyRouteComponent(chunks["settings/trash"], "TrashPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/audit",
    validateSearch: readAuditFilters,
    component: lazyRouteComponent(chunks["settings/audit"], "AuditPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "account",
    beforeLoad: () => {
      // A person's sign-ins belong to no project.
      throw redirect({ to: "/account", replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => project,
    path: "more",
    component: lazyRouteComponent(chunks.more, "MorePage"),
  }),
] as const;

// Pages that belong to no project.
const ownPages = [
  createRoute({
    getParentRoute: () => own,
    path: "account",
    component: lazyRouteComponent(chunks.account, "AccountPage"),
  }),
  createRoute({
    getParentRoute: () => own,
    path: "installation/projects",
    component: lazyRouteComponent(chunks["installation/projects"], "ProjectsPage"),
  }),
  createRoute({
    getParentRoute: () => own,
    path: "installation/people",
    component: lazyRouteComponent(chunks["installation/people"], "InstallationPeoplePage"),
  }),
  createRoute({
    getParentRoute: () => own,
    path: "installation/audit",
    validateSearch: readAuditFilters,
    component: lazyRouteComponent(chunks["installation/audit"], "InstallationAuditPage"),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([entry, own.addChildren(ownPages), project.addChildren(pages)]),
  basepath: "/console",
  defaultPreload: "intent",
  defaultErrorComponent: ({ error }) => <Refused error={error} retry={() => location.reload()} />,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
