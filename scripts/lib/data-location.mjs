import { createInterface } from "node:readline/promises";
import { command } from "./screen.mjs";
import { isOnTerminal } from "./temporary.mjs";

/**
 * The values of DATA_LOCATION, each with the cloud region near which the Worker then runs. `[placement]` takes the
 * names of AWS, Google Cloud and Azure (https://developers.cloudflare.com/workers/configuration/placement); a dry run
 * of wrangler takes any text, so only an upload shows whether Cloudflare knows a name. Cloudflare places a database in
 * an area, not in a city, so each region is a large one in that area.
 */
const AREAS = {
  weur: { meaning: "near western Europe", region: "aws:eu-central-1" },
  eeur: { meaning: "near eastern Europe", region: "gcp:europe-central2" },
  enam: { meaning: "near eastern North America", region: "aws:us-east-1" },
  wnam: { meaning: "near western North America", region: "aws:us-west-2" },
  apac: { meaning: "near Asia and the Pacific", region: "aws:ap-southeast-1" },
  oc: { meaning: "near Oceania", region: "aws:ap-southeast-2" },
};
const JURISDICTIONS = {
  eu: { meaning: "within the European Union, guaranteed", region: "aws:eu-central-1" },
  us: { meaning: "within the United States, guaranteed", region: "aws:us-east-1" },
  fedramp: { meaning: "within FedRAMP data centers, guaranteed", region: "aws:us-east-1" },
};
const LOCATIONS = { ...AREAS, ...JURISDICTIONS };
export const AREA_NAMES = Object.keys(AREAS);
export const JURISDICTION_NAMES = Object.keys(JURISDICTIONS);

/**
 * Returns where the data of an installation is stored: as set in petrel.toml, or else as it was created. Empty when
 * neither is known.
 */
export function dataLocationOf({ config, notes }) {
  return config.vars.DATA_LOCATION || notes.location || "";
}

/** Returns the location if it is a jurisdiction; otherwise undefined. */
export function jurisdictionOf(installation) {
  const location = dataLocationOf(installation);
  return Object.hasOwn(JURISDICTIONS, location) ? location : undefined;
}

/** Returns the flags with which wrangler creates a database or a bucket at the location. */
export function creationFlags(installation) {
  const location = dataLocationOf(installation);
  if (location === "") return [];
  return [jurisdictionOf(installation) ? "--jurisdiction" : "--location", location];
}

/**
 * Returns the configuration with the Worker near the data, and with what it needs to find its bucket and objects there.
 */
export function atLocation(config, notes) {
  const location = dataLocationOf({ config, notes });
  const jurisdiction = jurisdictionOf({ config, notes });
  const region = Object.hasOwn(LOCATIONS, location) ? LOCATIONS[location].region : undefined;
  return {
    ...config,
    ...(region && !config.placement ? { placement: { region } } : {}),
    ...(jurisdiction ? { r2_buckets: config.r2_buckets.map((bucket) => ({ jurisdiction, ...bucket })) } : {}),
    vars: { ...config.vars, DATA_LOCATION: location },
  };
}

/** Whether a location must be known before anything is created. Further databases follow the first one. */
export function needsLocation(installation, databases) {
  return dataLocationOf(installation) === "" && !isCreated(installation, databases);
}

function isCreated({ config, notes }, databases) {
  const { database_id: given } = firstDatabase(config);
  return Boolean(given ?? notes.DB) || listed({ config, notes }, databases) !== undefined;
}

function firstDatabase(config) {
  return config.d1_databases.find(({ binding }) => binding === "DB");
}

/** Returns the first database as the account lists it. */
function listed({ config, notes }, databases) {
  const { database_id: given, database_name: name } = firstDatabase(config);
  const id = given ?? notes.DB;
  return databases.find((database) => (id ? database.uuid === id : database.name === name));
}

/** Returns what is wrong with the setting by itself. */
export function locationFaults(installation) {
  const location = dataLocationOf(installation);
  if (location === "" || Object.hasOwn(LOCATIONS, location)) return [];
  const known = Object.entries(LOCATIONS).map(([name, { meaning }]) => `${name} (${meaning})`);
  return [`DATA_LOCATION is ${location}, which Cloudflare does not have. It can be ${known.join(", ")}.`];
}

/** Returns how the setting conflicts with what exists; `databases` is undefined when the account did not list them. */
export function locationObstacles(installation, databases) {
  const { DATA_LOCATION: wanted } = installation.config.vars;
  const { location: created } = installation.notes;
  if (!databases || locationFaults(installation).length > 0) return [];
  if (needsLocation(installation, databases) && !isOnTerminal()) {
    return [
      `Nothing says where the data shall live, and that cannot be changed later. Set DATA_LOCATION under [vars] in petrel.toml: ${AREA_NAMES.join(", ")} are near an area, ${JURISDICTION_NAMES.join(", ")} within a jurisdiction. In a terminal, ${command("npm run deploy")} asks.`,
    ];
  }
  if (!isCreated(installation, databases)) return [];
  if (wanted && created && wanted !== created) {
    return [
      `DATA_LOCATION is ${wanted}, and this installation was created with ${created} (see [deployed] in petrel.toml). Databases cannot be moved, and elsewhere its objects would begin empty. Put ${created} back, or deploy another installation: another name and a petrel.toml of its own.`,
    ];
  }
  return jurisdictionObstacles(installation, listed(installation, databases)?.jurisdiction, created);
}

/**
 * Returns conflicts with the jurisdiction of the database, which is null when it has none. That check works even when
 * petrel.toml was lost. If the account does not list the database (undefined), only a deploy's note counts.
 */
function jurisdictionObstacles(installation, stored, noted) {
  const wanted = jurisdictionOf(installation);
  if (stored && stored !== wanted) {
    return [
      `The database is within the jurisdiction ${stored}, and so are the Worker's objects: elsewhere they would begin empty. Set DATA_LOCATION = "${stored}" under [vars] in petrel.toml.`,
    ];
  }
  if (wanted && !stored && (stored === null || wanted !== noted)) {
    return [
      `DATA_LOCATION is ${wanted}, and the database was created without a jurisdiction. One is given at the creation alone, and with it the Worker's objects would begin empty. Leave DATA_LOCATION out, or name the area that the database is in.`,
    ];
  }
  return [];
}

/** Asks where to store the data, until the answer is one of the list. Undefined when the input ends. */
export async function askLocation({ input, output }) {
  const names = Object.keys(LOCATIONS);
  const lines = names.map((name, index) => `    ${index + 1}  ${name.padEnd(7)}  ${LOCATIONS[name].meaning}`);
  output.write(`\n  Where shall the data live? It cannot be changed later.\n\n${lines.join("\n")}\n\n`);
  const terminal = createInterface({ input, output });
  const ask = () => output.write(`  A number, or a name: `);
  try {
    ask();
    for await (const line of terminal) {
      const answer = line.trim().toLowerCase();
      const chosen = names[Number(answer) - 1] ?? names.find((name) => name === answer);
      if (chosen) return chosen;
      ask();
    }
    return undefined;
  } finally {
    terminal.close();
  }
}
