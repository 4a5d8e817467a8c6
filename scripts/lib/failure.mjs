/** An end we foresaw. Its message is what the user reads, without a stack: say what to do. */
export class Failure extends Error {}
