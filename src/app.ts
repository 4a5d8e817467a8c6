import type { Context as HonoContext } from "hono";
import { maxCsvBytes } from "./core/contacts/csv";
import { UnknownRoute } from "./core/errors";
import { findEffect } from "./engine/idempotency/effect";
import { authenticate } from "./engine/projects/authenticate";
import { contacts } from "./features/contacts/routes";
import { domains } from "./features/domains/routes";
import { emails } from "./features/emails/routes";
import { events } from "./features/events/routes";
import { delivery } from "./features/hooks/routes";
import { jobs, operatorJobs } from "./features/jobs/routes";
import { outbox } from "./features/outbox/routes";
import { preferences } from "./features/preferences/routes";
import { projects } from "./features/projects/routes";
import { segments } from "./features/segments/routes";
import { sending } from "./features/send/routes";
import { suppressions } from "./features/suppressions/routes";
import { templates } from "./features/templates/routes";
import { verification } from "./features/verification/routes";
import { admission } from "./http/admission";
import { refuseWritesWhenDisabled, requireKey, requireOperator, requireOperatorInBrowser } from "./http/auth";
import { readBody } from "./http/body";
import { cors } from "./http/cors";
import { apiVersion, serveDocs, serveOpenApi } from "./http/docs";
import { answerFailure } from "./http/failure";
import { floodBrake } from "./http/flood-brake";
import { serveIcon } from "./http/icon";
import { originOf } from "./http/origin";
import { requestId } from "./http/request-id";
import { type AppEnv, createRouter } from "./http/router";
import { requireRoute } from "./http/routing";
import { openPlatform } from "./platform/context";

/** Front door 1: the middleware in its order, then every feature's routes. */
export const app = createRouter();

app.onError(answerFailure);
const knownRoute = requireRoute(() => app.routes);

app.use("*", requestId);
app.use("*", async (c, next) => {
  c.set("platform", openPlatform(c.env, c.executionCtx, originOf(c.req.url)));
  return next();
});
app.use("/v1/*", cors);

// What anyone may see.
app.get("/health", (c) => {
  const { config, now } = c.get("platform");
  const sandbox = config.sandbox ? { sandbox: true } : {};
  return c.json({ status: "ok", version: apiVersion, time: now.toISOString(), ...sandbox });
});
serveOpenApi(app);
serveDocs(app);
serveIcon(app);

// What a recipient may see: the token in the address says who it is.
for (const path of ["/unsubscribe/*", "/subscribe/*", "/manage/*"]) app.use(path, knownRoute);
app.route("/", preferences);

// What a mail provider reports: its signature is its key.
app.use("/hooks/*", knownRoute);
app.use("/hooks/*", readBody(maxBodyBytes));
app.route("/", delivery);

// What the operator may see.
app.use("/admin/*", requireOperator);
app.use("/admin/*", knownRoute);
app.use("/admin/*", readBody(maxBodyBytes));
app.route("/", projects);
app.route("/", operatorJobs);

// What the embedded mail provider kept: open to everyone on a developer's own machine.
app.use("/outbox", requireOutbox);
app.use("/outbox/*", requireOutbox);
app.use("/outbox/*", knownRoute);
app.route("/", outbox);

// All else takes a key, secret unless the path says otherwise: an unknown path without one is 401, not 404.
app.use("*", floodBrake);
app.use("*", requireKey(authenticate));
app.use("*", admission(findEffect));
app.use("*", knownRoute);
app.use("*", refuseWritesWhenDisabled);
app.use("*", readBody(maxBodyBytes));
app.route("/", sending);
app.route("/", contacts);
app.route("/", templates);
app.route("/", domains);
app.route("/", verification);
app.route("/", emails);
app.route("/", suppressions);
app.route("/", segments);
app.route("/", events);
app.route("/", jobs);

function requireOutbox(c: HonoContext<AppEnv>, next: () => Promise<void>) {
  const { config } = c.get("platform");
  if (config.mailProvider !== "outbox") throw new UnknownRoute(c.req.method, c.req.path);
  return config.isDevelopment ? next() : requireOperatorInBrowser(c, next);
}

const megabyte = 1024 * 1024;

/** Attachments travel as base64, which takes four bytes for three; the body and all else get 2 MB. */
function maxBodyBytes(path: string, c: HonoContext<AppEnv>): number {
  if (path === "/v1/send") return Math.ceil((c.get("platform").config.maxAttachmentBytes * 4) / 3) + 2 * megabyte;
  if (path === "/contacts/import") return maxCsvBytes + 64 * 1024;
  if (path === "/templates" || path.startsWith("/templates/")) return 5 * megabyte;
  return megabyte;
}
