import { CaptureTag, CaseTag, type Context, type Emitter, type Liquid } from "liquidjs";
import { budgetOf } from "./context";
import { CappedEmitter } from "./output";

/** Left out: they read files, and there are none. */
const FILE_TAGS = ["include", "render", "layout", "block"];

/** Leaves the engine with the tags we offer; those whose work liquidjs does not let us see are replaced. */
export function offerTags(engine: Liquid): void {
  for (const name of FILE_TAGS) delete engine.tags[name];
  engine.registerTag("capture", CappedCapture);
  engine.registerTag("case", MeteredCase);
  // liquidjs's own checks the lines of the comment with an expression that takes quadratic time.
  engine.registerTag("#", { render: () => "" });
}

/** liquidjs captures into a buffer without a bound, so a loop could double a text until memory ends. */
class CappedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const emitter = new CappedEmitter(budgetOf(context));
    yield this.liquid.renderer.renderTemplates(this.templates, context, emitter);
    Reflect.set(context.bottom(), this.variable, emitter.buffer);
  }
}

/** `case` compares by itself, not with the operators: it pays here for reading its target once for every `when`. */
class MeteredCase extends CaseTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const budget = budgetOf(context);
    const comparisons = this.branches.reduce((sum, branch) => sum + branch.values.length, 0);
    budget.charge(budget.chargeReading(yield this.value.value(context)) * comparisons);
    yield* super.render(context, emitter);
  }
}
