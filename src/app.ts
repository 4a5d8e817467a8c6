import { lazily } from "./core/lazily";
import { productVersion } from "./core/product-version";
import { findEffect } from "./engine/idempotency/effect";
import { isMonitorKey } from "./engine/operating/is-monitor-key";
import { findSenders } from "./engine/people/find-senders";
import { findVisitor } from "./engine/people/find-visitor";
import { authenticate } from "./engine/projects/authenticate";
import { findProjectById } from "./engine/projects/project";
import { admission } from "./http/admission";
import { answerHeaders } from "./http/answer-headers";
import { refuseWritesWhenDisabled, requireKey } from "./http/auth";
import { readBody, readKeyedBody } from "./http/body";
import { addBookmark, followBookmark } from "./http/bookmark";
import { serveConsole } from "./http/console";
import { cors } from "./http/cors";
import { serveDocs } from "./http/docs";
import { answerFailure } from "./http/failure";
import { floodBrake } from "./http/flood-brake";
import { missingPage, serveHome } from "./http/home";
import { serveIcon } from "./http/icon";
import { keepDocument, serveOpenApi } from "./http/openapi";
import { originOf } from "./http/origin";
import { refuseUnknownParameters } from "./http/parameters";
import { pathOf } from "./http/path";
import { hidePersonalData } from "./http/personal-data";
import { open } from "./http/policy";
import { serveReference } from "./http/reference";
import { requestId } from "./http/request-id";
import { logRequest } from "./http/request-log";
import { firstSegment } from "./http/route-table";
import { type AppRouter, createRouter } from "./http/router";
import { findPolicy, requireRoute } from "./http/routing";
import { serveSnippet } from "./http/snippet";
import { addWarnings, warnOfUnreadBody } from "./http/warnings";
import type { Env } from "./platform/env";
import { openPlatform } from "./platform/open-platform";

interface Feature {
  /** The first segments of the feature's paths. */
  segments: readonly string[];
  load(): Promise<AppRouter>;
}

/**
 * All features, in the order in which their routes are registered. The first request for one of a feature's paths loads
 * the feature, so a starting Worker does not load schemas that its requests do not need.
 */
export const features: readonly Feature[] = [
  {
    segments: ["preferences.css", "unsubscribe", "manage", "subscribe", "confirm"],
    load: lazily(async () => (await import("./features/preferences/routes")).preferences),
  },
  { segments: ["c", "o"], load: lazily(async () => (await import("./features/tracking/routes")).tracking) },
  { segments: ["hooks"], load: lazily(async () => (await import("./features/hooks/routes")).delivery) },
  { segments: ["admin"], load: lazily(async () => (await import("./features/projects/routes")).projects.router) },
  { segments: ["admin"], load: lazily(async () => (await import("./features/people/routes")).people.router) },
  { segments: ["admin"], load: lazily(async () => (await import("./features/jobs/routes")).operatorJobs.router) },
  {
    segments: ["admin"],
    load: lazily(async () => (await import("./features/health/routes")).installationHealth.router),
  },
  {
    segments: ["admin"],
    load: lazily(async () => (await import("./features/metrics/routes")).installationMetrics.router),
  },
  {
    segments: ["admin"],
    load: lazily(async () => (await import("./features/monitor-keys/routes")).monitorKeys.router),
  },
  {
    segments: ["admin"],
    load: lazily(async () => (await import("./features/dead-letters/routes")).deadLetters.router),
  },
  { segments: ["console"], load: lazily(async () => (await import("./features/console/routes")).consoleRoutes.router) },
  {
    segments: ["console"],
    load: lazily(async () => (await import("./features/console/passkeys/routes")).passkeyRoutes.router),
  },
  { segments: ["outbox"], load: lazily(async () => (await import("./features/outbox/routes")).outbox.router) },
  { segments: ["v1"], load: lazily(async () => (await import("./features/send/routes")).sending.router) },
  { segments: ["contacts"], load: lazily(async () => (await import("./features/contacts/routes")).contacts.router) },
  { segments: ["templates"], load: lazily(async () => (await import("./features/templates/routes")).templates.router) },
  { segments: ["preview"], load: lazily(async () => (await import("./features/preview/routes")).preview.router) },
  { segments: ["campaigns"], load: lazily(async () => (await import("./features/campaigns/routes")).campaigns.router) },
  { segments: ["files"], load: lazily(async () => (await import("./features/files/routes")).files.router) },
  { segments: ["f"], load: lazily(async () => (await import("./features/files/serve/routes")).servedFiles) },
  { segments: ["domains"], load: lazily(async () => (await import("./features/domains/routes")).domains.router) },
  { segments: ["v1"], load: lazily(async () => (await import("./features/verification/routes")).verification.router) },
  { segments: ["emails"], load: lazily(async () => (await import("./features/emails/routes")).emails.router) },
  {
    segments: ["suppressions"],
    load: lazily(async () => (await import("./features/suppressions/routes")).suppressions.router),
  },
  { segments: ["segments"], load: lazily(async () => (await import("./features/segments/routes")).segments.router) },
  { segments: ["v1", "events"], load: lazily(async () => (await import("./features/events/routes")).events.router) },
  { segments: ["activity"], load: lazily(async () => (await import("./features/activity/routes")).activity.router) },
  { segments: ["webhooks"], load: lazily(async () => (await import("./features/webhooks/routes")).webhooks.router) },
  {
    segments: ["workflows"],
    load: lazily(async () => (await import("./features/workflows/executions/routes")).executions.router),
  },
  { segments: ["topics"], load: lazily(async () => (await import("./features/topics/routes")).topics.router) },
  { segments: ["workflows"], load: lazily(async () => (await import("./features/workflows/routes")).workflows.router) },
  {
    segments: ["workflows"],
    load: lazily(async () => (await import("./features/workflows/stats/routes")).workflowFigures.router),
  },
  {
    segments: ["workflows"],
    load: lazily(async () => (await import("./features/workflows/simulate/routes")).simulation.router),
  },
  { segments: ["jobs"], load: lazily(async () => (await import("./features/jobs/routes")).jobs.router) },
  { segments: ["attention"], load: lazily(async () => (await import("./features/attention/routes")).attention.router) },
  { segments: ["audit"], load: lazily(async () => (await import("./features/audit/routes")).audit.router) },
  { segments: ["admin"], load: lazily(async () => (await import("./features/audit/routes")).installationAudit.router) },
  { segments: ["trash"], load: lazily(async () => (await import("./trash")).trash.router) },
  { segments: ["search"], load: lazily(async () => (await import("./features/search/routes")).searching.router) },
  { segments: ["me"], load: lazily(async () => (await import("./features/me/routes")).me.router) },
  { segments: ["mcp"], load: lazily(async () => (await import("./features/mcp/routes")).mcp) },
];

/** The loaded apps, by the first segment of the paths that they answer. */
const apps = new Map<string, AppRouter>();
const wholeName = "*";

/** Front door 1. Answers a request with the routes that share the first segment of its path. */
export async function answerRequest(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  const segment = firstSegment(pathOf(request));
  const known = features.some(({ segments }) => segments.includes(segment)) ? segment : "";
  const app = apps.get(known) ?? (await loadApp(known, ({ segments }) => segments.includes(known)));
  return app.fetch(request, env, execution);
}

/** Returns the app with every route, for the document and for requests that match no route. */
export async function wholeApp(): Promise<AppRouter> {
  return apps.get(wholeName) ?? (await loadApp(wholeName, () => true));
}

async function loadApp(name: string, isPart: (feature: Feature) => boolean): Promise<AppRouter> {
  const app = createApp(await Promise.all(features.filter(isPart).map(({ load }) => load())));
  apps.set(name, app);
  return app;
}

const allRoutes = async () => (await wholeApp()).routes;

/**
 * Creates an app: the middleware in the order in which it runs, then the routes. The policy of a route is defined next
 * to the route.
 */
function createApp(parts: AppRouter[]): AppRouter {
  const app = createRouter();
  app.onError(answerFailure);

  app.use("*", requestId);
  app.use("*", answerHeaders);
  app.use("*", (c, next) => {
    c.set("platform", openPlatform(c.env, c.executionCtx, originOf(c.req.url)));
    // Hono passes on the platform's object, but declares a narrower type for it.
    const execution = c.executionCtx as ExecutionContext;
    c.set("answerInside", (request) => answerRequest(request, c.env, execution));
    return next();
  });
  app.use("*", logRequest);
  app.use("/v1/*", cors);
  // Unknown paths need a secret key too, so a request without a key gets a 401 and not a 404.
  app.use("*", findPolicy(allRoutes));
  app.use("*", floodBrake);
  app.use("*", missingPage(allRoutes));
  app.use(
    "*",
    requireKey({
      findCaller: authenticate,
      people: { findVisitor, findProject: findProjectById, findSenders },
      isMonitorKey,
    }),
  );
  app.use("*", addBookmark);
  app.use("*", readKeyedBody);
  app.use("*", admission(findEffect));
  app.use("*", requireRoute(allRoutes));
  app.use("*", refuseWritesWhenDisabled);
  app.use("*", followBookmark);
  app.use("*", refuseUnknownParameters);
  app.use("*", hidePersonalData);
  app.use("*", addWarnings);
  app.use("*", readBody);
  app.use("*", warnOfUnreadBody);

  app.get("/health", open, (c) => {
    const { config, now } = c.get("platform");
    const sandbox = config.sandbox ? { sandbox: true } : {};
    return c.json({ status: "ok", version: productVersion, time: now.toISOString(), ...sandbox });
  });
  const documentText = keepDocument(allRoutes);
  serveOpenApi(app, documentText);
  serveReference(app, documentText);
  serveDocs(app);
  serveConsole(app, { findVisitor });
  serveIcon(app);
  serveHome(app);
  serveSnippet(app);
  for (const part of parts) app.route("/", part);
  return app;
}
