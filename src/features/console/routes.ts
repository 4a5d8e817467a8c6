import { hashKey, randomHex } from "../../core/keys";
import { networkOf } from "../../core/network";
import { CrossSiteWrite } from "../../core/people/errors";
import { mailNewLink } from "../../engine/people/mail-links";
import { mailIsOff, ownLinks } from "../../engine/people/own-mail";
import { requestLink } from "../../engine/people/request-link";
import { useCode } from "../../engine/people/use-link";
import { linkOrigin } from "../../http/auth";
import { IdParam } from "../../http/params";
import { personRoutes } from "../../http/routes";
import { askedOf, browserOf, setAsked, setSession } from "../../http/session-cookie";
import { refuseCrossSite, visitorIn } from "../../http/visitor";
import { meOf } from "./me";
import { addPages } from "./pages/routes";
import { AskedForLink, AskForLink, Me, Sessions, TypedCode } from "./schema";
import { endOtherSessions, endSession, listSessions } from "./sessions";

/** `/console`: how people sign in, and who they are. */
export const consoleRoutes = personRoutes("Console");

addPages(consoleRoutes.router);

const refusals = () => [new CrossSiteWrite()];

consoleRoutes.post(
  "/console/session/link",
  {
    id: "requestSignInMail",
    summary: "Request an email that signs a person in",
    description:
      "The answer is the same whether or not the person exists. The link and the code in the mail work " +
      "once, within 15 minutes, and only in the browser that made this call, which gets a cookie. At most " +
      "five emails an hour go to an address, and twenty to a network. If sign-in mail is off, `npm run " +
      "console-link` prints a link.",
    key: "open",
    body: AskForLink,
    accepted: AskedForLink,
    refusals,
  },
  async (platform, { body }, c) => {
    refuseCrossSite(c);
    const links = ownLinks(platform, linkOrigin(c));
    if ("missing" in links) return mailIsOff(links.missing);
    const { origin } = links;
    const asked = askedOf(c) ?? randomHex(32);
    setAsked(c, asked);
    const address = c.req.header("CF-Connecting-IP");
    const network = address === undefined ? null : networkOf(address);
    const browserHash = await hashKey(asked);
    const id = await requestLink(platform, { email: body.email, origin, network, browserHash });
    // Runs after the answer, so that neither its text nor its timing reveals whether the person exists.
    if (id !== null) platform.later(mailNewLink(platform, id));
    return {
      mail: "ON" as const,
      message: "If this address belongs to a person here, an email with a code is on its way.",
    };
  },
);

consoleRoutes.post(
  "/console/session/code",
  {
    id: "signInByCode",
    summary: "Sign in with the code from an email",
    description:
      "Works only in the browser that requested the mail. The answer sets a session cookie, which expires 30 days after its last " +
      "use. A code stops working after five wrong tries.",
    key: "open",
    body: TypedCode,
    refusals,
  },
  async (platform, { body }, c) => {
    refuseCrossSite(c);
    setSession(c, await useCode(platform, body.code, browserOf(c)));
  },
);

consoleRoutes.delete("/console/session", { id: "signOut", summary: "Sign out", refusals }, async (platform, _, c) => {
  const visitor = visitorIn(c);
  await endSession(platform, visitor, visitor.sessionId);
  setSession(c, null);
});

consoleRoutes.get(
  "/console/sessions",
  { id: "listSessions", summary: "List where the person is signed in, newest first", ok: Sessions },
  (platform, _, c) => listSessions(platform, visitorIn(c)),
);

consoleRoutes.delete(
  "/console/sessions",
  { id: "endOtherSessions", summary: "Sign the person out everywhere else", refusals },
  (platform, _, c) => endOtherSessions(platform, visitorIn(c)),
);

consoleRoutes.delete(
  "/console/sessions/{id}",
  {
    id: "endSession",
    summary: "Sign the person out of one browser",
    params: IdParam,
    refusals,
  },
  (platform, { params }, c) => endSession(platform, visitorIn(c), params.id),
);

consoleRoutes.get(
  "/console/me",
  {
    id: "getSignedInPerson",
    summary: "Get the person, and their rights in each of their projects",
    ok: Me,
  },
  (platform, _, c) => meOf(platform, visitorIn(c)),
);
