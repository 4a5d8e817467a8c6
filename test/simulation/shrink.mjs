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
 * Makes a plan that fails smaller while it fails in the same way: first without any fault, then with fewer deeds, then with
 * fewer kinds of faults. Stops after `most` plays. `play` may be brief: it then looks once, soon after the faults, which is
 * much faster. What is found so must also fail at the last look.
 */
export async function shrink(plan, faults, play, most) {
  const kinds = new Set(faults.map(kindOf));
  let left = most;
  for (const isBrief of [true, false]) {
    const stillFails = async (smaller) => {
      left -= 1;
      return (await play(smaller, { isBrief })).faults.some((fault) => kinds.has(kindOf(fault)));
    };
    if (!(await stillFails(plan))) continue;
    const least = await leastOf(plan, async (smaller) => left > 0 && (await stillFails(smaller)));
    if (!isBrief || (await play(least, {})).faults.some((fault) => kinds.has(kindOf(fault)))) return least;
  }
  return plan;
}

async function leastOf(plan, stillFails) {
  const calm = { ...plan, rates: Object.fromEntries(Object.keys(plan.rates).map((name) => [name, 0])) };
  const fewer = await withFewerDeeds((await stillFails(calm)) ? calm : plan, stillFails);
  return withFewerFaults(fewer, stillFails);
}

async function withFewerDeeds(plan, stillFails) {
  let least = plan;
  for (let size = Math.ceil(plan.entries.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < least.entries.length; ) {
      const entries = least.entries.toSpliced(from, size);
      if (await stillFails({ ...least, entries })) least = { ...least, entries };
      else from += size;
    }
  }
  return least;
}

async function withFewerFaults(plan, stillFails) {
  let least = plan;
  for (const name of Object.keys(plan.rates).filter((key) => plan.rates[key] > 0)) {
    const calmer = { ...least, rates: { ...least.rates, [name]: 0 } };
    if (await stillFails(calmer)) least = calmer;
  }
  return least;
}
