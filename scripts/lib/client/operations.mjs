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

/** The group is the first segment of the path, or of `/v1` the one whose noun the operation's id has. */
function nameOf({ path, operationId }, groups) {
  const first = firstSegment(path);
  const group = first === "v1" ? groups.find((one) => nounOf(one).test(operationId)) : first;
  if (group === undefined) throw new Error(`No group of the client is named in ${operationId}`);
  return { group, name: operationId.replace(nounOf(group), "") };
}

/** Contact, or Contacts, where a word of the operation's id begins. */
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
    },
    query: query.length > 0 && { required: query.some(({ required }) => required) },
    hasKey: parameters.some((parameter) => parameter.name === "Idempotency-Key"),
    items: operation.operationId.startsWith("list") ? itemsOf(operation, document) : undefined,
  };
}

/** The property of a list's answer that has its items: an empty string when the answer is an array itself. */
function itemsOf({ operationId, responses }, document) {
  const { schema } = responses[200].content["application/json"];
  const { type, properties = {} } = resolve(schema, document);
  if (type === "array") return "";
  const arrays = Object.keys(properties).filter(
    (name) => name !== "warnings" && resolve(properties[name], document).type === "array",
  );
  if (arrays.length !== 1) throw new Error(`It cannot be told what the items of ${operationId} are`);
  return arrays[0];
}

function resolve(schema, document) {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : document.components.schemas[name];
}
