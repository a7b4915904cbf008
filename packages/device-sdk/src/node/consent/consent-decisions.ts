import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  decisionName,
  consentFolderOf,
  grantName,
  listQuestions,
  namesIn,
  type WaitingRequest,
  writeConsent,
} from './consent-files.ts'

/** Passes decisions of the owner of a device from another process to the agent. */
export interface ConsentDecisions {
  /** Requests that wait, oldest first. */
  list(): Promise<readonly WaitingRequest[]>
  /**
   * Decides about a request.
   *
   * @param forMs Allows the same actor the same kind of request for so long, in milliseconds; `Infinity` is always.
   * @default this request only
   * @returns the request; undefined if none waits with this id
   */
  decide(id: string, allow: boolean, forMs?: number): Promise<WaitingRequest | undefined>
  /** Takes back all that was allowed in advance. @returns how many actors and kinds that were */
  revokeGrants(): Promise<number>
}

/** Options of {@link createConsentDecisions}. */
export interface ConsentDecisionsOptions {
  /** State folder of the agent: the same as that of `createConsentFolder`. */
  readonly folder: string
  /** Returns the time in milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
}

/**
 * Reads the requests that wait in a state folder, and writes what the owner decides. The agent finds it within a second, or
 * after its next start. Only a process that may write the folder can decide.
 *
 * @example
 * const decisions = createConsentDecisions({ folder: '/var/lib/my-agent' })
 * for (const { id } of await decisions.list()) await decisions.decide(id, false)
 */
export function createConsentDecisions({
  folder: stateFolder,
  now = Date.now,
}: ConsentDecisionsOptions): ConsentDecisions {
  const folder = consentFolderOf(stateFolder)
  return {
    list: async () => (await listQuestions(folder, now())).map(({ request }) => request),
    async decide(id, allow, forMs = 0) {
      const nowMs = now()
      const found = (await listQuestions(folder, nowMs)).filter(({ request }) => request.id === id)
      const at = new Date(nowMs).toISOString()
      for (const { key, request } of found) {
        const { kind, actor } = request
        const until = Number.isFinite(forMs) ? new Date(nowMs + forMs).toISOString() : null
        if (allow && forMs > 0) await writeConsent(folder, grantName(request), { kind, actor, at, until })
        await writeConsent(folder, decisionName(key), { id, kind, actor, allow, at, by: 'owner' })
      }
      return found[0]?.request
    },
    async revokeGrants() {
      const grants = (await namesIn(folder)).filter((name) => /^grant-[\da-f]{40}\.json$/.test(name))
      for (const name of grants) await rm(join(folder, name), { force: true })
      return grants.length
    },
  }
}
