export * from "./contacts";
export * from "./domains";
export * from "./emails";
export * from "./events";
export * from "./idempotency";
export * from "./jobs";
export * from "./projects";
export * from "./templates";
