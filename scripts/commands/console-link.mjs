import { apiOf } from "../lib/api.mjs";
import { Failure } from "../lib/failure.mjs";
import { findOperator } from "../lib/operator.mjs";
import { ownerLink } from "../lib/owner-link.mjs";
import { cyan } from "../lib/screen.mjs";

const HELP = `
  npm run console-link                       a link for a new owner
  npm run console-link -- ada@example.com    a link that signs this person in
  npm run console-link -- --deployed         the same for the deployed Petrel,
                                             with ADMIN_TOKEN in the environment

  A link works once, within a day.
`;

/** `npm run console-link`: prints a link that signs in to the console, for when there is no mail. */
export async function main(args) {
  if (args.includes("--help") || args.includes("-h")) return console.log(HELP);
  const isDeployed = args.includes("--deployed");
  const [email, ...more] = args.filter((arg) => arg !== "--deployed");
  if (more.length > 0 || email?.startsWith("-")) throw new Failure(`npm run console-link takes one address.${HELP}`);
  const { base, adminToken } = await findOperator(isDeployed);
  console.log(`\n  ${cyan(await ownerLink({ call: apiOf(base), base, adminToken, email }))}\n`);
}
