/**
 * Returns the number of edits from one word to the other: a letter omitted, inserted, changed, or swapped with its
 * neighbour.
 */
export function editsBetween(written: string, meant: string): number {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: meant.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= written.length; row++) {
    const current = [row];
    for (let column = 1; column <= meant.length; column++) {
      const isSame = written[row - 1] === meant[column - 1];
      const isSwapped = written[row - 1] === meant[column - 2] && written[row - 2] === meant[column - 1];
      current[column] = Math.min(
        (last?.[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last?.[column - 1] ?? 0) + (isSame ? 0 : 1),
        row > 1 && column > 1 && isSwapped ? (beforeLast?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last?.[meant.length] ?? 0;
}
