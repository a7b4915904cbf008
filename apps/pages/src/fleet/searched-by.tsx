import type { AuditEntry } from '@homeward/contract/device-cloud'
import { Link } from 'wouter'
import { useCloudQuery } from '../api/cloud.ts'
import { isForbidden } from '../api/until-gone.ts'
import { Card } from '../components/layout/card.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { untilNextRead } from '../api/device-events.ts'
import { useSearches } from '../searches/use-searches.ts'
import { hrefOfGroup } from '../searches/search-draft.ts'
import '../components/layout/bare-list.css'

const refetchMs = 30_000

/** Agents and people that searched a device lately, with their searches. */
export function SearchedBy({ deviceId }: { readonly deviceId: string }) {
  const audit = useCloudQuery(
    'listAudit',
    { query: { deviceId, action: 'search:created', limit: '20' } },
    { refetchInterval: () => untilNextRead(refetchMs) },
  )
  // Some people may not read the audit.
  if (isForbidden(audit.error)) return null
  return (
    <Card title="Searched by">
      <QueryView query={audit}>
        {({ entries }) => <Searches entries={entries} deviceId={deviceId} />}
      </QueryView>
    </Card>
  )
}

function Searches({
  entries,
  deviceId,
}: {
  readonly entries: readonly AuditEntry[]
  readonly deviceId: string
}) {
  const searches = pickSearches(entries, deviceId)
  // The audit names no words: the searches of the device do.
  const queries = useSearches({ deviceId }).data
  const wordsOf = ({ subjectId }: AuditEntry) =>
    queries?.find(({ id, groupId }) => id === subjectId || groupId === subjectId)?.query
  if (searches.length === 0)
    return <p className="muted">No searches yet. Agents and people that search this device appear here.</p>
  return (
    <ul className="bare-list">
      {searches.map((entry) => (
        <li key={entry.id}>
          <Link href={hrefOf(entry)} className="foreign">
            {wordsOf(entry) || 'Search'}
          </Link>
          <span className="muted foreign">
            by <Actor entry={entry} />, on{' '}
            {entry.devices ? countDevices(entry.devices.count) : 'this device only'},{' '}
            <RelativeTime value={entry.createdAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function Actor({ entry }: { readonly entry: AuditEntry }) {
  const agentId = agentOf(entry)
  if (agentId === undefined)
    return (entry.actor ?? entry.userId) === 'local' ? 'you' : (entry.actor ?? entry.userId)
  return (
    <>
      Agent <Link href={`/agents/${encodeURIComponent(agentId)}`}>{agentId}</Link>
    </>
  )
}

const countDevices = (count: number) => (count === 1 ? '1 device' : `${count.toLocaleString()} devices`)

const hrefOf = ({ devices, subjectId }: AuditEntry): string =>
  devices ? hrefOfGroup(subjectId ?? '') : `/searches/${encodeURIComponent(subjectId ?? '')}`

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
