import { readFileSync } from "node:fs";
import { parseToml } from "../../../scripts/lib/toml.mjs";
import { readWranglerToml } from "../../../scripts/lib/wrangler-toml.mjs";
import type { Block } from "./read";

/** How a block is checked: by lines of the page's shell script, or here and now. */
export interface Step {
  files: Record<string, string>;
  lines: string[];
}

/** What comes before a block decides what an answer or an output belongs to. */
interface Place {
  number: number;
  before: Block | undefined;
}

type Check = (block: Block, place: Place) => Step;

/**
 * One check for each language. `sh refused` has calls that are refused. `json` with a method and a path is a call, `json mcp` is the
 * configuration of an assistant, and without them it is the answer of the call before;
 * `text` is what the program before prints, or what the template before says. A program whose block names a file is saved in it,
 * for others to import or to start.
 */
const checks: Record<string, Check> = {
  sh: ({ about, code }) => {
    refuseComments(code);
    if (isForOperators(code)) return checkedNow(() => checkCommands(code));
    const lines = printing(withAnswers(code));
    return { files: {}, lines: about === "refused" ? ["expected='4*'", ...lines, "expected='2*'"] : lines };
  },
  js: runs("node", "mjs"),
  ts: runs("node", "ts"),
  python: runs("python3", "py"),
  json: ({ about, code }, { number, before }) => {
    const file = `block-${number}.json`;
    if (about === "mcp") return { files: { [file]: code }, lines: [`helper connects ${file}`] };
    if (!about) {
      if (before?.language !== "sh" && before?.language !== "json")
        throw new Error("this JSON is neither sent nor answered");
      return { files: { [file]: code }, lines: [`helper fits ${file}`] };
    }
    const [method = "", path = ""] = about.split(" ");
    const call = `curl "$BASE${path}" -X ${method} -H "Authorization: Bearer $SECRET" -d @${file}`;
    // The shell fills in ids: "$TEMPLATE".
    return { files: {}, lines: [`cat > ${file} <<END_OF_BODY\n${code}END_OF_BODY`, ...printing(call)] };
  },
  liquid: ({ about, code }, { number }) => {
    const file = `block-${number}.liquid`;
    return { files: { [file]: code }, lines: [`helper preview ${file} '${about || "{}"}' > output`] };
  },
  text: ({ code }, { number, before }) => {
    if (!before || !(before.language in checks) || before.language === "text")
      throw new Error("nothing prints this text");
    return { files: { [`block-${number}.txt`]: code }, lines: [`helper says block-${number}.txt output`] };
  },
  toml: ({ code }) => checkedNow(() => checkSettings(code)),
  html: ({ code }, { number }) => ({
    files: { [`block-${number}.html`]: code },
    lines: [`helper page block-${number}.html`],
  }),
};

/** The languages of verifiers of webhooks, with the file of each. A verifier is checked where its language is installed. */
export const verifierFiles: Record<string, string> = {
  js: "verifier.mjs",
  python: "verifier.py",
  go: "verifier.go",
  php: "verifier.php",
};

export function isVerifier({ about }: Block): boolean {
  return about === "verifier";
}

/** Says how a block is checked. A block of a language that nobody checks is an error. */
export function stepOf(block: Block, place: Place): Step {
  const verifier = isVerifier(block) && verifierFiles[block.language];
  if (verifier) return { files: { [verifier]: block.code }, lines: [] };
  const check = checks[block.language];
  if (!check) throw new Error(`nobody checks blocks of "${block.language}"`);
  return check(block, place);
}

function runs(program: string, ending: string): Check {
  return ({ about, code }, { number }) => {
    if (about.endsWith(`.${ending}`)) return { files: { [about]: code }, lines: [] };
    const file = `block-${number}.${ending}`;
    return { files: { [file]: code }, lines: [`${program} ${file} > output`] };
  };
}

/** What a program in the background prints comes to the output of the block at hand. */
function printing(code: string): string[] {
  return [`: > output\n{\n${code}\n} >> output`];
}

/** In zsh, a comment behind a command is more words of the command. */
function refuseComments(code: string): void {
  const line = code.split("\n").find((one) => /\S +# /.test(one));
  if (line !== undefined) throw new Error(`a comment stands behind a command, which zsh does not take: ${line}`);
}

/** `ID=…` takes the id out of the answer before it, or what the comment above names: `# data.id of the answer`. */
function withAnswers(code: string): string {
  return code.replace(
    /^(?:# (\S+) of the answer\n)?(\w+)=…$/gm,
    (_, path = "id", name) => `${name}=$(helper answer ${path})`,
  );
}

function checkedNow(check: () => void): Step {
  check();
  return { files: {}, lines: [] };
}

const tools = /^(?:[A-Z_]+=\S* )*(npm|npx|git|openssl|cd|grep)\b ?(.*)$/;

function commandsOf(code: string): string[] {
  return code.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

/** Starts, deploys and the like are not run by a test of the documents. */
function isForOperators(code: string): boolean {
  return commandsOf(code).every((line) => tools.test(line));
}

function checkCommands(code: string): void {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const line of commandsOf(code)) {
    const [, tool, words = ""] = tools.exec(line) ?? [];
    if (tool !== "npm") continue;
    const [verb = "", name = ""] = words.split(/ +/);
    const script = verb === "run" ? name : verb;
    if (!(script in scripts) && !["install", "ci"].includes(script))
      throw new Error(`there is no npm script ${script}`);
  }
}

/** Each variable is one that wrangler.toml has, and each other key one that the bundler's tool knows. */
function checkSettings(code: string): void {
  const { vars = {}, ...others } = parseToml(code, "the block");
  const known = readWranglerToml();
  const strange = Object.keys(vars).filter((name) => !(name in known.vars));
  if (strange.length > 0) throw new Error(`no setting is called ${strange.join(", ")}`);
  const extra = ["name", "routes", "observability", "d1_databases", "limits", "placement"];
  const unknown = Object.keys(others).filter((name) => !(name in known) && !extra.includes(name));
  if (unknown.length > 0) throw new Error(`wrangler.toml takes no ${unknown.join(", ")}`);
}
