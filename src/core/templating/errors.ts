import type { TextPosition } from "./position";

/** The customer's template is not valid. `line` and `column` (from 1) point into the text as it was written. */
export class TemplateSyntaxError extends Error {
  override readonly name = "TemplateSyntaxError";

  readonly line: number;
  readonly column: number;

  constructor(reason: string, { line, column }: TextPosition) {
    super(`${reason} (line ${line}, column ${column})`);
    this.line = line;
    this.column = column;
  }
}

/** The parts of an email that are templates. */
export type TemplatePart = "subject" | "previewText" | "body";

/** Rendering needs more work or more output than is allowed for one email. */
export class RenderLimitError extends Error {
  override readonly name = "RenderLimitError";
  /** The part of the mail that failed; null when it is not known. */
  part: TemplatePart | null = null;
}

/** The template is valid, but does not work with the given values. */
export class TemplateRenderError extends Error {
  override readonly name = "TemplateRenderError";
  part: TemplatePart | null = null;
}

/**
 * Returns why an email could not be rendered. Only an error in the subject names its part, because readers expect the
 * errors of an email in its body.
 */
export function whyUnrendered(error: Error): string {
  const isOfSubject =
    (error instanceof RenderLimitError || error instanceof TemplateRenderError) && error.part === "subject";
  return isOfSubject ? `In the subject: ${error.message}` : error.message;
}

/** Whether an email's error means that it could not be rendered. */
export function isWhyUnrendered(error: string): boolean {
  return /^(In the subject: )?The (template (could not be rendered|does too much work)|rendered (text|subject) is longer)/.test(
    error,
  );
}

/** Renders a part of an email, and adds the name of the part to its errors. */
export function renderPart<T>(part: TemplatePart, render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (error instanceof RenderLimitError || error instanceof TemplateRenderError) error.part ??= part;
    throw error;
  }
}
