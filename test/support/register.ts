/** When something was done. It may have had its effect at any moment between, or none at all if that is not sure. */
export interface Span {
  from: number;
  to: number;
  isSure: boolean;
}

/**
 * What a value may have been, by what was done to it by several at once of whom some died. Moments are times of the world,
 * of which no two steps have the same.
 */
export class Register<T> {
  private writes: (Span & { value: T })[];

  constructor(first: T, at: number) {
    this.writes = [{ value: first, from: at, to: at, isSure: true }];
  }

  /** Begins only now with what it is: before that it was what `before` says. */
  static since<T>(value: T, before: T, span: Span): Register<T> {
    const register = new Register(before, 0);
    register.write(value, span);
    return register;
  }

  write(value: T, span: Span): void {
    this.writes.push({ value, ...span });
  }

  /** The values that it may have had at some moment between these two. */
  possible(from: number, to = from): Set<T> {
    const isOver = ({ to: end }: Span) =>
      this.writes.some((later) => later.isSure && later.from >= end && later.to <= from && later.to > end);
    return new Set(this.writes.filter((write) => write.from < to && !isOver(write)).map(({ value }) => value));
  }

  /** It had this value, and no other, from the one moment to the other. */
  isSurely(value: T, from: number, to = from): boolean {
    const values = this.possible(from, to);
    return values.size === 1 && values.has(value);
  }
}
