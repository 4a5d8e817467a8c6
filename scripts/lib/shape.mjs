import { askWrangler } from "./cloudflare.mjs";
import { refusalOf } from "./reasons.mjs";
import { remoteFault, SCHEMA_QUERIES } from "./schema.mjs";
import { command } from "./screen.mjs";

/**
 * What is wrong with the tables of databases that are there. A Worker on tables of another shape would fail one statement
 * after the other, and which migration would help is known to nobody.
 */
export async function shapeObstacles(databases) {
  const each = await Promise.all(databases.map(obstacleOf));
  return each.filter((obstacle) => obstacle !== null);
}

async function obstacleOf({ binding, name }) {
  const { rows, refusal } = await rowsOf(binding, SCHEMA_QUERIES.rows);
  if (refusal) return refusal;
  const applied = rows.length === 0 ? { rows: [] } : await rowsOf(binding, SCHEMA_QUERIES.applied);
  if (applied.refusal) return applied.refusal;
  const fault = await remoteFault({ rows, applied: applied.rows.map((row) => row.name) });
  if (fault === null) return null;
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
  // Without the list of migrations, the tables are none of ours.
  if (/no such table: d1_migrations/i.test(output)) return { rows: [] };
  return { refusal: `The tables of ${binding} cannot be read. ${refusalOf("D1 database", output)}` };
}
