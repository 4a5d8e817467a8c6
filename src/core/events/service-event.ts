import { type ServiceEvent, serviceEvents } from "./service-events";

type Known = typeof serviceEvents;
export type ServiceEventName = keyof Known;
/** The columns of the statistics that count the service's events. */
export type EventColumn = {
  [Name in ServiceEventName]: Known[Name] extends { column: infer Column } ? Column : never;
}[ServiceEventName];

/** The keys in the data of every event about an email. */
export const emailDataKeys = ["emailId", "subject", "templateId", "campaignId", "source"] as const;

/** The list of the service's events, typed with all the properties that an event may have. */
export const serviceEventList = Object.entries(serviceEvents) as [ServiceEventName, ServiceEvent][]; // Object.entries loses the type of the keys

export function serviceEvent(name: string): ServiceEvent | undefined {
  return Object.hasOwn(serviceEvents, name) ? serviceEvents[name as ServiceEventName] : undefined; // hasOwn does not narrow the type
}

/** Returns the names of the service's events that match a condition. */
export function serviceEventsThat(holds: (event: ServiceEvent, name: string) => unknown): ServiceEventName[] {
  return serviceEventList.filter(([name, event]) => holds(event, name)).map(([name]) => name);
}

/** The columns of statistics, each with the event that it counts. */
export const eventColumns = serviceEventList.flatMap(
  ([name, { column, columnMeans: means }]) =>
    column === undefined ? [] : [{ name, column: column as EventColumn, means }], // EventColumn contains every column
);
