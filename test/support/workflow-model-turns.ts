import type { Random } from "./random";

/** A thread that moves for so long waits for another one that waits for it. */
const maxMoveMs = 15_000;

/**
 * Gives turns to threads of which only one moves at a time, and of which new ones may begin at any moment: an object goes
 * on by itself when the call that set it in motion has long been answered. So its picks alone decide in which order
 * things happen.
 */
export class Turns {
  /** Threads that do something, and will ask for a turn or end. */
  private moving = 0;
  /** Threads that wait for something that another one does: when that is done, they are moving again a little later. */
  private blocked = 0;
  private waiting: { name: string; go(): void; drop?(): void }[] = [];
  private line: string[] = [];
  /** How often, of a hundred times, the first in line goes behind the others. */
  restlessness = 0;

  constructor(private readonly random: Random) {}

  begin(): void {
    this.moving += 1;
  }

  end(): void {
    this.moving -= 1;
    if (this.moving < 0) throw new Error("More threads have ended than began");
  }

  /** Comes back when it is the turn of this thread. */
  ask(name: string): Promise<void> {
    return new Promise((go) => {
      this.waiting.push({ name, go });
      this.end();
    });
  }

  /**
   * The same for a thread of an object. Code that goes on because of a promise which somebody else resolved is somebody
   * else's for workerd, and may not touch the object's storage: so it looks for its turn by itself.
   */
  async askInObject(name: string): Promise<void> {
    let state: "waits" | "goes on" | "is dead" = "waits";
    const go = () => {
      state = "goes on";
    };
    const drop = () => {
      state = "is dead";
    };
    this.waiting.push({ name, go, drop });
    this.end();
    const now = () => state;
    while (now() === "waits") await aMoment();
    if (now() === "is dead") await new Promise(() => {});
  }

  block(): void {
    this.blocked += 1;
    this.end();
  }

  unblock(): void {
    this.blocked -= 1;
    this.begin();
  }

  /** Threads of this name never get their turn. */
  drop(name: string): void {
    for (const one of this.waiting) if (one.name === name) one.drop?.();
    this.waiting = this.waiting.filter((one) => one.name !== name);
  }

  hasWaiting(): boolean {
    return this.waiting.length > 0;
  }

  /** Comes back when nothing moves. */
  async still(): Promise<void> {
    const until = performance.now() + maxMoveMs;
    do {
      await aMoment();
      if (performance.now() > until) throw new Error(`${this.moving} threads move without an end`);
    } while (this.moving > 0);
  }

  /** The first in line that waits has the next turn, until it is overtaken. */
  next(): void {
    for (const { name } of this.waiting) if (!this.line.includes(name)) this.line.push(name);
    const name = this.line.find((one) => this.waiting.some((waiting) => waiting.name === one));
    const index = this.waiting.findIndex((one) => one.name === name);
    const [next] = this.waiting.splice(index, 1);
    if (!next) throw new Error("Nobody waits for a turn");
    if (this.random.isIn(this.restlessness)) this.line.push(...this.line.splice(this.line.indexOf(next.name), 1));
    this.begin();
    next.go();
  }
}

export function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
