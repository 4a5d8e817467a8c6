import { Refusal } from "../errors";
import type { Role } from "./role";

/** The rights that the call needs. */
export interface NeededRights {
  role: Role;
  maySend?: true;
  seesPersonalData?: true;
}

/** The person may not make this call. `mayDo` names people who may. */
export class RoleTooLow extends Refusal {
  constructor(has: Role | null, needs: NeededRights, mayDo: readonly string[] = []) {
    const whom = mayDo.length === 0 ? `somebody with the role ${needs.role}` : mayDo.join(" or ");
    super(describe(has, needs), { suggestion: `Ask ${whom}.`, details: { role: has, needs, mayDo } });
  }
}

function describe(has: Role | null, { role, maySend, seesPersonalData }: NeededRights): string {
  if (maySend) return "In this project you may write drafts, but not send them. Nothing was sent.";
  if (seesPersonalData) return "This answer contains personal data, which you may not see in this project.";
  const own =
    has !== null ? `and yours is ${has}` : role === "owner" ? "and you are not an owner" : "and you no longer have one";
  return `This needs the role ${role}, ${own}. Nothing was done.`;
}

/** The person must first prove again who they are. */
export class ProofNeeded extends Refusal {
  constructor() {
    super("This needs a sign-in within the last ten minutes. Nothing was done.", {
      suggestion:
        "Sign in again with a passkey: POST /console/session/passkey/options, then POST /console/session/passkey. Or with " +
        "a code: POST /console/session/link with your own address, then POST /console/session/code. Then send the " +
        "request again.",
    });
  }
}

/** A write with a session, which may come from a page of another site. */
export class CrossSiteWrite extends Refusal {
  constructor() {
    super(
      "This request may come from another site: it has a session, but its Origin is not this installation. Nothing was done.",
      {
        suggestion: "Send it from a page of this installation. Programs use an API key and no cookie.",
      },
    );
  }
}
