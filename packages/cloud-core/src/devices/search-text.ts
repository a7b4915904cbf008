import type { DeviceMetadata } from '@homeward/contract/device-cloud'

/**
 * Text in the form in which texts are compared without regard to case (C29): Unicode's lowercase letters, with one sigma.
 * Accents count, and a letter with its accent is another text than a letter followed by one. The same code folds what is
 * stored and what is looked for, so that all stores agree.
 */
export function foldText(text: string): string {
  return text.toWellFormed().toLowerCase().replaceAll('ς', 'σ')
}

/** No text that is looked for can hold it, so none matches across two values. */
const separator = '\n'

/** All of a device that can be looked for by text, folded: its name, its id and its metadata's values. */
export function toSearchText(device: { id: string; name: string; metadata: DeviceMetadata }): string {
  const values = [device.name, device.id, ...leavesOf(device.metadata)]
  // Postgres cannot store U+0000.
  return foldText(values.join(separator)).replaceAll('\0', separator)
}

/** Texts, numbers and truth values of JSON, those inside lists and objects too. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf)
  if (typeof value === 'string') return [value]
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []
}
