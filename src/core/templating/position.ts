export interface TextPosition {
  line: number;
  column: number;
}

/** Returns the line and column of an offset in a text, both from 1. */
export function positionAt(text: string, offset: number): TextPosition {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
