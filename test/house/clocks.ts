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
  "src/core/ids.ts",
  "src/platform/body-bytes.ts",
  "src/platform/open-platform.ts",
  "src/platform/dns.ts",
  "src/platform/mailer/call.ts",
  "src/platform/mailer/pace-object.ts",
  "src/platform/mailer/smtp/send.ts",
  "src/platform/mailer/ses/sns.ts",
  "src/platform/memory-slots.ts",
  "src/platform/project-gate-object.ts",
  "src/platform/mailer/outbox/send.ts",
  "src/platform/turns.ts",
  "src/http/failure.ts",
  "src/http/memory-slot.ts",
  "src/sweep-object.ts",
];

/** Loops that end by a clock, with the call that each of them waits for on every way through a turn: then the clock has moved. */
const waitsOfLoops: Record<string, string> = {
  "src/engine/clock/advance.ts": "findDue",
  "src/engine/mail/deliver/deliver.ts": "recordAndHand",
  "src/engine/mail/deliver/drain.ts": "platform.pace.nextTurn",
  "src/engine/mail/deliver/make-calls.ts": "makeCall",
  "src/engine/move/switch.ts": "replay",
  "src/engine/outbound/drain.ts": "nextEvent",
  "src/engine/outbound/turn.ts": "kind.make",
  "src/features/campaigns/run.ts": "takeStep",
  "src/platform/memory-slots.ts": "setTimeout",
};

/** Awaited calls whose "no" puts work aside: the turn that ends there has computed nothing that a clock would have to end. */
const refusalsOfLoops: Record<string, string> = {
  "src/engine/mail/deliver/deliver.ts": "hasSlot",
};

/** A clock of the runtime is read in few files. */
export const fewReadClocks: Rule = (house) =>
  sources(house)
    .filter(([file, text]) => !readersOfClocks.includes(file) && nodesOf(parsed(file, text)).some(isRuntimeClock))
    .map(([file]) => `${file} reads a clock of the runtime`);

/**
 * A loop that ends by a clock waits for something outside in each turn, or it would never end on Workers. What it waits for
 * is named in the list above, and is on every way through its body. A function that calls itself by a clock is such a loop,
 * too. A method of arrays cannot wait, so no callback of it asks a clock what to do. Budgets of computing are `ctx.cpu` and the units of
 * `core/templating/budget.ts`.
 */
export const loopsByClockWait: Rule = (house) =>
  sources(house).flatMap(([file, text]) => {
    if (!tellsOfTime.test(text)) return [];
    const tree = parsed(file, text);
    const clocks = clocksOf(tree);
    const firstLine = (node: Node) => text.slice(...rangeOf(node)).split("\n")[0];
    const wait: Wait = { call: waitsOfLoops[file], refusal: refusalsOfLoops[file] };
    const loops = nodesOf(tree).filter((node) => isLoop(node) && endsByClock(node, clocks));
    const recursions = recursionsOf(tree).filter((one) => ownNodes(one).some((node) => asksInTest(node, clocks)));
    return [
      ...loops
        .filter((loop) => !waitsInEachTurn(loop, wait))
        .map((loop) => `${file} ends a loop by a clock, and does not wait in each turn: ${firstLine(loop)}`),
      ...recursions.map((one) => `${file} calls itself by a clock: ${firstLine(one)}`),
      ...callbacksByClock(tree).map((one) => `${file} asks a clock for each item of an array: ${firstLine(one)}`),
    ];
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

/** What a file has in it that asks a clock: most need no closer look. */
const tellsOfTime = /[cC]lock\(|\.now\b|endsAt|until|deadline|isLate|isOver|isRunOver|isTimeOver/;

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

/** What a loop waits for, by name; nothing in a file that is not named. */
interface Wait {
  call: string | undefined;
  refusal: string | undefined;
}

/** Whether no way through the body comes to the next turn without having waited. */
function waitsInEachTurn(loop: Node, wait: Wait): boolean {
  const { call } = wait;
  if (call === undefined) return false;
  // These are asked or done before each next turn, also after a `continue`.
  if ([loop.type === "ForStatement" ? loop.update : null, loop.test].some((part) => surelyAwaits(part, call)))
    return true;
  if (!isNode(loop.body)) return false;
  const { goesOn, hasSkipped } = through(loop.body, false, wait);
  return goesOn !== "unwaited" && !hasSkipped;
}

/** How a statement goes on to the next one, and whether a way in it skips the rest of the turn without having waited. */
interface Passed {
  goesOn: "waited" | "unwaited" | "never";
  hasSkipped: boolean;
}

function through(node: Node, hasWaited: boolean, wait: Wait): Passed {
  const call = wait.call ?? "";
  const waited = (isSo: boolean): Passed => ({ goesOn: isSo ? "waited" : "unwaited", hasSkipped: false });
  switch (node.type) {
    case "BlockStatement":
      return inOrder([node.body].flat().filter(isNode), hasWaited, wait);
    case "ReturnStatement":
    case "ThrowStatement":
    case "BreakStatement":
      return { goesOn: "never", hasSkipped: false };
    case "ContinueStatement":
      return { goesOn: "never", hasSkipped: !hasWaited };
    case "IfStatement": {
      const before = hasWaited || surelyAwaits(node.test, call);
      const isRefusal = wait.refusal !== undefined && isRefused(node.test, wait.refusal);
      const ways = [node.consequent, node.alternate].map((way) =>
        isNode(way) ? through(way, before || (isRefusal && way === node.consequent), wait) : waited(before),
      );
      return together(ways);
    }
    case "TryStatement": {
      const block = isNode(node.block) ? through(node.block, hasWaited, wait) : waited(hasWaited);
      const handler =
        isNode(node.handler) && isNode(node.handler.body) ? [through(node.handler.body, hasWaited, wait)] : [];
      const tried = together([block, ...handler]);
      if (!isNode(node.finalizer)) return tried;
      const last = through(node.finalizer, tried.goesOn === "waited", wait);
      // What the end of it waits for, its skipped ways have waited for, too.
      if (through(node.finalizer, false, wait).goesOn === "waited")
        return { goesOn: tried.goesOn === "never" ? "never" : "waited", hasSkipped: false };
      return {
        goesOn: tried.goesOn === "never" ? "never" : last.goesOn,
        hasSkipped: tried.hasSkipped || last.hasSkipped,
      };
    }
    case "LabeledStatement":
      return isNode(node.body) ? through(node.body, hasWaited, wait) : waited(hasWaited);
    case "SwitchStatement": {
      // Which of the cases it comes to is not known, if any.
      const before = hasWaited || surelyAwaits(node.discriminant, call);
      const cases = [node.cases].flat().filter(isNode);
      const ways = cases.map(({ consequent }) => inOrder([consequent].flat().filter(isNode), before, wait));
      return { ...waited(before), hasSkipped: ways.some(({ hasSkipped }) => hasSkipped) };
    }
    default:
      if (!isLoop(node)) return waited(hasWaited || surelyAwaits(node, call));
      // It may have no turn at all; a `continue` with a label goes on with the loop around it.
      return {
        ...waited(hasWaited || [node.init, node.right].some((part) => surelyAwaits(part, call))),
        hasSkipped: !hasWaited && ownNodes(node).some((one) => one.type === "ContinueStatement" && isNode(one.label)),
      };
  }
}

function inOrder(statements: Node[], hasWaited: boolean, wait: Wait): Passed {
  let passed: Passed = { goesOn: hasWaited ? "waited" : "unwaited", hasSkipped: false };
  for (const statement of statements) {
    if (passed.goesOn === "never") break;
    const next = through(statement, passed.goesOn === "waited", wait);
    passed = { ...next, hasSkipped: passed.hasSkipped || next.hasSkipped };
  }
  return passed;
}

/** One of several ways is gone, and nobody knows which. */
function together(ways: Passed[]): Passed {
  const ends = ways.map(({ goesOn }) => goesOn).filter((goesOn) => goesOn !== "never");
  const isWaited = ends.every((goesOn) => goesOn === "waited");
  return {
    goesOn: ends.length === 0 ? "never" : isWaited ? "waited" : "unwaited",
    hasSkipped: ways.some(({ hasSkipped }) => hasSkipped),
  };
}

/** Whether evaluating this awaits the call, whatever its conditions come to. */
function surelyAwaits(node: unknown, call: string): boolean {
  return surely(node, (one) => one.type === "AwaitExpression" && surely(one.argument, (made) => isCallOf(made, call)));
}

function surely(node: unknown, isIt: (node: Node) => boolean): boolean {
  if (!isNode(node)) return false;
  if (isIt(node)) return true;
  if (isFunction(node)) return false;
  if (node.type === "LogicalExpression") return surely(node.left, isIt);
  if (node.type === "AssignmentExpression" && /^(&&|\|\||\?\?)=$/.test(String(node.operator))) return false;
  if (node.type === "ConditionalExpression")
    return surely(node.test, isIt) || (surely(node.consequent, isIt) && surely(node.alternate, isIt));
  // What follows `?.` may be left out.
  if (node.type === "ChainExpression") return false;
  // A promise runs the function that it is made with at once.
  if (node.type === "NewExpression" && nameOf(node.callee) === "Promise")
    return [node.arguments]
      .flat()
      .filter(isNode)
      .some(({ body }) => surely(body, isIt));
  return partsOf(node).some((part) => surely(part, isIt));
}

function isCallOf(node: Node, call: string): boolean {
  return node.type === "CallExpression" && nameOf(node.callee) === call;
}

/** `!(await hasSlot(…))`. */
function isRefused(test: unknown, refusal: string): boolean {
  return (
    isNode(test) && test.type === "UnaryExpression" && test.operator === "!" && surelyAwaits(test.argument, refusal)
  );
}

/** The functions of a file that come back to themselves, by themselves or through each other. */
function recursionsOf(tree: Node): Node[] {
  const named = namedFunctions(tree);
  const called = new Map(
    named.map(({ name, value }) => [
      name,
      nodesOf(value).flatMap((node) => (node.type === "CallExpression" ? [nameOf(node.callee)] : [])),
    ]),
  );
  const comesTo = (from: string, to: string, seen: Set<string>): boolean =>
    (called.get(from) ?? []).some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return comesTo(next, to, seen);
    });
  return named.filter(({ name }) => comesTo(name, name, new Set())).map(({ value }) => value);
}

function namedFunctions(tree: Node): { name: string; value: Node }[] {
  return nodesOf(tree).flatMap((node) => {
    const { type, id, init } = node;
    if (type === "FunctionDeclaration") return [{ name: nameOf(id), value: node }];
    return type === "VariableDeclarator" && isNode(init) && isFunction(init) ? [{ name: nameOf(id), value: init }] : [];
  });
}

/** A condition that a clock decides. */
function asksInTest(node: Node, clocks: Set<string>): boolean {
  if (node.type === "LogicalExpression") return isNode(node.left) && asksClock(node.left, clocks);
  return isNode(node.test) && asksClock(node.test, clocks);
}

/** Methods that call back for each item, and come back when all were called. */
const eachItem = /(^|\.)(filter|forEach|map|flatMap|reduce|reduceRight|sort|toSorted)$/;
/** Those of them whose callback says when they have seen enough. */
const untilFound = /(^|\.)(some|every|find|findIndex|findLast|findLastIndex|filter)$/;

/** The callbacks of arrays for which a look at a clock decides something. */
function callbacksByClock(tree: Node): Node[] {
  const looks = looksOf(tree);
  return nodesOf(tree).flatMap((node) => {
    const name = node.type === "CallExpression" ? nameOf(node.callee) : "";
    if (!eachItem.test(name) && !untilFound.test(name)) return [];
    const callbacks = [node.arguments].flat().filter(isNode);
    return callbacks.filter((one) => {
      if (one.type === "Identifier") return untilFound.test(name) && looks.has(nameOf(one));
      if (!isFunction(one) || one.async === true || !isNode(one.body)) return false;
      const answers = untilFound.test(name) ? answersOf(one) : [];
      return (
        answers.some((answer) => asksClock(answer, looks)) || ownNodes(one.body).some((part) => asksInTest(part, looks))
      );
    });
  });
}

/** The functions of a file that look at a clock whenever they are called. A time that was read before is a value like any other. */
function looksOf(tree: Node): Set<string> {
  const given = nodesOf(tree)
    .filter(isFunction)
    .flatMap(({ params }) => [params].flat().filter(isNode).map(nameOf));
  const looks = new Set(given.filter((name) => /^is[A-Z]/.test(name) && givenClocks.test(name)));
  const named = namedFunctions(tree);
  for (let before = -1; before < looks.size; ) {
    before = looks.size;
    for (const { name, value } of named)
      if (answersOf(value).some((answer) => asksClock(answer, looks))) looks.add(name);
  }
  return looks;
}

function answersOf(value: Node): Node[] {
  if (!isNode(value.body)) return [];
  return value.body.type === "BlockStatement" ? ownNodes(value.body).flatMap(answerOf) : [value.body];
}

function answerOf({ type, argument }: Node): Node[] {
  return type === "ReturnStatement" && isNode(argument) ? [argument] : [];
}

function rangeOf({ start, end }: Node): [number, number] {
  return [Number(start), Number(end)];
}
