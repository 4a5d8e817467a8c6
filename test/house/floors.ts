import { posix } from "node:path";

/** The files of the house: each with its path from the top and its text. */
export type House = ReadonlyMap<string, string>;

/** What breaks a rule of the house, one sentence for each place; nothing when it is kept. */
export type Rule = (house: House) => string[];

/** The packages `core/` rests on. Each is pure: no database, no request, no clock of its own. */
const purePackages = new Set([
  "@zootools/email-spell-checker",
  "@noble/hashes/hmac.js",
  "@noble/hashes/sha2.js",
  "croner",
  "drizzle-orm",
  "entities/decode",
  "html-to-text",
  "ipaddr.js",
  "liquidjs",
  "nodemailer/lib/addressparser",
  "nodemailer/lib/base64",
  "nodemailer/lib/mime-funcs",
  "papaparse",
  "tldts",
  "uuid",
  "zod",
]);

const floors: Record<string, number> = { core: 0, db: 1, platform: 1, http: 2, engine: 2, features: 3 };
const frontDoor = 4;

export const everyFileHasARoom: Rule = (house) =>
  [...house.keys()].filter((file) => isFile(file) && floorOf(file) === null);

export const importsGoDown: Rule = (house) =>
  everyImport(house).flatMap(({ file, target }) => {
    const [from, to] = [floorOf(file), floorOf(target)];
    if (to === null) return target.startsWith(".") ? [`${file} imports ${target}, outside the house`] : [];
    return from !== null && to > from ? [`${file} imports ${target}, which is higher`] : [];
  });

export const noCircles: Rule = (house) => circlesOf(everyImport(house));

/** The folders of `engine/` and `features/` are machines and resources: which of them rests on which has one answer. */
export const noFolderCircles: Rule = (house) =>
  circlesOf(
    everyImport(house)
      .map(({ file, target }) => ({ file: folderOf(file) ?? "", target: folderOf(target) ?? "" }))
      .filter(({ file, target }) => file !== "" && target !== "" && file !== target),
  );

function circlesOf(imports: Import[]): string[] {
  const targets = Map.groupBy(imports, ({ file }) => file);
  const finished = new Set<string>();
  const circles: string[] = [];
  function visit(file: string, path: string[]): void {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" → "));
    if (path.includes(file) || finished.has(file)) return;
    for (const { target } of targets.get(file) ?? []) visit(target, [...path, file]);
    finished.add(file);
  }
  for (const file of targets.keys()) visit(file, []);
  return circles;
}

export const coreIsPure: Rule = (house) =>
  everyImport(house)
    .filter(({ file, target }) => file.startsWith("src/core/") && !isFile(target) && !purePackages.has(target))
    .map(said);

export const fewSeeCloudflare: Rule = (house) =>
  everyImport(house)
    .filter(({ target }) => target.startsWith("cloudflare:"))
    .filter(({ file }) => !/^src\/(platform\/|index\.ts$)|-object\.ts$/.test(file))
    .map(said);

export const verbsSeeNoRequest: Rule = (house) =>
  everyImport(house)
    .filter(({ target }) => target.startsWith("src/http/") || /^(@hono|hono)(\/|$)/.test(target))
    .filter(({ file }) => !file.startsWith("src/http/") && floorOf(file) !== frontDoor)
    .filter(({ file }) => !/^src\/features\/.+\/(routes|page|[a-z-]+-page)\.tsx?$/.test(file))
    .map(said);

/** What two features both do is a machine. A feature's noun is named like it: `contacts/contact.ts`. */
export const featuresShareNounsAndSchemas: Rule = (house) =>
  betweenFeatures(house)
    .filter(({ target }) => !/\/schema\.ts$/.test(target) && !isNoun(target))
    .map(said);

const maxImportsBetweenFeatures = 20;

export const fewImportsBetweenFeatures: Rule = (house) => {
  const imports = betweenFeatures(house);
  return imports.length <= maxImportsBetweenFeatures ? [] : [`${imports.length} imports between features`];
};

function betweenFeatures(house: House): Import[] {
  return everyImport(house).filter(({ file, target }) => {
    const [from, to] = [featureOf(file), featureOf(target)];
    return from !== undefined && to !== undefined && from !== to;
  });
}

function isNoun(file: string): boolean {
  const [, folder = "", name = ""] = /([^/]+)\/([^/]+)\.ts$/.exec(file) ?? [];
  return folder === `${name}s`;
}

/** `http` is how we speak: it knows no machine, and a front door hands it what it needs. */
export const httpServesNoMachine: Rule = (house) =>
  everyImport(house)
    .filter(({ file, target }) => file.startsWith("src/http/") && target.startsWith("src/engine/"))
    .map(said);

/** `env.ts` reads the settings, each group by the file that lists it. */
const readersOfSettings = /^src\/platform\/(env|rate-limits|mailer\/providers|mailer\/[a-z]+\/settings)\.ts\b/;

export const oneReaderOfSettings: Rule = (house) => {
  // A setting is a key with its schema: `MAIL_PROVIDER: z.string().default("outbox"),`.
  const settings = [...house]
    .filter(([file]) => readersOfSettings.test(file))
    .flatMap(([, text]) => [...text.matchAll(/^\s+([A-Z][A-Z0-9_]*): .*[,(]$/gm)].map(([, name]) => name));
  const name = `(?:${settings.join("|")})`;
  const reads = new RegExp(
    String.raw`\b(?:process|import\.meta)\.env\b` +
      (settings.length === 0
        ? ""
        : String.raw`|\.${name}\b|\["${name}"\]|\{[^{}]*\b${name}\b[^{}]*\}\s*=\s*[\w.]*\benv\b`),
  );
  return codeWith(house, /^src\//, reads).filter((found) => !readersOfSettings.test(found));
};

export const verbsAskCtxForTheTime: Rule = (house) =>
  codeWith(house, /^src\/(features|engine)\//, /\bDate\.now\b|\bnew Date(?:\(\s*\)|(?![(\w]))|\bperformance\.now\b/);

/** D1 refuses LIKE patterns over 50 bytes. */
export const noLike: Rule = (house) => [
  ...codeWith(house, /^(src|migrations)\//, /\bLIKE\b/),
  ...codeWith(house, /^src\//, /\bsql(?:<[^>]*>)?`[^`]*\b[Ll]ike\b[^`]*`/),
  ...codeWith(house, /^src\//, /\bimport\s*\{[^}]*\b(?:like|ilike|notLike|notIlike)\b[^}]*\}\s*from\s*"drizzle-orm"/),
];

/** The erasure of a whole project empties every table, by its name in a list. */
export const oneWriterOfJobs: Rule = (house) =>
  codeWith(
    house,
    /^src\/(?!engine\/jobs\/)/,
    /\b(?:INSERT INTO|REPLACE INTO|UPDATE|DELETE FROM) "?jobs\b|\.(?:insert|update|delete)\(jobs\)/,
  );

/** A cascade deletes more than a statement may do; a rebuilt table loses what is written meanwhile. */
export const migrationsOnlyAdd: Rule = (house) => [
  ...codeWith(house, /^migrations\//, /\bON\s+DELETE\s+CASCADE\b|__new_|\bDROP\s+TABLE\b/i),
  ...codeWith(house, /^src\/db\//, /\bonDelete:\s*"cascade"/),
];

interface Import {
  file: string;
  /** A path from the top for a file of the house, else the package or path as it is written. */
  target: string;
}

const said = ({ file, target }: Import): string => `${file} imports ${target}`;

function everyImport(house: House): Import[] {
  const statement =
    /^\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']|(?<![\w.])import\s*\(?\s*["']([^"']+)["']|\brequire\(\s*["']([^"']+)["']/gm;
  return [...house].flatMap(([file, text]) =>
    isFile(file)
      ? [...withoutComments(file, text).matchAll(statement)].map(([, from, bare, required]) => ({
          file,
          target: resolve(house, file, from ?? bare ?? required ?? ""),
        }))
      : [],
  );
}

function resolve(house: House, file: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  const path = posix.join(posix.dirname(file), specifier);
  return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((candidate) => house.has(candidate)) ?? specifier;
}

function floorOf(file: string): number | null {
  if (/^src\/[^/]+\.ts$/.test(file)) return frontDoor;
  return floors[/^src\/([^/]+)\//.exec(file)?.[1] ?? ""] ?? null;
}

/** A folder of the engine, or a feature. */
function folderOf(file: string): string | undefined {
  return /^src\/((?:engine|features)\/[^/]+)\//.exec(file)?.[1];
}

function featureOf(file: string): string | undefined {
  return /^src\/features\/([^/]+)\//.exec(file)?.[1];
}

function isFile(path: string): boolean {
  return path.startsWith("src/");
}

/** The files under a path whose code, comments left out, says something. */
function codeWith(house: House, where: RegExp, what: RegExp): string[] {
  return [...house]
    .filter(([file]) => where.test(file))
    .flatMap(([file, text]) => {
      const found = what.exec(withoutComments(file, text));
      return found ? [`${file} says ${found[0]}`] : [];
    });
}

/** A comment begins a line or follows a blank; `"https://…"` and `"/v1/*"` do not. */
function withoutComments(file: string, text: string): string {
  if (file.endsWith(".sql")) return text.replaceAll(/--.*$/gm, "");
  return text.replaceAll(/(^|\s)\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "$1$2");
}
