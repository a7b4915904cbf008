import type { SearchChange } from '@homeward/contract/device-cloud'

/** One file, app or other answer that a device gave in one of two runs only. */
export interface ChangeRow {
  readonly id: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly device: SearchChange['device']
  readonly scope: string
  readonly name: string
  /** Path of a file or an app; otherwise the fields as JSON. */
  readonly detail: string
}

type Answer = SearchChange['added'][number]

/** Changes as rows: a file or an app that is removed and added under the same path is one that changed. */
export function toChangeRows(changes: readonly SearchChange[]): readonly ChangeRow[] {
  return changes.flatMap(({ device, added, removed }) => {
    const before = new Set(removed.map(keyOf))
    const after = new Set(added.map(keyOf))
    const rows = [
      ...added.map((answer) => ({ answer, kind: before.has(keyOf(answer)) ? 'changed' : 'added' }) as const),
      ...removed.flatMap((answer) =>
        after.has(keyOf(answer)) ? [] : [{ answer, kind: 'removed' } as const],
      ),
    ]
    return rows.map(({ answer, kind }, index): ChangeRow => {
      const { scope, ...fields } = answer
      const { name, path } = fields
      return {
        id: `${device.id} ${index}`,
        kind,
        device,
        scope,
        name: typeof name === 'string' ? name : scope,
        detail: typeof path === 'string' ? path : JSON.stringify(fields),
      }
    })
  })
}

/** What makes two answers the same thing; answers without a path are told apart by all of their fields. */
const keyOf = (answer: Answer): string =>
  typeof answer['path'] === 'string' ? `${answer.scope} ${answer['path']}` : JSON.stringify(answer)
