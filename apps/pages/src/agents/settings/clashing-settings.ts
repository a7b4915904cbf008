import { type SettingKey, settingRows, type SettingsView } from '@homeward/contract/agent-platform'
import type { SettingsDraft } from './setting-field.tsx'

/** What a draft changes that is no longer as it was known. */
export function clashingSettings(draft: SettingsDraft, known: SettingsView, now: SettingsView): SettingKey[] {
  return (Object.keys(draft) as SettingKey[]).filter((key) => {
    const shown = shownNameOf(key)
    const [mine, theirs] = [draft[key], now[shown]]
    return mine !== undefined && theirs !== known[shown] && (mine ?? '') !== (theirs || '')
  })
}

/** What shows of one setting. */
export function shownOf(key: SettingKey, settings: SettingsView): Partial<SettingsView> {
  const shown = shownNameOf(key)
  return { [shown]: settings[shown] }
}

/** Of a secret only whether it is set. */
const shownNameOf = (key: SettingKey) => (settingRows[key].secret ? (`has_${key}` as const) : key)
