import type { SearchSelection } from '@homeward/contract/device-cloud'
import { SelectField } from '../components/fields/select-field.tsx'

/** The conditions that the form offers. Each is a text, so that the URL can hold it. */
export interface FileConditionsDraft {
  readonly kind: string
  /** Days since the last change. */
  readonly days: string
  readonly minBytes: string
  readonly sort: string
}

/** Nothing chosen. */
export const anyFile: FileConditionsDraft = { kind: '', days: '', minBytes: '', sort: '' }

const kinds = [
  { value: '', label: 'Any kind' },
  { value: 'document', label: 'Documents' },
  { value: 'image', label: 'Images' },
  { value: 'audio', label: 'Audio' },
  { value: 'video', label: 'Videos' },
  { value: 'archive', label: 'Archives' },
  { value: 'code', label: 'Code' },
  { value: 'folder', label: 'Folders' },
]
const times = [
  { value: '', label: 'Any time' },
  { value: '1', label: 'Past 24 hours' },
  { value: '7', label: 'Past week' },
  { value: '30', label: 'Past month' },
  { value: '365', label: 'Past year' },
]
const sizes = [
  { value: '', label: 'Any size' },
  { value: '1000000', label: '1 MB or more' },
  { value: '100000000', label: '100 MB or more' },
  { value: '1000000000', label: '1 GB or more' },
]
const sorts = [
  { value: '', label: 'Best match' },
  { value: '-modified', label: 'Newest first' },
  { value: 'modified', label: 'Oldest first' },
  { value: '-size', label: 'Largest first' },
  { value: 'size', label: 'Smallest first' },
  { value: 'name', label: 'Name' },
]

interface FileConditionsProps {
  readonly draft: FileConditionsDraft
  readonly onChange: (changed: Partial<FileConditionsDraft>) => void
}

/** Which files are looked for, in one row. */
export function FileConditions({ draft, onChange }: FileConditionsProps) {
  return (
    <div className="field-grid" role="group" aria-label="Conditions on files">
      <SelectField label="Kind" options={kinds} value={draft.kind} onChange={(kind) => onChange({ kind })} />
      <SelectField
        label="Changed"
        options={times}
        value={draft.days}
        onChange={(days) => onChange({ days })}
      />
      <SelectField
        label="Size"
        options={sizes}
        value={draft.minBytes}
        onChange={(minBytes) => onChange({ minBytes })}
      />
      <SelectField label="Order" options={sorts} value={draft.sort} onChange={(sort) => onChange({ sort })} />
    </div>
  )
}

const dayMs = 86_400_000

/** Converts the conditions of the form to the fields of the request. */
export function toSelectionFields(
  { kind, days, minBytes, sort }: FileConditionsDraft,
  nowMs: number,
): Pick<SearchSelection, 'where' | 'sort'> {
  const where = {
    ...(kind !== '' && { kind: [kind] }),
    ...(days !== '' && { modifiedAfter: new Date(nowMs - Number(days) * dayMs).toISOString() }),
    ...(minBytes !== '' && { minBytes: Number(minBytes) }),
  }
  return { ...(Object.keys(where).length > 0 && { where }), ...(sort !== '' && { sort }) }
}

/** What a search selects, in a few words: `videos, 1 GB or more, newest first`. Empty for nothing. */
export function describeSelection(
  { where = {}, sort, limit }: SearchSelection,
  formatBytes: (bytes: number) => string,
): string {
  const labelOf = (options: readonly { value: string; label: string }[], value: string) =>
    (options.find((option) => option.value === value)?.label ?? value).toLowerCase()
  const date = (time: string) => new Date(time).toLocaleDateString()
  return [
    ...(where.kind ? [where.kind.map((kind) => labelOf(kinds, kind)).join(' or ')] : []),
    ...(where.extension ? [where.extension.map((each) => `.${each}`).join(' or ')] : []),
    ...(where.minBytes === undefined ? [] : [`${formatBytes(where.minBytes)} or more`]),
    ...(where.maxBytes === undefined ? [] : [`at most ${formatBytes(where.maxBytes)}`]),
    ...(where.modifiedAfter === undefined ? [] : [`changed since ${date(where.modifiedAfter)}`]),
    ...(where.modifiedBefore === undefined ? [] : [`changed before ${date(where.modifiedBefore)}`]),
    ...(where.folder === undefined ? [] : [`in ${where.folder}`]),
    ...(sort === undefined ? [] : [labelOf(sorts, sort)]),
    ...(limit === undefined ? [] : [`at most ${limit.toLocaleString()} rows`]),
  ].join(', ')
}
