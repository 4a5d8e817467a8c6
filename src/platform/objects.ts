/** Areas near which data should be stored: a hint, which Cloudflare follows where it can. */
export const areas = ["weur", "eeur", "apac", "oc", "wnam", "enam"] as const satisfies DurableObjectLocationHint[];
/** Jurisdictions, each of which guarantees that data never leaves it. */
export const jurisdictions = ["eu", "us", "fedramp"] as const satisfies DurableObjectJurisdiction[];

/** The location of the data of an installation. */
export type DataLocation =
  | { kind: "anywhere" }
  | { kind: "area"; area: (typeof areas)[number] }
  | { kind: "jurisdiction"; jurisdiction: (typeof jurisdictions)[number] };

/** The part of a namespace that opens objects by name. */
export type NamedObjects<T extends Rpc.DurableObjectBranded | undefined> = Pick<
  DurableObjectNamespace<T>,
  "idFromName" | "get"
>;

/**
 * Returns the objects of a class at the location of the installation. In another jurisdiction, the same name opens a
 * different, empty object, so a deploy refuses to change the location.
 */
export function objectsAt<T extends Rpc.DurableObjectBranded | undefined>(
  location: DataLocation,
  objects: DurableObjectNamespace<T>,
): NamedObjects<T> {
  switch (location.kind) {
    case "anywhere":
      return objects;
    case "area":
      return {
        idFromName: (name) => objects.idFromName(name),
        // The hint applies when an object is first opened. The object remains where it was created.
        get: (id, options) => objects.get(id, { locationHint: location.area, ...options }),
      };
    case "jurisdiction":
      return objects.jurisdiction(location.jurisdiction);
  }
}

/** Reads DATA_LOCATION. A local workerd has no jurisdictions, and its data is on this machine. */
export function dataLocationOf(
  name: (typeof areas | typeof jurisdictions)[number] | "",
  isDevelopment: boolean,
): DataLocation {
  const area = areas.find((known) => known === name);
  if (area) return { kind: "area", area };
  const jurisdiction = jurisdictions.find((known) => known === name);
  return jurisdiction && !isDevelopment ? { kind: "jurisdiction", jurisdiction } : { kind: "anywhere" };
}
