import { CaptureTag, CaseTag, type Context, type Emitter, type Liquid } from "liquidjs";
import { budgetOf } from "./context";
import { CappedEmitter } from "./output";

/** Removed: they read files, and there are none. */
const FILE_TAGS = ["include", "render", "layout", "block"];

/** Limits the engine to the tags that we offer, and replaces those whose work liquidjs hides. */
export function offerTags(engine: Liquid): void {
  for (const name of FILE_TAGS) delete engine.tags[name];
  engine.registerTag("capture", CappedCapture);
  engine.registerTag("case", MeteredCase);
  // liquidjs's own tag checks the comment's lines with an expression that takes quadratic time.
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
