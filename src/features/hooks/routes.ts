import { UnknownRoute } from "../../core/errors";
import { policy } from "../../http/policy";
import { createRouter } from "../../http/router";
import { noteOther } from "./note-other";
import { takeMail } from "./take-mail";
import { takeReport } from "./take-report";

export const delivery = createRouter();

/**
 * This route is not in the API's document, because each provider defines its own format. A signed report that Petrel
 * ignores is also answered with 200, because the provider would repeat it otherwise.
 */
delivery.post("/hooks/:provider", policy({ key: "signed" }), async (c) => {
  const { platform } = c.var;
  const provider = c.req.param("provider");
  const reporter = platform.reporterOf(provider);
  if (reporter === null) throw new UnknownRoute(c.req.method, c.req.path);
  const reported = await reporter({ header: (name) => c.req.header(name), body: await c.req.text() });
  if (reported?.kind === "report") await takeReport(platform, provider, reported.notice);
  if (reported?.kind === "received") await takeMail(platform, provider, reported.mail);
  if (reported?.kind === "other") noteOther(platform, provider, reported.name);
  return c.json({ success: true }, 200);
});
