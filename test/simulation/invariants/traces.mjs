/** A call that was on its way when a person was erased may still arrive. */
const onTheWayMs = 10_000;

/** A person who was erased is nowhere: in no row, no object, no file, and in nothing that leaves afterwards. */
export function tracesOfErased(world, { facts }) {
  const erased = new Set(facts.filter(({ is }) => is === "erased").map(({ email }) => email));
  if (erased.size === 0) return [];
  const places = [
    ...Object.values(world.databases).flatMap((database) =>
      database.tables.map((table) => [
        table,
        database.peek(`SELECT * FROM "${table}"`).map((row) => JSON.stringify(row)),
      ]),
    ),
    ...Object.entries(world.objects).map(([name, objects]) => [name, objects.contents]),
    ["files", world.files.contents],
  ];
  return [...toldOfErased(world, facts), ...[...erased].flatMap((email) => tracesIn(places, email))];
}

function tracesIn(places, email) {
  return places.flatMap(([place, contents]) => {
    const found = contents.find((content) => content.includes(email));
    return found === undefined ? [] : [`${email} was erased, and is in ${place}: ${found.slice(0, 400)}`];
  });
}

/** Mail to an erased person, and calls that name one. */
function toldOfErased({ outside: { provider, receivers } }, facts) {
  const calls = [
    ...provider.arrivals.map(({ at, email }) => ({ at, body: email, to: "the provider" })),
    ...receivers.bodies.map(({ at, body, host }) => ({ at, body, to: host })),
  ];
  return facts
    .filter(({ is }) => is === "erased")
    .flatMap(({ email, at }) =>
      calls
        .filter((call) => call.at > at + onTheWayMs && call.body.includes(email))
        .map(
          (call) =>
            `${email} was erased at ${at}, and ${call.to} heard of it at ${call.at}: ${call.body.slice(0, 300)}`,
        ),
    );
}
