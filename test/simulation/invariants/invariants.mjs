import { answersThatSurprise } from "./answers.mjs";
import { clocksWrong } from "./clock.mjs";
import { consentDisobeyed } from "./consent.mjs";
import { countsThatDiffer } from "./counts.mjs";
import { effectsLost } from "./effects.mjs";
import { hitsMiscounted } from "./hits.mjs";
import { mailUnaccounted, reportsForgotten } from "./mail.mjs";
import { factsThatStand, forgetLost } from "./restored.mjs";
import { tracesOfErased } from "./traces.mjs";
import { unfinished } from "./unfinished.mjs";
import { mirrorsThatDiffer } from "./workflows/mirror.mjs";
import { pathsNotAllowed } from "./workflows/workflows.mjs";

/**
 * Returns what must hold and does not, seen from outside: the rows, what the provider and the receivers got, and the
 * answers.
 */
export async function faultsIn(world, seen) {
  forgetLost(world, seen.told);
  const state = stateOf(world, seen);
  return [
    ...[...world.limits.passed].map((what) => `Beyond a limit of the platform: ${what}`),
    ...mailUnaccounted(world, state),
    ...reportsForgotten(world, state),
    ...hitsMiscounted(state),
    ...unfinished(world, state),
    ...answersThatSurprise(state),
    ...effectsLost(world, state),
    ...consentDisobeyed(world, state),
    ...tracesOfErased(world, state),
    ...clocksWrong(world, state),
    ...(await countsThatDiffer(world, state)),
    ...mirrorsThatDiffer(world, state),
    ...(await pathsNotAllowed(world, state)),
  ];
}

function stateOf(world, seen) {
  const projects = world.databases.DB.peek("SELECT number, id, name FROM projects");
  const nameOf = new Map(projects.map(({ number, name }) => [number, name]));
  const numberOf = new Map(projects.map(({ number, name }) => [name, number]));
  const contents = world.rows("SELECT project_id, content_id, variant FROM campaign_counts");
  const variants = new Map(contents.map(({ content_id: content, variant }) => [content, variant]));
  const rows = world.rows("SELECT * FROM emails");
  const emails = rows.map((row) => ({ ...row, variant: variants.get(row.content_id) ?? null }));
  // The mail of projects on test clocks goes nowhere else.
  const outbox = world.databases.DB.peek("SELECT * FROM outbox_messages");
  const facts = factsThatStand(seen.told);
  // All that was said, also when it was undone.
  const saidFacts = seen.told.facts;
  return { ...seen, ...seen.told, facts, saidFacts, projects, nameOf, numberOf, emails, outbox };
}
