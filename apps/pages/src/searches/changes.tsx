import { useMemo, useState } from 'react'
import { Card } from '../components/layout/card.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { formatTime } from '../components/text/relative-time.tsx'
import { useSearchGroups } from './use-search-group.ts'
import { useChanges } from './use-searches.ts'
import type { SearchChange } from '@homeward/contract/device-cloud'
import { RowList } from '../components/table/list-page.tsx'
import { MiddleCut } from '../components/text/middle-cut.tsx'
import { FilePanel, type PanelFile } from '../uploads/file-panel.tsx'

const tones = { added: 'good', removed: 'bad', changed: 'warn' } as const

const columns: readonly DataColumn<ChangeRow>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: '2fr', minWidth: 140 },
  {
    id: 'kind',
    header: 'Change',
    cell: ({ kind }) => <StatusBadge status={kind} tone={tones[kind]} />,
    width: 130,
    isCardCorner: true,
  },
  { id: 'device', header: 'Device', cell: ({ device }) => device.name, width: '1fr', minWidth: 110 },
  {
    id: 'detail',
    header: 'Path or details',
    cell: ({ detail }) => (
      <span className="muted" title={detail}>
        <MiddleCut text={detail} keep={28} />
      </span>
    ),
    width: '3fr',
    minWidth: 160,
  },
]
const textOf = ({ name, device }: ChangeRow) => `${name} on ${device.name}`

/** What devices answered otherwise in the last run of a saved search than in the run before. */
export function Changes({ savedSearchId }: { readonly savedSearchId: string }) {
  const changes = useChanges(savedSearchId)
  const rows = useMemo(() => toChangeRows(changes.data ?? []), [changes.data])
  const [openId, setOpenId] = useState<string>()
  const open = rows.find(({ id, file }) => file && id === openId)
  const partial = changes.data?.filter((change) => change.partial === true) ?? []
  return (
    <Card title="Changes since the previous run">
      {partial.length > 0 && (
        <Notice tone="warn">
          Not everything could be compared, because a run did not see all of it, on:{' '}
          <span className="foreign">{partial.map(({ device }) => device.name).join(', ')}</span>. Rows that
          one run did not see are left out. If all files of a folder are gone, check whether its drive is
          connected.
        </Notice>
      )}
      <RowList
        label="Changes"
        query={{ ...changes, data: changes.data && rows }}
        columns={columns}
        rowText={textOf}
        onRowAction={setOpenId}
        currentId={open?.id}
        cards="compact"
        empty={<NoChanges savedSearchId={savedSearchId} />}
      />
      {open?.file && <FilePanel file={open.file} onClose={() => setOpenId(undefined)} />}
    </Card>
  )
}

/** Which runs were compared, and how many devices answered. */
function NoChanges({ savedSearchId }: { readonly savedSearchId: string }) {
  const groups = useSearchGroups({ savedSearchId }).data
  const [last, before] = groups ?? []
  if (!last || !before || last.counts.completed === 0)
    return <EmptyState title="No changes yet">Differences between the last two runs appear here.</EmptyState>
  const { completed, failed, pending } = last.counts
  const silent = failed + pending
  return (
    <EmptyState title="Nothing changed">
      The runs of {formatTime(before.createdAt)} and {formatTime(last.createdAt)} have the same results on{' '}
      {completed === 1 ? '1 device' : `${completed.toLocaleString()} devices`}.
      {silent > 0 && ` ${silent.toLocaleString()} did not answer.`}
    </EmptyState>
  )
}

/** One file, app or other answer that a device gave in one of two runs only. */
interface ChangeRow {
  readonly id: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly device: SearchChange['device']
  readonly scope: string
  readonly name: string
  /** Path of a file or an app; otherwise the fields as JSON. */
  readonly detail: string
  /** Panel that a press on the row opens. */
  readonly file?: PanelFile | undefined
}

type Answer = SearchChange['added'][number]

/** Changes as rows. Of an older cloud, what is removed and added under the same path is one that changed. */
export function toChangeRows(changes: readonly SearchChange[]): readonly ChangeRow[] {
  return changes.flatMap(({ device, added, removed, changed = [] }) => {
    const before = new Set(removed.map(keyOf))
    const after = new Set(added.map(keyOf))
    const rows = [
      ...added.map((answer) => ({ answer, kind: before.has(keyOf(answer)) ? 'changed' : 'added' }) as const),
      ...removed.flatMap((answer) =>
        after.has(keyOf(answer)) ? [] : [{ answer, kind: 'removed' } as const],
      ),
      ...changed.map((change) => ({ answer: change.after, kind: 'changed' }) as const),
    ]
    return rows.map(({ answer, kind }, index): ChangeRow => {
      const { scope, ...fields } = answer
      const { name, path, size, modified } = fields
      const isFile = scope === 'files' && typeof name === 'string' && typeof path === 'string'
      return {
        id: `${device.id} ${index}`,
        kind,
        device,
        scope,
        name: typeof name === 'string' ? name : scope,
        detail: typeof path === 'string' ? path : JSON.stringify(fields),
        ...(isFile && {
          file: {
            device,
            name,
            path,
            ...(typeof size === 'number' && { size }),
            ...(typeof modified === 'string' && { modified }),
            canGet: kind !== 'removed' && fields['kind'] !== 'folder',
          },
        }),
      }
    })
  })
}

/** What makes two answers the same thing; answers without a path are told apart by all of their fields. */
const keyOf = (answer: Answer): string =>
  typeof answer['path'] === 'string' ? `${answer.scope} ${answer['path']}` : JSON.stringify(answer)
