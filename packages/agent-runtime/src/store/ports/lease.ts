/** A lease: the owner, and the time until which no other process may take over. */
export interface Lease {
  /** Id of a runtime, unique to each start of each process. */
  readonly owner: string
  /** ISO 8601 text in UTC. A live owner renews it in time. */
  readonly until: string
}
