import { type ServiceEvent, serviceEvents } from "./service-events";

type Known = typeof serviceEvents;
export type ServiceEventName = keyof Known;
/** The columns of statistics that count events of the service. */
export type EventColumn = {
  [Name in ServiceEventName]: Known[Name] extends { column: infer Column } ? Column : never;
}[ServiceEventName];

/** The keys in the data of every event of an email. */
export const emailDataKeys = ["emailId", "subject", "templateId", "campaignId", "source"] as const;

/** The list, with the optional facts of each event. */
export const serviceEventList = Object.entries(serviceEvents) as [ServiceEventName, ServiceEvent][]; // the keys of a constant

export function serviceEvent(name: string): ServiceEvent | undefined {
  return Object.hasOwn(serviceEvents, name) ? serviceEvents[name as ServiceEventName] : undefined; // it is a key
}

/** The names of the service's events of which this holds. */
export function serviceEventsThat(holds: (event: ServiceEvent, name: string) => unknown): ServiceEventName[] {
  return serviceEventList.filter(([name, event]) => holds(event, name)).map(([name]) => name);
}

/** The statistics' columns, each with the event that it counts. */
export const eventColumns = serviceEventList.flatMap(
  ([name, { column, columnMeans: means }]) =>
    column === undefined ? [] : [{ name, column: column as EventColumn, means }], // the columns of a constant
);
