/** A person who was erased is nowhere: in no row, no object and no file. */
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
  return [...erased].flatMap((email) =>
    places.flatMap(([place, contents]) => {
      const found = contents.find((content) => content.includes(email));
      return found === undefined ? [] : [`${email} was erased, and is in ${place}: ${found.slice(0, 400)}`];
    }),
  );
}
