import type { Context as HonoContext } from "hono";
import { Conflict } from "../../../core/errors";
import { CrossSiteWrite } from "../../../core/people/errors";
import { type RelyingParty, relyingPartyAt } from "../../../core/people/relying-party";
import { usedUp } from "../../../engine/people/open-session";
import { linkOrigin } from "../../../http/auth";
import { IdParam } from "../../../http/params";
import { kilobyte } from "../../../http/policy";
import type { AppEnv } from "../../../http/router";
import { personRoutes } from "../../../http/routes";
import { browserOf, setSession } from "../../../http/session-cookie";
import { refuseCrossSite, visitorIn } from "../../../http/visitor";
import { addPasskey, alreadyAdded } from "./add";
import { findPasskeys, passkeyJson } from "./passkey";
import { prepareRegistration, prepareSignIn } from "./prepare";
import { removePasskey } from "./remove";
import { renamePasskey } from "./rename";
import {
  AddPasskey,
  Passkey,
  Passkeys,
  RegistrationOptions,
  RenamePasskey,
  SignInByPasskey,
  SignInOptions,
} from "./schema";
import { signInByPasskey } from "./sign-in";

/** Passkeys: people add them while they are signed in, and then sign in with them. */
export const passkeyRoutes = personRoutes("Console");

const refusals = () => [new CrossSiteWrite()];
const maxBody = 64 * kilobyte;

passkeyRoutes.post(
  "/console/session/passkey/options",
  {
    id: "prepareSignInByPasskey",
    summary: "Get a challenge to sign in with a passkey",
    description:
      "Returns options for `navigator.credentials.get`. They are the same for everybody, because the " +
      "authenticator finds the passkey. The challenge is valid once, within five minutes.",
    key: "open",
    isRead: true,
    ok: SignInOptions,
    refusals: () => [new CrossSiteWrite(), worksNowhere()],
  },
  (platform, _, c) => {
    refuseCrossSite(c);
    return prepareSignIn(platform, partyOf(c));
  },
);

passkeyRoutes.post(
  "/console/session/passkey",
  {
    id: "signInByPasskey",
    summary: "Sign in with a passkey",
    description:
      "Takes the answer to a challenge of `POST /console/session/passkey/options`, for which the " +
      "authenticator has verified its user. The answer sets a session cookie, which expires 30 days after " +
      "its last use, and ends the earlier session of the browser. If the person is already signed in, this " +
      "counts as a recent sign-in.",
    key: "open",
    maxBody,
    body: SignInByPasskey,
    refusals: () => [new CrossSiteWrite(), worksNowhere(), usedUp()],
  },
  async (platform, { body }, c) => {
    refuseCrossSite(c);
    setSession(c, await signInByPasskey(platform, browserOf(c), partyOf(c), body.credential));
  },
);

passkeyRoutes.post(
  "/console/passkeys/options",
  {
    id: "preparePasskey",
    summary: "Get a challenge to make a passkey",
    description:
      "Returns options for `navigator.credentials.create`. The challenge is valid once, within five " +
      "minutes, and only for this person.",
    isRead: true,
    needsProof: true,
    ok: RegistrationOptions,
    refusals: () => [new CrossSiteWrite(), worksNowhere()],
  },
  (platform, _, c) => prepareRegistration(platform, visitorIn(c), partyOf(c)),
);

passkeyRoutes.post(
  "/console/passkeys",
  {
    id: "addPasskey",
    isAudited: true,
    needsProof: true,
    summary: "Add a passkey",
    description:
      "Takes the answer to a challenge of `POST /console/passkeys/options`. The person can then sign in " +
      "with the passkey. A person has at most 20 passkeys.",
    maxBody,
    body: AddPasskey,
    created: Passkey,
    refusals: () => [new CrossSiteWrite(), alreadyAdded(), usedUp()],
  },
  (platform, { body }, c) => addPasskey(platform, visitorIn(c), partyOf(c), body),
);

passkeyRoutes.get(
  "/console/passkeys",
  { id: "listPasskeys", summary: "List the person's passkeys, newest first", ok: Passkeys },
  async (platform, _, c) => ({ data: (await findPasskeys(platform, visitorIn(c))).map(passkeyJson) }),
);

passkeyRoutes.patch(
  "/console/passkeys/{id}",
  {
    id: "renamePasskey",
    isAudited: true,
    summary: "Rename a passkey",
    params: IdParam,
    body: RenamePasskey,
    ok: Passkey,
    refusals,
  },
  (platform, { params, body }, c) => renamePasskey(platform, visitorIn(c), params.id, body.name),
);

passkeyRoutes.delete(
  "/console/passkeys/{id}",
  {
    id: "removePasskey",
    isAudited: true,
    needsProof: true,
    summary: "Remove a passkey",
    description:
      "The passkey no longer signs anybody in. Sessions that it opened stay; `DELETE /console/sessions` " +
      "ends them.",
    params: IdParam,
    refusals,
  },
  (platform, { params }, c) => removePasskey(platform, visitorIn(c), params.id),
);

/**
 * Returns the relying party of this installation. Throws Conflict if passkeys do not work at the address of this page.
 */
function partyOf(c: HonoContext<AppEnv>): RelyingParty {
  const origin = linkOrigin(c);
  const party = origin === null ? null : relyingPartyAt(origin);
  if (party === null || c.get("platform").config.linkSecrets.length === 0) throw worksNowhere();
  const page = c.req.header("Origin");
  // The page may be open at another address of the installation, such as that on workers.dev.
  if (page !== undefined && page !== party.origin) throw worksElsewhere(party);
  return party;
}

function worksNowhere(): Conflict {
  return new Conflict("Passkeys do not work at the address of this installation.", {
    suggestion:
      "Sign in by mail. Passkeys need LINK_SECRETS, and a PUBLIC_URL with https and a host name; on your own machine, " +
      "open the console on localhost.",
  });
}

function worksElsewhere({ origin }: RelyingParty): Conflict {
  return new Conflict(`Passkeys of this installation work at ${origin} only.`, {
    suggestion: `Open ${origin}/console, or sign in by mail.`,
  });
}
