const METHODS = ["get", "post", "put", "patch", "delete"];

/**
 * Returns the operations of the document as the client offers them: `listContactFields` under `/contacts` is
 * `petrel.contacts.listFields`. Names, arguments and comments all come from the document.
 */
export function operationsOf(document) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, ...item[method] })),
  );
  const groups = [...new Set(operations.map(({ path }) => firstSegment(path)))].filter((group) => group !== "v1");
  const named = operations.map((operation) => ({ ...operation, ...nameOf(operation, groups) }));
  requireDistinctNames(named);
  return named.map((operation) => describe(operation, document));
}

function firstSegment(path) {
  return path.split("/")[1];
}

/**
 * Returns the group and the method's name. The group is the first segment of the path or, below `/v1`, the group whose
 * noun the operation's id contains.
 */
function nameOf({ path, operationId }, groups) {
  const first = firstSegment(path);
  const group = first === "v1" ? groups.find((one) => nounOf(one).test(operationId)) : first;
  if (group === undefined) throw new Error(`No group of the client is named in ${operationId}`);
  return { group, name: operationId.replace(nounOf(group), "") };
}

/** Matches `Contact` or `Contacts` at the start of a word of the operation's id. */
function nounOf(group) {
  const noun = group === "admin" ? "operator" : group.replace(/s$/, "");
  return new RegExp(`${noun[0].toUpperCase()}${noun.slice(1)}s?(?![a-z])`);
}

function requireDistinctNames(named) {
  const names = named.map(({ group, name }) => `${group}.${name}`);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`Two operations are both ${twice[0]}: give one another operationId`);
}

function describe(operation, document) {
  const { parameters = [], requestBody } = operation;
  const query = parameters.filter((parameter) => parameter.in === "query");
  return {
    ...operation,
    inPath: [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    body: requestBody && {
      required: requestBody.required === true,
      isForm: "multipart/form-data" in requestBody.content,
      isBytes: "application/octet-stream" in requestBody.content,
      schema: nameIn(Object.values(requestBody.content)[0].schema),
    },
    query: query.length > 0 && { required: query.some(({ required }) => required) },
    hasVersion: parameters.some((parameter) => parameter.name === "If-Match"),
    hasKey: parameters.some((parameter) => parameter.name === "Idempotency-Key"),
    roles: operation["x-roles"] ?? [],
    needsMaySend: operation["x-may-send"] === "needed",
    jobResult: nameIn(operation.responses[202]?.["x-job-result"]),
    ...(query.some((parameter) => parameter.name === "dryRun") ? answersOf(operation) : answerOf(operation, document)),
  };
}

/**
 * Returns the names of the schemas of an operation's answers: `plan` for a dry run, and `schema` for the same call
 * without one.
 */
function answersOf({ responses }) {
  const names = goodSchemas(responses).flatMap((schema) => (schema.anyOf ?? [schema]).map(nameIn));
  const plan = names.find((name) => name.endsWith("Plan"));
  return { plan, schema: names.find((name) => name !== plan) };
}

/**
 * Returns the answer's schema, if it has a single name, and whether it is wrapped in `{ success, data }`. A list also
 * has its items: the property with the items (an empty string when the answer itself is an array), and the name of
 * their schema.
 */
function answerOf({ operationId, responses }, document) {
  const schemas = goodSchemas(responses);
  const [schema] = schemas;
  if (schema === undefined || new Set(schemas.map(nameIn)).size > 1) return {};
  const { type, properties = {}, items } = resolve(schema, document);
  const answer = { schema: nameIn(schema), isWrapped: "success" in properties };
  if (!operationId.startsWith("list")) return answer;
  if (type === "array") return { ...answer, list: { property: "", schema: nameIn(items) } };
  const lists = Object.keys(properties).filter(
    (name) => name !== "warnings" && resolve(properties[name], document).type === "array",
  );
  if (lists.length !== 1) throw new Error(`It cannot be told what the items of ${operationId} are`);
  const [property] = lists;
  return { ...answer, list: { property, schema: nameIn(resolve(properties[property], document).items) } };
}

function goodSchemas(responses) {
  const good = Object.keys(responses).filter((status) => status < 300);
  return good.map((status) => responses[status].content?.["application/json"]?.schema);
}

function nameIn({ $ref } = {}) {
  return $ref?.replace("#/components/schemas/", "");
}

function resolve(schema, document) {
  const name = nameIn(schema);
  return name === undefined ? schema : document.components.schemas[name];
}
