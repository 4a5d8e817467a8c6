import {
  type Liquid,
  Parser,
  ParseStream,
  type Template,
  Token,
  TokenizationError,
  type TopLevelToken,
  TypeGuards,
} from "liquidjs";
import { type Encode, renderedAtOnce } from "./at-once";
import { SOURCE_CHARACTER_UNITS } from "./budget";
import { budgetOf } from "./context";
import { CappedEmitter } from "./output";
import { MAX_PLACEHOLDERS } from "./syntax";

const MAX_DEPTH = 100;

/**
 * liquidjs's parser with limits, and with a cost for every node: a tag or output pays for the length of its own text,
 * including its `elsif`s and `when`s, each time it runs. The length bounds the work of a single run.
 */
class MeteredParser extends Parser {
  /** The lengths of the tags being parsed, the outermost first. */
  private readonly open: number[] = [];
  private count = 0;

  constructor(
    engine: Liquid,
    private readonly encode: Encode | null,
  ) {
    super(engine);
  }

  override parseToken(token: TopLevelToken, remaining: TopLevelToken[]): ReturnType<Parser["parseToken"]> {
    if (this.open.length >= MAX_DEPTH)
      throw new TokenizationError(`tags may be nested at most ${MAX_DEPTH} levels deep`, token);
    // Each line of a `liquid` tag counts as a tag too.
    if (!TypeGuards.isHTMLToken(token) && ++this.count > MAX_PLACEHOLDERS) {
      throw new TokenizationError(`a template may have at most ${MAX_PLACEHOLDERS} placeholders`, token);
    }
    this.open.push(token.size());
    const template = super.parseToken(token, remaining);
    const characters = this.open.pop() ?? 0;
    // Plain text is paid for when it is written. The property `str` is private in liquidjs.
    if ("str" in template) writeOnRender(template, String(Reflect.get(template, "str")));
    else payOnRender(template, characters * SOURCE_CHARACTER_UNITS, this.encode);
    return template;
  }

  override parseStream(tokens: TopLevelToken[]): ParseStream {
    const addToOpen = (branch: Token) => this.open.push((this.open.pop() ?? 0) + branch.size());
    return new BranchStream(tokens, (token, remaining) => this.parseToken(token, remaining), addToOpen);
  }
}

/** Reads the inside of a block tag and reports the tags that separate its branches. */
class BranchStream extends ParseStream {
  constructor(
    tokens: TopLevelToken[],
    parseToken: (token: TopLevelToken, remaining: TopLevelToken[]) => Template,
    private readonly onBranch: (branch: Token) => void,
  ) {
    super(tokens, parseToken);
  }

  override on<T extends Template | TopLevelToken | undefined>(
    name: string,
    handle: (this: ParseStream, arg: T) => void,
  ): ParseStream {
    const { onBranch } = this;
    return super.on<T>(name, function (arg) {
      if (arg instanceof Token) onBranch(arg);
      handle.call(this, arg);
    });
  }
}

/** Makes the template's own text render as source text. Otherwise, a frame would treat it as a value. */
function writeOnRender(template: Template, text: string): void {
  template.render = (_, emitter) => {
    if (emitter instanceof CappedEmitter) emitter.writeSource(text);
    else emitter.write(text);
    return "";
  };
}

function payOnRender(template: Template, units: number, encode: Encode | null): void {
  const render = renderedAtOnce(template, encode, template.render.bind(template));
  template.render = (context, emitter) => {
    budgetOf(context).charge(units);
    return render(context, emitter);
  };
}

/** Parses plain Liquid within our limits. `encode` is the encoding of the engine's kind of template. */
export function parseLiquid(engine: Liquid, text: string, encode: Encode | null): Template[] {
  return new MeteredParser(engine, encode).parse(text);
}
