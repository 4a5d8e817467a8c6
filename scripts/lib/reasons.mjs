// Explains Cloudflare's refusals to the person who deploys, by wrangler's output. None could be tried on an account
// here, so an unknown refusal is shown unchanged.
const PLAN =
  "The account needs the Workers Paid plan: https://dash.cloudflare.com/?to=/:account/workers/plans. docs/deploying.md says why the Free plan is not enough.";

const REASONS = [
  [/code: (100129|11002|100328)\]|Workers Paid|Free plan/i, () => PLAN],
  [
    /code: 10042\]|enable R2/i,
    () => "R2 is not enabled in this account. Enable it once at https://dash.cloudflare.com/?to=/:account/r2.",
  ],
  [/code: (10000|9109|10023)\]|Authentication error|Unauthorized/i, lackOfPermission],
  [
    /workers\.dev subdomain/i,
    () =>
      "The account has no workers.dev name yet: register one at https://dash.cloudflare.com/?to=/:account/workers/onboarding, or set a custom domain in petrel.toml.",
  ],
];

// The permissions that parts of the API need, as the dashboard names them for tokens. wrangler prints the path of the
// refused call, because one command makes several.
const PERMISSIONS = [
  [/\(\/zones\//, "Workers Routes (of the zone)", "Edit"],
  [/\(\/user|\(\/memberships/, "User Details and Memberships (of the user)", "Read"],
  [/\(\/accounts\/[^)]*\/queues|^Queues$/, "Queues", "Edit"],
  [/\(\/accounts\/[^)]*\/d1\/|^D1 database$/, "D1", "Edit"],
  [/\(\/accounts\/[^)]*\/r2\/|^R2 bucket$/, "Workers R2 Storage", "Edit"],
];

function lackOfPermission(kind, output) {
  const [, permission, level] = PERMISSIONS.find(([pattern]) => pattern.test(output)) ??
    PERMISSIONS.find(([pattern]) => pattern.test(kind)) ?? [null, "Workers Scripts", "Edit"];
  const whose = process.env.WORKERS_CI
    ? "Workers Builds uses a token of its own: change it where My Profile lists API Tokens."
    : "Or run npx wrangler login.";
  return `The token may not use ${kind}. Give it the permission ${permission}: ${level}. ${whose}`;
}

/** Returns what the user can do about it, or undefined. */
export function reasonFor(kind, output) {
  const known = REASONS.find(([pattern]) => pattern.test(output));
  return known?.[1](kind, output);
}

/** Returns our explanation if we know the reason; otherwise wrangler's. */
export function refusalOf(kind, output) {
  return reasonFor(kind, output) ?? `wrangler says:\n\n${output}`;
}
