import type { Position } from "./position";

/** The customer's template is not valid: `line` and `column` (from 1) point into the text as they wrote it. */
export class TemplateSyntaxError extends Error {
  override readonly name = "TemplateSyntaxError";

  readonly line: number;
  readonly column: number;

  constructor(reason: string, { line, column }: Position) {
    super(`${reason} (line ${line}, column ${column})`);
    this.line = line;
    this.column = column;
  }
}

/** Rendering asked for more work or more output than one email may. */
export class RenderLimitError extends Error {
  override readonly name = "RenderLimitError";
}

/** The template is valid but does not work with the values it was given. */
export class TemplateRenderError extends Error {
  override readonly name = "TemplateRenderError";
}
