import { settingRows, type SettingKey } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'

/** The value as it is kept, or why it cannot be used. The text of a problem never holds the value. */
export function checkSetting(
  key: SettingKey,
  value: unknown,
): { readonly value: string } | { readonly problem: string } {
  const parsed = z.safeParse<z.ZodMiniType<string>>(settingRows[key].schema, value)
  if (parsed.success) return { value: parsed.data }
  const [issue] = parsed.error.issues
  if (issue?.code === 'invalid_type') return { problem: 'must be a string' }
  if (issue?.code === 'invalid_value') return { problem: `must be ${issue.values.map(String).join(' or ')}` }
  if (issue?.code === 'too_big') return { problem: `must have at most ${issue.maximum} characters` }
  return { problem: issue?.message ?? 'is invalid' }
}

/** Whether a key is one of the documented settings. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingRows, key)
}
