import { Refusal } from "../command";

type Noun = "topic" | "segment" | "template";

/** The ids of resources by name, because files contain only names. */
export class Names {
  readonly #ids: Record<Noun, Map<string, string>> = { topic: new Map(), segment: new Map(), template: new Map() };
  readonly #names = new Map<string, string>();
  /** The names of files whose resources the service does not have yet. */
  readonly #coming: Record<Noun, Set<string>> = { topic: new Set(), segment: new Set(), template: new Set() };

  /** Throws Refusal when another resource has the name. */
  add(noun: Noun, name: string, id: string): void {
    const other = this.#ids[noun].get(name);
    if (other !== undefined && other !== id)
      throw new Refusal(
        `Two ${noun}s of the project are named ${name}, so that no file can name one: rename one of them`,
      );
    this.#ids[noun].set(name, id);
    this.#names.set(id, name);
  }

  expect(noun: Noun, name: string): void {
    this.#coming[noun].add(name);
  }

  nameOf(noun: Noun, id: string): string {
    const name = this.#names.get(id);
    if (name === undefined) throw new Refusal(`The service names a ${noun} that it does not list: ${id}`);
    return name;
  }

  /** Throws Refusal when no resource has the name. */
  idOf(noun: Noun, name: string, file: string): string {
    const id = this.#ids[noun].get(name);
    if (id !== undefined) return id;
    const known = [...this.#ids[noun].keys()].toSorted().join(", ") || "none";
    throw new Refusal(`${file}: there is no ${noun} named ${name}. There are: ${known}`);
  }

  /** Throws Refusal when neither the service nor a file has the name. */
  insistOn(noun: Noun, name: string, file: string): void {
    if (!this.#coming[noun].has(name)) this.idOf(noun, name, file);
  }

  has(noun: Noun, name: string): boolean {
    return this.#ids[noun].has(name);
  }
}

const isSegment = (value: object): value is { field: string; value?: unknown } =>
  "field" in value && typeof value.field === "string" && /^segment(?:\.|$)/.test(value.field);

/** Returns a copy in which `turn` has replaced the segment of every filter that names one. */
export function turnSegments(value: unknown, turn: (segment: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => turnSegments(one, turn));
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, turnSegments(one, turn)]));
  if (!isSegment(value)) return copy;
  const said = value.field === "segment" ? value.value : value.field.slice("segment.".length);
  return typeof said === "string" ? { ...copy, field: "segment", value: turn(said) } : copy;
}

/** Returns the segments that filters name. */
export function segmentsIn(value: unknown): string[] {
  const found: string[] = [];
  turnSegments(value, (segment) => {
    found.push(segment);
    return segment;
  });
  return found;
}
