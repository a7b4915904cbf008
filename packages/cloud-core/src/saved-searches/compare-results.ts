import type { ChangedRow, SearchResults, Unread } from '@homeward/contract/device-cloud'
import { type AnswerRow, toAnswerRows } from '../searches/answer-rows.ts'

/** What one answer of a device has and the one before it has not. */
interface ComparedResults {
  readonly added: readonly ChangedRow[]
  readonly removed: readonly ChangedRow[]
  readonly changed: readonly { readonly before: ChangedRow; readonly after: ChangedRow }[]
  /** Whether a part could not be compared, because one of the answers did not see it. */
  readonly isPartial: boolean
}

/**
 * Compares two answers of a device, as far as both saw. A row that only one of them has says nothing if the other was cut, or
 * could not read the place. Rows are the same by their path, id or name; other differences are changes, but for those of
 * volatile fields, such as free memory. A device that was not asked before has added everything.
 */
export function compareResults(before: SearchResults | undefined, after: SearchResults): ComparedResults {
  if (before === undefined) {
    const added = toAnswerRows(after).map(toChangedRow)
    return { added, removed: [], changed: [], isPartial: isCut(after) }
  }
  const old = toAnswerRows(before)
  const current = toAnswerRows(after)
  const { pairs, onlyOld, onlyCurrent } = pairRows(old, current)
  const mayBeRemoved = createSight(after)
  const mayBeAdded = createSight(before)
  const removed = onlyOld.filter(mayBeRemoved)
  const added = onlyCurrent.filter(mayBeAdded)
  const changed = pairs.filter(([one, other]) => isChange(one, other))
  return {
    added: added.map(toChangedRow),
    removed: removed.map(toChangedRow),
    changed: changed.map(([one, other]) => ({ before: toChangedRow(one), after: toChangedRow(other) })),
    isPartial:
      removed.length < onlyOld.length ||
      added.length < onlyCurrent.length ||
      isCut(before) ||
      isCut(after) ||
      hasOtherGaps(before, after) ||
      isEmptied(removed, current),
  }
}

const toChangedRow = ({ scope, fields }: AnswerRow): ChangedRow => ({ ...fields, scope })

const isCut = ({ truncated = {} }: SearchResults): boolean => Object.values(truncated).includes(true)

/** Whether an answer would have a row if it were there. */
function createSight(results: SearchResults): (row: AnswerRow) => boolean {
  const { truncated = {}, unread = [] } = results
  return ({ scope, fields }) =>
    truncated[scope] !== true && !unread.some((part) => isOf(part, scope) && isBelow(fields.path, part))
}

/** Rows of the scope `content` stand in `files`. */
const isOf = (part: Unread, scope: string): boolean =>
  part.scope === scope || (part.scope === 'content' && scope === 'files')

function isBelow(path: unknown, part: Unread): boolean {
  // A file that is not text now was not text before, or holds the text no longer.
  if (part.path === undefined) return part.reason !== 'not_text'
  if (typeof path !== 'string') return true
  if (!path.startsWith(part.path)) return false
  return (
    path.length === part.path.length ||
    /[\\/]$/.test(part.path) ||
    /^[\\/]/.test(path.slice(part.path.length))
  )
}

/** Whether one answer could not see something that the other one could. */
function hasOtherGaps({ unread: old = [] }: SearchResults, { unread: current = [] }: SearchResults): boolean {
  const keyOf = ({ scope, reason, path }: Unread) => JSON.stringify([scope, reason, path])
  const gapsOf = (parts: readonly Unread[]) =>
    parts
      .filter(({ reason }) => reason !== 'not_text')
      .map(keyOf)
      .toSorted()
  return JSON.stringify(gapsOf(old)) !== JSON.stringify(gapsOf(current))
}

/** Whether all of several rows of a scope are gone: an empty mount point looks the same. */
function isEmptied(removed: readonly AnswerRow[], current: readonly AnswerRow[]): boolean {
  const left = new Set(current.map(({ scope }) => scope))
  return [...Map.groupBy(removed, ({ scope }) => scope)].some(
    ([scope, rows]) => rows.length > 1 && !left.has(scope),
  )
}

interface PairedRows {
  readonly pairs: readonly (readonly [before: AnswerRow, after: AnswerRow])[]
  readonly onlyOld: readonly AnswerRow[]
  readonly onlyCurrent: readonly AnswerRow[]
}

/** Pairs the rows of one identity: first those that are equal, then in their order. */
function pairRows(old: readonly AnswerRow[], current: readonly AnswerRow[]): PairedRows {
  const pairs: (readonly [AnswerRow, AnswerRow])[] = []
  const pairBy = (
    keyOf: (row: AnswerRow) => string,
    ones: readonly AnswerRow[],
    others: readonly AnswerRow[],
  ) => {
    const waiting = Map.groupBy(ones, keyOf)
    const left = others.filter((other) => {
      const one = waiting.get(keyOf(other))?.shift()
      if (one !== undefined) pairs.push([one, other])
      return one === undefined
    })
    return [[...waiting.values()].flat(), left] as const
  }
  const [ones, others] = pairBy(contentOf, old, current)
  const [onlyOld, onlyCurrent] = pairBy(identityOf, ones, others)
  return { pairs, onlyOld, onlyCurrent }
}

const identifying = ['path', 'id', 'name'] as const

/** What a row is about. A row without a path, id or name is another one when it differs. */
function identityOf(row: AnswerRow): string {
  const { scope, fields } = row
  if (scope === 'system') return scope
  const parts = identifying.filter((name) => fields[name] !== undefined)
  // Two places can hold files of one name, and one program can be started by two names.
  const names = parts[0] === 'path' && scope === 'apps' ? parts : parts.slice(0, 1)
  return names.length === 0 ? contentOf(row) : JSON.stringify([scope, ...names.map((name) => fields[name])])
}

/** The same text for the same fields, in whatever order they came, without volatile fields. */
function contentOf({ scope, fields }: AnswerRow): string {
  const sorted = Object.entries(fields)
    .filter(([name]) => !(scope === 'apps' && name === 'running'))
    .map(([name, value]) => [name, scope === 'system' ? withoutFree(value) : value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([scope, sorted])
}

/** Whether two answers about one thing differ. A disk that did not respond in time is `unknown`, which says nothing. */
function isChange(before: AnswerRow, after: AnswerRow): boolean {
  if (before.scope !== 'system') return contentOf(before) !== contentOf(after)
  return Object.entries(before.fields).some(([name, value]) => {
    const other = after.fields[name]
    const isKnown = value !== 'unknown' && other !== 'unknown' && other !== undefined
    return isKnown && JSON.stringify(withoutFree(value)) !== JSON.stringify(withoutFree(other))
  })
}

/** `3 GiB free of 8 GiB` is memory of 8 GiB. */
function withoutFree(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/[\d.,]+\s*[A-Za-z]+ free\b/g, 'free') : value
}
