import { type Context, type Emitter, Output, type Template, type Token, TypeGuards } from "liquidjs";
import { MeteredContext, notAtOnce } from "./context";
import { isGiven } from "./operators";

type Render = (context: Context, emitter: Emitter) => ReturnType<Template["render"]>;

/** Encodes each printed value for the kind of template. */
export type Encode = (context: Context, value: unknown) => string;

/** An operand: a name as its path, or a literal value. */
type Operand = { path: string[] } | { value: unknown };

/**
 * Returns a faster renderer for an output, without the dozen generators that liquidjs creates per output. It handles
 * names and literal values with `??` between them, and nearly all outputs of an email have this form. For any other
 * output, returns `render`.
 */
export function renderedAtOnce(template: Template, encode: Encode | null, render: Render): Render {
  const operands = template instanceof Output ? operandsOf(template, encode !== null) : null;
  if (operands === null) return render;
  return (context, emitter) => {
    const value = context instanceof MeteredContext ? firstGiven(operands, context) : notAtOnce;
    if (value === notAtOnce) return render(context, emitter);
    emitter.write(encode === null ? value : encode(context, value));
    return "";
  };
}

/** Returns the operands of a simple output. Null for an output with filters, other operators or ranges. */
function operandsOf({ value: { filters, initial } }: Output, isEncoded: boolean): Operand[] | null {
  // liquidjs adds the escaping as the last filter, unless the output ends in `raw`.
  if (filters.length !== (isEncoded ? 1 : 0) || filters.some(({ raw }) => raw)) return null;
  const tokens = ungrouped(initial.postfix).filter((token) => !isFallback(token));
  const operands = tokens.map(operandOf).filter((operand) => operand !== null);
  return operands.length > 0 && operands.length === tokens.length ? operands : null;
}

/** Unwraps `a ?? b`, which is in parentheses: see syntax.ts. */
function ungrouped(tokens: Token[]): Token[] {
  return tokens.flatMap((token) =>
    TypeGuards.isFilteredValueToken(token) && token.filters.length === 0 ? ungrouped(token.initial.postfix) : [token],
  );
}

function isFallback(token: Token): boolean {
  return TypeGuards.isOperatorToken(token) && String(token.operator) === "??";
}

function operandOf(token: Token): Operand | null {
  if (TypeGuards.isQuotedToken(token) || TypeGuards.isNumberToken(token)) return { value: token.content };
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) return null;
  const path = token.props.flatMap((step) =>
    "content" in step && typeof step.content === "string" ? [step.content] : [],
  );
  return path.length > 0 && path.length === token.props.length ? { path } : null;
}

/** Returns the value of a `??` chain: the first operand that has a value, or otherwise the last operand. */
function firstGiven(operands: Operand[], context: MeteredContext): unknown {
  let value: unknown;
  for (const operand of operands) {
    value = "path" in operand ? context.readAtOnce(operand.path) : operand.value;
    if (isGiven(value)) break;
  }
  return value;
}
