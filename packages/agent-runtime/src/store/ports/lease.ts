/** Who works on something, and until when nobody else may. */
export interface Lease {
  /** Id of a runtime: unique to each start of each process. */
  readonly owner: string
  /** ISO 8601 text in UTC. Renewed in time by an owner that lives. */
  readonly until: string
}
