import type { AuditedDevices, AuditEntry } from '@homeward/contract/device-cloud'
import { namesAll } from '../audit/audited-devices.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'

/** An entry as it lies in its table: `devices` as JSON text. */
export type AuditRow = Omit<AuditEntry, 'actor' | 'devices'> & {
  readonly actor: string | null
  readonly devices: string | null
}

/** An entry as it is added to its table. */
export interface NewAuditRow extends AuditRow, Pick<NewAuditEntry, 'expiresAt'> {
  /** 1 where `devices` names all of them, 0 where there were more. */
  readonly namesAll: number | null
}

/** Row of a new entry. */
export function toAuditRow({ actor, devices, ...entry }: NewAuditEntry): NewAuditRow {
  const named = devices === undefined ? null : Number(namesAll(devices))
  return {
    ...entry,
    actor: actor ?? null,
    devices: devices === undefined ? null : JSON.stringify(devices),
    namesAll: named,
  }
}

/** The entry of a row. What does not hold for it is left out: it reads as it did before there were such fields. */
export function toAuditEntry({ actor, devices, ...entry }: AuditRow): AuditEntry {
  return {
    ...entry,
    ...(actor === null ? undefined : { actor }),
    // Written by `JSON.stringify` from an entry.
    ...(devices === null ? undefined : { devices: JSON.parse(devices) as AuditedDevices }),
  }
}
