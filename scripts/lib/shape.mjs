import { askWrangler } from "./cloudflare.mjs";
import { refusalOf } from "./reasons.mjs";
import { pendingMigrations, remoteFault, SCHEMA_QUERIES } from "./schema.mjs";
import { command } from "./screen.mjs";

/**
 * Checks the tables of existing databases. `obstacles` tells what is wrong with them: a Worker on tables of another
 * shape would fail one statement after another, and it is unknown which migration would help. `pending` has the pending
 * migrations of each non-empty database, by its binding.
 */
export async function lookAtShapes(databases) {
  const each = await Promise.all(databases.map(lookAtShape));
  return {
    obstacles: each.flatMap(({ obstacle }) => obstacle ?? []),
    pending: Object.fromEntries(each.map(({ pending = [] }, index) => [databases[index].binding, pending])),
  };
}

async function lookAtShape({ binding, name }) {
  const { rows, refusal } = await rowsOf(binding, SCHEMA_QUERIES.rows);
  if (refusal) return { obstacle: refusal };
  const applied = rows.length === 0 ? { rows: [] } : await rowsOf(binding, SCHEMA_QUERIES.applied);
  if (applied.refusal) return { obstacle: applied.refusal };
  const names = applied.rows.map((row) => row.name);
  const fault = await remoteFault({ rows, applied: names });
  if (fault !== null) return { obstacle: sentenceAbout(fault, { binding, name }) };
  return { pending: rows.length === 0 ? [] : pendingMigrations(names) };
}

function sentenceAbout(fault, { binding, name }) {
  return [
    `The tables of ${binding} (${name}) are not those that its migrations make: ${fault}.`,
    "Deploy the version that made them. Or deploy under another name, which petrel.toml gives, to begin with an empty database beside this one.",
    `Or, if nobody needs what is in it, delete it (${command(`npx wrangler d1 delete ${name}`)}), remove ${binding} from [deployed] in petrel.toml, and deploy again.`,
    `${command(`npx wrangler d1 export ${name} --remote --output ${name}.sql`)} saves what is in it.`,
  ].join(" ");
}

async function rowsOf(binding, query) {
  const args = ["d1", "execute", binding, "--remote", "--json", "--command", query];
  const { code, stdout, output } = await askWrangler(args);
  if (code === 0) return { rows: JSON.parse(stdout)[0].results };
  // Without the list of migrations, the tables are not ours.
  if (/no such table: d1_migrations/i.test(output)) return { rows: [] };
  return { refusal: `The tables of ${binding} cannot be read. ${refusalOf("D1 database", output)}` };
}
