import type { DeviceChanges } from '@homeward/contract/device-cloud'
import { all, each, first } from '@homeward/kit/sql'
import { toSearchText } from '../devices/search-text.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { DeviceUpdate, StoredDevice } from '../ports/device-store.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import { changeRow, toStoredDevice } from './device-row.ts'
import type { DeviceStatements } from './device-statements.ts'
import type { Plan } from './plan.ts'

/** The verb by which users change a device, and the part of others that gives it its labels. */
export function createDeviceChangePlans(statements: DeviceStatements, { appendAudit }: CloudPlanParts) {
  function* addLabels({ id, owner, createdAt, labels }: StoredDevice): Plan<void> {
    if (labels.length === 0) return
    const rows = labels.map((label) => ({ deviceId: id, owner, createdAt, label }))
    yield* each(statements.addLabel, rows)
  }

  return {
    addLabels,

    *updateDevice(
      owner: string,
      deviceId: string,
      changes: DeviceChanges,
      audit?: readonly NewAuditEntry[],
    ): Plan<DeviceUpdate | undefined> {
      const locked = yield* first(statements.findToChange, { owner, deviceId })
      // Read again: while it waited for the lock, a heartbeat may have changed what lies in another table.
      const row = locked && (yield* first(statements.findOwn, { owner, deviceId }))
      if (row === undefined) return undefined
      const columns = changeRow(row, changes)
      if (columns === undefined) return { device: toStoredDevice(row), changed: false }
      const device = toStoredDevice({ ...row, ...columns })
      yield* all(statements.setChanged, { deviceId, ...columns, searchText: toSearchText(device) })
      if (columns.labels !== row.labels) {
        yield* all(statements.deleteLabels, { deviceId })
        yield* addLabels(device)
      }
      yield* appendAudit(audit)
      return { device, changed: true }
    },
  }
}
