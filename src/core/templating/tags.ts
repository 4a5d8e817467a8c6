import {
  CaptureTag,
  CaseTag,
  type Context,
  CycleTag,
  type Emitter,
  evalToken,
  ForTag,
  type Hash,
  type Liquid,
  TablerowTag,
} from "liquidjs";
import { budgetOf } from "./context";
import { asNumber } from "./numbers";
import { CappedEmitter } from "./output";

/** Tags that are removed because they read files, which do not exist here. */
const FILE_TAGS = ["include", "render", "layout", "block"];

/** Limits the engine to the offered tags, and replaces those whose work liquidjs does not let us count. */
export function offerTags(engine: Liquid): void {
  for (const name of FILE_TAGS) delete engine.tags[name];
  engine.registerTag("capture", CappedCapture);
  engine.registerTag("case", MeteredCase);
  engine.registerTag("cycle", MeteredCycle);
  engine.registerTag("for", NumberedFor);
  engine.registerTag("tablerow", NumberedTablerow);
  // Liquid's own comment tag checks its lines with a regular expression that takes quadratic time.
  engine.registerTag("#", { render: () => "" });
}

/** liquidjs captures into an unlimited buffer, so a loop could double a text until memory runs out. */
class CappedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const emitter = new CappedEmitter(budgetOf(context));
    yield this.liquid.renderer.renderTemplates(this.templates, context, emitter);
    Reflect.set(context.bottom(), this.variable, emitter.buffer);
  }
}

/** `case` does not use the operators to compare, so it pays here for reading its target once for every `when`. */
class MeteredCase extends CaseTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const budget = budgetOf(context);
    const comparisons = this.branches.reduce((sum, branch) => sum + branch.values.length, 0);
    budget.charge(budget.chargeReading(yield this.value.value(context)) * comparisons);
    yield* super.render(context, emitter);
  }
}

/** `cycle` finds its group by the group's text, so it pays here for building that text each time. */
class MeteredCycle extends CycleTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, unknown, unknown> {
    // The property `group` is private in liquidjs. It is undefined when the tag has no group.
    const group: Parameters<typeof evalToken>[0] = Reflect.get(this, "group");
    budgetOf(context).chargeReading(yield evalToken(group, context));
    return yield* super.render(context, emitter);
  }
}

class NumberedFor extends ForTag {
  constructor(...parsed: ConstructorParameters<typeof ForTag>) {
    super(...parsed);
    convertNumbers(this.hash, ["limit", "offset"]);
  }
}

class NumberedTablerow extends TablerowTag {
  constructor(...parsed: ConstructorParameters<typeof TablerowTag>) {
    super(...parsed);
    convertNumbers(this.args, ["cols", "limit", "offset"]);
  }
}

/** Converts these arguments of a tag to numbers whenever they are evaluated. */
function convertNumbers(args: Hash, names: string[]): void {
  const render = args.render.bind(args);
  args.render = function* (context) {
    const values: Record<string, unknown> = yield* render(context);
    for (const name of names) if (name in values) values[name] = asNumber(values[name]);
    return values;
  };
}
