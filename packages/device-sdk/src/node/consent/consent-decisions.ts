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

/** Lists and answers the requests that wait for the owner of a device, from a process other than the agent. */
export interface ConsentDecisions {
  /** Lists the waiting requests, oldest first. */
  list(): Promise<readonly WaitingRequest[]>
  /**
   * Decides about a request.
   *
   * @param forMs time in milliseconds for which the same requester needs no consent for the same kind of request;
   * `Infinity` means always. @default this request only
   * @returns the request; undefined if no request with this id waits
   */
  decide(id: string, allow: boolean, forMs?: number): Promise<WaitingRequest | undefined>
  /** Removes all advance consents. @returns the number of removed requesters and kinds */
  revokeGrants(): Promise<number>
}

/** Options of {@link createConsentDecisions}. */
export interface ConsentDecisionsOptions {
  /** State folder of the agent, as in `createConsentFolder`. */
  readonly folder: string
  /** Returns the time in milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
}

/**
 * Creates access to the waiting consent requests in a state folder.
 *
 * The agent reads a decision within a second, or after its next start. Only a process with write access to the folder
 * can decide.
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
