import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Refused } from "./parts/states";
import { readCampaignFilters } from "./routes/campaigns/filters";
import { readEmailFilters } from "./routes/emails/filters";
import { readPeopleFilters } from "./routes/people/filters";
import { readAuditFilters } from "./routes/settings/audit/filters";
import { readJobFilters } from "./routes/settings/jobs/filters";
import { Nowhere } from "./shell/nowhere";
import { Entry, Root } from "./shell/root";
import { Shell } from "./shell/shell";

const root = createRootRoute({ component: Root, notFoundComponent: Nowhere });
const entry = createRoute({ getParentRoute: () => root, path: "/", component: Entry });
const project = createRoute({ getParentRoute: () => root, path: "p/$project", component: Shell });

// Each page is a chunk of its own, which is loaded when a link to it is pointed at.
const pages = [
  createRoute({
    getParentRoute: () => project,
    path: "/",
    component: lazyRouteComponent(() => import("./routes/home/page"), "HomePage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "emails",
    validateSearch: readEmailFilters,
    component: lazyRouteComponent(() => import("./routes/emails/page"), "EmailsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "emails/$email",
    component: lazyRouteComponent(() => import("./routes/email/page"), "EmailPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "people",
    validateSearch: readPeopleFilters,
    component: lazyRouteComponent(() => import("./routes/people/page"), "PeoplePage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "people/$person",
    component: lazyRouteComponent(() => import("./routes/person/page"), "PersonPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "campaigns",
    validateSearch: readCampaignFilters,
    component: lazyRouteComponent(() => import("./routes/campaigns/page"), "CampaignsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "campaigns/$campaign",
    component: lazyRouteComponent(() => import("./routes/campaign/page"), "CampaignPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "campaigns/new",
    component: lazyRouteComponent(() => import("./routes/campaign-edit/new-page"), "NewCampaignPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "campaigns/$campaign/edit",
    component: lazyRouteComponent(() => import("./routes/campaign-edit/page"), "CampaignEditPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "domains",
    component: lazyRouteComponent(() => import("./routes/domains/page"), "DomainsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "account",
    component: lazyRouteComponent(() => import("./routes/account/page"), "AccountPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings",
    component: lazyRouteComponent(() => import("./routes/settings/page"), "SettingsIndex"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/project",
    component: lazyRouteComponent(() => import("./routes/settings/project/page"), "ProjectPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/members",
    component: lazyRouteComponent(() => import("./routes/settings/members/page"), "MembersPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/keys",
    component: lazyRouteComponent(() => import("./routes/settings/keys/page"), "KeysPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/topics",
    component: lazyRouteComponent(() => import("./routes/settings/topics/page"), "TopicsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/jobs",
    validateSearch: readJobFilters,
    component: lazyRouteComponent(() => import("./routes/settings/jobs/page"), "JobsPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "settings/audit",
    validateSearch: readAuditFilters,
    component: lazyRouteComponent(() => import("./routes/settings/audit/page"), "AuditPage"),
  }),
  createRoute({
    getParentRoute: () => project,
    path: "more",
    component: lazyRouteComponent(() => import("./routes/more/page"), "MorePage"),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([entry, project.addChildren(pages)]),
  basepath: "/console",
  defaultPreload: "intent",
  defaultErrorComponent: ({ error }) => <Refused error={error} />,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
