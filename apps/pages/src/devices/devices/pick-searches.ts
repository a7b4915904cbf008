import type { AuditEntry } from '@homeward/contract/device-cloud'

/** So many searches show. */
const shown = 8

const agentPrefix = 'agent:'

/** Searches that were created on a device. Entries of very large searches may be about others: they name 100 devices. */
export function pickSearches(entries: readonly AuditEntry[], deviceId: string): readonly AuditEntry[] {
  return entries
    .filter(({ outcome, subjectId }) => outcome === 'done' && subjectId !== null)
    .filter(({ devices }) => !devices || devices.ids.length < devices.count || devices.ids.includes(deviceId))
    .slice(0, shown)
}

/** The agent that acted, if one did. */
export const agentOf = ({ actor }: Pick<AuditEntry, 'actor'>): string | undefined =>
  actor?.startsWith(agentPrefix) === true ? actor.slice(agentPrefix.length) : undefined
