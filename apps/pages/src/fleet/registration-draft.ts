import type { CallInput } from '@homeward/contract/client'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { toFieldErrors } from '../api/field-errors.ts'

/** A registration as it is being written. */
export interface RegistrationDraft {
  readonly name: string
  readonly type: string
  readonly platform: string
  readonly os: string
  readonly version: string
  readonly hardware: string
  /** JSON of an object. */
  readonly more: string
}

/** Nothing written yet. */
export const emptyDraft: RegistrationDraft = {
  name: '',
  type: 'laptop',
  platform: 'linux',
  os: '',
  version: '',
  hardware: '',
  more: '',
}

/** What is wrong, by field. */
export function checkRegistration(
  draft: RegistrationDraft,
): Partial<Record<keyof RegistrationDraft, string>> {
  return {
    ...(draft.name.trim() === '' && { name: 'Enter a name.' }),
    ...(draft.type.trim() === '' && { type: 'Enter the type.' }),
    ...(draft.platform.trim() === '' && { platform: 'Enter the platform.' }),
    ...(parseMore(draft.more) === undefined && { more: 'Enter a JSON object.' }),
  }
}

/** What the server refused, by field. What is wrong with the metadata stands at its JSON, which can hold all of it. */
export function readRefusal(error: Error | null): {
  readonly fields: Partial<Record<keyof RegistrationDraft, string>>
  readonly rest: Error | undefined
} {
  const { fields, rest } = toFieldErrors(error, ['name', 'type', 'platform', 'metadata'])
  const { metadata, ...others } = fields
  return { fields: { ...others, ...(metadata !== undefined && { more: metadata }) }, rest }
}

/** What the server takes. A field with its own box wins over the same in `more`. */
export function toRegistration(
  draft: RegistrationDraft,
): CallInput<DeviceCloudOperations['registerDevice']>['body'] {
  const { name, type, platform, os, version, hardware, more } = draft
  const own = Object.entries({ os, version, hardware }).flatMap(([key, value]) =>
    value.trim() === '' ? [] : [[key, value.trim()] as const],
  )
  const metadata = { ...parseMore(more), ...Object.fromEntries(own) }
  return { name: name.trim(), type: type.trim(), platform: platform.trim(), metadata }
}

/** @returns undefined when it is no JSON object. */
function parseMore(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const parsed: unknown = JSON.parse(text)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isObject ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
