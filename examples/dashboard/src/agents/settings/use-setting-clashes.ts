import { type SettingKey, settingRows, type SettingsView } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { changedElsewhere } from '../../components/fields/changed-elsewhere.ts'
import type { SettingsDraft } from './setting-field.tsx'

/** What a form of settings and somebody else have both changed: whoever saves last wins, and is told before. */
export interface SettingClashes {
  /** What to say at the fields of which people were told. */
  readonly notes: Readonly<Record<string, string>>
  /** To be called where the change of a setting begins, with what shows then. */
  readonly begin: (setting: SettingKey, settings: SettingsView) => void
  /**
   * Asks before changes are saved over the settings as they are now.
   *
   * @returns whether there is nothing that people were not told of; the next time there is not.
   */
  readonly mayReplace: (draft: SettingsDraft, now: SettingsView) => boolean
  /** Forgets them: saved, or given up. @param now what is there then */
  readonly settle: (now: SettingsView) => void
}

type Known = { readonly [Key in SettingKey]?: string | boolean | undefined }

/** Keeps them for the form of some settings. */
export function useSettingClashes(keys: readonly SettingKey[]): SettingClashes {
  const [known, setKnown] = useState<Known>({})
  const [told, setTold] = useState<readonly SettingKey[]>([])
  const all = (now: SettingsView) => Object.fromEntries(keys.map((key) => [key, shownOf(key, now)]))
  return {
    notes: Object.fromEntries(told.map((key) => [key, changedElsewhere])),
    begin: (setting, settings) =>
      setKnown((before) => ({ ...before, [setting]: shownOf(setting, settings) })),
    mayReplace(draft, now) {
      const found = keys.filter((key) => {
        const [mine, theirs] = [draft[key], shownOf(key, now)]
        return mine !== undefined && theirs !== known[key] && (mine ?? '') !== (theirs || '')
      })
      setKnown(all(now))
      setTold(found)
      return found.length === 0
    },
    settle(now) {
      setKnown(all(now))
      setTold([])
    },
  }
}

/** Of a secret only whether it is set. */
function shownOf(key: SettingKey, settings: SettingsView): string | boolean | undefined {
  return settings[settingRows[key].secret ? `has_${key}` : key]
}
