import type { Agent, AgentPatch, WhatIfRun } from '@homeward/contract/agent-platform'

/** A what-if as it is about to be stored. */
export interface NewWhatIf {
  readonly id: string
  readonly agentId: string
  readonly changes: AgentPatch
  /** The agent with its changes. */
  readonly agent: Agent
  /** Ids of the runs that are played, in their order. */
  readonly runIds: readonly string[]
  readonly createdAt: string
}

/** A what-if with the runs that were played so far, in their order. */
export interface StoredWhatIf extends NewWhatIf {
  readonly status: 'running' | 'completed' | 'failed'
  readonly runs: readonly WhatIfRun[]
}

/** A what-if that a process works on, until its lease ends. */
export interface ClaimedWhatIf extends StoredWhatIf {
  /** How often it was claimed since the last run was played, this time too. */
  readonly attempts: number
}

/** Progress of a what-if, reported by the process that works on it. */
export interface WhatIfWrite {
  readonly id: string
  readonly owner: string
  /** Nobody else claims it before. */
  readonly until: string
  /** A run that was played: the next one. @default none */
  readonly run?: WhatIfRun
  /** Present at its end. */
  readonly status?: 'completed' | 'failed'
}

/** What-ifs. Implementations must pass `whatIfStoreConformance`. */
export interface WhatIfStore {
  /** Stores a what-if as `running`. Of those that have ended, the newest `most` stay. */
  insertWhatIf(whatIf: NewWhatIf, most: number, signal?: AbortSignal): Promise<void>
  /** Takes the oldest one that is `running` and that nobody works on. @returns undefined if nothing is left to do. */
  claimWhatIf(
    claim: { readonly owner: string; readonly now: string; readonly until: string },
    signal?: AbortSignal,
  ): Promise<ClaimedWhatIf | undefined>
  /** Renews the lease, and stores a run or the end. @returns false if the owner does not have it anymore. */
  saveWhatIf(write: WhatIfWrite, signal?: AbortSignal): Promise<boolean>
  /** @returns undefined if it does not exist. */
  findWhatIf(id: string, signal?: AbortSignal): Promise<StoredWhatIf | undefined>
}
