/** A failure is the same when it says the same, whatever ids and figures it names. */
function kindOf(fault) {
  return fault
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "…")
    .replaceAll(/-[\w-]{21}/g, "…")
    .replaceAll(/[\w.]+@\w+/g, "…")
    .replaceAll(/\d+/g, "…")
    .slice(0, 60);
}

/**
 * Makes a plan that fails smaller while it fails in the same way: first fewer deeds, then fewer kinds of faults. Stops
 * after `most` plays.
 */
export async function shrink(plan, faults, play, most) {
  const kinds = new Set(faults.map(kindOf));
  let left = most;
  const stillFails = async (smaller) => {
    left -= 1;
    return (await play(smaller)).faults.some((fault) => kinds.has(kindOf(fault)));
  };
  let least = plan;
  for (
    let size = Math.ceil(least.entries.length / 2);
    size >= 1 && left > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < least.entries.length && left > 0; ) {
      const entries = least.entries.toSpliced(from, size);
      if (await stillFails({ ...least, entries })) least = { ...least, entries };
      else from += size;
    }
  }
  for (const name of Object.keys(least.rates).filter((key) => least.rates[key] > 0)) {
    if (left <= 0) break;
    const calmer = { ...least, rates: { ...least.rates, [name]: 0 } };
    if (await stillFails(calmer)) least = calmer;
  }
  return least;
}
