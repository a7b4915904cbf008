import type { DeviceMetadata } from '@homeward/contract/device-cloud'

/** How large a device's metadata may grow, as UTF-8 JSON (C19). */
export const maxMetadataBytes = 8 * 1024

const documentedKeys = new Set(['os', 'version', 'hardware'])
const encoder = new TextEncoder()

/** Size of metadata at rest, in bytes. */
export function metadataBytes(metadata: DeviceMetadata): number {
  return encoder.encode(JSON.stringify(metadata)).length
}

/**
 * Metadata after a heartbeat: new values win key by key, and the whole stays within {@link maxMetadataBytes}
 * however many beats add to it. A key that would break the limit keeps its old value; `os`, `version` and
 * `hardware` come first, so a device cannot crowd them out.
 */
export function mergeMetadata(stored: DeviceMetadata, patch: DeviceMetadata): DeviceMetadata {
  const whole = { ...stored, ...patch }
  if (metadataBytes(whole) <= maxMetadataBytes) return whole

  let merged: DeviceMetadata = { ...stored }
  const entries = Object.entries(patch).toSorted(
    ([a], [b]) => Number(documentedKeys.has(b)) - Number(documentedKeys.has(a)),
  )
  for (const [key, value] of entries) {
    const next = { ...merged, [key]: value }
    if (metadataBytes(next) <= maxMetadataBytes) merged = next
  }
  return merged
}
