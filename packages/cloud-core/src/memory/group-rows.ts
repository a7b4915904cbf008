import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { NewGroup } from '../ports/group-store.ts'
import { toGroupRow } from '../sql/group-row.ts'
import { addSorted } from './sorted-rows.ts'
import type { Tables } from './tables.ts'
import { listIn } from './tables.ts'

/** Adds a group, if there is one, once `before` has not thrown. */
export function addGroup(
  tables: Tables,
  owner: string,
  group: NewGroup | undefined,
  before: () => void,
): void {
  if (group !== undefined && tables.groups.has(group.id))
    throw new CloudStoreError(
      'CONFLICT',
      'Adding a group failed: its id is already in use. Create a new one.',
    )
  before()
  if (group === undefined) return
  const row = toGroupRow(owner, group)
  tables.groups.set(row.id, row)
  addSorted(listIn(tables.groupsByOwner, owner), row)
}
