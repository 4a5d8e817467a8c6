import { parseAst } from "vitest/node";
import type { Rule } from "./floors";

/** A node of the syntax tree, of which the rule knows the names alone. */
interface Node {
  type: string;
  [part: string]: unknown;
}

/**
 * The files that read a clock of the runtime. All others take the time from `ctx`, or need none. On Workers these clocks
 * stand still while code computes: each is read for what happens between two waits, never for how long something computed.
 */
const readersOfClocks = [
  "src/platform/body-bytes.ts",
  "src/platform/context.ts",
  "src/platform/dns.ts",
  "src/platform/mailer/call.ts",
  "src/platform/mailer/pace-object.ts",
  "src/platform/mailer/ses/sns.ts",
  "src/platform/memory-slots.ts",
  "src/platform/project-gate-object.ts",
  "src/platform/mailer/outbox/send.ts",
  "src/platform/turns.ts",
  "src/http/failure.ts",
  "src/http/memory-slot.ts",
  "src/sweep-object.ts",
];

/** Loops that end by a clock, with the call that each of them waits for in every turn: then the clock has moved. */
const waitsOfLoops: Record<string, string> = {
  "src/engine/clock/advance.ts": "findDue",
  "src/engine/mail/deliver.ts": "recordAndHand",
  "src/engine/mail/drain.ts": "platform.pace.nextTurn",
  "src/engine/mail/make-calls.ts": "makeCall",
  "src/engine/outbound/drain.ts": "nextEvent",
  "src/engine/workflows/calls/call-some.ts": "makeCall",
  "src/features/campaigns/run.ts": "takeStep",
  "src/features/webhooks/deliver-some.ts": "attempt",
  "src/platform/memory-slots.ts": "setTimeout",
};

/** A clock of the runtime is read in few files. */
export const fewReadClocks: Rule = (house) =>
  sources(house)
    .filter(([file, text]) => !readersOfClocks.includes(file) && nodesOf(parsed(file, text)).some(isRuntimeClock))
    .map(([file]) => `${file} reads a clock of the runtime`);

/**
 * A loop that ends by a clock waits for something outside in each turn, or it would never end on Workers. What it waits for
 * is named in the list above. Budgets of computing are `ctx.cpu` and the units of `core/templating/budget.ts`.
 */
export const loopsByClockWait: Rule = (house) =>
  sources(house).flatMap(([file, text]) => {
    const tree = parsed(file, text);
    const clocks = clocksOf(tree);
    const wait = waitsOfLoops[file];
    return nodesOf(tree)
      .filter((node) => isLoop(node) && endsByClock(node, clocks))
      .filter((loop) => wait === undefined || !ownNodes(loop).some((node) => waitsFor(node, wait)))
      .map(
        (loop) =>
          `${file} ends a loop by a clock, and waits for nothing: ${text.slice(...rangeOf(loop)).split("\n")[0]}`,
      );
  });

function sources(house: ReadonlyMap<string, string>): [string, string][] {
  return [...house].filter(([file]) => /^src\/.*\.tsx?$/.test(file));
}

function parsed(file: string, text: string): Node {
  // The parser's own type of a tree has no index by name.
  return parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }) as unknown as Node;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function partsOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

function nodesOf(node: Node): Node[] {
  return [node, ...partsOf(node).flatMap(nodesOf)];
}

/** Without the functions in it: they run at another time. */
function ownNodes(node: Node): Node[] {
  return [node, ...partsOf(node).flatMap((part) => (isFunction(part) ? [] : ownNodes(part)))];
}

function isFunction({ type }: Node): boolean {
  return /^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(type);
}

function isLoop({ type }: Node): boolean {
  return /^(For|ForOf|ForIn|While|DoWhile)Statement$/.test(type);
}

/** `ctx.pace.ask` of a call of it; of what is more than names, its last name. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return String(node.name);
  if (node.type !== "MemberExpression") return "";
  return [nameOf(node.object), nameOf(node.property)].filter((name) => name !== "").join(".");
}

function isRuntimeClock(node: Node): boolean {
  if (node.type === "NewExpression") return nameOf(node.callee) === "Date" && partsOf(node).length === 1;
  return node.type === "MemberExpression" && /^(globalThis\.)?(Date|performance)\.now$/.test(nameOf(node));
}

/** `ctx.clock()`, `realClock()`, or a clock of the runtime. */
function isClock(node: Node): boolean {
  return (
    isRuntimeClock(node) || (node.type === "CallExpression" && /(^|\.)(clock|realClock)$/.test(nameOf(node.callee)))
  );
}

/** Parameters of these names are a time, or a function that looks at a clock. */
const givenClocks = /^(endsAt|until|deadline|isLate|isOver|isRunOver|isTimeOver)$/;

/** The variables and functions of a file that a clock decides. */
function clocksOf(tree: Node): Set<string> {
  const parameters = nodesOf(tree)
    .filter(isFunction)
    .flatMap(({ params }) => [params].flat().filter(isNode).flatMap(nodesOf));
  const names = new Set(parameters.map(nameOf).filter((name) => givenClocks.test(name)));
  const known = nodesOf(tree).flatMap((node): { name: string; value: Node }[] => {
    if (node.type === "VariableDeclarator" && isNode(node.init)) return [{ name: nameOf(node.id), value: node.init }];
    if (node.type === "FunctionDeclaration") return [{ name: nameOf(node.id), value: node }];
    return [];
  });
  for (let before = -1; before < names.size; ) {
    before = names.size;
    for (const { name, value } of known) if (name !== "" && tellsTime(value, names)) names.add(name);
  }
  return names;
}

/** Whether a clock decides what this is, or what it answers. */
function tellsTime(value: Node, clocks: Set<string>): boolean {
  return (value.type === "FunctionDeclaration" ? returnsOf(value) : [value]).some((one) => asksClock(one, clocks));
}

/** The answers of a function, and the conditions on which they depend. */
function returnsOf(node: Node): Node[] {
  return nodesOf(node).flatMap((one) => {
    if (one.type === "ReturnStatement" && isNode(one.argument)) return [one.argument];
    return one.type === "IfStatement" && isNode(one.test) ? [one.test] : [];
  });
}

function asksClock(node: Node, clocks: Set<string>): boolean {
  if (isClock(node) || (node.type === "Identifier" && clocks.has(nameOf(node)))) return true;
  // A time among the arguments of a call does not make its answer one.
  const isTold = node.type === "CallExpression" && !nameOf(node.callee).startsWith("Math.");
  return (isTold ? [node.callee].filter(isNode) : partsOf(node)).some((part) => asksClock(part, clocks));
}

/** By its condition, by a condition in it under which it is left, or by a choice in it, which may be what is left to do. */
function endsByClock(loop: Node, clocks: Set<string>): boolean {
  const deciding = ownNodes(loop).filter(
    (node) =>
      node === loop ||
      node.type === "ConditionalExpression" ||
      (node.type === "IfStatement" && ownNodes(node).some(leaves)),
  );
  return deciding.some(({ test }) => isNode(test) && asksClock(test, clocks));
}

function leaves({ type }: Node): boolean {
  return /^(Break|Return|Throw)Statement$/.test(type);
}

function waitsFor(node: Node, wait: string): boolean {
  if (node.type !== "AwaitExpression") return false;
  return nodesOf(node).some((one) => one.type === "CallExpression" && nameOf(one.callee) === wait);
}

function rangeOf({ start, end }: Node): [number, number] {
  return [Number(start), Number(end)];
}
