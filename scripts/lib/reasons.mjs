// What Cloudflare's refusals mean for somebody who deploys, by what wrangler prints of them. None could be tried here on
// an account: what is not recognised is shown as it came.
const PLAN = "The account needs the Workers Paid plan: https://dash.cloudflare.com/?to=/:account/workers/plans.";

const REASONS = [
  [/code: (100129|11002|100328)\]|Workers Paid|Free plan/i, () => PLAN],
  [
    /code: 10042\]|enable R2/i,
    () => "R2 is not enabled in this account. Enable it once at https://dash.cloudflare.com/?to=/:account/r2.",
  ],
  [
    /code: (10000|9109)\]|Authentication error|Unauthorized/i,
    (kind) =>
      `The token may not use ${kind}. Give it the permission ${PERMISSIONS[kind] ?? kind}: Edit, or run npx wrangler login.`,
  ],
  [
    /workers\.dev subdomain/i,
    () =>
      "The account has no workers.dev name yet: register one at https://dash.cloudflare.com/?to=/:account/workers/onboarding, or set a custom domain in petrel.toml.",
  ],
];

// As the dashboard calls them where tokens are made.
const PERMISSIONS = { "D1 database": "D1", "R2 bucket": "Workers R2 Storage" };

/** What the user can do about it, or undefined. */
export function reasonFor(kind, output) {
  const known = REASONS.find(([pattern]) => pattern.test(output));
  return known?.[1](kind);
}
