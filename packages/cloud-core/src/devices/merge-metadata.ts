import type { DeviceMetadata } from '@homeward/contract/device-cloud'

/** Maximum size of a device's metadata in bytes of UTF-8 JSON. */
export const maxMetadataBytes = 8 * 1024

// C19: metadata is free but bounded, and the documented keys come first
const documentedKeys = new Set(['os', 'version', 'hardware'])
const encoder = new TextEncoder()

/** Whether metadata may be kept as it is. */
export function fitsMetadata(metadata: DeviceMetadata): boolean {
  const text = JSON.stringify(metadata)
  // UTF-8 takes at most three bytes for a unit of UTF-16: small metadata needs no exact count.
  return text.length * 3 <= maxMetadataBytes || encoder.encode(text).length <= maxMetadataBytes
}

/**
 * Merges the metadata of a heartbeat into the stored metadata.
 *
 * New values replace old ones key by key, and the result has at most {@link maxMetadataBytes}. A key that would
 * exceed the limit keeps its old value. `os`, `version` and `hardware` have priority, so other keys cannot displace
 * them.
 */
export function mergeMetadata(stored: DeviceMetadata, patch: DeviceMetadata): DeviceMetadata {
  const whole = { ...stored, ...patch }
  if (fitsMetadata(whole)) return whole

  let merged: DeviceMetadata = { ...stored }
  const entries = Object.entries(patch).toSorted(
    ([a], [b]) => Number(documentedKeys.has(b)) - Number(documentedKeys.has(a)),
  )
  for (const [key, value] of entries) {
    const next = { ...merged, [key]: value }
    if (fitsMetadata(next)) merged = next
  }
  return merged
}
