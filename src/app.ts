import { findEffect } from "./engine/idempotency/effect";
import { authenticate } from "./engine/projects/authenticate";
import { activity } from "./features/activity/routes";
import { campaigns } from "./features/campaigns/routes";
import { contacts } from "./features/contacts/routes";
import { domains } from "./features/domains/routes";
import { emails } from "./features/emails/routes";
import { events } from "./features/events/routes";
import { delivery } from "./features/hooks/routes";
import { jobs, operatorJobs } from "./features/jobs/routes";
import { me } from "./features/me/routes";
import { outbox } from "./features/outbox/routes";
import { preferences } from "./features/preferences/routes";
import { projects } from "./features/projects/routes";
import { segments } from "./features/segments/routes";
import { sending } from "./features/send/routes";
import { suppressions } from "./features/suppressions/routes";
import { templates } from "./features/templates/routes";
import { topics } from "./features/topics/routes";
import { tracking } from "./features/tracking/routes";
import { verification } from "./features/verification/routes";
import { webhooks } from "./features/webhooks/routes";
import { executions } from "./features/workflows/executions/routes";
import { workflows } from "./features/workflows/routes";
import { simulation } from "./features/workflows/simulate/routes";
import { workflowFigures } from "./features/workflows/stats/routes";
import { admission } from "./http/admission";
import { answerHeaders } from "./http/answer-headers";
import { refuseWritesWhenDisabled, requireKey } from "./http/auth";
import { readBody, readKeyedBody } from "./http/body";
import { addBookmark, followBookmark } from "./http/bookmark";
import { cors } from "./http/cors";
import { serveDocs } from "./http/docs";
import { answerFailure } from "./http/failure";
import { floodBrake } from "./http/flood-brake";
import { missingPage, serveHome } from "./http/home";
import { serveIcon } from "./http/icon";
import { apiVersion, serveOpenApi } from "./http/openapi";
import { originOf } from "./http/origin";
import { refuseUnknownParameters } from "./http/parameters";
import { open } from "./http/policy";
import { requestId } from "./http/request-id";
import { logRequest } from "./http/request-log";
import { createRouter } from "./http/router";
import { findPolicy, requireRoute } from "./http/routing";
import { addWarnings, warnOfUnreadBody } from "./http/warnings";
import { openPlatform } from "./platform/context";

/**
 * Front door 1: the middleware in its order, then every feature's routes. The policy of a route is written next to it.
 */
export const app = createRouter();

app.onError(answerFailure);

app.use("*", requestId);
app.use("*", answerHeaders);
app.use("*", (c, next) => {
  c.set("platform", openPlatform(c.env, c.executionCtx, originOf(c.req.url)));
  return next();
});
app.use("*", logRequest);
app.use("/v1/*", cors);
// All takes a secret key unless its policy says otherwise: an unknown path without one is 401, not 404.
app.use(
  "*",
  findPolicy(() => app.routes),
);
app.use("*", floodBrake);
app.use(
  "*",
  missingPage(() => app.routes),
);
app.use("*", requireKey(authenticate));
app.use("*", addBookmark);
app.use("*", readKeyedBody);
app.use("*", admission(findEffect));
app.use(
  "*",
  requireRoute(() => app.routes),
);
app.use("*", refuseWritesWhenDisabled);
app.use("*", followBookmark);
app.use("*", refuseUnknownParameters);
app.use("*", addWarnings);
app.use("*", readBody);
app.use("*", warnOfUnreadBody);

app.get("/health", open, (c) => {
  const { config, now } = c.get("platform");
  const sandbox = config.sandbox ? { sandbox: true } : {};
  return c.json({ status: "ok", version: apiVersion, time: now.toISOString(), ...sandbox });
});
serveOpenApi(app);
serveDocs(app);
serveIcon(app);
serveHome(app);
app.route("/", preferences);
app.route("/", tracking);
app.route("/", delivery);
app.route("/", projects);
app.route("/", operatorJobs);
app.route("/", outbox);
app.route("/", sending);
app.route("/", contacts);
app.route("/", templates);
app.route("/", campaigns);
app.route("/", domains);
app.route("/", verification);
app.route("/", emails);
app.route("/", suppressions);
app.route("/", segments);
app.route("/", events);
app.route("/", activity);
app.route("/", webhooks);
app.route("/", executions);
app.route("/", topics);
app.route("/", workflows);
app.route("/", workflowFigures);
app.route("/", simulation);
app.route("/", jobs);
app.route("/", me);
