/** A field of other email APIs. A call that has it wants something done, so it is refused with what to do here. */
export interface ForeignName {
  name: string;
  /** The list whose items have the field; the call itself without it. */
  itemsOf?: string;
  /** The one value that asks for what happens anyway. */
  except?: string;
  advice: string;
}
