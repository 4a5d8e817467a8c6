/**
 * Runs code, and returns the collections that it made, wherever they are, and the entries that it gave to weak maps, which
 * cannot be listed.
 */
export function recordCollections(run) {
  const made = [];
  const weakEntries = new Map();
  const { Map: RealMap, Set: RealSet } = globalThis;
  const setWeakly = WeakMap.prototype.set;
  const recorded = (Collection) =>
    new Proxy(Collection, {
      construct(target, given) {
        const collection = new target(...given);
        made.push(collection);
        return collection;
      },
    });
  globalThis.Map = recorded(RealMap);
  globalThis.Set = recorded(RealSet);
  WeakMap.prototype.set = function (key, value) {
    weakEntries.set(this, [...(weakEntries.get(this) ?? []), [key, value]]);
    return setWeakly.call(this, key, value);
  };
  try {
    run();
  } finally {
    Object.assign(globalThis, { Map: RealMap, Set: RealSet });
    WeakMap.prototype.set = setWeakly;
  }
  return { made, weakEntries };
}

/**
 * Remembers what modules hold now, and returns a function that makes them hold it again: their variables, the contents of
 * their collections, and the properties of plain objects and arrays that a variable names. Deeper objects stay as they are.
 */
export function memoryOf({ read, write }, { collections: { made, weakEntries }, forgets }) {
  const values = read();
  const named = values.filter((value) => Array.isArray(value) || isPlain(value));
  const restores = [...forgets, ...[...made, ...named].map(restorerOf)];
  return () => {
    for (const [index, now] of read().entries()) {
      const before = values[index];
      if (before instanceof WeakMap) write(index, new WeakMap(weakEntries.get(before)));
      else if (now !== before) write(index, before);
    }
    for (const restore of restores) restore();
  };
}

function restorerOf(value) {
  if (value instanceof Map) return mapRestorer(value);
  if (value instanceof Set) return setRestorer(value);
  return Array.isArray(value) ? arrayRestorer(value) : objectRestorer(value);
}

function mapRestorer(map) {
  const entries = [...map];
  return () => {
    map.clear();
    for (const [key, value] of entries) map.set(key, value);
  };
}

function setRestorer(set) {
  const items = [...set];
  return () => {
    set.clear();
    for (const item of items) set.add(item);
  };
}

function arrayRestorer(array) {
  const items = [...array];
  return () => {
    if (array.length !== items.length || items.some((item, index) => item !== array[index]))
      array.splice(0, array.length, ...items);
  };
}

function objectRestorer(object) {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(object)).filter(([, { writable }]) => writable);
  return () => {
    for (const [name, { value }] of properties) if (object[name] !== value) object[name] = value;
  };
}

function isPlain(value) {
  return value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
}
