import type { Context as HonoContext } from "hono";
import { z } from "zod";
import { BadRequest, NotFound } from "../../core/errors";
import { readId } from "../../core/ids";
import { answerFailure } from "../../http/failure";
import type { Html } from "../../http/page";
import { defaultLimit, IdParam, maxLimit, wholeNumber } from "../../http/params";
import { policy } from "../../http/policy";
import { type AppEnv, createRouter } from "../../http/router";
import { outboxRoutes } from "../../http/routes";
import { browseOutbox, outboxVersion, showMail } from "./browse";
import { emptyOutbox } from "./empty";
import { getMessage } from "./get";
import { listMessages } from "./list";
import { listPage } from "./list-page";
import { liveScript } from "./live";
import { frameSandbox, mailPage } from "./mail-page";
import { missingPage } from "./page";
import { OutboxMessages, OutboxMessageWithSource } from "./schema";
import { style } from "./style";

/** `/outbox`: the mail stored by the embedded provider. Exists only while that provider is in use. */
export const outbox = outboxRoutes("Outbox");

const Recipient = z.string().meta({ description: "Only mail to this address.", example: "ada@example.com" });

outbox.get(
  "/outbox/messages",
  {
    id: "listOutboxMessages",
    summary: "List the mail in the outbox, newest first",
    query: z.object({ to: Recipient.optional(), limit: wholeNumber(defaultLimit, maxLimit) }),
    ok: OutboxMessages,
    also: [404],
  },
  async (platform, { query }) => ({ data: await listMessages(platform, query) }),
);

outbox.get(
  "/outbox/messages/{id}",
  {
    id: "getOutboxMessage",
    summary: "Get an email from the outbox with its MIME source",
    params: IdParam,
    ok: OutboxMessageWithSource,
  },
  (platform, { params }) => getMessage(platform, params.id),
);

outbox.delete(
  "/outbox/messages",
  { id: "emptyOutbox", summary: "Delete all mail in the outbox", also: [404] },
  (platform) => emptyOutbox(platform),
);

// The pages are not part of the API, so they are not in its document.

const pages = createRouter();
const page = policy({ key: "outbox", maxBody: null });
pages.onError((thrown, c) => {
  return thrown instanceof NotFound ? showPage(c, missingPage(), { status: 404 }) : answerFailure(thrown, c);
});

pages.get("/outbox", page, async (c) => {
  const wanted = wantedOf(c);
  const found = await browseOutbox(c.var.platform, wanted);
  const { origin } = new URL(c.req.url);
  const { to, subject } = wanted;
  return showPage(c, listPage(found, { to, subject, origin, now: c.var.platform.now }), { script: true });
});

pages.get("/outbox/version", page, async (c) => {
  c.header("Cache-Control", "no-store");
  return c.json(await outboxVersion(c.var.platform, wantedOf(c)));
});

pages.get("/outbox/live.js", page, (c) =>
  c.body(liveScript, 200, { "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache" }),
);

/** Reads the filters of a page. An empty filter counts as absent. */
function wantedOf(c: HonoContext<AppEnv>) {
  const { to, subject, before } = c.req.query();
  return {
    to: to?.trim() || undefined,
    subject: subject?.trim() || undefined,
    before: before === undefined ? undefined : readId(before),
  };
}

pages.get("/outbox/style.css", page, (c) =>
  c.body(style, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": "no-cache" }),
);

pages.post("/outbox/empty", page, async (c) => {
  // A page of another site can post this form, but its browser then sends the origin of that page, and the request is
  // refused.
  if (c.req.header("Origin") !== new URL(c.req.url).origin) {
    throw new BadRequest("Only the form on the outbox page may send this request.", {
      suggestion: "Use DELETE /outbox/messages instead.",
    });
  }
  await emptyOutbox(c.var.platform);
  return c.redirect("/outbox", 303);
});

pages.get("/outbox/:id", page, async (c) => {
  const mail = await showMail(c.var.platform, readId(c.req.param("id")));
  return showPage(c, mailPage(mail, { withImages: c.req.query("images") === "load", now: c.var.platform.now }));
});

pages.get("/outbox/:id/html", page, async (c) => {
  const mail = await getMessage(c.var.platform, readId(c.req.param("id")));
  const images = c.req.query("images") === "load" ? "data: https: http:" : "data:";
  secure(
    c,
    `sandbox ${frameSandbox}; default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; frame-ancestors 'self'`,
  );
  // Without the base target, a link would replace the frame's own page.
  return c.html(`${mail.html ?? ""}<base target="_blank">`);
});

pages.get("/outbox/:id/source.eml", page, async (c) => {
  const { id, raw } = await getMessage(c.var.platform, readId(c.req.param("id")));
  secure(c, "sandbox; default-src 'none'");
  return c.body(raw, 200, {
    "Content-Type": "message/rfc822",
    "Content-Disposition": `attachment; filename="${id}.eml"`,
  });
});

outbox.router.route("/", pages);

/**
 * Shows a page with mail, which is untrusted. Even if a part of the mail escapes from its place in the page, the policy
 * keeps it from loading anything from elsewhere and from running scripts of its own.
 */
function showPage(
  c: HonoContext<AppEnv>,
  page: Html,
  { status = 200, script = false }: { status?: 200 | 404; script?: boolean } = {},
) {
  // `'self'` is safe for scripts: no response with mail content has a script's content type, and nosniff makes browsers
  // respect that.
  const scripts = script ? "script-src 'self'; connect-src 'self'; " : "";
  secure(
    c,
    `default-src 'none'; ${scripts}style-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  );
  return c.html(page, status);
}

function secure(c: HonoContext<AppEnv>, policy: string): void {
  c.header("Content-Security-Policy", policy);
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Referrer-Policy", "same-origin");
  c.header("Cache-Control", "no-store");
}
